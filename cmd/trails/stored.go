package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trails/builtin"
	"trails/fault"
	"trails/invoke"
)

// storedLine is one line of the catalogue of stored queries.
type storedLine struct{ Name, Tool, Kind, Params, Description, Problem string }

// storeQueries stores the queries of files and folders.
func (a *asked) storeQueries() error {
	texts, err := a.queryTexts(a.ctx(), a.words)
	if err != nil {
		return err
	}
	a.given["queries"] = texts
	_, err = a.once()
	return err
}

func writeStoring(w io.Writer, r struct {
	written
	Stored, Calls []string
}) error {
	for i, q := range r.Stored {
		fmt.Fprintf(w, "%s\n  tool: %s\n", line(q), line(r.Calls[i]))
	}
	return writeSummary(w, r.written)
}

// queryTexts reads files and directories of queries, each once, sorted by name.
func (p *program) queryTexts(ctx context.Context, paths []string) ([]arguments, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == "-" || err == nil && !info.IsDir() {
			files = append(files, path)
			continue
		}
		if err != nil {
			return nil, fault.New(fault.Missing, "%s", path).Because(err)
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fault.New(fault.Missing, "%s", path).Because(err)
		}
		found := false
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".rq" || ext == ".ru") {
				files, found = append(files, filepath.Join(path, e.Name())), true
			}
		}
		if !found {
			return nil, fault.New(fault.Missing, "%s has no .rq and no .ru file", path)
		}
	}
	var texts []arguments
	for _, file := range files {
		text, err := p.readText(ctx, file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if name == "-" {
			name = ""
		}
		texts = append(texts, arguments{"name": name, "text": string(text)})
	}
	return texts, nil
}

func writeStored(w io.Writer, r struct{ Queries []storedLine }) error {
	for _, q := range r.Queries {
		fmt.Fprintf(w, "%s(%s)", line(q.Name), line(q.Params))
		for _, note := range []string{q.Description, q.Problem} {
			if note != "" {
				fmt.Fprintf(w, "  %s", line(note))
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

// runStored runs a stored query, or lists them.
func (a *asked) runStored() error {
	if a.given["name"] == nil {
		a.verb.text = decoded(writeStored)
		_, err := a.make(a.call("stored_query_list", arguments{}))
		return err
	}
	params, texts, err := storedValues(a.words)
	if err != nil {
		return err
	}
	a.given["params"], a.given["texts"] = params, texts
	return a.ask(a.ctx(), a.file, a.keyed(), false)
}

// storedValues parses PARAM=VALUE, which may repeat, and PARAM:=JSON.
func storedValues(words []string) (params map[string]json.RawMessage, texts map[string][]string, err error) {
	params, texts = map[string]json.RawMessage{}, map[string][]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" || name == ":" {
			return nil, nil, usageError{"parameter " + word + " is not PARAM=VALUE or PARAM:=JSON"}
		}
		name, isJSON := strings.CutSuffix(name, ":")
		switch {
		case !isJSON:
			texts[name] = append(texts[name], value)
		case !json.Valid([]byte(value)):
			return nil, nil, usageError{"parameter " + name + ": " + value + " is not JSON"}
		default:
			params[name] = json.RawMessage(value)
		}
	}
	for name := range params {
		if texts[name] != nil {
			return nil, nil, usageError{"parameter " + name + " is given both as text and as JSON"}
		}
	}
	return params, texts, nil
}

// completeStored completes FILE, then the name of a stored query, then its parameters.
func (p *program) completeStored(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, rest, err := p.fileThenSome(cmd, args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list struct{ Queries []storedLine }
	err = p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) error {
		res, err := e.Call(cmd.Context(), p.call("stored_query_list", arguments{}))
		if err != nil {
			return err
		}
		return json.Unmarshal(res.Structured, &list)
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []cobra.Completion
	for _, q := range list.Queries {
		switch {
		case (len(rest) == 0 || cmd.Name() == "rm") && strings.HasPrefix(q.Name, word):
			out = append(out, cobra.CompletionWithDesc(q.Name, line(q.Description)))
		case len(rest) > 0 && cmd.Name() != "rm" && q.Name == rest[0] && q.Params != "":
			for param := range strings.SplitSeq(q.Params, ", ") {
				if name, kind, _ := strings.Cut(param, ": "); strings.HasPrefix(name, word) {
					out = append(out, cobra.CompletionWithDesc(name+"=", kind))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// storedToolsFlag sets how many stored queries are tools.
func (p *program) storedToolsFlag(cmd *cobra.Command) {
	cmd.Flags().Func("stored-tools", fmt.Sprintf("how `many` exposed stored queries are at most tools of their own, before two tools do for all; 0 for none (default: TRAILS_STORED_TOOLS, then %d)", builtin.StoredTools), p.setStoredTools)
}

func (p *program) setStoredTools(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("is a number from 0 on, not %q", text)
	}
	if p.storedTools = n; n == 0 {
		p.storedTools = -1 // none
	}
	return nil
}
