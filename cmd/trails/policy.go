package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// policyCommand is the parent of the commands about policies.
func policyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "policy",
		Short: "Show, set, try and explain policies: who may do what",
		Long: `Show, set, try and explain the policies of the graph, in Cedar (https://docs.cedarpolicy.com). Without
any, callers by a token read, and change nothing; policy set --starter lets each do what the scopes of
their token permit. With policies callers may do what one permits and none forbids, within their scopes.
They do not bind who has the file: commands like this one, and whoever starts a server on it. Callers are Actor::"token:NAME", Actor::"anonymous" or Actor::"oidc:…", in the groups of
their tokens. What is read and changed is Graph, Branch, Type, Query and Capability, each in the one
before; a type is in the types above it.

  permit (principal, action in Action::"reads", resource);
  @id("payroll") forbid (principal, action, resource in Type::"Salary")
    unless { principal in Group::"hr" };
  permit (principal == Actor::"token:bot", action == Action::"change", resource)
    unless { context.branch.protected };

The actions are read, export and invoke_query, together "reads"; and change, schema_apply,
branch_create, branch_delete, branch_merge, bundle_apply, restore and administer, together "writes".`,
		Example: `  trails policy set notes.trails --starter
  trails policy set notes.trails policies.cedar --dry-run
  trails policy test notes.trails cases.yaml
  trails policy explain notes.trails --as token:bot note.create`,
		RunE: chooseCommand,
	}
}

// policiesShown is the answer of policy show.
type policiesShown struct {
	Text, Problem string
}

func writePolicies(w io.Writer, p policiesShown) error {
	if p.Problem != "" {
		fmt.Fprintf(w, "// these policies cannot be read: %s\n", line(p.Problem))
	}
	_, err := io.WriteString(w, strings.TrimSuffix(p.Text, "\n"))
	if err == nil && p.Text != "" {
		_, err = fmt.Fprintln(w)
	}
	return err
}

// policiesSet is the answer of policy set.
type policiesSet struct {
	written
	Policies, New, Gone []string
}

func writePoliciesSet(w io.Writer, p policiesSet) error {
	for _, name := range p.New {
		fmt.Fprintf(w, "+ %s\n", line(name))
	}
	for _, name := range p.Gone {
		fmt.Fprintf(w, "- %s\n", line(name))
	}
	return writeSummary(w, p.written)
}

// setPolicies reads the policies from a file, or takes all away.
func (a *asked) setPolicies() error {
	none, err := a.cmd.Flags().GetBool("none")
	if err != nil {
		return err
	}
	starter := a.given["starter"] == true
	switch given := len(a.words) > 0; {
	case starter && (none || given) || none && given:
		return usageError{"give one of POLICIES, --starter and --none"}
	case !starter && !none && !given:
		return missing(a.cmd, a.cmd.Flags().Args(), []string{"FILE", "POLICIES (or --starter, or --none)"})
	case starter:
		_, err = a.once()
		return err
	}
	text := []byte{}
	if !none {
		if text, err = a.readText(a.ctx(), a.words[0]); err != nil {
			return err
		}
		if strings.TrimSpace(string(text)) == "" {
			return usageError{a.words[0] + " is empty; --none takes all policies away"}
		}
	}
	a.given["policies"] = string(text)
	_, err = a.once()
	return err
}

// policiesExplained is the answer of policy explain.
type policiesExplained struct {
	As             string
	Groups, Scopes []string
	Asked          string
	Allowed        *bool
	Policies       []string
	Why, Way       string
	Columns        []string
	Rows           [][]any
}

func writeExplanation(w io.Writer, e policiesExplained) error {
	of := e.As + " with " + strings.Join(e.Scopes, " and ")
	if len(e.Groups) > 0 {
		of += ", in " + strings.Join(e.Groups, " and ")
	}
	if e.Allowed == nil {
		fmt.Fprintln(w, line(of))
		return writeRows(w, e.Columns, e.Rows)
	}
	verdict := "denied"
	if *e.Allowed {
		verdict = "allowed"
	}
	fmt.Fprintf(w, "%s: %s, to %s\n%s\n", verdict, line(e.Asked), line(of), line(e.Why))
	for _, name := range e.Policies {
		fmt.Fprintf(w, "  %s\n", line(name))
	}
	if e.Way != "" {
		fmt.Fprintln(w, line(e.Way))
	}
	return nil
}

// policiesTested is the answer of policy test.
type policiesTested struct {
	Passed, Failed int64
	Columns        []string
	Rows           [][]any
}

func writeTested(w io.Writer, t policiesTested) error {
	if len(t.Rows) > 0 {
		if err := writeRows(w, t.Columns, t.Rows); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s passed, %s failed\n", count(t.Passed, "case"), count(t.Failed, "case"))
	return err
}

// testPolicies tries the cases of a file, and fails if one does.
func (a *asked) testPolicies() error {
	text, err := a.readText(a.ctx(), a.words[0])
	if err != nil {
		return err
	}
	a.given["cases"] = string(text)
	if path, _ := a.cmd.Flags().GetString("policies"); path != "" {
		policies, err := a.readText(a.ctx(), path)
		if err != nil {
			return err
		}
		a.given["policies"] = string(policies)
	}
	answer, err := a.once()
	if err != nil {
		return err
	}
	result, err := answered[policiesTested](answer)
	if err == nil && result.Failed > 0 {
		err = failure{exitInvalid, count(result.Failed, "case") + " failed"}
	}
	return err
}

// writeRows writes a table with yes and no for truth values.
func writeRows(w io.Writer, columns []string, rows [][]any) error {
	lines := make([][]string, len(rows))
	for i, cells := range rows {
		for _, cell := range cells {
			text := line(fmt.Sprint(cell))
			switch cell {
			case nil:
				text = ""
			case true:
				text = "yes"
			case false:
				text = "no"
			}
			lines[i] = append(lines[i], text)
		}
	}
	return writeTable(w, columns, lines, "")
}
