package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"trails/invoke"
)

// diagnosis is what the doctor says.
type diagnosis struct {
	OK     bool `json:"ok"`
	Checks []struct {
		Name   string `json:"name"`
		Result string `json:"result"`
		Detail string `json:"detail"`
	} `json:"checks"`
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
		Args: cobra.ArbitraryArgs,
		RunE: p.onFile(func(cmd *cobra.Command, file string) error {
			return p.doctor(cmd, file, deep)
		}),
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "check the whole file, and not a sample")
	return cmd
}

func (p *program) doctor(cmd *cobra.Command, file string, deep bool) error {
	args := arguments{}
	args.flag("deep", deep)
	c, err := p.call("trails.meta.doctor.run", args)
	if err != nil {
		return err
	}
	progress := p.newMeter()
	defer progress.close()
	c.Progress = progress.hook()
	var result invoke.Result
	err = p.withEngine(cmd.Context(), file, func(e *invoke.Engine) (err error) {
		result, err = e.Call(cmd.Context(), c)
		return err
	})
	if err != nil {
		return err
	}
	progress.close()
	var d diagnosis
	if err := json.Unmarshal(result.Structured, &d); err != nil {
		return fmt.Errorf("read the diagnosis: %w", err)
	}
	if err := p.print(result.Structured, d.write); err != nil {
		return err
	}
	if d.OK {
		return nil
	}
	code := exitFailed
	for _, c := range d.Checks { // what the file holds is told from what is around it
		if c.Result == "failed" && (c.Name == "file" || c.Name == "head" || c.Name == "schema") {
			code = exitInvalid
		}
	}
	return failure{code, file + " is not well"}
}

func (d diagnosis) write(w io.Writer, _ json.RawMessage) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range d.Checks {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", line(c.Result), line(c.Name), line(c.Detail))
	}
	return tw.Flush()
}
