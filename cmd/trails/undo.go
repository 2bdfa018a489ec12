package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"trails/builtin/view"
	"trails/invoke"
)

// undone is the answer of an undo.
type undone struct {
	written
	Undone    string
	Nodes     []string
	NodeCount int64 `json:"node_count"`
	Changes   struct {
		Total int64
		Rows  [][]json.RawMessage // +, - and a statement; some rows also have a named graph
	}
}

// writeTaken shows what an undo did or, for a dry run, would do.
func writeTaken(w io.Writer, r undone) error {
	for _, row := range r.Changes.Rows {
		var cells []string
		for _, cell := range row[1:] {
			if string(cell) != "null" {
				cells = append(cells, scalar(cell))
			}
		}
		fmt.Fprintf(w, "%s %s\n", scalar(row[0]), strings.Join(cells, "  "))
	}
	if more := r.Changes.Total - int64(len(r.Changes.Rows)); more > 0 {
		fmt.Fprintf(w, "... and %s more\n", grouped(more))
	}
	if len(r.Nodes) > 0 {
		names := make([]string, len(r.Nodes))
		for i, node := range r.Nodes {
			names[i] = line(node)
		}
		if more := r.NodeCount - int64(len(r.Nodes)); more > 0 {
			names = append(names, grouped(more)+" more")
		}
		fmt.Fprintf(w, "undo of %s: %s\n", line(r.Undone), strings.Join(names, ", "))
	}
	return writeSummary(w, r.written)
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
