package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trails/builtin/view"
	"trails/invoke"
)

// conditionsOf reads the conditions of --where.
func conditionsOf(texts []string) ([]arguments, error) {
	clauses := make([]arguments, len(texts))
	for i, text := range texts {
		clauses[i] = conditionOf(text)
	}
	return clauses, nil
}

// list lists nodes: in CSV by as many calls as it takes.
func (a *asked) list() error {
	if a.output == "csv" {
		return a.listCSV()
	}
	_, err := a.once()
	return err
}

// listCSV writes a list as a table that load can read: complete texts, all values, and references by name.
func (a *asked) listCSV() error {
	given := a.given
	if given["cursor"] != nil || given["facets"] != nil {
		return usageError{"--cursor and --facets go with text and JSON; in CSV --limit says how many rows there are"}
	}
	text := a.cmd.Flag("limit").Value.String()
	limit, err := strconv.Atoi(text)
	if err != nil {
		return usageError{"--limit " + text + " is no number"}
	}
	if columns, ok := given["select"]; ok {
		given["columns"] = columns
		delete(given, "select")
	}
	written, last, err := view.WriteCSV(a.stdout, given, limit, func(args map[string]any) (t view.Table, err error) {
		res, err := a.makeCall(a.ctx(), a.file, a.call("entities_list", args))
		if err == nil {
			err = json.Unmarshal(res.Structured, &t)
		}
		return t, err
	})
	if err == nil && written == limit && (written < last.Total || last.TotalMore) {
		more := ""
		if last.TotalMore {
			more = "more than "
		}
		fmt.Fprintf(a.stderr, "trails: warning: %d of %s%d rows; --limit says how many, and trails export %s --type %s -o csv has all\n", written, more, last.Total, filepath.Base(a.file), last.Type)
	}
	return err
}

// conditionOf parses a condition: a property, an operator (a word between spaces, or a sign), and a value. An invalid
// condition is passed on for the call to refuse.
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

// completeProperties completes a property of the type in the arguments, within lists with commas and after the minus
// of an order.
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

// suggested are suggestions from the file; on errors there are none.
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
