package admin

import (
	"unicode/utf8"

	"trails/builtin/view"
	"trails/fault"
	"trails/schema"
)

// schemaDocument is the answer of schema_get as JSON.
type schemaDocument struct{ schema.Document }

// typeNamed returns the schema and its type of this name.
func (a *asker) typeNamed(name string) (doc schemaDocument, t schema.TypeDocument, err error) {
	if doc, err = a.schema(); err == nil {
		t, err = doc.named(name)
	}
	return doc, t, err
}

// named returns the type of this name, or the fault that there is none.
func (d schemaDocument) named(name string) (schema.TypeDocument, error) {
	t, ok := d.find(name)
	if !ok {
		return t, fault.New(fault.NotFound, "there is no type %s in the schema", line(name))
	}
	return t, nil
}

// find returns the type of this name.
func (d schemaDocument) find(name string) (schema.TypeDocument, bool) {
	for _, t := range d.Types {
		if t.Name == name {
			return t, true
		}
	}
	return schema.TypeDocument{}, false
}

// hasType reports that there is a type of this name.
func (d schemaDocument) hasType(name string) bool {
	_, known := d.find(name)
	return known
}

// family returns the name and those of every type that it extends, the nearest first.
func (d schemaDocument) family(name string) []string {
	out, seen := []string{name}, map[string]bool{name: true}
	for i := 0; i < len(out); i++ {
		t, _ := d.find(out[i])
		for _, super := range t.Extends {
			if !seen[super] {
				seen[super] = true
				out = append(out, super)
			}
		}
	}
	return out
}

// properties returns what instances of the type have, inherited ones last.
func (d schemaDocument) properties(name string) []schema.PropertyDocument {
	var out []schema.PropertyDocument
	for _, n := range d.family(name) {
		t, _ := d.find(n)
		out = append(out, t.Properties...)
	}
	return out
}

// referring lists the types that have a property which refers to the type, and
// the type itself: what its instances' pages show.
func (d schemaDocument) referring(name string) []string {
	family := map[string]bool{}
	for _, n := range d.family(name) {
		family[n] = true
	}
	var out []string
	for _, t := range d.Types {
		refers := t.Name == name
		for _, p := range d.properties(t.Name) {
			refers = refers || family[p.Class]
		}
		if refers {
			out = append(out, t.Name)
		}
	}
	return out
}

// lengthOf is how many characters the whole text of a cell has.
func lengthOf(c view.Cell) int { return max(c.Length, utf8.RuneCountInString(c.Text)) }

// isLong reports a text that is folded.
func isLong(c view.Cell) bool { return lengthOf(c) > longText }

// isCut reports that the cell does not hold the whole text.
func isCut(c view.Cell) bool { return c.Length > utf8.RuneCountInString(c.Text) }
