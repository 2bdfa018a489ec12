package main

import (
	"context"
	"encoding/json"
	"errors"
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

func (p *program) queryAddCommand() *cobra.Command {
	var f writeFlags
	cmd := &cobra.Command{
		Use:   "add FILE QUERY...",
		Short: "Store queries in the file, to be asked by name",
		Long: `Store queries and updates of SPARQL in FILE, all of them or, when one is wrong, none. QUERY is
a file, a folder, of which all .rq and .ru files are taken, or - for stdin. Each query becomes a
tool of MCP, POST /queries/NAME, and trails q NAME. One with the same id is replaced.

A query says what it is in its first lines, comments that begin with "#+" and are YAML:

  #+ id: techniques_of_group          the file's name without its end when left out
  #+ description: Techniques that a group uses.
  #+ instruction: Find the group by search first.
  #+ params:
  #+   group: ref(Group)              string bool int bigint float decimal date datetime iri
  #+   since: {type: date, nullable: true}        ref(Type) blob vector list(…)
  #+   most: {type: int, default: 20, max_value: 100}
  #+ expose: false                    no tool, but callable by name
  #+ tool_name, cost, idempotent      the tool's name; constant, change, result or graph; of updates

A parameter is a variable of the text, and its value is put in as a term, never as text. A list
is any of its values. One that is nullable and left out leaves its variable free.
` + fileHelp,
		Example: `  trails query add notes.trails queries/
  trails query add notes.trails open-tasks.rq --dry-run
  trails q notes.trails open_tasks owner=ana`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err == nil && len(rest) == 0 {
				err = missing(cmd, args, []string{"FILE", "QUERY"})
			}
			if err != nil {
				return err
			}
			texts, err := p.queryTexts(cmd.Context(), rest)
			if err != nil {
				return err
			}
			_, err = callAndPrint(cmd.Context(), p, file, p.call("trails.meta.query.add", arguments{"queries": texts}, f.arguments()), func(w io.Writer, r struct {
				written
				Stored, Calls []string
			}) error {
				for i, q := range r.Stored {
					fmt.Fprintf(w, "%s\n  tool: %s\n", line(q), line(r.Calls[i]))
				}
				return writeSummary(w, r.written)
			})
			return err
		},
	}
	f.on(cmd)
	return cmd
}

// queryTexts reads files and folders of queries, each once, in the order of their names.
func (p *program) queryTexts(ctx context.Context, paths []string) ([]arguments, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == "-" || err == nil && !info.IsDir() {
			files = append(files, path)
			continue
		}
		if err != nil {
			return nil, fault.New(fault.Missing, "%s: %w", path, err)
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fault.New(fault.Missing, "%s: %w", path, err)
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

func (p *program) queryListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list FILE",
		Short:   "List the stored queries of the file",
		Long:    "List the stored queries of the file with their parameters; ? behind one means that it can be left out.\n" + fileHelp,
		Example: `  trails query list notes.trails`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("stored_query_list", arguments{}), writeStored)
			return err
		}),
	}
}

func writeStored(w io.Writer, r struct{ Queries []storedLine }) error {
	for _, q := range r.Queries {
		fmt.Fprintf(w, "%s(%s)", line(q.Name), line(q.Params))
		for _, said := range []string{q.Description, q.Problem} {
			if said != "" {
				fmt.Fprintf(w, "  %s", line(said))
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

func (p *program) queryRemoveCommand() *cobra.Command {
	var f writeFlags
	cmd := &cobra.Command{
		Use:     "rm FILE NAME...",
		Short:   "Remove stored queries from the file",
		Long:    "Remove stored queries from the file, as one commit. The history keeps them.\n" + fileHelp,
		Example: `  trails query rm notes.trails open_tasks`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err == nil && len(rest) == 0 {
				err = missing(cmd, args, []string{"FILE", "NAME"})
			}
			if err != nil {
				return err
			}
			_, err = callAndPrint(cmd.Context(), p, file, p.call("trails.meta.query.remove", arguments{"names": rest}, f.arguments()), writeSummary)
			return err
		},
		ValidArgsFunction: p.completeStored,
	}
	f.on(cmd)
	return cmd
}

func (p *program) qCommand() *cobra.Command {
	var f massFlags
	var at string
	cmd := &cobra.Command{
		Use:   "q FILE [NAME [PARAM=VALUE ...]]",
		Short: "Ask a stored query, or run a stored update",
		Long: `Ask the stored query NAME of FILE, or run the stored update, with values for its parameters: as
text, repeated for a list, or PARAM:=JSON. Without NAME it lists what there is. The whole answer is
written as it is found, in the forms of trails query.
` + fileHelp,
		Example: `  trails q notes.trails
  trails q notes.trails open_tasks owner=Person/ana -o csv
  trails q notes.trails open_tasks owner=Person/ana --at 3f9a01c2`,
		Annotations:       map[string]string{outputsOf: strings.Join(queryOutputs, " ")},
		ValidArgsFunction: p.completeStored,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) == 0 {
				_, err := callAndPrint(cmd.Context(), p, file, p.call("stored_query_list", arguments{}), writeStored)
				return err
			}
			params, texts, err := storedValues(rest[1:])
			if err != nil {
				return err
			}
			given := arguments{"name": rest[0], "params": params, "texts": texts}
			return p.ask(cmd.Context(), file, p.call("stored_query_run", given, f.arguments(), arguments{"at": at}), false)
		},
	}
	f.on(cmd)
	p.atFlag(cmd, &at)
	return cmd
}

// atFlag is the flag of what reads an earlier commit.
func (p *program) atFlag(cmd *cobra.Command, at *string) {
	cmd.Flags().Func("at", "`commit` whose state is asked, at least four digits of its id (default: the newest)", func(id string) error {
		*at = id
		if id == "" {
			return errors.New("give a commit's id, or leave --at out")
		}
		return nil
	})
	completeFlag(cmd, "at", func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		file, _, err := p.fileThenSome(cmd, args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return p.latestCommits(cmd, file, word)
	})
}

// storedValues reads PARAM=VALUE, which may be repeated, and PARAM:=JSON.
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

// storedToolsFlag sets how many stored queries are tools of their own.
func (p *program) storedToolsFlag(cmd *cobra.Command) {
	cmd.Flags().Func("stored-tools", fmt.Sprintf("how many exposed stored queries are at most tools of their own, before two tools do for all; 0 for none (default: TRAILS_STORED_TOOLS, then %d)", builtin.StoredTools), p.setStoredTools)
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
