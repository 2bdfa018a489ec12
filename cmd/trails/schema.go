package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/fault"
)

func (p *program) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Show, plan, apply and propose the graph's schema",
		Long: `The schema says which types the graph has, which properties they have, and what must
hold for them on every write. It is written as YAML and kept in the file as SHACL.`,
		Example: `  trails schema show notes.trails
  trails schema plan notes.trails schema.yaml
  trails schema apply notes.trails schema.yaml
  trails schema infer people.csv > schema.yaml`,
		RunE: chooseCommand,
	}
	cmd.AddCommand(p.schemaShowCommand(), p.schemaPlanCommand(), p.schemaApplyCommand(), p.schemaHistoryCommand(), p.schemaInferCommand())
	return cmd
}

func (p *program) schemaShowCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print the schema",
		Long:  "Print the schema: as YAML, which schema apply reads back, as JSON, or as SHACL in Turtle.\n" + fileHelp,
		Example: `  trails schema show notes.trails > schema.yaml
  trails schema show notes.trails --format turtle`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("schema_get", arguments{"format": format}), writeSchema)
			return err
		}),
	}
	cmd.Flags().StringVar(&format, "format", "yaml", "yaml, json or turtle")
	completeWords(cmd, "format", "yaml", "json", "turtle")
	return cmd
}

// writeSchema prints the text of a schema as it is: it may be read back.
func writeSchema(w io.Writer, said struct {
	Text   string
	Schema json.RawMessage
}) error {
	if said.Text != "" {
		return writeLine(w, []byte(said.Text))
	}
	var b bytes.Buffer
	if err := json.Indent(&b, said.Schema, "", "  "); err != nil {
		return fmt.Errorf("indent the schema: %w", err)
	}
	return writeLine(w, b.Bytes())
}

func (p *program) schemaHistoryCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "history FILE",
		Short:   "List the commits that changed the schema, newest first",
		Long:    "List the commits that changed the schema, newest first.\n" + fileHelp,
		Example: `  trails schema history notes.trails`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("commits_list", arguments{"limit": limit, "schema_only": true}), writeLog)
			return err
		}),
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "list at most this `many`")
	return cmd
}

func (p *program) schemaPlanCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "plan FILE SCHEMA",
		Short: "List the steps to a new schema, and the data that would break them",
		Long: `List the steps from the graph's schema to the one in SCHEMA (YAML, - for stdin), which
of them lose data, and which data contradicts them. Nothing is changed. It exits with 6 when
data contradicts the new schema.
` + fileHelp,
		Example: `  trails schema plan notes.trails schema.yaml`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			return p.applySchema(cmd, file, rest[0], arguments{"plan": true}, writePlan)
		}, "SCHEMA"),
	}
}

func (p *program) schemaApplyCommand() *cobra.Command {
	var f writeFlags
	var allowDataLoss bool
	cmd := &cobra.Command{
		Use:   "apply FILE SCHEMA",
		Short: "Make a new schema the graph's, as one commit",
		Long: `Make the schema in SCHEMA (YAML, - for stdin) the graph's, as one commit. What the data
contradicts is refused, and so is a step that loses data without --allow-data-loss.
` + fileHelp,
		Example: `  trails schema apply notes.trails schema.yaml --message "notes have a status"
  trails schema apply notes.trails schema.yaml --dry-run`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			more := f.arguments()
			more["allow_data_loss"] = allowDataLoss
			return p.applySchema(cmd, file, rest[0], more, func(w io.Writer, a applied) error {
				writeSteps(w, a.Plan)
				return writeSummary(w, a.written)
			})
		}, "SCHEMA"),
	}
	cmd.Flags().BoolVar(&allowDataLoss, "allow-data-loss", false, "take steps that lose data")
	f.on(cmd)
	return cmd
}

// applied is what a change of schema answers: the plan, and what the write did.
type applied struct {
	written
	Plan planned
}

// planned is what lies between two schemas.
type planned struct {
	Steps []struct {
		Text    string
		Lossy   bool
		Removes int64
		Breaks  []fault.FieldError
	}
	Blocked bool
	Loses   int64
}

// applySchema makes the call of plan and of apply. It fails when data stands against it.
func (p *program) applySchema(cmd *cobra.Command, file, schema string, more arguments, text func(io.Writer, applied) error) error {
	source, err := p.readText(cmd.Context(), schema)
	if err != nil {
		return err
	}
	result, err := callAndPrint(cmd.Context(), p, file, p.call("schema_apply", arguments{"schema": string(source)}, more), text)
	if err == nil && result.Plan.Blocked {
		err = failure{exitInvalid, "the data contradicts the new schema; nothing was changed"}
	}
	return named(err, schema)
}

// writePlan lists the steps, and says what comes next.
func writePlan(w io.Writer, a applied) error {
	if len(a.Plan.Steps) == 0 {
		_, err := fmt.Fprintln(w, "nothing to do: the graph has this schema")
		return err
	}
	writeSteps(w, a.Plan)
	switch {
	case a.Plan.Blocked:
		fmt.Fprintln(w, "blocked: correct the data first, or the schema")
	case a.Plan.Loses > 0:
		fmt.Fprintf(w, "it removes %s: apply it with --allow-data-loss\n", count(a.Plan.Loses, "quad"))
	default:
		fmt.Fprintln(w, "the data fits; schema apply makes it one commit")
	}
	return nil
}

// writeSteps lists the steps; "!" marks those that lose data, and below a step stands
// what contradicts it.
func writeSteps(w io.Writer, plan planned) {
	for _, s := range plan.Steps {
		mark, loss := " ", ""
		if s.Lossy {
			mark, loss = "!", fmt.Sprintf(" (removes %s)", count(s.Removes, "quad"))
		}
		fmt.Fprintf(w, "%s %s%s\n", mark, line(s.Text), loss)
		for _, f := range s.Breaks {
			fmt.Fprintf(w, "    %s\n", line(join(f.Node, ": ", fieldMessage(f))))
		}
	}
}
