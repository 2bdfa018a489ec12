package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
)

type updateFlags struct {
	massFlags
	file, base, key string
	params          []string
	timeout         int64
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
		RunE: func(cmd *cobra.Command, args []string) error { return p.update(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "`file` with the update, or - for stdin, in the place of SPARQL")
	flags.StringArrayVar(&f.params, "param", nil, "`name=value` for a variable; may be repeated")
	flags.StringVar(&f.base, "base", "", "`IRI` that relative ones in the update are resolved against")
	flags.Int64Var(&f.timeout, "timeout-ms", updateTimeout, "`milliseconds` after which it is given up and nothing is changed")
	f.on(cmd)
	keyFlag(cmd, &f.key)
	p.remoteFlag(cmd)
	return cmd
}

// update makes the call: SPARQL is on the command line, or in the file of -f.
func (p *program) update(cmd *cobra.Command, args []string, f updateFlags) error {
	others := []string{"SPARQL"}
	if f.file != "" {
		others = nil
	}
	file, rest, err := p.fileThen(cmd, args, others...)
	if err != nil {
		return err
	}
	given := arguments{"timeout_ms": f.timeout}
	if f.file == "" {
		given["update"] = rest[0]
	} else {
		text, err := p.readText(cmd.Context(), f.file)
		if err != nil {
			return err
		}
		given["update"] = string(text)
	}
	params, err := paramArguments(f.params)
	if err != nil {
		return err
	}
	c := p.call("mutate", given, params, arguments{"base": f.base}, f.arguments())
	c.IdempotencyKey = f.key
	_, err = callAndPrint(cmd.Context(), p, file, c, writeSummary)
	return err
}

// paramArguments reads --param name=value; there are no arguments when none is given.
func paramArguments(list []string) (arguments, error) {
	params := map[string]any{}
	for _, word := range list {
		name, value, ok := strings.Cut(word, "=")
		if name = strings.TrimLeft(name, "?$"); !ok || name == "" {
			return nil, usageError{"--param must be name=value, not " + word}
		}
		params[name] = paramValue(value)
	}
	if len(params) == 0 {
		return nil, nil
	}
	return arguments{"params": params}, nil
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
