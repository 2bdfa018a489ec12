package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// diagnosis is what the doctor says.
type diagnosis struct {
	OK     bool `json:"ok"`
	Checks []struct {
		Name   string `json:"name"`
		OK     bool   `json:"ok"`
		Detail string `json:"detail"`
	} `json:"checks"`
}

func (p *program) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor FILE",
		Short: "Say what is wrong with the graph, if anything",
		Long: `Check the graph and every view of its capabilities, and say what is wrong and how to
put it right. It exits with 1 when something is wrong. It is quick; verify reads every byte.
` + fileHelp,
		Example: `  trails doctor notes.trails
  trails doctor notes.trails -o json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, _, err := p.fileThen(cmd, args)
			if err != nil {
				return err
			}
			return p.doctor(cmd, file)
		},
	}
}

func (p *program) doctor(cmd *cobra.Command, file string) error {
	body, err := p.read(cmd.Context(), file, "trails://doctor")
	if err != nil {
		return err
	}
	var d diagnosis
	if err := json.Unmarshal(body, &d); err != nil {
		return fmt.Errorf("read the diagnosis: %w", err)
	}
	if err := p.print(body, d.write); err != nil {
		return err
	}
	if !d.OK {
		return failure{exitFailed, file + " is not well"}
	}
	return nil
}

func (d diagnosis) write(w io.Writer, _ json.RawMessage) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range d.Checks {
		verdict := "ok"
		if !c.OK {
			verdict = "WRONG"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", verdict, line(c.Name), line(c.Detail))
	}
	return tw.Flush()
}
