package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
)

type exportFlags struct {
	format, graph, typeName, branch, at, output string
	force                                       bool
}

func (p *program) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the graph out, in canonical order",
		Long: `Write the graph to stdout or to a file: the same graph gives the same bytes. nquads, trig
and jsonld have everything, the schema too; ntriples, turtle and rdfxml have the default graph,
or the one that --graph names; ndjson has the nodes of declared types, as load reads them; csv and tsv
have those of the --type, a row each, with their ids and all properties. All of them stream:
memory is bounded, whatever the graph's size.

With --output the file appears whole or not at all; a name that ends in .gz is compressed, and
the format is that of the name unless --format says another.
` + fileHelp,
		Example: `  trails export notes.trails > notes.nq
  trails export notes.trails --format ndjson --output notes.ndjson.gz
  trails export notes.trails --type Person -o csv > people.csv`,
		Annotations: map[string]string{outputsOf: "text json csv tsv"},
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			p.inspect = true
			if table := p.output; table == string(load.CSV) || table == string(load.TSV) {
				if f.format != "" && f.format != table {
					return usageError{"-o " + table + " is --format " + table + "; give one of them"}
				}
				f.format = table
			}
			f.format = cmp.Or(f.format, string(load.FormatByName(f.output)), string(load.NQuads))
			return p.export(cmd.Context(), file, f)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "`FORMAT` to write: "+words(kg.ExportFormats())+" (default: what --output says, or nquads)")
	flags.StringVar(&f.graph, "graph", "", "only the graph with this `IRI`; "+string(rdf.DefaultGraph)+" is the default graph")
	flags.StringVar(&f.typeName, "type", "", "only the nodes of the type with this `name`, as csv, tsv or ndjson")
	p.viewFlags(cmd, &f.branch, &f.at)
	flags.StringVar(&f.output, "output", "", "write to this `file` instead of stdout")
	flags.BoolVar(&f.force, "force", false, "replace the file if it exists")
	completeWords(cmd, "format", texts(kg.ExportFormats())...)
	return cmd
}

// export streams the graph to stdout. With --output it writes to a temporary file and renames it at the end, and does
// not replace a file without permission.
func (p *program) export(ctx context.Context, file string, f exportFlags) error {
	c := p.call("export", arguments{"format": f.format}, arguments{"graph": f.graph, "type": f.typeName, "branch": f.branch, "at": f.at})
	if f.output == "" {
		c.Output = p.stdout
		_, err := p.makeCall(ctx, file, c)
		return err
	}
	if dest, err := os.Stat(f.output); err == nil { // the write reports other errors
		if graph, err := os.Stat(file); err == nil && os.SameFile(graph, dest) {
			return fault.New(fault.Conflict, "%s is the graph itself; export it to another file", f.output)
		}
		if !f.force {
			return fault.New(fault.Conflict, "%s exists; --force replaces it", f.output)
		}
	}
	var res invoke.Result
	err := replaceFile(f.output, func(w io.Writer) (err error) {
		if strings.HasSuffix(f.output, ".gz") {
			z := gzip.NewWriter(w)
			defer func() { err = errors.Join(err, z.Close()) }()
			w = z
		}
		c.Output = w
		res, err = p.makeCall(ctx, file, c)
		return err
	})
	if err != nil {
		return err
	}
	return p.print(res.Structured, func(w io.Writer) error {
		fmt.Fprintf(w, "wrote %s\n", f.output)
		return writeValue(w, res.Unwarned())
	})
}

// replaceFile writes path with write. Until everything is on disk, path stays unchanged.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return fault.New(fault.Unusable, "write %s", path).Because(err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if err := write(&sink{name: path, Writer: tmp}); err != nil {
		return err
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return fault.New(fault.Unusable, "write %s", path).Because(err)
	}
	return os.Rename(tmp.Name(), path)
}
