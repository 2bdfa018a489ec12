package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// diagnosis is what the doctor says.
type diagnosis struct {
	OK     bool
	Checks []struct{ Name, Result, Detail string }
}

func (p *program) doctorCommand() *cobra.Command {
	var deep bool
	cmd := &cobra.Command{
		Use:   "doctor FILE",
		Short: "Say what is wrong with the graph, if anything",
		Long: `Check the graph, every view of its capabilities, the file and the place where it is, and
say what is wrong and how to put it right. A check is ok, a warning, which fails nothing
yet, or failed. It exits with 6 when what the file holds is wrong, with 1 when another
check failed, and with 0 otherwise. The file is checked for a second: a small one whole,
of others a sample; --deep checks all of it, as verify does.
` + fileHelp,
		Example: `  trails doctor notes.trails
  trails doctor notes.trails --deep -o json`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			c := p.call("trails.meta.doctor.run", arguments{}, arguments{"deep": deep})
			d, err := callAndPrint(cmd.Context(), p, file, c, func(w io.Writer, d diagnosis) error {
				tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				for _, c := range d.Checks {
					fmt.Fprintf(tw, "%s\t%s\t%s\n", line(c.Result), line(c.Name), line(c.Detail))
				}
				return tw.Flush()
			})
			if err != nil || d.OK {
				return err
			}
			code := exitFailed
			for _, c := range d.Checks { // what the file holds is told from what is around it
				if c.Result == "failed" && (c.Name == "file" || c.Name == "head" || c.Name == "schema") {
					code = exitInvalid
				}
			}
			return failure{code, file + " is not well"}
		}),
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "check the whole file, and not a sample")
	return cmd
}
