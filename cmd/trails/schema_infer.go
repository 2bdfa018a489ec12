package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/kg/load"
	"trails/schema/infer"
)

func (p *program) schemaInferCommand() *cobra.Command {
	var of, id string
	cmd := &cobra.Command{
		Use:   "infer DATA...",
		Short: "Propose a schema for data",
		Long: `Write a schema that data fits, as YAML to edit: types, datatypes, references, what is
required or unique, patterns of identifiers, lists of few values. A comment on each line says
why. DATA are files of NDJSON, CSV, TSV or JSON arrays, plain or gzip, and - for stdin. Rows of
a table are of the --type, or of one that is called as the file.

Memory is bounded: whether more than two million values differ is not found out, and not
proposed.`,
		Example: `  trails schema infer people.csv teams.csv > schema.yaml
  trails schema infer orders.csv --type Order --id number`,
		RunE: func(cmd *cobra.Command, data []string) error {
			if len(data) == 0 {
				return usageError{"infer needs DATA: one or more files, or - for stdin"}
			}
			proposal, made, err := p.inferred(cmd.Context(), data, of, id)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(p.stdout, "%s# To use it:\n#   trails init NEW --schema THIS\n", proposal.YAML()); err != nil {
				return err
			}
			for _, line := range loadsOf("NEW", proposal, made) {
				if _, err := fmt.Fprintf(p.stdout, "#   %s\n", line); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&of, "type", "", "`name` of the type that rows of tables and objects of JSON are of")
	cmd.Flags().StringVar(&id, "id", "", "`column` that has the ids (default: the one called id, if there is one)")
	return cmd
}

// madeOf is how the records of one file are loaded.
type madeOf struct {
	file, of, id string // of is "" when the records say their types
}

// inferred reads data and proposes a schema for it.
func (p *program) inferred(ctx context.Context, data []string, of, id string) (*infer.Proposal, []madeOf, error) {
	inputs, closeAll, err := p.openInputs(ctx, data)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	proposal := new(infer.Proposal)
	var made []madeOf
	for i, in := range inputs {
		m := madeOf{file: data[i], of: of, id: id}
		err := load.Records(ctx, load.Options{Inputs: []load.Input{in}, Type: of, ID: id}, func(r infer.Record) error {
			if r.Cells {
				m.of = r.Type
			}
			return proposal.Add(r)
		})
		if err != nil {
			return nil, nil, err
		}
		made = append(made, m)
	}
	return proposal, made, nil
}

// loadsOf are the commands that load the data which a schema was proposed for: files of
// records together, since they may refer to each other, and each table by itself.
func loadsOf(file string, proposal *infer.Proposal, made []madeOf) []string {
	var lines []string
	var plain []string
	for _, m := range made {
		if m.of == "" {
			plain = append(plain, quoted(m.file))
			continue
		}
		words := []string{"trails load", file, quoted(m.file), "--type", m.of}
		if m.id != "" {
			words = append(words, "--id", quoted(m.id))
		}
		for _, r := range proposal.Renamed(m.of) {
			words = append(words, "--map", quoted(r.Name+"="+r.Property))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	if len(plain) > 0 {
		lines = slices.Insert(lines, 0, "trails load "+file+" "+strings.Join(plain, " "))
	}
	return lines
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("./-_=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
