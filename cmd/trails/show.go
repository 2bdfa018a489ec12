package main

import (
	"fmt"
	"io"

	"trails/builtin/view"
)

// shown is a commit with the call that made it and what it changed.
type shown struct {
	Types    []string
	Commit   view.Commit
	Activity *view.Activity
	Rows     [][]any
	More     bool
}

func writeShown(w io.Writer, s shown) error {
	fmt.Fprintf(w, "commit  %s\n", s.Commit.ID)
	if s.Commit.Parent != "" {
		fmt.Fprintf(w, "parent  %s\n", s.Commit.Parent)
	}
	if s.Commit.Merged != "" {
		fmt.Fprintf(w, "merges  %s\n", s.Commit.Merged)
	}
	fmt.Fprintf(w, "author  %s\ntime    %s\n", line(s.Commit.Author), s.Commit.Time)
	if a := s.Activity; a != nil {
		fmt.Fprintf(w, "call    %s %s via %s, trace %s\n", line(a.Capability), line(a.Version), line(a.Via), line(a.TraceID))
		if law := a.Law(); law != "" {
			fmt.Fprintf(w, "rights  %s\n", line(law))
		}
	}
	if s.Commit.Message != "" {
		fmt.Fprintf(w, "\n    %s\n", line(s.Commit.Message))
	}
	fmt.Fprintf(w, "\n+%s -%s quads\n", grouped(s.Commit.Added), grouped(s.Commit.Removed))
	for _, t := range s.Types {
		fmt.Fprintf(w, "nodes   %s\n", line(t))
	}
	for _, row := range s.Rows {
		op, _ := row[0].(string)
		quad, _ := row[len(row)-1].(string)
		fmt.Fprintf(w, "%s %s\n", op, line(quad))
	}
	if s.More {
		fmt.Fprintf(w, "... only the first %d are listed; --limit lists more\n", len(s.Rows))
	}
	return nil
}
