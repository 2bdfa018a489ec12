package main

import "github.com/spf13/cobra"

func branchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "branch",
		Short: "Work beside main: lines of history with names",
		Long: `A branch is a line of history with a name, made from a commit. What is written to it changes
nothing elsewhere, and all of it is in the same file. Commands that read or write take --branch.
`,
		Example: `  trails branch create notes.trails review
  trails update notes.trails -f tidy.ru --branch review
  trails query notes.trails -f open.rq --branch review
  trails branch merge notes.trails review --dry-run
  trails branch merge notes.trails review
  trails branch list notes.trails
  trails branch delete notes.trails review`,
		RunE: chooseCommand,
	}
}
