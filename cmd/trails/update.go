package main

import (
	"encoding/json"
	"strings"

	"trails/text/jsontext"
)

// update runs the update on the command line or in the file of -f.
func (a *asked) update() error {
	switch name, _ := a.cmd.Flags().GetString("file"); {
	case name != "" && len(a.words) > 0:
		return usageError{"give the update as SPARQL or as -f FILE, not both"}
	case name != "":
		text, err := a.readText(a.ctx(), name)
		if err != nil {
			return err
		}
		a.given["update"] = string(text)
	case len(a.words) == 0:
		return missing(a.cmd, a.cmd.Flags().Args(), []string{"FILE", "SPARQL"})
	default:
		a.given["update"] = a.words[0]
	}
	_, err := a.once()
	return err
}

// paramHelp explains how to give values of variables.
const paramHelp = `
  --param name=value   the value stands in the place of ?name, as a term and never as text:
                       a number, true, false, <IRI>, "text"@en, "text"^^<IRI>, or plain text
`

// paramsOf parses --param name=value, and a JSON object with several.
func paramsOf(list []string) (map[string]any, error) {
	params := map[string]any{}
	for _, word := range list {
		given, isObject := jsontext.Members([]byte(word))
		if !isObject {
			name, _, ok := strings.Cut(word, "=")
			if strings.TrimLeft(name, "?$") == "" || !ok {
				return nil, usageError{"--param must be name=value or one JSON object, not " + word}
			}
			given = []jsontext.Member{{Name: name}}
		}
		for _, m := range given {
			name := strings.TrimLeft(m.Name, "?$")
			if _, twice := params[name]; twice {
				return nil, usageError{"--param has ?" + name + " twice; give it one value"}
			}
			if params[name] = m.Value; !isObject {
				params[name] = paramValue(word[len(m.Name)+1:])
			}
		}
	}
	return params, nil
}

// paramValue parses the value of a parameter: an IRI in <>, a quoted text with a language or datatype, a JSON number
// or boolean, or the text itself.
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
