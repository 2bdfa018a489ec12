package main

import (
	"encoding/json"

	"github.com/spf13/cobra"
)

func (p *program) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Show, plan and apply the graph's schema",
		Long: `The schema says which types the graph has, which properties they have, and what must
hold for them on every write. It is written as YAML and kept in the file as SHACL.`,
		Example: `  trails schema show notes.trails
  trails schema plan notes.trails schema.yaml
  trails schema apply notes.trails schema.yaml`,
		Args: cobra.ArbitraryArgs,
		RunE: chooseCommand,
	}
	cmd.AddCommand(p.schemaShowCommand(), p.schemaPlanCommand(), p.schemaApplyCommand(), p.schemaHistoryCommand())
	return cmd
}

// stringMember returns a member of a JSON object that is a string, or "".
func stringMember(object json.RawMessage, name string) string {
	var members map[string]json.RawMessage
	var s string
	if json.Unmarshal(object, &members) == nil {
		_ = json.Unmarshal(members[name], &s) // absent, or not a string
	}
	return s
}
