package rdfio

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/piprate/json-gold/ld"

	"trails/text/jsontext"
)

// unnamed counts the members that expansion dropped because no context in force at their place
// says what they are, with everything below them. The document is expanded once more, with a
// vocabulary of our own wherever it has none: such a member is then a property of that
// vocabulary.
func (j *JSONLDReader) unnamed(text []byte, references *references) error {
	switch {
	case !references.partial && (references.vocab || !references.unknown):
		return nil // every member is in the only context
	case references.keptAll():
		return nil
	}
	document, err := decodeJSON(text)
	if err != nil {
		return err
	}
	references.leftOut = LeftOut{} // j has what the first reading found
	references.missing = references.mark + "://vocab/"
	u := unnamed{references: references, document: references.hide(disguised(document))}
	options := jsonldOptions(references.base(j.base), &contexts{load: j.load, references: references})
	options.ExpandContext = map[string]any{"@vocab": references.missing}
	options.ExpandedElementHandler = u.node
	_, err = ld.NewJsonLdProcessor().Expand(u.document, options)
	j.leftOut.Take(u.leftOut)
	return err
}

// keeps counts the members of an expanded node. Where none is moved, a node has at most as many as in the document.
func (r *references) keeps(pointer string, expanded any) {
	object, _ := expanded.(map[string]any)
	r.kept[pointer] = len(object)
}

// keptAll reports whether expansion dropped nothing.
func (r *references) keptAll() bool {
	left := r.members
	for _, count := range r.kept {
		left -= count
	}
	return r.kept != nil && left == 0
}

// unnamed counts the properties of the vocabulary references.missing.
type unnamed struct {
	references *references
	document   any
	leftOut    LeftOut
}

// node is called with each node object of the expanded document and its place in the source. A
// name with a colon is kept by expansion, and counted when it turns out to be no IRI.
func (u *unnamed) node(pointer string, expanded any) {
	object, _ := expanded.(map[string]any)
	switch named := u.named(object); {
	case named == len(object):
		return
	case named < u.references.kept[pointer]:
		return // the first reading knew what this one does not
	}
	at, source := u.place(pointer)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name, ours := strings.CutPrefix(key, u.references.missing)
		if !ours || strings.Contains(u.references.replaced(name), ":") {
			continue
		}
		values, _ := object[key].([]any)
		within, _ := u.nested(source, name)
		name = u.references.replaced(name)
		message := fmt.Sprintf("no context says what the member %q is%s", quoted(name), placed(at+within+"/"+jsontext.PointerToken(name)))
		for range u.statements(values) {
			u.leftOut.Add(Omission{Message: message})
		}
	}
}

// named counts the properties that are of another vocabulary than ours.
func (u *unnamed) named(node map[string]any) int {
	count := 0
	for key := range node {
		if !strings.HasPrefix(key, u.references.missing) {
			count++
		}
	}
	return count
}

// isMember reports whether something is a member of a node that expansion keeps where a context says what it is.
func isMember(name string, value any) bool {
	return name != "@context" && name != "@nest" && value != nil
}

// parts returns the items of a list, or the one value that stands without it, if there is one.
func parts(value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{value}
}

// nested returns where a member stands within a node: in itself, which is "", or in what is nested in it.
func (u *unnamed) nested(node map[string]any, name string) (string, bool) {
	if _, has := node[name]; has {
		return "", true
	}
	for _, key := range slices.Sorted(maps.Keys(node)) {
		if !u.references.nests[key] {
			continue
		}
		_, several := node[key].([]any)
		for i, part := range parts(node[key]) {
			object, _ := part.(map[string]any)
			within, has := u.nested(object, name)
			switch {
			case has && several:
				return fmt.Sprintf("/%s/%d%s", jsontext.PointerToken(key), i, within), true
			case has:
				return "/" + jsontext.PointerToken(key) + within, true
			}
		}
	}
	return "", false
}

// statements returns how many statements the values of a property are with what is below them,
// without those of unnamed members, which are counted for themselves.
func (u *unnamed) statements(values []any) int {
	count := len(values)
	for _, value := range values {
		object, _ := value.(map[string]any)
		for key, member := range object {
			nodes, _ := member.([]any)
			switch {
			case strings.HasPrefix(key, u.references.missing), key == "@value":
			case key == "@graph", key == "@included":
				count += u.statements(nodes) - len(nodes)
			case key == "@reverse":
				count += u.statements([]any{member}) - 1
			default:
				count += u.statements(nodes)
			}
		}
	}
	return count
}

// place returns a pointer with its hidden references restored, and the node of the document there. json-gold counts a
// value alone in a map as a list of one, which the document is not.
func (u *unnamed) place(pointer string) (string, map[string]any) {
	place, part := "", u.document
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		name := jsontext.PointerName(token)
		switch v := part.(type) {
		case []any:
			i, _ := strconv.Atoi(token)
			part = v[i]
		case map[string]any:
			member, has := v[name]
			if !has {
				continue
			}
			part = member
		}
		place += "/" + jsontext.PointerToken(u.references.replaced(name))
	}
	node, _ := part.(map[string]any)
	return place, node
}

// placed names the place of something in a document, a JSON Pointer (RFC 6901).
func placed(pointer string) string {
	if pointer == "" {
		return ""
	}
	return fmt.Sprintf(", at %q", quoted(pointer))
}
