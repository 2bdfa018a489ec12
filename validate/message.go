package validate

import (
	"encoding/json"
	"math/big"
	"strings"

	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/outline"
)

// maxShown is how many characters of a value a message shows.
const maxShown = 200

// maxListed is how many members of a list a message shows.
const maxListed = 20

// json converts a term to JSON: nodes by their short names, booleans, numbers and vectors as such where JSON can
// represent them exactly, others as text, and nil as null.
func (e *evaluation) json(t rdf.Term) any {
	if t == nil {
		return nil
	}
	if e.shapes.name != nil && !rdf.IsLiteral(t) {
		return e.shapes.name(t)
	}
	text := rdf.Lexical(t)
	if tag, tagged := rdf.LangOf(t); tagged {
		return schema.LangJSON(text, tag)
	}
	switch rdf.DatatypeOf(t) {
	case rdf.XSDBoolean:
		if text == "true" || text == "false" {
			return text == "true"
		}
	case rdf.XSDInteger:
		if isJSONNumber(text) && isSafe(text) {
			return json.Number(text)
		}
	case rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat:
		if isJSONNumber(text) {
			return json.Number(text)
		}
	case schema.Vector:
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	}
	return text
}

func (e *evaluation) jsonList(terms []rdf.Term) []any {
	values := make([]any, len(terms))
	for i, t := range terms {
		values[i] = e.json(t)
	}
	return values
}

func isJSONNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s))
}

var safeInteger = new(big.Int).Lsh(big.NewInt(1), 53)

// isSafe reports whether an integer is exact as a double.
func isSafe(text string) bool {
	if len(text) < 16 {
		return true
	}
	n, ok := new(big.Int).SetString(text, 10)
	return ok && n.CmpAbs(safeInteger) <= 0
}

// show returns a term for a message: its JSON, shortened.
func (e *evaluation) show(t rdf.Term) string {
	switch v := e.json(t).(type) {
	case string:
		return quoted(v)
	default:
		return outline.Begin(compact(v), maxShown)
	}
}

// quoted returns s as a JSON string of at most maxShown characters of s.
func quoted(s string) string { return compact(outline.Begin(s, maxShown)) }

// showList returns terms for a message: a JSON array, shortened.
func (e *evaluation) showList(terms []rdf.Term) string {
	shown := make([]string, 0, maxListed+1)
	for i, t := range terms {
		if i == maxListed {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, e.show(t))
	}
	return "[" + strings.Join(shown, ",") + "]"
}

// compact returns v as JSON without HTML escapes.
func compact(v any) string {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic("validate: a term is not JSON: " + err.Error())
	}
	return string(text)
}

// local returns the end of an IRI, after the last of "#", "/" and ":".
func local(iri rdf.IRI) string {
	s := string(iri)
	return s[strings.LastIndexAny(s, "#/:")+1:]
}
