package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"trails/auth"
	"trails/invoke"
)

// changes shows a page of the feed or, with --follow, all that comes.
func (a *asked) changes() error {
	if follow := a.cmd.Flags().Lookup("follow"); follow.Value.String() != "true" {
		_, err := a.once()
		return err
	}
	return a.withEngine(a.ctx(), a.file, nil, func(e *invoke.Engine) error {
		return e.Follow(auth.WithVariables(a.ctx(), a.env), a.keyed(), 0, func(res *invoke.Result) error {
			return a.print(res.Structured, func(w io.Writer) error { return a.verb.text(w, res.Unwarned()) })
		})
	})
}

// feedPage is a page of what commits changed.
type feedPage struct {
	Commits []struct {
		Commit, Time, Author, Message string
		Changes                       []json.RawMessage
	}
	Cursor, Note string
	More         bool
	Passed       int
}

// writeFeed writes a page with a line for each property of a node.
func writeFeed(w io.Writer, page feedPage) error {
	for _, c := range page.Commits {
		fmt.Fprintf(w, "commit %s  %s  %s  %s\n", c.Commit, c.Time, line(c.Author), line(c.Message))
		for _, raw := range c.Changes {
			var op, node string
			var property, graph *string
			var before, after []any
			if err := json.Unmarshal(raw, &[]any{&op, &node, &property, &before, &after, &graph}); err != nil {
				return fmt.Errorf("read change: %w", err)
			}
			text := op + " " + node
			if property != nil {
				text += "  " + *property + changedValues(" -", before) + changedValues(" +", after)
			}
			if graph != nil {
				text += "  in " + *graph
			}
			fmt.Fprintf(w, "  %s\n", line(text))
		}
	}
	if page.Passed > 0 {
		fmt.Fprintf(w, "commits without a change for --type and --id, passed over: %d\n", page.Passed)
	}
	if page.Note != "" {
		fmt.Fprintln(w, line(page.Note))
	}
	_, err := fmt.Fprintf(w, "go on with --cursor %s\n", line(page.Cursor))
	return err
}

// changedValues are values behind a sign, "" for none.
func changedValues(sign string, values []any) string {
	var b strings.Builder
	for _, v := range values {
		text, _ := json.Marshal(v) // what was read as JSON can be written as JSON
		fmt.Fprintf(&b, "%s %s", sign, text)
	}
	return b.String()
}
