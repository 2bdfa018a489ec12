package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/schema"
)

// querySource is the source of a query: a database, or RDF files.
type querySource struct {
	file string // the database; empty when there are files
	data []dataFile
}

// dataFile is an RDF file, or - for stdin. With a graph, its triples are loaded into that graph.
type dataFile struct{ path, graph string }

// queryFormats are the formats of files that can be read without a schema.
func queryFormats() []load.Format {
	return slices.DeleteFunc(load.Formats(), load.Format.OfNodes)
}

// sourceOf decides what the named files are: one database, recognized by its content, or any number of RDF files.
func (p *program) sourceOf(cmd *cobra.Command, names []string, f queryFlags) (querySource, error) {
	db := p.env["TRAILS_DB"]
	if len(names)+len(f.named) == 0 && db != "" {
		names = []string{db}
	}
	if len(names)+len(f.named) == 0 {
		return querySource{}, missing(cmd, nil, []string{"FILE", "SPARQL"})
	}
	if len(names) == 1 && len(f.named) == 0 && (isSQLite(names[0]) || names[0] == db) {
		if f.format != string(load.Auto) {
			return querySource{}, usageError{"--format is for files of data, and " + names[0] + " is a database"}
		}
		return querySource{file: names[0]}, nil
	}
	var source querySource
	for _, name := range names {
		source.data = append(source.data, dataFile{path: name})
	}
	for _, text := range f.named { // IRI=FILE, or FILE, whose graph has the file's own IRI
		d := dataFile{path: text, graph: fileIRI(text)}
		if at := strings.LastIndexByte(text, '='); at > 0 && schema.CheckIRI(text[:at]) == nil {
			d = dataFile{path: text[at+1:], graph: text[:at]}
		}
		source.data = append(source.data, d)
	}
	return source, checkData(source.data, f)
}

// fileIRI is the IRI of a file (RFC 8089), the base of its relative IRIs.
func fileIRI(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(whole)}).String()
}

// checkData refuses unsuitable files before anything is read.
func checkData(data []dataFile, f queryFlags) error {
	stdin := 0
	if f.file == "-" {
		stdin++
	}
	for _, d := range data {
		lower := strings.ToLower(d.path)
		switch format := load.FormatByName(d.path); {
		case d.path == "-":
			stdin++
		case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
			return usageError{d.path + " is not fetched: give it as a file, or - for stdin"}
		case isSQLite(d.path):
			return usageError{d.path + " is a database, which is asked alone; load the other files into it, or export it"}
		case format.OfNodes():
			return usageError{fmt.Sprintf("%s is %s, which means nothing without a schema; load it into a database", d.path, strings.ToUpper(string(format)))}
		}
	}
	if stdin > 1 {
		return usageError{"stdin can be read once only"}
	}
	if known := queryFormats(); !slices.Contains(known, load.Format(f.format)) {
		return usageError{"--format " + f.format + ": it is " + words(known)}
	}
	return nil
}

// withSource opens the source of a query: RDF files are loaded into a temporary database.
func (p *program) withSource(ctx context.Context, source querySource, f queryFlags, work func(file string) error) (err error) {
	if source.file != "" {
		return work(source.file)
	}
	dir, err := os.MkdirTemp("", "trails-query-")
	if err != nil {
		return fault.New(fault.Unusable, "%v", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "files.trails")
	if err := kg.Create(ctx, file, kg.CreateOptions{Name: "files", By: me()}); err != nil {
		return err
	}
	if err := p.loadFiles(ctx, file, source.data, f); err != nil {
		return placed(err)
	}
	return work(file)
}

// loadFiles reads files of data, without a schema.
func (p *program) loadFiles(ctx context.Context, file string, data []dataFile, f queryFlags) error {
	names := make([]string, len(data))
	for i, d := range data {
		names[i] = d.path
	}
	inputs, closeAll, err := p.openInputs(ctx, names)
	if err != nil {
		return err
	}
	defer closeAll()
	for i, d := range data {
		in := &inputs[i]
		in.Own, in.Graph, in.Base = true, rdf.IRI(d.graph), rdf.IRI(f.base)
		if f.base == "" && d.path != "-" {
			in.Base = rdf.IRI(fileIRI(d.path))
		}
	}
	progress := p.newMeter()
	defer progress.close()
	return p.withGraph(ctx, file, func(g *kg.Graph) error {
		done, err := g.Session(me()).Import(ctx, kg.Load{Options: load.Options{Inputs: inputs, Format: load.Format(f.format)}, Progress: progress.hook()})
		p.tellLeftOut(done)
		return err
	})
}

// placed adds the place of an error, file:line:column, to its message.
func placed(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.InvalidData || len(f.Fields) != 1 {
		return err
	}
	column, message, ok := strings.Cut(strings.TrimPrefix(f.Fields[0].Message, "column "), ": ")
	if !ok || strings.ContainsFunc(column, func(c rune) bool { return c < '0' || c > '9' }) {
		return err
	}
	return fault.New(fault.Malformed, "%s", fmt.Sprintf("%s:%s: %s", f.Fields[0].Source, column, message))
}
