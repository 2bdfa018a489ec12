package load

import (
	"context"
	"fmt"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/schema/infer"
)

// Finder finds nodes of the graph that a load reads data for. It finds what the caller may see.
type Finder interface {
	// Has reports whether a node is there.
	Has(ctx context.Context, node rdf.IRI) (bool, error)
	// Find returns the instances of the types that have a value of a property, up to [MaxFound].
	Find(ctx context.Context, types []*schema.Type, p *schema.Property, value rdf.Term) ([]rdf.IRI, error)
}

// MaxFound bounds the nodes that one value is found to mean. More than one is a mistake, and the message names them.
const MaxFound = 5

// labelled is what the text of a reference means: the node with that label, or why none is taken. The zero labelled
// leaves the text as it is.
type labelled struct {
	node  rdf.IRI
	wrong []fault.FieldError
}

// maxLabelled bounds the texts of references that are remembered.
const maxLabelled = 100_000

// columnNamed returns the meaning of a column with a name.
func (r *reader) columnNamed(header []string, columns []column, name string) (column, bool) {
	for i := range header {
		if infer.ColumnName(header[i]) == infer.ColumnName(name) {
			return columns[i], true
		}
	}
	return column{}, false
}

// match replaces labels in the references of a node by the nodes that have them, and gives the node the id of the one
// that is there with the same value of a property, unless that is nil. Doubtful values are errors.
func (r *reader) match(n *change.Entity, by *schema.Property) (wrong []fault.FieldError, err error) {
	if r.Finder == nil {
		return nil, nil
	}
	for name, v := range n.Values {
		p := r.schema.Property(n.Type, name)
		if p == nil || p.Class == "" {
			continue
		}
		list := asList(v)
		for i := range list {
			text, isText := list[i].(string)
			if !isText {
				continue
			}
			found, err := r.nodeLabelled(p, text)
			if err != nil {
				return nil, err
			}
			wrong = append(wrong, found.wrong...)
			if found.node != "" {
				list[i] = string(found.node)
			}
		}
		if _, isList := v.([]any); isList {
			n.Values[name] = list
		} else {
			n.Values[name] = list[0]
		}
	}
	if by == nil || n.ID != "" || n.Values[by.Name] == nil {
		return wrong, nil
	}
	field, err := r.findBy(n, by)
	if field != nil {
		wrong = append(wrong, *field)
	}
	return wrong, err
}

// nodeLabelled finds what the text of a reference means. An id of a node that is there is that node.
func (r *reader) nodeLabelled(p *schema.Property, text string) (found labelled, err error) {
	key := [2]string{p.Name + " " + p.Class, text}
	if known, is := r.labelled[key]; is {
		return known, nil
	}
	class := r.schema.Type(p.Class)
	if class == nil { // the caller does not see it
		return found, nil
	}
	label := r.schema.Property(class, r.schema.LabelOf(class))
	if label == nil || label.IsLang() || label.Class != "" {
		return found, nil
	}
	if iri, err := r.schema.ResolveRef(p, text); err == nil {
		if there, err := r.Finder.Has(r.ctx, iri); there || err != nil {
			return found, err
		}
	}
	terms, fields := r.schema.Values(label, label.WordValue(strings.TrimSpace(text)))
	if len(fields) > 0 || len(terms) != 1 {
		return found, nil
	}
	nodes, err := r.Finder.Find(r.ctx, r.schema.Concrete(class), label, terms[0])
	switch {
	case len(nodes) == 1:
		found.node = nodes[0]
	case len(nodes) > 1:
		found.wrong = []fault.FieldError{{Field: p.Name, Code: fault.Unique, Value: text,
			Message: fmt.Sprintf("%s: %s have the %s %q; write the id of one: %s", p.Name, several(len(nodes), class.Name), label.Name, text, r.namesOf(nodes))}}
	}
	if r.labelled == nil || len(r.labelled) >= maxLabelled {
		r.labelled = map[[2]string]labelled{}
	}
	r.labelled[key] = found
	return found, err
}

// findBy gives a node the id of the one that has the same value of a property.
func (r *reader) findBy(n *change.Entity, by *schema.Property) (*fault.FieldError, error) {
	terms, fields := r.schema.Values(by, n.Values[by.Name])
	if len(fields) > 0 || len(terms) != 1 {
		return nil, nil // which is reported with the other values
	}
	nodes, err := r.Finder.Find(r.ctx, []*schema.Type{n.Type}, by, terms[0])
	doubt := func(message string) *fault.FieldError {
		return &fault.FieldError{Field: by.Name, Code: fault.Unique, Value: rdf.Lexical(terms[0]), Message: by.Name + ": " + message}
	}
	switch {
	case err != nil:
		return nil, err
	case len(nodes) > 1:
		return doubt(fmt.Sprintf("%s have the value %q, by which the row is found: %s", several(len(nodes), n.Type.Name), rdf.Lexical(terms[0]), r.namesOf(nodes))), nil
	case r.seenBy[terms[0]] != 0:
		return doubt(fmt.Sprintf("line %d has the value %q, too, by which rows are found", r.seenBy[terms[0]], rdf.Lexical(terms[0]))), nil
	case len(nodes) == 1:
		n.ID = string(nodes[0])
	}
	if r.seenBy == nil {
		r.seenBy = map[rdf.Term]uint64{}
	}
	r.seenBy[terms[0]] = r.source.Line
	return nil, nil
}

// several says how many nodes of a type were found; of the most that are looked for there may be more.
func several(n int, typeName string) string {
	if n == MaxFound {
		return fmt.Sprintf("%d or more %s", n, typeName)
	}
	return fmt.Sprintf("%d %s", n, typeName)
}

func (r *reader) namesOf(nodes []rdf.IRI) string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = r.schema.NodeName(node)
	}
	return strings.Join(names, ", ")
}
