package main

import (
	"encoding/json"
	"fmt"
	"io"

	"trails/fault"
)

// planned is what lies between two schemas.
type planned struct {
	Steps []struct {
		Text    string             `json:"text"`
		Lossy   bool               `json:"lossy"`
		Removes int64              `json:"removes"`
		Breaks  []fault.FieldError `json:"breaks"`
	} `json:"steps"`
	Blocked bool  `json:"blocked"`
	Loses   int64 `json:"loses"`
}

// writePlan lists the steps; "!" marks those that lose data, and below a step
// stands what contradicts it.
func writePlan(w io.Writer, structured json.RawMessage) error {
	var result struct {
		Plan planned `json:"plan"`
	}
	if err := json.Unmarshal(structured, &result); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	if len(result.Plan.Steps) == 0 {
		_, err := fmt.Fprintln(w, "nothing to do: the graph has this schema")
		return err
	}
	writeSteps(w, result.Plan)
	switch plan := result.Plan; {
	case plan.Blocked:
		fmt.Fprintln(w, "blocked: correct the data first, or the schema")
	case plan.Loses > 0:
		fmt.Fprintf(w, "it removes %s: apply it with --allow-data-loss\n", count(plan.Loses, "quad"))
	default:
		fmt.Fprintln(w, "the data fits; schema apply makes it one commit")
	}
	return nil
}

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

// writeApplied lists the steps that were taken and the commit that they became.
func writeApplied(w io.Writer, structured json.RawMessage) error {
	var result struct {
		Plan planned `json:"plan"`
	}
	if err := json.Unmarshal(structured, &result); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	writeSteps(w, result.Plan)
	return writeSummary(w, structured)
}
