package admin

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// example is a query about this graph's own types.
type example struct{ Title, Query string }

// Href opens the page with the example, and runs it.
func (e example) Href() string {
	return (sparqlView{Query: e.Query, Output: "table", Limit: sparqlLimit, Timeout: sparqlTimeout}).Link()
}

// exampleColumns is how many properties a prepared query asks for.
const exampleColumns = 5

// examples ask for what there is, one type, one kind of link, and a graph of it.
func (d schemaDocument) examples() []example {
	out := []example{{"How many of each type", "SELECT ?type (COUNT(*) AS ?n) WHERE {\n  ?node a ?type\n}\nGROUP BY ?type\nORDER BY DESC(?n)\n"}}
	main, p, linked := d.mostLinked()
	if main.Name == "" {
		return append(out, example{"Anything at all", "SELECT * WHERE {\n  ?subject ?predicate ?object\n}\nLIMIT 50\n"})
	}
	out = append(out, example{"All of type " + main.Name, d.queryOf(main)}, example{"Nodes of type " + main.Name + " by words of their texts", d.searchOf(main)})
	if !linked {
		return append(out, example{"One " + main.Name + " as a graph", d.prologue(main.IRI) + "DESCRIBE ?node WHERE {\n  ?node a " + d.term(main.IRI) + "\n}\nLIMIT 1\n"})
	}
	a, b := variable(main.Name), variable(p.Name)
	if a == b {
		b += "2"
	}
	pattern := "  ?" + a + " a " + d.term(main.IRI) + " ;\n    " + d.term(p.IRI) + " ?" + b + " .\n"
	head := d.prologue(main.IRI, p.IRI)
	return append(out,
		example{main.Name + " without " + firstOf(p.Label, p.Name), head + "SELECT ?" + a + " WHERE {\n  ?" + a + " a " + d.term(main.IRI) + " .\n  FILTER NOT EXISTS { ?" + a + " " + d.term(p.IRI) + " ?" + b + " }\n}\nLIMIT 100\n"},
		example{"A picture of " + firstOf(p.Label, p.Name), head + "CONSTRUCT {\n  ?" + a + " " + d.term(p.IRI) + " ?" + b + "\n} WHERE {\n" + pattern + "}\nLIMIT 100\n"})
}

// mostLinked is the type with the most properties that refer, and the first of them.
func (d schemaDocument) mostLinked() (best schema.TypeDocument, p schema.PropertyDocument, linked bool) {
	most := -1
	for _, t := range d.Types {
		if t.Abstract {
			continue
		}
		links := slices.DeleteFunc(d.properties(t.Name), func(p schema.PropertyDocument) bool { return p.Class == "" })
		if len(links) <= most {
			continue
		}
		most, best, linked = len(links), t, len(links) > 0
		if linked {
			p = links[0]
		}
	}
	return best, p, linked
}

// queryOf asks for a type's instances and some of their properties; those of many
// values are left out, which would give a row for each.
func (d schemaDocument) queryOf(t schema.TypeDocument) string {
	node := variable(t.Name)
	vars, iris, body, used := "?"+node, []string{t.IRI}, "  ?"+node+" a "+d.term(t.IRI)+" .\n", map[string]bool{node: true}
	for _, p := range d.properties(t.Name) {
		v := variable(p.Name)
		if p.Many || used[v] || len(used) > exampleColumns {
			continue
		}
		used[v], vars, iris = true, vars+" ?"+v, append(iris, p.IRI)
		pattern := "?" + node + " " + d.term(p.IRI) + " ?" + v
		if p.Required {
			body += "  " + pattern + " .\n"
		} else {
			body += "  OPTIONAL { " + pattern + " }\n"
		}
	}
	return d.prologue(iris...) + "SELECT " + vars + " WHERE {\n" + body + "}\nORDER BY ?" + node + "\n"
}

// searchOf asks for a type's instances whose texts have words, the best first. The type's name is what a text of one
// likely says.
func (d schemaDocument) searchOf(t schema.TypeDocument) string {
	node := "?" + variable(t.Name)
	return d.prologue(t.IRI) + "SELECT " + node + " ?passage ?score WHERE {\n  (" + node + " ?score ?passage) trails:matches (" + string(rdf.AppendTerm(nil, rdf.String(t.Name))) + " " + d.term(t.IRI) + " 20)\n}\nORDER BY DESC(?score)\n"
}

// prologue declares the empty prefix when one of the terms needs it.
func (d schemaDocument) prologue(iris ...string) string {
	if slices.ContainsFunc(iris, func(iri string) bool { return strings.HasPrefix(d.term(iri), ":") }) {
		return "PREFIX : <" + d.Base + ">\n\n"
	}
	return ""
}

// term writes an IRI of the schema in a query.
func (d schemaDocument) term(iri string) string {
	if local, ok := strings.CutPrefix(iri, d.Base); ok && d.Base != "" && plainLocal.MatchString(local) {
		return ":" + local
	}
	return "<" + iri + ">"
}

var noVariable = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// variable is a name as a variable has it.
func variable(name string) string {
	out := noVariable.ReplaceAllString(name, "_")
	for i, c := range out {
		return string(unicode.ToLower(c)) + out[i+1:]
	}
	return "x"
}

// sparqlWords answers what the editor completes: the schema's types and properties,
// and the prefixes that need no declaration.
func (s *site) sparqlWords(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.asker(w, r).schema()
	if err != nil {
		return err
	}
	prefixes := schema.Empty(doc.Base).TurtlePrefixes()
	maps.Copy(prefixes, doc.Prefixes)
	out := struct {
		Prefixes   map[string]string `json:"prefixes"`
		Types      []string          `json:"types"`
		Properties []string          `json:"properties"`
	}{prefixes, []string{}, []string{string(rdf.Type), rdf.RDFSNS + "label", string(sparql.Matches)}}
	for _, t := range doc.Types {
		out.Types = append(out.Types, t.IRI)
		for _, p := range t.Properties {
			if !slices.Contains(out.Properties, p.IRI) {
				out.Properties = append(out.Properties, p.IRI)
			}
		}
	}
	return sendJSON(w, out)
}
