package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"trails/builtin/view"
	"trails/invoke"
)

// undone is the answer of an undo.
type undone struct {
	written
	moved
	Undone string
}

// undo takes commits back, or with --by, --origin and --source those of an author or a source.
func (a *asked) undo() error {
	flags := a.cmd.Flags()
	whose := map[string]any{}
	for _, name := range []string{"by", "origin", "source"} {
		if text, _ := flags.GetString(name); text != "" {
			whose[name] = text
		}
	}
	_, commit := a.given["commit"]
	switch {
	case len(whose) == 0 && !commit:
		return missing(a.cmd, []string{a.file}, []string{"FILE", "COMMIT"})
	case len(whose) == 0:
		for _, name := range []string{"since", "take", "resolve"} {
			if flags.Changed(name) {
				return usageError{"--" + name + " goes with --by, --origin or --source; A..B names the commits after A up to B"}
			}
		}
		_, err := a.once()
		return err
	case commit || flags.Changed("nodes"):
		return usageError{"--by, --origin and --source take back all that somebody wrote; leave COMMIT and --nodes out"}
	}
	a.capability, a.verb.text = "undo_by", decoded(writeUndoneBy)
	maps.Copy(a.given, whose)
	for _, name := range []string{"since", "take"} {
		if text, _ := flags.GetString(name); text != "" {
			a.given[name] = text
		}
	}
	if list, _ := flags.GetStringArray("resolve"); len(list) > 0 {
		a.given["resolutions"] = list
	}
	_, err := a.once()
	return err
}

// writeUndoneBy shows what the undo of an author did or, for a dry run, would do.
func writeUndoneBy(w io.Writer, r undoneBy) error {
	if r.writeClashes(w); r.Outcome == "clashes" {
		return nil // a warning says what is to be done
	}
	r.moved.write(w, "undo of "+count(r.Commits, "commit")+" since "+line(r.Since))
	return writeSummary(w, r.written)
}

// undoneBy is the answer of the undo of an author.
type undoneBy struct {
	Commits int64  `json:"commits"`
	Since   string `json:"since"`
	clashed
}

// moved are the nodes and statements that a write changed.
type moved struct {
	Nodes     []string
	NodeCount int64 `json:"node_count"`
	Changes   struct {
		Total int64
		Rows  [][]json.RawMessage // +, - and a statement; some rows also have a named graph
	}
}

// writeTaken shows what an undo did or, for a dry run, would do.
func writeTaken(w io.Writer, r undone) error {
	r.moved.write(w, "undo of "+line(r.Undone))
	return writeSummary(w, r.written)
}

// write shows the statements and the nodes that change, by what.
func (m moved) write(w io.Writer, by string) {
	for _, row := range m.Changes.Rows {
		var cells []string
		for _, cell := range row[1:] {
			if string(cell) != "null" {
				cells = append(cells, scalar(cell))
			}
		}
		fmt.Fprintf(w, "%s %s\n", scalar(row[0]), strings.Join(cells, "  "))
	}
	if more := m.Changes.Total - int64(len(m.Changes.Rows)); more > 0 {
		fmt.Fprintf(w, "... and %s more\n", grouped(more))
	}
	if len(m.Nodes) > 0 {
		names := make([]string, len(m.Nodes))
		for i, node := range m.Nodes {
			names[i] = line(node)
		}
		if more := m.NodeCount - int64(len(m.Nodes)); more > 0 {
			names = append(names, grouped(more)+" more")
		}
		fmt.Fprintf(w, "%s: %s\n", by, strings.Join(names, ", "))
	}
}

// completeCommits completes one of the latest commits of FILE.
func (p *program) completeCommits(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, _, err := p.fileThenSome(cmd, args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.latestCommits(cmd, file, word)
}

// completeBranches completes the name of a branch of FILE.
func (p *program) completeBranches(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, _, err := p.fileThenSome(cmd, args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.suggested(cmd, file, arguments{"what": "branches", "prefix": word}), cobra.ShellCompDirectiveNoFileComp
}

// completeStates completes the name of a branch of FILE, or one of the latest commits.
func (p *program) completeStates(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	out, _ := p.completeBranches(cmd, args, word)
	for i, name := range out {
		out[i] = cobra.CompletionWithDesc(name, "a branch")
	}
	commits, how := p.completeCommits(cmd, args, word)
	return append(out, commits...), how
}

func (p *program) latestCommits(cmd *cobra.Command, file, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const latest, newest = 50, "head"
	var list view.CommitList
	err := p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) error {
		res, err := e.Call(cmd.Context(), p.call("commits_list", arguments{"limit": latest, "whole": true}))
		if err != nil {
			return err
		}
		return json.Unmarshal(res.Structured, &list)
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	out := []cobra.Completion{}
	if strings.HasPrefix(newest, word) {
		out = append(out, cobra.CompletionWithDesc(newest, "the newest"))
	}
	for _, commit := range list.Commits {
		if strings.HasPrefix(commit.ID, word) {
			out = append(out, cobra.CompletionWithDesc(line(commit.ID), line(commit.Message)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
