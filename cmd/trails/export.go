package main

import (
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
	"trails/rdf/rdfio"
)

type exportFlags struct {
	format, graph, output string
	force                 bool
}

func (p *program) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the graph out, in canonical order",
		Long: `Write the graph to stdout or to a file: the same graph gives the same bytes. nquads, trig
and jsonld have everything, the schema too; ntriples and turtle have the default graph, or the
one that --graph names; ndjson has the nodes of declared types, as load reads them. All of
them stream: memory is bounded, whatever the graph's size.

With --output the file appears whole or not at all; a name that ends in .gz is compressed, and
the format is that of the name unless --format says another.
` + fileHelp,
		Example: `  trails export notes.trails > notes.nq
  trails export notes.trails --format ndjson --output notes.ndjson.gz`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			f.format = exportFormat(f)
			return p.export(cmd.Context(), file, f)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", words(kg.ExportFormats())+" (default: what --output says, or nquads)")
	flags.StringVar(&f.graph, "graph", "", "only the graph with this `IRI`; "+string(rdf.DefaultGraph)+" is the default graph")
	flags.StringVar(&f.output, "output", "", "write to this `file` instead of stdout")
	flags.BoolVar(&f.force, "force", false, "replace the file if it exists")
	completeWords(cmd, "format", texts(kg.ExportFormats())...)
	return cmd
}

// exportFormat is what the caller says, or the name of the output.
func exportFormat(f exportFlags) string {
	name := strings.TrimSuffix(strings.ToLower(f.output), ".gz")
	switch format := load.Format(rdfio.Sniff(nil, name)); {
	case f.format != "":
		return f.format
	case strings.HasSuffix(name, ".ndjson"), strings.HasSuffix(name, ".jsonl"):
		return string(load.NDJSON)
	case format != "":
		return string(format) // one that is not written is refused by name
	}
	return string(load.NQuads)
}

// export streams the graph to stdout. With --output it writes beside the destination and
// renames at the end, and refuses to replace what nobody asked to lose.
func (p *program) export(ctx context.Context, file string, f exportFlags) error {
	c := p.call("export", arguments{"format": f.format}, arguments{"graph": f.graph})
	if f.output == "" {
		c.Output = p.stdout
		_, err := p.makeCall(ctx, file, c)
		return err
	}
	if dest, err := os.Stat(f.output); err == nil { // of what is not there the write says what else is wrong
		if graph, err := os.Stat(file); err == nil && os.SameFile(graph, dest) {
			return fault.New(fault.Conflict, "%s is the graph itself; export it to another file", f.output)
		}
		if !f.force {
			return fault.New(fault.Conflict, "%s exists; --force replaces it", f.output)
		}
	}
	var res invoke.Result
	err := replaceFile(f.output, func(w io.Writer) (err error) {
		c.Output = w
		res, err = p.makeCall(ctx, file, c)
		return err
	})
	if err != nil {
		return err
	}
	return p.print(res.Structured, func(w io.Writer) error {
		fmt.Fprintf(w, "wrote %s\n", f.output)
		return writeValue(w, res.Structured)
	})
}

// replaceFile makes path from what write writes. Until that is whole and on the
// disk, path stays as it was.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return fault.New(fault.Unusable, "write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	out := &sink{name: path, Writer: tmp}
	if strings.HasSuffix(path, ".gz") {
		z := gzip.NewWriter(out)
		err = errors.Join(write(z), z.Close())
	} else {
		err = write(out)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return fault.New(fault.Unusable, "write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}
