package builtin

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// queryParams reads the argument params, and reports all errors.
func queryParams(r *invoke.Request, given map[string]any) (map[sparql.Var]rdf.Term, error) {
	params := make(map[sparql.Var]rdf.Term, len(given))
	var fields []fault.FieldError
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v, variable := given[name], sparql.Var(strings.TrimLeft(name, "?$"))
		t, wrong := paramTerm(r.Snapshot.Schema(), v)
		if wrong != "" {
			fields = append(fields, fault.FieldError{Field: "params." + name, Code: fault.Datatype, Message: "params." + name + " " + wrong, Value: v})
		}
		if _, twice := params[variable]; twice {
			fields = append(fields, fault.FieldError{Field: "params." + name, Code: fault.Unique, Message: "params has ?" + string(variable) + " twice; give it one value, under one name", Value: v})
		}
		params[variable] = t
	}
	if len(fields) > 0 {
		return nil, fault.Arguments(fields...)
	}
	return params, nil
}

// paramTerm returns the term for a JSON value, or what is wrong with it.
func paramTerm(s *schema.Schema, v any) (t rdf.Term, wrong string) {
	switch v := v.(type) {
	case string:
		return rdf.Literal(v, ""), ""
	case bool:
		if v {
			return rdf.Literal("true", rdf.XSDBoolean), ""
		}
		return rdf.Literal("false", rdf.XSDBoolean), ""
	case json.Number:
		return numberTerm(v.String()), ""
	case map[string]any:
		return objectTerm(s, v)
	}
	return nil, `must be a string, a number, a boolean, {"iri"} or {"value","datatype"?,"lang"?}`
}

// numberTerm has the datatype of such a number in SPARQL.
func numberTerm(text string) rdf.Term {
	switch {
	case strings.ContainsAny(text, "eE"):
		return rdf.Literal(text, rdf.XSDDouble)
	case strings.Contains(text, "."):
		return rdf.Literal(text, rdf.XSDDecimal)
	}
	return rdf.Literal(text, rdf.XSDInteger)
}

func objectTerm(s *schema.Schema, v map[string]any) (t rdf.Term, wrong string) {
	text := map[string]string{}
	for name, member := range v {
		s, isText := member.(string)
		if !isText || !slices.Contains([]string{"iri", "value", "datatype", "lang"}, name) {
			return nil, `has the text members iri, or value with datatype or lang, and no others`
		}
		text[name] = s
	}
	iri, isIRI := text["iri"]
	_, hasValue := text["value"]
	datatype, typed := text["datatype"]
	lang, tagged := text["lang"]
	switch {
	case isIRI && len(v) == 1:
		return iriTerm(s, iri)
	case isIRI || !hasValue || typed && tagged:
		return nil, `must be {"iri"} or {"value","datatype"} or {"value","lang"}`
	case tagged && rdf.CheckLangTag(lang) != nil:
		return nil, "has a lang that is no language tag"
	case tagged:
		return rdf.LangLiteral(text["value"], lang), ""
	case typed:
		if word := schema.Datatypes[datatype]; word.IRI != "" {
			return rdf.Literal(text["value"], word.IRI), ""
		}
		named, wrong := iriTerm(s, datatype)
		if wrong != "" {
			return nil, `has a datatype that is none; write one such as "integer", "xsd:integer" or a whole IRI`
		}
		return rdf.Literal(text["value"], named.(rdf.IRI)), ""
	}
	return rdf.Literal(text["value"], ""), ""
}

// iriTerm returns the IRI that a text names: complete, with a prefix of the schema, or as Type/id, as in answers.
func iriTerm(s *schema.Schema, text string) (t rdf.Term, wrong string) {
	prefix, local, prefixed := strings.Cut(text, ":")
	if namespace, known := s.TurtlePrefixes()[prefix]; known && prefixed && !strings.HasPrefix(local, "//") && !strings.HasPrefix(text, s.Base) {
		text = namespace + local
	}
	iri, err := s.ResolveRef(&schema.Property{}, text)
	if err != nil {
		return nil, "must be an IRI, or Type/id: " + err.Error()
	}
	return iri, ""
}
