package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/kg"
	"trails/kg/load"
)

func (p *program) schemaInferCommand() *cobra.Command {
	var o load.Options
	cmd := &cobra.Command{
		Use:   "infer DATA...",
		Short: "Propose a schema for data",
		Long: `Write a schema that data fits, as YAML to edit: types, datatypes, references, what is
required or unique, patterns of identifiers, lists of few values. A comment on each line says
why. DATA are files of NDJSON, CSV, TSV, XLSX or JSON arrays, plain or gzip, and - for stdin.
Rows of a table, and objects of JSON that say no type, are of the --type, or of one that is
called as the file. What is printed has been tried: the data was loaded under it, into a file that is
gone again, with the commands that stand at the end.

One bad cell does not decide: where all values but one of ten or more are integers, or all but
one in twenty, integers are proposed, the bad ones are named with their places, and the command
leaves out their rows. --strict proposes text. How dates and numbers are written is found out by
the cells that can be read in one way alone, and asked for where none can.

Memory is bounded: whether more than two million values differ is not found out, and not
proposed.`,
		Example: `  trails schema infer people.csv teams.csv > schema.yaml
  trails schema infer orders.csv --type Order --id number`,
		RunE: func(cmd *cobra.Command, data []string) error {
			if len(data) == 0 {
				return usageError{"infer needs DATA: one or more files, or - for stdin"}
			}
			proposed, err := p.proposed(cmd.Context(), data, o)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(p.stdout, "%s# To use it:\n#   trails init NEW --schema THIS\n", proposed.Schema); err != nil {
				return err
			}
			for _, line := range loadsOf("NEW", proposed, nil) {
				if _, err := fmt.Fprintf(p.stdout, "#   %s\n", line); err != nil {
					return err
				}
			}
			if proposed.LeftOut > 0 {
				_, err = fmt.Fprintf(p.stdout, "# It leaves out %s, and says what is wrong with each.\n", count(proposed.LeftOut, "row"))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.Type, "type", "", "`name` of the type that rows of tables and objects of JSON are of")
	cmd.Flags().StringVar(&o.ID, "id", "", "`column` that has the ids (default: the one called id, if there is one)")
	tableFlags(cmd, &o)
	strictFlag(cmd, &o.Strict)
	return cmd
}

// tableFlags are flags about the notation in tables.
func tableFlags(cmd *cobra.Command, o *load.Options) {
	flags := cmd.Flags()
	flags.StringVar(&o.Conventions.Dates, "dates", "", "`order` of the parts of dates such as 3/4/2023: dmy or mdy (default: found out)")
	flags.StringVar(&o.Conventions.Decimal, "decimal", "", "`mark` before the fraction of numbers such as 1,234: a comma or a point (default: found out)")
	flags.StringVar(&o.Sheet, "sheet", "", "`name` of the sheet of a workbook (default: the first that is not hidden)")
	completeWords(cmd, "dates", "dmy", "mdy")
	completeWords(cmd, "decimal", ",", ".")
}

// strictFlag is for what proposes a schema.
func strictFlag(cmd *cobra.Command, strict *bool) {
	cmd.Flags().BoolVar(strict, "strict", false, "propose what all values fit (default: one bad cell of ten, or one in twenty, does not decide, and its row is left out)")
}

// proposed proposes a schema for data, and returns the loads with which it was tried.
func (p *program) proposed(ctx context.Context, data []string, o load.Options) (*kg.Proposed, error) {
	sources, end, err := p.sources(ctx, data)
	if err != nil {
		return nil, err
	}
	defer end()
	return kg.Propose(ctx, me(), sources, o)
}

// sources are files that can be read repeatedly; stdin is copied.
func (p *program) sources(ctx context.Context, data []string) (sources []kg.Source, end func(), err error) {
	var copies []string
	remove := func() {
		for _, name := range copies {
			_ = os.Remove(name) // it is in the temporary directory
		}
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	for _, name := range data {
		shown := filepath.ToSlash(name)
		if name == "-" {
			f, err := os.CreateTemp("", "trails-stdin-")
			if err != nil {
				return nil, nil, fmt.Errorf("keep stdin: %w", err)
			}
			copies = append(copies, f.Name())
			name, shown = f.Name(), "stdin"
			_, err = io.Copy(f, p.input(ctx))
			if closed := f.Close(); err == nil {
				err = closed
			}
			if err != nil {
				return nil, nil, fault.New(fault.Unusable, "stdin cannot be read").Because(err)
			}
		}
		f, err := open(name) // so that a misspelt name costs nothing
		if err != nil {
			return nil, nil, err
		}
		_ = f.Close() // only read
		sources = append(sources, kg.Source{Name: shown, Open: func() (io.ReadCloser, error) { return open(name) }})
	}
	return sources, remove, nil
}

// loadsOf are the commands that load the data of a proposed schema. Rejected rows go to files named after the data,
// unless rejects names them.
func loadsOf(file string, proposed *kg.Proposed, rejects []string) []string {
	var lines []string
	for i, o := range proposed.Loads {
		words := []string{"trails load", file}
		for _, in := range o.Inputs {
			name := in.Name
			if name == "stdin" {
				name = "-"
			}
			words = append(words, quoted(name))
		}
		words = append(words, optionsOf(o)...)
		for _, column := range slices.SortedStableFunc(maps.Keys(o.Map), func(a, b string) int {
			return cmp.Or(cmp.Compare(o.Map[a], o.Map[b]), cmp.Compare(a, b))
		}) {
			words = append(words, "--map", quoted(column+"="+o.Map[column]))
		}
		if o.Rejects {
			name := rejectsOf(o.Inputs[0].Name, proposed.Tables[i])
			if rejects != nil {
				name = rejects[i]
			}
			words = append(words, "--keep-going", "--rejects", quoted(name))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// optionsOf are the flags of a load about its rows.
func optionsOf(o load.Options) (words []string) {
	if o.Type != "" {
		words = append(words, "--type", o.Type)
	}
	if o.Sheet != "" {
		words = append(words, "--sheet", quoted(o.Sheet))
	}
	if o.Conventions.Dates != "" {
		words = append(words, "--dates", o.Conventions.Dates)
	}
	if o.Conventions.Decimal != "" {
		words = append(words, "--decimal", quoted(o.Conventions.Decimal))
	}
	if o.ID != "" {
		words = append(words, "--id", quoted(o.ID))
	}
	return words
}

// rejectsOf names the file for rejected rows of an input, in a directory if one is given.
func rejectsOf(name string, table bool) string {
	base := strings.TrimSuffix(path.Base(name), ".gz")
	base = strings.TrimSuffix(base, path.Ext(base)) + ".rejects"
	if table {
		return base + ".csv"
	}
	return base + ".ndjson"
}

// quoted is a word quoted for a shell, in one line.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("./-_=", r)
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case strings.IndexFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		var b strings.Builder
		for _, c := range []byte(word) {
			if c < ' ' || c >= 0x7f || c == '\'' || c == '\\' {
				fmt.Fprintf(&b, `\x%02x`, c)
				continue
			}
			b.WriteByte(c)
		}
		return "$'" + b.String() + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
