package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trails/invoke"
	"trails/kg"
)

// diff compares two commits of a file, or the data or definitions of two files.
func (a *asked) diff() error {
	to, _ := a.given["from"].(string)
	if definitions, _ := a.cmd.Flags().GetBool("definitions"); !definitions {
		if _, err := os.Stat(to); to != "" && err == nil {
			return a.diffData(to)
		}
		_, err := a.once()
		return err
	}
	if to == "" || a.given["to"] != nil {
		return missing(a.cmd, a.words, []string{"FROM", "TO"})
	}
	var other json.RawMessage
	if err := a.answerOf(a.ctx(), to, "definitions_get", arguments{}, &other); err != nil {
		return err
	}
	a.verb.text = decoded(writeDefinitionsDiff)
	_, err := a.make(a.call("definitions_diff", arguments{"definitions": other}))
	return err
}

// completeStatesOrFiles completes a branch or one of the latest commits of FILE, or another file: a database of this folder, or
// any file if no branch and no commit begins so. With --definitions there are only files.
func (p *program) completeStatesOrFiles(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if definitions, _ := cmd.Flags().GetBool("definitions"); definitions {
		return nil, cobra.ShellCompDirectiveDefault
	}
	out, how := p.completeStates(cmd, args, word)
	if len(out) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	file, _, _ := p.fileThenSome(cmd, args) // completeStates has found it
	entries, _ := os.ReadDir(".")           // of a folder that cannot be read none are offered
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, word) && name != filepath.Clean(file) && isSQLite(name) {
			out = append(out, cobra.CompletionWithDesc(line(name), "another file"))
		}
	}
	return out, how
}

// diffData compares the data of two files.
func (a *asked) diffData(to string) error {
	if a.given["to"] != nil {
		return usageError{line(to) + " is a file: two files are compared by their heads; leave the rest out, or say --branch"}
	}
	delete(a.given, "from")
	of := arguments{"format": "nquads"}
	if branch := a.given["branch"]; branch != nil {
		of["branch"] = branch
	}
	var definitions json.RawMessage
	if err := a.answerOf(a.ctx(), a.file, "definitions_get", arguments{"branch": of["branch"]}, &definitions); err != nil {
		return err
	}
	return a.between(a.ctx(), a.file, a.call("export", of), func(in invoke.Input, exported invoke.Result) error {
		a.given["definitions"], a.given["commit"] = definitions, exported.Head
		c := a.call("trails.meta.diff.data", a.given)
		c.Inputs = []invoke.Input{in}
		a.file = to
		_, err := a.make(c)
		return err
	})
}

// difference is the answer of the capability diff.
type difference struct {
	From        *string
	To          string
	Definitions []string
	Rows        [][]any
	Text        string
	More        bool
	Clashes     []kg.MergeClash
	ClashCount  int `json:"clash_count"`
}

// writeDifference writes a text as it is, and a table by node: a line for each property.
func writeDifference(w io.Writer, d difference) error {
	if d.Text != "" {
		_, err := io.WriteString(w, d.Text)
		return err
	}
	from := "the empty graph"
	if d.From != nil {
		from = *d.From
	}
	if len(d.Rows)+len(d.Definitions) == 0 {
		_, err := fmt.Fprintf(w, "%s and %s do not differ in this\n", from, d.To)
		return err
	}
	fmt.Fprintf(w, "from %s to %s\n", from, d.To)
	for _, step := range d.Definitions {
		fmt.Fprintln(w, line(step))
	}
	last := ""
	for _, row := range d.Rows {
		if len(row) < 6 {
			return fmt.Errorf("a row of a difference has %d columns", len(row))
		}
		head := fmt.Sprint(row[0], " ", row[1])
		if row[5] != nil {
			head += fmt.Sprint(" in ", row[5])
		}
		if head != last {
			last = head
			fmt.Fprintln(w, line(head))
		}
		fmt.Fprintf(w, "    %s\n", line(fmt.Sprint(row[2], ": ", shownValues(row[3], row[4]))))
	}
	clashed{Clashes: d.Clashes, Count: d.ClashCount}.writeClashes(w)
	return nil
}

// shownValues shows the values that went, and those that came.
func shownValues(old, now any) string {
	text := func(value any) string {
		list, many := value.([]any)
		if !many {
			list = []any{value}
		}
		var parts []string
		for _, one := range list {
			parts = append(parts, fmt.Sprint(one))
		}
		return strings.Join(parts, ", ")
	}
	switch {
	case old == nil:
		return "+ " + text(now)
	case now == nil:
		return "- " + text(old)
	}
	return text(old) + " → " + text(now)
}

func writeDefinitionsDiff(w io.Writer, r struct{ Rows [][2]string }) error {
	if len(r.Rows) == 0 {
		_, err := fmt.Fprintln(w, "both files have the same definitions")
		return err
	}
	for _, row := range r.Rows {
		fmt.Fprintln(w, line(row[0]))
		for text := range strings.Lines(row[1]) {
			fmt.Fprintf(w, "    %s\n", line(strings.TrimSuffix(text, "\n")))
		}
	}
	return nil
}
