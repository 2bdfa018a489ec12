package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func (p *program) searchCommand() *cobra.Command {
	var typeName, cursor string
	var limit int
	cmd := &cobra.Command{
		Use:   "search FILE WORD...",
		Short: "Find nodes by the words of their labels, texts and ids",
		Long: `Find nodes by the words of their labels, texts and ids, the best first. All words must be in
one text; the last one may be a beginning. "Phrases" stand in quotation marks, words that are
in no text are taken for the nearest that are, and what was searched instead is said.
` + fileHelp,
		Example: `  trails search notes.trails onboarding checklist
  trails search notes.trails '"first day"' --type Note
  trails search notes.trails T1003.001 -o csv`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{outputsOf: "text table json csv"},
	}
	cmd.Flags().StringVar(&typeName, "type", "", "only nodes of this `type` and its subtypes")
	cmd.Flags().IntVarP(&limit, "limit", "n", 10, "show at most this `many`")
	cmd.Flags().StringVar(&cursor, "cursor", "", "`next` of the page before")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		file, rest, err := p.fileThenSome(cmd, args)
		if err == nil && len(rest) == 0 {
			err = missing(cmd, args, []string{"FILE", "WORD"})
		}
		if err != nil {
			return err
		}
		_, err = callAndPrint(cmd.Context(), p, file, p.call("search", arguments{"text": strings.Join(rest, " "), "limit": limit},
			arguments{"type": typeName, "cursor": cursor}), p.writeRows)
		return err
	}
	return cmd
}

func (p *program) getCommand() *cobra.Command {
	var properties []string
	var depth int
	cmd := &cobra.Command{
		Use:   "get FILE NODE...",
		Short: "Show nodes: their values, what they refer to, and who refers to them",
		Long: `Show nodes, each by Type/id, its IRI or its exact label: their values, what they refer to with
labels, and how many nodes of each type refer to them by which property, with the first few.
As table or csv they are a row for each value, without those who refer to them.
` + fileHelp,
		Example: `  trails get notes.trails Note/n1
  trails get notes.trails 'First day' --depth 2
  trails get notes.trails Note/n1 Note/n2 --property title -o json`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{outputsOf: "text table json csv"},
	}
	cmd.Flags().StringSliceVar(&properties, "property", nil, "show only this `property`; may be repeated")
	cmd.Flags().IntVar(&depth, "depth", 1, "2 shows the nodes that they refer to, too")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		file, rest, err := p.fileThenSome(cmd, args)
		if err == nil && len(rest) == 0 {
			err = missing(cmd, args, []string{"FILE", "NODE"})
		}
		if err != nil {
			return err
		}
		given := arguments{"ids": rest, "depth": depth}
		if len(properties) > 0 {
			given["properties"] = properties
		}
		_, err = callAndPrint(cmd.Context(), p, file, p.call("get", given), p.writeNodes)
		return err
	}
	return cmd
}

// writeNodes writes nodes as they are, or as rows of their values.
func (p *program) writeNodes(w io.Writer, all json.RawMessage) error {
	if p.output != "csv" && p.output != "table" {
		return writeValue(w, all)
	}
	type node struct {
		Node   string
		Values map[string]json.RawMessage
	}
	var answer struct {
		Cut           string
		Nodes, Linked []node
	}
	if err := json.Unmarshal(all, &answer); err != nil {
		return err
	}
	if answer.Cut != "" { // for which rows have no place
		fmt.Fprintf(p.stderr, "trails: warning: %s\n", line(answer.Cut))
	}
	table := struct {
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}{Columns: []string{"node", "property", "value", "label"}, Rows: [][]any{}}
	for _, n := range append(answer.Nodes, answer.Linked...) {
		for _, property := range slices.Sorted(maps.Keys(n.Values)) {
			values := []json.RawMessage{n.Values[property]}
			if isArray(values[0]) {
				values = items(values[0])
			}
			for _, value := range values {
				if text, ok := langText(value); ok {
					table.Rows = append(table.Rows, []any{n.Node, property, text, nil})
					continue
				}
				var labels map[string]string // of nodes
				if json.Unmarshal(value, &labels) != nil {
					table.Rows = append(table.Rows, []any{n.Node, property, value, nil})
				}
				for _, ref := range slices.Sorted(maps.Keys(labels)) {
					table.Rows = append(table.Rows, []any{n.Node, property, ref, labels[ref]})
				}
			}
		}
	}
	text, err := json.Marshal(table)
	if err != nil {
		return err
	}
	return p.writeRows(w, text)
}

func (p *program) historyCommand() *cobra.Command {
	var typeName, actor, since, until, cursor string
	var limit int
	cmd := &cobra.Command{
		Use:   "history FILE [NODE]",
		Short: "Tell what happened to the graph or to one node, as sentences",
		Long: `Tell what happened, the newest first: which commit, when, who, by which call, why, and which
nodes were made, changed and removed, each property from what to what. NODE is Type/id, an
IRI or an exact label. trails log lists commits, and trails show one of them whole.
` + fileHelp,
		Example: `  trails history notes.trails
  trails history notes.trails Note/n1
  trails history notes.trails --type Note --since 2026-01-31 --actor ana -o csv`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{outputsOf: "text table json csv"},
	}
	flags := cmd.Flags()
	flags.StringVar(&typeName, "type", "", "commits that changed nodes of this `type`")
	flags.StringVar(&actor, "actor", "", "a `part` of the author's name")
	flags.StringVar(&since, "since", "", "a `date`, a time or a commit")
	flags.StringVar(&until, "until", "", "a `date` or a time")
	flags.IntVarP(&limit, "limit", "n", 20, "show at most this `many`")
	flags.StringVar(&cursor, "cursor", "", "`next` of the page before")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		file, rest, err := p.fileThenSome(cmd, args)
		if err != nil {
			return err
		}
		if len(rest) > 1 {
			return usageError{"history takes one NODE; put a label with spaces in quotes"}
		}
		given := arguments{"limit": limit}
		if len(rest) > 0 {
			given["id"] = rest[0]
		}
		_, err = callAndPrint(cmd.Context(), p, file, p.call("history", given,
			arguments{"type": typeName, "actor": actor, "since": since, "until": until, "cursor": cursor}), p.writeRows)
		return err
	}
	return cmd
}

// writeRows writes an answer of columns and rows as it is, or its rows as CSV.
func (p *program) writeRows(w io.Writer, all json.RawMessage) error {
	if p.output != "csv" {
		return writeValue(w, all)
	}
	var table struct {
		Columns []string
		Rows    [][]json.RawMessage
	}
	if err := json.Unmarshal(all, &table); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(table.Columns); err != nil {
		return err
	}
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = string(cell); cells[i] == "null" {
				cells[i] = ""
			}
			_ = json.Unmarshal(cell, &cells[i]) // what is no text stays as it is written
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
