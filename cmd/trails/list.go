package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trails/invoke"
	"trails/view"
)

func (p *program) listCommand() *cobra.Command {
	var where, columns []string
	var sort, cursor string
	var limit int
	var facets bool
	cmd := &cobra.Command{
		Use:   "list FILE TYPE",
		Short: "List nodes of a type that fit conditions",
		Long: `List the nodes of a type and its subtypes that fit all conditions, as a table. A condition is
a property, an operator and a value: = != < <= > >= in contains starts is_empty not_empty. Of
several values one has to fit; with != none may be equal. contains and starts take capitals
and small letters alike, in takes values with commas between. A property may be a path over
references, as in author.name, in conditions, --sort and --select. CSV has whole texts and all
values, each cell as trails export writes it: references as Type/id, ";" between values, text
with a language as Cat@en. What --limit leaves out is said on stderr.
` + fileHelp,
		Example: `  trails list notes.trails Note
  trails list notes.trails Note --where 'status=open' --where 'due<2026-03-01' --sort -due
  trails list notes.trails Note --where 'author.name starts A' --select title,author.name --limit 100 -o csv
  trails list notes.trails Note --where 'tags is_empty' --facets`,
		Args:              cobra.ArbitraryArgs,
		Annotations:       map[string]string{outputsOf: "text table json csv"},
		ValidArgsFunction: p.completeList,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&where, "where", nil, "keep the nodes that fit this `condition`; may be repeated")
	flags.StringVar(&sort, "sort", "", "sort by this `property`, by -property from the greatest down")
	flags.StringSliceVar(&columns, "select", nil, "show these `properties`")
	flags.IntVarP(&limit, "limit", "n", 20, "show at most this `many`")
	flags.StringVar(&cursor, "cursor", "", "`next` of the page before")
	flags.BoolVar(&facets, "facets", false, "count the nodes by value of the properties that list their values")
	for _, flag := range []string{"where", "sort", "select"} {
		completeFlag(cmd, flag, p.completeProperties)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		file, rest, err := p.fileThenSome(cmd, args)
		if err == nil && len(rest) != 1 {
			err = missing(cmd, args, []string{"FILE", "TYPE"})
		}
		if err != nil {
			return err
		}
		given := arguments{"type": rest[0], "limit": limit}
		if len(where) > 0 {
			clauses := make([]arguments, len(where))
			for i, text := range where {
				clauses[i] = conditionOf(text)
			}
			given["where"] = clauses
		}
		if len(columns) > 0 {
			given["select"] = columns
		}
		if p.output == "csv" {
			return p.listCSV(cmd.Context(), file, given, sort, cursor, facets)
		}
		_, err = callAndPrint(cmd.Context(), p, file, p.call("list", given,
			arguments{"sort": sort, "cursor": cursor, "facets": facets}), p.writeRows)
		return err
	}
	return cmd
}

// listPage is the most rows of one call.
const listPage = 1000

// listCSV writes a list as a table that a load reads: whole texts, all values, and references by
// name.
func (p *program) listCSV(ctx context.Context, file string, given arguments, sort, cursor string, facets bool) error {
	if cursor != "" || facets {
		return usageError{"--cursor and --facets go with text and JSON; in CSV --limit says how many rows there are"}
	}
	sort, descending := strings.CutPrefix(sort, "-")
	limit := given["limit"].(int)
	if columns, ok := given["select"]; ok {
		given["columns"] = columns
		delete(given, "select")
	}
	given["whole"] = true
	var out *view.CSV
	for written := 0; ; {
		given["offset"], given["limit"] = written, min(limit-written, listPage)
		res, err := p.makeCall(ctx, file, p.call("entities_list", given, arguments{"sort": sort, "descending": descending}))
		if err != nil {
			return err
		}
		var table view.Table
		if err := json.Unmarshal(res.Structured, &table); err != nil {
			return fmt.Errorf("read the result of entities_list: %w", err)
		}
		if out == nil {
			label := table.Label
			if given["columns"] != nil {
				label = "" // it was asked for
			}
			out = view.NewCSV(p.stdout, label)
		}
		if err := out.Write(table); err != nil {
			return err
		}
		written += len(table.Rows)
		switch {
		case len(table.Rows) < given["limit"].(int), written == table.Total && !table.TotalMore:
			return nil
		case written >= limit:
			more := ""
			if table.TotalMore {
				more = "more than "
			}
			fmt.Fprintf(p.stderr, "trails: warning: %d of %s%d rows; --limit says how many, and trails export %s --type %s -o csv has all\n", written, more, table.Total, filepath.Base(file), table.Type)
			return nil
		}
	}
}

// conditionOf reads a condition: a property, an operator, which stands between spaces when it
// is a word, and a value. What is no condition is passed on whole, and refused by the call.
func conditionOf(text string) arguments {
	at := strings.IndexAny(text, " =!<>")
	if at < 0 {
		return arguments{"property": text}
	}
	property, rest := text[:at], strings.TrimLeft(text[at:], " ")
	end := strings.IndexFunc(rest, func(c rune) bool { return !strings.ContainsRune("=!<>", c) })
	if end == 0 { // a word
		end = strings.IndexByte(rest, ' ')
	}
	if end < 0 {
		end = len(rest)
	}
	out := arguments{"property": property, "op": rest[:end]}
	value := strings.TrimSpace(rest[end:])
	switch {
	case rest[:end] == "in":
		out["value"] = strings.Split(value, ",")
	case value != "" || strings.ContainsAny(rest[:end], "=<>"):
		out["value"] = value
	}
	return out
}

// completeList completes FILE, then a type.
func (p *program) completeList(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, rest, err := p.fileThenSome(cmd, args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeTypes(cmd, args, word)
}

// completeProperties completes a property of the type that the arguments name, the last of a
// list with commas and behind the minus of an order.
func (p *program) completeProperties(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, rest, err := p.fileThenSome(cmd, args)
	if err != nil || len(rest) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	start := strings.LastIndexAny(word, ",-") + 1
	out := p.suggested(cmd, file, arguments{"what": "properties", "type": rest[0], "prefix": word[start:]})
	for i := range out {
		out[i] = word[:start] + out[i]
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeTypes completes a type of FILE.
func (p *program) completeTypes(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, _, err := p.fileThenSome(cmd, args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.suggested(cmd, file, arguments{"what": "types", "prefix": word}), cobra.ShellCompDirectiveNoFileComp
}

// suggested are the values that the file suggests; what goes wrong completes to nothing.
func (p *program) suggested(cmd *cobra.Command, file string, what arguments) (out []cobra.Completion) {
	var list struct{ Items []struct{ Value string } }
	_ = p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) error {
		res, err := e.Call(cmd.Context(), p.call("suggest", what))
		if err != nil {
			return err
		}
		return json.Unmarshal(res.Structured, &list)
	})
	for _, item := range list.Items {
		out = append(out, item.Value)
	}
	return out
}
