package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
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
	var format, typeName string
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print the schema, one type of it, or its outline",
		Long: `Print the schema: as YAML, which schema apply reads back, as JSON, or as SHACL in Turtle; or
as an outline, a line for each type. With --type it is that type alone, in YAML as a patch
has it, or in JSON.
` + fileHelp,
		Example: `  trails schema show notes.trails > schema.yaml
  trails schema show notes.trails --format outline
  trails schema show notes.trails --type Note`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("schema_get", arguments{"format": format}, arguments{"type": typeName}), writeSchema)
			return err
		}),
	}
	cmd.Flags().StringVar(&format, "format", "yaml", "yaml, json, turtle or outline")
	cmd.Flags().StringVar(&typeName, "type", "", "only this `type`")
	completeWords(cmd, "format", "yaml", "json", "turtle", "outline")
	completeFlag(cmd, "type", p.completeTypes)
	return cmd
}

// writeSchema prints the text of a schema as it is: it may be read back.
func writeSchema(w io.Writer, all json.RawMessage) error {
	var said struct {
		Text   string
		Schema json.RawMessage
	}
	if err := json.Unmarshal(all, &said); err != nil {
		return err
	}
	if said.Text != "" {
		return writeLine(w, []byte(said.Text))
	}
	if said.Schema == nil {
		return writeValue(w, all)
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
			_, err := callAndPrint(cmd.Context(), p, file, p.call("commits_list", arguments{"limit": limit, "schema_only": true, "whole": true}), writeLog)
			return err
		}),
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "list at most this `many`")
	return cmd
}

// patchHelp says what a patch is.
const patchHelp = `
A patch is a list of steps in YAML, such as

  - add_type: {Task: {label: title, properties: {title: {type: string, required: true}}}}
  - alter_type: {Task: {key: [title], label: null}}
  - drop_type: Task
  - rename_type: {Task: Job}
  - add_property: {Task.due: date}
  - alter_property: {Task.state: {one_of: [open, done], default: null}}
  - drop_property: Task.due
  - rename_property: {Task.due: deadline}
  - move_before: {Task.due: title}
  - prefixes: {ex: "http://example.org/"}

They are taken in order, from the schema that the graph has then. null takes a word away.
`

func (p *program) schemaPlanCommand() *cobra.Command {
	var patch string
	cmd := &cobra.Command{
		Use:   "plan FILE [SCHEMA]",
		Short: "Say of each step to a new schema whether it is safe, breaks nodes or loses data",
		Long: `List the steps from the graph's schema to the one in SCHEMA (YAML, - for stdin), or those of
a patch, and say of each whether it is safe, which data contradicts it, and what it loses; and
which stored queries it renames something in, or breaks, with the place. Nothing is changed.
It exits with 6 when data or a stored query contradicts the new schema.
` + patchHelp + fileHelp,
		Example: `  trails schema plan notes.trails schema.yaml
  trails schema plan notes.trails --patch patch.yaml`,
	}
	cmd.Flags().StringVar(&patch, "patch", "", "a `file` with steps, - for stdin, in the place of SCHEMA")
	cmd.RunE = p.onSchema(&patch, func(cmd *cobra.Command, file, source string, given arguments) error {
		return p.applySchema(cmd, file, source, given, arguments{"plan": true}, writePlan)
	})
	return cmd
}

// onSchema runs a command on FILE and a schema: SCHEMA, or the patch that a flag names.
func (p *program) onSchema(patch *string, do func(cmd *cobra.Command, file, source string, given arguments) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		argument, source, others := "patch", *patch, []string{}
		if *patch == "" {
			argument, others = "schema", []string{"SCHEMA (or --patch FILE)"}
		}
		return p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			if argument == "schema" {
				source = rest[0]
			}
			text, err := p.readText(cmd.Context(), source)
			if err != nil {
				return err
			}
			return do(cmd, file, source, arguments{argument: string(text)})
		}, others...)(cmd, args)
	}
}

func (p *program) schemaApplyCommand() *cobra.Command {
	var f massFlags
	var patch string
	var allowDataLoss, allowBroken bool
	cmd := &cobra.Command{
		Use:   "apply FILE [SCHEMA]",
		Short: "Make a new schema the graph's, whole or by a patch, as one commit",
		Long: `Make the schema in SCHEMA (YAML, - for stdin) the graph's, or the one that the steps of a
patch lead to, as one commit. What the data contradicts is refused, and so is a step that
loses data without --allow-data-loss, or breaks a stored query without --allow-broken-queries.
A new name takes the statements and the stored queries with it.
` + patchHelp + fileHelp,
		Example: `  trails schema apply notes.trails schema.yaml --message "notes have a status"
  trails schema apply notes.trails --patch patch.yaml --dry-run
  echo '- add_property: {Note.due: date}' | trails schema apply notes.trails --patch -`,
	}
	cmd.RunE = p.onSchema(&patch, func(cmd *cobra.Command, file, source string, given arguments) error {
		more := f.arguments()
		more["allow_data_loss"], more["allow_broken_queries"] = allowDataLoss, allowBroken
		return p.applySchema(cmd, file, source, given, more, func(w io.Writer, a applied) error {
			writeSteps(w, a.Plan)
			return writeSummary(w, a.written)
		})
	})
	cmd.Flags().StringVar(&patch, "patch", "", "a `file` with steps, - for stdin, in the place of SCHEMA")
	cmd.Flags().BoolVar(&allowDataLoss, "allow-data-loss", false, "take steps that lose data")
	cmd.Flags().BoolVar(&allowBroken, "allow-broken-queries", false, "leave stored queries that it breaks")
	f.on(cmd)
	return cmd
}

// applied is what a change of schema answers: the plan, and what the write did.
type applied struct {
	written
	Plan planned
}

// planned is what lies between two schemas: a row for each step, with its effect and the
// first nodes that it is about.
type planned struct {
	Rows    [][3]string
	Blocked bool
	Loses   int64
}

// applySchema makes the call of plan and of apply with what was read from source. It fails
// when data stands against it.
func (p *program) applySchema(cmd *cobra.Command, file, source string, given, more arguments, text func(io.Writer, applied) error) error {
	result, err := callAndPrint(cmd.Context(), p, file, p.call("schema_apply", given, more), text)
	if err == nil && result.Plan.Blocked {
		err = failure{exitInvalid, "the file contradicts the new schema; nothing was changed"}
	}
	return named(err, source)
}

// writePlan lists the steps, and says what comes next.
func writePlan(w io.Writer, a applied) error {
	if len(a.Plan.Rows) == 0 {
		_, err := fmt.Fprintln(w, "nothing to do: the graph has this schema")
		return err
	}
	writeSteps(w, a.Plan)
	switch {
	case a.Plan.Blocked:
		fmt.Fprintln(w, "blocked: correct the data, the stored queries or the schema first")
	case a.Plan.Loses > 0:
		fmt.Fprintf(w, "it removes %s: apply it with --allow-data-loss\n", count(a.Plan.Loses, "statement"))
	default:
		fmt.Fprintln(w, "the data fits; schema apply makes it one commit")
	}
	return nil
}

// writeSteps lists the steps; "!" marks those that are not safe, and below a step stand the
// first nodes that it breaks, or that lose something.
func writeSteps(w io.Writer, plan planned) {
	for _, row := range plan.Rows {
		mark := "!"
		if strings.HasPrefix(row[1], "safe") {
			mark = " "
		}
		fmt.Fprintf(w, "%s %s (%s)\n", mark, line(row[0]), line(row[1]))
		if row[2] != "" {
			fmt.Fprintf(w, "    %s\n", line(row[2]))
		}
	}
}
