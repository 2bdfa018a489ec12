package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"trails/capability"
	"trails/invoke"
	"trails/kg"
)

// diagnosis is what the doctor says.
type diagnosis struct {
	OK     bool
	Checks []struct {
		Name, Result, Detail string
		Findings             []struct{ Capability, Field, Rule, Says, Mend string }
	}
}

func (p *program) doctorCommand() *cobra.Command {
	var deep, fix, dryRun bool
	var served string
	cmd := &cobra.Command{
		Use:   "doctor FILE",
		Short: "Say what is wrong with the graph, if anything",
		Long: `Check the graph, every view of its capabilities, what strict clients refuse of its tools,
its stored queries, the file and the place where it is, and say what is wrong and how to
put it right. A check is ok, a warning, which fails nothing yet, or failed. It exits with 0
when all is well, with 6 when what the file holds is wrong, and with 1 when anything else
was found. The file is checked for a second: a small one whole, of others a sample; --deep
checks all of it, as verify does.

--served DOC holds a document that was saved of what is served against FILE: /openapi.json,
a Thing Description, /capabilities in JSON, a list of tools or one of them. It tells what was
changed by hand, and what is of another version than there is now.

--fix mends first what is safe, and says what it did: descriptors whose text was changed in
the file; triggers, views and indexes that no trails file has; and, when the file is damaged, its indexes and that of words, which follow from the
rest. It never changes data. With --dry-run it says what it would do.
` + fileHelp,
		Example: `  trails doctor notes.trails
  trails doctor notes.trails --deep -o json
  trails doctor notes.trails --served openapi.json
  trails doctor notes.trails --fix --dry-run`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			p.inspect = true
			if dryRun && !fix {
				return usageError{"--dry-run is for --fix"}
			}
			given := arguments{}
			if served != "" {
				text, err := p.readText(cmd.Context(), served)
				if err != nil {
					return err
				}
				given["served"] = string(text)
			}
			if fix {
				if err := p.mend(cmd.Context(), file, dryRun); err != nil {
					return err
				}
			}
			c := p.call("trails.meta.doctor.run", given, arguments{"deep": deep})
			d, err := callAndPrint(cmd.Context(), p, file, c, writeDiagnosis)
			if err != nil {
				return err
			}
			code := exitDone
			for _, c := range d.Checks { // what the file holds is told from what is around it
				switch {
				case c.Result == "failed" && (c.Name == "file" || c.Name == "head" || c.Name == "schema"):
					return failure{exitInvalid, file + " is not well"}
				case c.Result != "ok":
					code = exitFailed
				}
			}
			if code == exitDone {
				return nil
			}
			return failure{code, file + " is not well"}
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&deep, "deep", false, "check the whole file, and not a sample")
	flags.StringVar(&served, "served", "", "hold a saved `document` against what is served")
	flags.BoolVar(&fix, "fix", false, "mend first what is safe; never data")
	flags.BoolVar(&dryRun, "dry-run", false, "with --fix, say what would be mended")
	return cmd
}

// writeDiagnosis writes a line for each check, and below it what is wrong with capabilities.
func writeDiagnosis(w io.Writer, d diagnosis) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range d.Checks {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", line(c.Result), line(c.Name), line(c.Detail)) // the first findings, too
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, c := range d.Checks {
		for _, f := range c.Findings {
			fmt.Fprintln(w, line(strings.Join(strings.Fields(strings.Join([]string{c.Name, f.Rule, f.Capability, f.Field}, " ")), " ")+": "+f.Says))
			fmt.Fprintln(w, "  "+line(f.Mend))
		}
	}
	return nil
}

// mend puts right in FILE what follows from the rest of it, and says on stderr what it did.
func (p *program) mend(ctx context.Context, file string, dryRun bool) error {
	say := func(done []string) {
		verb := "mended"
		if dryRun {
			verb = "would mend"
		}
		for _, one := range done {
			fmt.Fprintf(p.stderr, "trails: %s: %s\n", verb, line(one))
		}
	}
	done, err := kg.TakeOut(ctx, file, dryRun)
	if say(done); err != nil {
		return err
	}
	return p.withEngine(ctx, file, nil, func(e *invoke.Engine) error {
		tools, err := e.Tools(ctx, me())
		if err != nil {
			return err
		}
		var all []capability.Descriptor
		all = append(append(all, tools.Descriptors...), tools.Helpers...)
		done, err := e.Graph().Mend(ctx, all, dryRun)
		say(done)
		return err
	})
}
