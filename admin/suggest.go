package admin

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"trails/admin/form"
	"trails/text/jsontext"
)

type suggestion struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// suggestMost is how many suggestions one answer has.
const suggestMost = 20

// suggest answers the type-ahead of references: a list for a page, or JSON. With a
// property it lists what that may refer to, with a class what a parameter of it may, and
// without either the type's instances.
func (s *site) suggest(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	a, text := s.asker(w, r), typed(r)
	var items []suggestion
	if class := q.Get("class"); class != "" {
		items = a.nodes(class, text, suggestMost)
	} else {
		items = a.references(q.Get("type"), q.Get("property"), text, suggestMost)
	}
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		body, err := jsontext.Marshal(map[string]any{"items": items})
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // the connection may be closed
		return nil
	}
	return send(w, r, http.StatusOK, suggestions(q.Get("list"), items), state{})
}

// typed is what was typed so far: q, or the value of the field itself, which comes
// under its own name.
func typed(r *http.Request) string {
	q := r.URL.Query()
	for name, values := range q {
		if strings.HasPrefix(name, form.ArgPrefix) || name == "id" || name == "from" || name == "to" {
			return values[len(values)-1]
		}
	}
	return q.Get("q")
}

// prefixMost is how much of what was typed is looked for.
const prefixMost = 200

// references lists nodes whose name or id begins like the text, by what a call takes. There
// are none when they cannot be asked for: they are a courtesy.
func (a *asker) references(typeName, property, text string, most int) []suggestion {
	var classes []string
	answer := struct{ Items []suggestion }{[]suggestion{}}
	args := map[string]any{"what": "entities", "type": typeName, "limit": most}
	if property == "" || property == "id" {
		text = strings.TrimPrefix(text, typeName+"/")
	} else {
		doc, err := a.schema()
		if err != nil {
			return answer.Items
		}
		for _, p := range doc.properties(typeName) {
			if p.Name == property {
				classes = doc.concrete(p.Class)
				break
			}
		}
		for _, class := range classes {
			text = strings.TrimPrefix(text, class+"/")
		}
		args["what"], args["property"] = "values", property
	}
	args["prefix"] = firstRunes(text, prefixMost)
	if err := a.furnish("suggest", args, &answer); err != nil {
		return []suggestion{}
	}
	for i, item := range answer.Items {
		if property != "" && property != "id" {
			answer.Items[i].Value = reference(classes, item.Value)
		}
	}
	return answer.Items
}

// suggestNodesURL is where a row of a parameter finds the nodes that may be meant.
func suggestNodesURL(f form.Field, r form.Row) string {
	return withQuery("/admin/suggest", url.Values{"class": {f.NodeType}, "list": {r.ID + "-list"}})
}

// nodes lists nodes of a type, or of those that extend it, whose name or id begins like the
// text, each as Type/id.
func (a *asker) nodes(class, text string, most int) []suggestion {
	out := []suggestion{}
	doc, err := a.schema()
	if err != nil {
		return out
	}
	for _, t := range doc.concrete(class) {
		for _, found := range a.references(t, "", text, most-len(out)) {
			out = append(out, suggestion{reference([]string{t}, found.Value), found.Label})
		}
		if len(out) >= most {
			break
		}
	}
	return out
}

var absolute = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// reference writes what is suggested for a property as a call takes it: Type/id. Where
// only one type can be meant, ids come without it.
func reference(classes []string, value string) string {
	for _, class := range classes {
		if strings.HasPrefix(value, class+"/") {
			return value
		}
	}
	if len(classes) != 1 || absolute.MatchString(value) {
		return value
	}
	return classes[0] + "/" + value
}

// concrete lists the type and those that extend it, as far as they have instances.
func (d schemaDocument) concrete(name string) []string {
	var out []string
	for _, t := range d.Types {
		if !t.Abstract && name != "" && slices.Contains(d.family(t.Name), name) {
			out = append(out, t.Name)
		}
	}
	return out
}
