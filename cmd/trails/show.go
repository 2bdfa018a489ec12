package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// shown is a commit with the call that made it and what it changed.
type shown struct {
	Commit   logged `json:"commit"`
	Activity *struct {
		Capability string `json:"capability"`
		Version    string `json:"version"`
		Agent      string `json:"agent"`
		Via        string `json:"via"`
		TraceID    string `json:"trace_id"`
	} `json:"activity"`
	Changes []struct {
		Op   string `json:"op"`
		Quad string `json:"quad"`
	} `json:"changes"`
	Truncated bool `json:"truncated"`
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
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThen(cmd, args, "COMMIT")
			if err != nil {
				return err
			}
			c, err := p.call("commits_get", arguments{"id": rest[0], "limit": limit})
			if err != nil {
				return err
			}
			return p.answer(cmd.Context(), file, c, writeShown)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 200, "list at most this `many` changes")
	return cmd
}

func writeShown(w io.Writer, structured json.RawMessage) error {
	var s shown
	if err := json.Unmarshal(structured, &s); err != nil {
		return fmt.Errorf("read the commit: %w", err)
	}
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
	return writeChanges(w, s)
}

func writeChanges(w io.Writer, s shown) error {
	fmt.Fprintf(w, "\n+%s -%s quads\n", grouped(s.Commit.Added), grouped(s.Commit.Removed))
	for _, c := range s.Changes {
		fmt.Fprintf(w, "%s %s\n", c.Op, line(c.Quad))
	}
	if s.Truncated {
		fmt.Fprintf(w, "... only the first %d are listed; --limit lists more\n", len(s.Changes))
	}
	return nil
}
