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
		RunE: p.onFile(func(cmd *cobra.Command, file string) error {
			body, err := p.read(cmd.Context(), file, "trails://stats")
			if err != nil {
				return err
			}
			return p.print(body, writeValue)
		}),
	}
}
