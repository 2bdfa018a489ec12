package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"trails/kg"
	"trails/kg/load"
)

func (p *program) initCommand() *cobra.Command {
	var schema, export, base, name string
	var data []string
	var strict bool
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Make a new graph",
		Long: `Make a new graph in FILE. A FILE that exists is never touched, and a schema or an export
that is refused leaves nothing behind.

--from begins with an export of a whole graph, its schema included, as one commit. The
file then needs the base that the exported one has. This alone takes a schema from data:
load refuses data that would change one.

--infer begins with a schema that fits data, and loads nothing: it says how. What "trails
schema infer" says of the same data is that schema as text to edit, with the reasons.

The base is what every IRI made in this file begins with; it cannot be changed
later. It comes from --base, then from the schema, then it is urn:trails:<name>:.
` + fileHelp,
		Example: `  trails init notes.trails
  trails init notes.trails --schema schema.yaml --base https://example.org/kg/
  trails init people.trails --infer people.csv
  trails init copy.trails --from notes.nq.gz --base https://example.org/kg/`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			o, first := kg.CreateOptions{Base: base, Name: name, By: me()}, "trails schema apply "+file+" schema.yaml   declare its types"
			if schema != "" || export != "" {
				first = "trails invoke " + file + "                     list what can be called"
			}
			loads := []string{"trails load " + file + " data.ndjson           load data"}
			switch {
			case schema != "" && export != "", len(data) > 0 && schema+export != "":
				return usageError{"a schema comes from one place: give --schema, --from, whose export brings its own, or --infer"}
			case len(data) > 0:
				proposed, err := p.proposed(cmd.Context(), data, load.Options{Strict: strict})
				if err != nil {
					return err
				}
				o.Schema, loads = proposed.Schema, loadsOf(file, proposed, nil)
				first = "trails schema show " + file + "                look at its types"
			case schema != "":
				text, err := p.readText(cmd.Context(), schema)
				if err != nil {
					return err
				}
				o.Schema = text
			case export != "":
				inputs, closeAll, err := p.openInputs(cmd.Context(), []string{export})
				if err != nil {
					return err
				}
				defer closeAll()
				progress := p.newMeter()
				defer progress.close()
				o.Export = &kg.Load{Options: load.Options{Inputs: inputs}, Progress: progress.hook()}
				o.Imported = p.tellLeftOut
			}
			if err := kg.Create(cmd.Context(), file, o); err != nil {
				return named(err, schema)
			}
			return p.withGraph(cmd.Context(), file, func(g *kg.Graph) error {
				made := struct {
					File string `json:"file"`
					Name string `json:"name"`
					Base string `json:"base"`
				}{file, g.Name(), g.Base()}
				return p.print(made, func(w io.Writer) error {
					_, err := fmt.Fprintf(w, `created %[1]s, base %[2]s
next:
  %[3]s
  %[4]s
  trails mcp %[1]s                        let an agent work with it
`, file, g.Base(), first, strings.Join(loads, "\n  "))
					return err
				})
			})
		}),
	}
	cmd.Flags().StringVar(&schema, "schema", "", "YAML `FILE` with types and constraints, - for stdin")
	cmd.Flags().StringVar(&export, "from", "", "export of a whole graph to begin with, a `FILE` of RDF, - for stdin")
	cmd.Flags().StringArrayVar(&data, "infer", nil, "data to begin with a schema for, a `FILE` of NDJSON, CSV, TSV, XLSX or a JSON array; can be repeated")
	strictFlag(cmd, &strict)
	cmd.Flags().StringVar(&base, "base", "", "`IRI` that every new IRI begins with")
	cmd.Flags().StringVar(&name, "name", "", "the graph's `name` (default: the file's, without its extension)")
	return cmd
}
