package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/builtin/view"
)

func (p *program) schemaCommand() *cobra.Command {
	return &cobra.Command{
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
}

// writeSchema prints the text of a schema unchanged, so that it can be read again.
func writeSchema(w io.Writer, all json.RawMessage) error {
	var answer struct {
		Text   string
		Schema json.RawMessage
	}
	if err := json.Unmarshal(all, &answer); err != nil {
		return err
	}
	if answer.Text != "" {
		return writeLine(w, []byte(answer.Text))
	}
	if answer.Schema == nil {
		return writeValue(w, all)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, answer.Schema, "", "  "); err != nil {
		return fmt.Errorf("indent the schema: %w", err)
	}
	return writeLine(w, b.Bytes())
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

// changeSchema makes the calls of plan and apply, and fails if data contradicts the change.
func (a *asked) changeSchema() error {
	if a.given["schema"] == nil && a.given["patch"] == nil {
		return missing(a.cmd, a.cmd.Flags().Args(), []string{"FILE", "SCHEMA (or --patch FILE)"})
	}
	answer, err := a.once()
	if err != nil {
		return err
	}
	result, err := answered[applied](answer)
	if err == nil && result.Plan.Blocked {
		err = failure{exitInvalid, "the file contradicts the new schema; nothing was changed"}
	}
	return err
}

func writeApplied(w io.Writer, a applied) error {
	writeSteps(w, a.Plan)
	return writeSummary(w, a.written)
}

// applied is what a change of schema answers: the plan, and what the write did.
type applied struct {
	written
	Plan planned
}

// planned is the difference between two schemas: a row for each step, with its effect and the first nodes concerned.
type planned struct {
	Rows    []view.PlanRow
	Blocked bool
	Loses   int64
}

// writePlan lists the steps, and says what to do next.
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

// writeSteps lists the steps, with "!" for unsafe ones, and below a step the first nodes that it breaks or that lose
// something.
func writeSteps(w io.Writer, plan planned) {
	for _, row := range plan.Rows {
		writeStep(w, row.Step, row)
	}
}

// writeStep writes a step, as it is called, and the nodes below it.
func writeStep(w io.Writer, called string, row view.PlanRow) {
	mark := "!"
	if row.Safe() {
		mark = " "
	}
	fmt.Fprintf(w, "%s %s (%s)\n", mark, line(called), line(row.Effect))
	for _, n := range row.Nodes {
		fmt.Fprintf(w, "    %s\n", line(n.String()))
	}
}
