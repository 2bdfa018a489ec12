package admin

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	kgschema "trails/schema"
)

type schemaData struct {
	Base    string
	Version int64
	Types   []typeShown
	YAML    string
	Turtle  string
	Graph   schemaGraph
}

// typeShown is a type with what its supertypes give it and who extends it.
type typeShown struct {
	kgschema.TypeDocument
	Capacity  string
	Inherited []inherited
	Extended  []string
}

type inherited struct {
	From     string
	Property kgschema.PropertyDocument
}

// schemaForms are the schema as text, by the word in its address.
var schemaForms = map[string]struct{ mime, file string }{
	"yaml":   {"application/yaml; charset=utf-8", "schema.yaml"},
	"turtle": {"text/turtle; charset=utf-8", "schema.ttl"},
}

// schema answers types, properties and constraints.
func (s *site) schema(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r, "at").err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var answer struct {
		Schema  schemaDocument
		Version int64 `json:"schema_version"`
	}
	if err := a.ask("schema_get", map[string]any{"format": "json"}, &answer); err != nil {
		return err
	}
	doc := answer.Schema
	data := schemaData{Base: doc.Base, Version: answer.Version, Graph: a.schemaGraph(doc)}
	for _, t := range doc.Types {
		shown := typeShown{TypeDocument: t, Capacity: kgschema.SnakeName(t.Name)}
		for _, name := range doc.family(t.Name)[1:] {
			super, _ := doc.find(name)
			for _, p := range super.Properties {
				shown.Inherited = append(shown.Inherited, inherited{name, p})
			}
		}
		for _, other := range doc.Types {
			if slices.Contains(other.Extends, t.Name) {
				shown.Extended = append(shown.Extended, other.Name)
			}
		}
		data.Types = append(data.Types, shown)
	}
	var err error
	if data.YAML, err = a.schemaText("yaml"); err != nil {
		return err
	}
	if data.Turtle, err = a.schemaText("turtle"); err != nil {
		return err
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Schema", Nav: "schema", Main: data.main, Live: live{Mode: "schema", Head: a.head},
		Twins: []twin{{"JSON", "application/json", "/schema"}, {"YAML", "application/yaml", "/admin/schema/yaml"}, {"Turtle", "text/turtle", "/admin/schema/turtle"}},
	})
}

func (a *asker) schemaText(format string) (string, error) {
	var answer struct{ Text string }
	err := a.ask("schema_get", map[string]any{"format": format}, &answer)
	return answer.Text, err
}

// graphSchema is the schema as programs have it, read once for a request. It stands around
// what a page is about.
func (a *asker) graphSchema() (*kgschema.Schema, error) {
	if a.parsed != nil {
		return a.parsed, nil
	}
	var answer struct{ Text string }
	err := a.furnish("schema_get", map[string]any{"format": "yaml"}, &answer)
	if err == nil {
		a.parsed, err = kgschema.ParseYAML([]byte(answer.Text), "")
	}
	return a.parsed, err
}

// schemaText answers the schema as a file.
func (s *site) schemaText(w http.ResponseWriter, r *http.Request) error {
	form, ok := schemaForms[r.PathValue("form")]
	if !ok {
		return fault.New(fault.NotFound, "the schema can be had as yaml or turtle")
	}
	text, err := s.asker(w, r).schemaText(r.PathValue("form"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", form.mime)
	w.Header().Set("Content-Disposition", `inline; filename="`+form.file+`"`)
	_, _ = w.Write([]byte(text)) // the connection may be closed
	return nil
}

// constraints says, in the words of the schema's language, what a value must be.
func constraints(p kgschema.PropertyDocument) []string {
	var out []string
	say := func(name string, value any) {
		if n, isCount := value.(*int); isCount && n != nil {
			out = append(out, name+" "+strconv.Itoa(*n))
		} else if value != nil && !isCount {
			out = append(out, name+" "+literal(value))
		}
	}
	if p.MinCount > 0 {
		say("min_count", &p.MinCount)
	}
	say("max_count", p.MaxCount)
	say("min_length", p.MinLength)
	say("max_length", p.MaxLength)
	say("dim", p.Dim)
	if p.Pattern != "" {
		say("pattern", p.Pattern)
	}
	if len(p.OneOf) > 0 {
		var words []string
		for _, v := range p.OneOf {
			words = append(words, literal(v))
		}
		say("one of", strings.Join(words, ", "))
	}
	if p.Label != "" {
		say("label", p.Label)
	}
	say("min_value", p.MinValue)
	say("max_value", p.MaxValue)
	say("has_value", p.HasValue)
	say("default", p.Default)
	if p.Search != nil && !*p.Search {
		say("search", "false")
	}
	if p.Embed != nil {
		say("embed", strconv.FormatBool(*p.Embed))
	}
	return out
}
