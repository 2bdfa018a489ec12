package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
)

type updateFlags struct {
	file, base, message, ifCommit, key string
	params                             []string
	timeout                            int64
	dryRun                             bool
}

// updateTimeout is how long an update may take unless it is said: as long as any may.
const updateTimeout = 600_000

func (p *program) updateCommand() *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use:   "update FILE SPARQL",
		Short: "Change the graph by SPARQL, as one atomic commit",
		Long: `Run a SPARQL 1.1 update on FILE: INSERT and DELETE, with DATA, WHERE or both, WITH and
USING, LOAD, CLEAR, DROP, CREATE, COPY, MOVE and ADD. All operations, parted by semicolons, become
one commit: each sees what those before it did, the end of it is validated, and if anything
is refused nothing is changed. LOAD and SERVICE are answered before the file is locked.

  --param name=value   the value stands in the place of ?name, as a term and never as text:
                       a number, true, false, <IRI>, "text"@en, "text"^^<IRI>, or plain text
` + remoteHelp,
		Example: `  trails update notes.trails 'PREFIX : <urn:trails:notes:> DELETE { ?n :status "draft" } INSERT { ?n :status "done" } WHERE { ?n :status "draft" }' --dry-run
  trails update notes.trails -f clean-up.ru --message "clean up"
  trails update notes.trails 'DELETE WHERE { ?node ?p ?o }' --param node='<urn:trails:notes:Note/n1>'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.update(cmd, args, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "`file` with the update, or - for stdin, in the place of SPARQL")
	flags.StringArrayVar(&f.params, "param", nil, "`name=value` for a variable; may be repeated")
	flags.StringVar(&f.base, "base", "", "`IRI` that relative ones in the update are resolved against")
	flags.Int64Var(&f.timeout, "timeout-ms", updateTimeout, "`milliseconds` after which it is given up and nothing is changed")
	writeFlags(cmd, &f.message, &f.ifCommit, &f.dryRun)
	flags.StringVar(&f.key, "idempotency-key", "", "`name` of this change: repeated, it answers with the first one's commit")
	p.remoteFlag(cmd)
	return cmd
}

func (p *program) update(cmd *cobra.Command, args []string, f updateFlags) error {
	file, text, err := p.updateText(cmd, args, f.file)
	if err != nil {
		return err
	}
	params, err := updateParams(f.params)
	if err != nil {
		return err
	}
	given := arguments{"update": text, "timeout_ms": f.timeout}
	if len(params) > 0 {
		given["params"] = params
	}
	given.text("base", f.base)
	given.text("message", f.message)
	given.text("if_commit", f.ifCommit)
	given.flag("dry_run", f.dryRun)
	c, err := p.call("mutate", given)
	if err != nil {
		return err
	}
	c.IdempotencyKey = f.key
	return p.answer(cmd.Context(), file, c, writeSummary)
}

// updateText is SPARQL of the command line, or what the file of -f says.
func (p *program) updateText(cmd *cobra.Command, args []string, from string) (file, text string, err error) {
	if from == "" {
		file, rest, err := p.fileThen(cmd, args, "SPARQL")
		if err != nil {
			return "", "", err
		}
		return file, rest[0], nil
	}
	if file, _, err = p.fileThen(cmd, args); err != nil {
		return "", "", err
	}
	read, err := p.readText(cmd.Context(), from)
	return file, string(read), err
}

// updateParams reads --param name=value.
func updateParams(list []string) (map[string]any, error) {
	params := map[string]any{}
	for _, word := range list {
		name, value, ok := strings.Cut(word, "=")
		if name = strings.TrimLeft(name, "?$"); !ok || name == "" {
			return nil, usageError{"--param must be name=value, not " + word}
		}
		params[name] = paramValue(value)
	}
	return params, nil
}

// paramValue is what a text stands for: an IRI in <>, a quoted text with its language
// or datatype, a number or truth of JSON, or itself.
func paramValue(text string) any {
	if iri, ok := bracketed(text); ok {
		return map[string]any{"iri": iri}
	}
	if end := strings.LastIndexByte(text, '"'); end > 0 && text[0] == '"' {
		value, rest := text[1:end], text[end+1:]
		if lang, ok := strings.CutPrefix(rest, "@"); ok {
			return map[string]any{"value": value, "lang": lang}
		}
		if datatype, ok := bracketed(strings.TrimPrefix(rest, "^^")); ok {
			return map[string]any{"value": value, "datatype": datatype}
		}
		if rest == "" {
			return value
		}
	}
	var scalar any
	if err := json.Unmarshal([]byte(text), &scalar); err == nil {
		switch scalar.(type) {
		case float64, bool:
			return json.RawMessage(text)
		}
	}
	return text
}

func bracketed(text string) (string, bool) {
	inner, ok := strings.CutPrefix(text, "<")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, ">")
}
