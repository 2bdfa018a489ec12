package main

import (
	"github.com/spf13/cobra"
)

func (p *program) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats FILE",
		Short: "Count what the graph holds",
		Long:  "Count the quads, types, commits and bytes of the graph.\n" + fileHelp,
		Example: `  trails stats notes.trails
  trails stats notes.trails -o json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, _, err := p.fileThen(cmd, args)
			if err != nil {
				return err
			}
			body, err := p.read(cmd.Context(), file, "trails://stats")
			if err != nil {
				return err
			}
			return p.print(body, writeValue)
		},
	}
}
