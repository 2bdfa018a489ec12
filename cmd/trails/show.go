package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/view"
)

// shown is a commit with the call that made it and what it changed.
type shown struct {
	Types    []string
	Commit   view.Commit
	Activity *view.Activity
	Rows     [][]any
	More     bool
}

func (p *program) showCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "show FILE COMMIT",
		Short: "Show one commit: who, when, which call, what changed",
		Long: `Show one commit, by its id, the first digits of it, or head for the newest: who made it,
when, with which call, why, and which statements it added and removed, as N-Quads.
` + fileHelp,
		Example: `  trails show notes.trails head
  trails show notes.trails 3f5a9c0d2b71
  trails show notes.trails 3f5a9c0d2b71 --limit 1000 -o json`,
		ValidArgsFunction: p.completeCommit,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("commits_get", arguments{"id": rest[0], "limit": limit, "quads": true}), writeShown)
			return err
		}, "COMMIT"),
	}
	cmd.Flags().IntVar(&limit, "limit", 200, "list at most this `many` changes")
	return cmd
}

func writeShown(w io.Writer, s shown) error {
	fmt.Fprintf(w, "commit  %s\n", s.Commit.ID)
	if s.Commit.Parent != "" {
		fmt.Fprintf(w, "parent  %s\n", s.Commit.Parent)
	}
	fmt.Fprintf(w, "author  %s\ntime    %s\n", line(s.Commit.Author), s.Commit.Time)
	if a := s.Activity; a != nil {
		fmt.Fprintf(w, "call    %s %s via %s, trace %s\n", line(a.Capability), line(a.Version), line(a.Via), line(a.TraceID))
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
