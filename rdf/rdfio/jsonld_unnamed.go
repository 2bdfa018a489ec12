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
	if !references.partial && (references.vocab || !references.unknown) {
		return nil // every member is in the only context
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
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name, ours := strings.CutPrefix(key, u.references.missing)
		if name = u.references.replaced(name); !ours || strings.Contains(name, ":") {
			continue
		}
		values, _ := object[key].([]any)
		message := fmt.Sprintf("no context says what the member %q is%s", quoted(name), placed(u.place(pointer)+"/"+jsontext.PointerToken(name)))
		for range u.statements(values) {
			u.leftOut.Add(Omission{Message: message})
		}
	}
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

// place returns a pointer with its hidden references restored. json-gold counts a value alone in
// a map as a list of one, which the document is not.
func (u *unnamed) place(pointer string) string {
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
	return place
}

// placed names the place of something in a document, a JSON Pointer (RFC 6901).
func placed(pointer string) string {
	if pointer == "" {
		return ""
	}
	return fmt.Sprintf(", at %q", quoted(pointer))
}
