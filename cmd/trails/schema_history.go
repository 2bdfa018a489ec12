package main

import (
	"github.com/spf13/cobra"
)

func (p *program) schemaHistoryCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "history FILE",
		Short:   "List the commits that changed the schema, newest first",
		Long:    "List the commits that changed the schema, newest first.\n" + fileHelp,
		Example: `  trails schema history notes.trails`,
		Args:    cobra.ArbitraryArgs,
		RunE: p.onFile(func(cmd *cobra.Command, file string) error {
			c, err := p.call("commits_list", arguments{"limit": limit, "schema_only": true})
			if err != nil {
				return err
			}
			return p.answer(cmd.Context(), file, c, writeLog)
		}),
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "list at most this `many`")
	return cmd
}
