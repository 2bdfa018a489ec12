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
	isID  bool // of a node that is there
}

// Bounds of references to rows of the same data by their labels.
const (
	maxWaiting      = 50_000   // rows
	maxWaitingBytes = 64 << 20 // of their cells
	maxLabels       = 200_000  // rows with labels
)

// siblings are rows of the data, so that other rows can refer to them by their labels. A row with a text that is neither
// an id nor a label of the graph waits until all rows are read, because the one that it means may come later.
type siblings struct {
	waiting  []func() error
	held     int                               // bytes of the cells of the rows that wait
	done     bool                              // all rows are read
	unfound  bool                              // the row that was matched last has such a text
	byLabel  map[string]map[rdf.Term][]rdf.IRI // by the name of their type
	nodes    map[rdf.IRI]bool
	tooMany  bool                  // a bound was reached
	some     bool                  // a row was found by its label
	labelled map[*schema.Type]bool // types that references lead to
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
	r.unfound = false
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
			if found.node == "" && len(found.wrong) == 0 && !found.isID {
				r.unfound = true
				if r.done {
					found = r.siblingLabelled(p, text)
				}
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
			return labelled{isID: there}, err
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
		found.wrong = r.ambiguous(p, class, label, text, nodes)
	}
	if r.labelled == nil || len(r.labelled) >= maxLabelled {
		r.labelled = map[[2]string]labelled{}
	}
	r.labelled[key] = found
	return found, err
}

// ambiguous refuses the text of a reference that is the label of several nodes.
func (r *reader) ambiguous(p *schema.Property, class *schema.Type, label *schema.Property, text string, nodes []rdf.IRI) []fault.FieldError {
	return []fault.FieldError{{Field: p.Name, Code: fault.Unique, Value: text,
		Message: fmt.Sprintf("%s: %s have the %s %q; write the id of one: %s", p.Name, several(len(nodes), class.Name), label.Name, text, r.namesOf(nodes))}}
}

// label remembers a row by its label, if references can lead to it.
func (r *reader) label(n change.Entity, iri rdf.IRI) {
	if r.Finder == nil || iri == "" || !r.isReferredTo(n.Type) {
		return
	}
	label := r.schema.Property(n.Type, r.schema.LabelOf(n.Type))
	if label == nil || label.IsLang() || label.Class != "" || n.Values[label.Name] == nil || r.nodes[iri] {
		return
	}
	terms, fields := r.schema.Values(label, n.Values[label.Name])
	if len(fields) > 0 || len(terms) != 1 {
		return
	}
	if len(r.nodes) == maxLabels {
		r.tooMany = true
		return
	}
	if r.nodes == nil {
		r.nodes, r.byLabel = map[rdf.IRI]bool{}, map[string]map[rdf.Term][]rdf.IRI{}
	}
	if r.byLabel[n.Type.Name] == nil {
		r.byLabel[n.Type.Name] = map[rdf.Term][]rdf.IRI{}
	}
	r.nodes[iri] = true
	if of := r.byLabel[n.Type.Name]; len(of[terms[0]]) < MaxFound {
		of[terms[0]] = append(of[terms[0]], iri)
	}
}

// isReferredTo reports whether references lead to instances of a type.
func (r *reader) isReferredTo(t *schema.Type) bool {
	if r.siblings.labelled == nil {
		r.siblings.labelled = map[*schema.Type]bool{}
		for _, of := range r.schema.Types {
			for _, p := range r.schema.PropertiesOf(of) {
				if class := r.schema.Type(p.Class); class != nil {
					for _, one := range r.schema.Concrete(class) {
						r.siblings.labelled[one] = true
					}
				}
			}
		}
	}
	return r.siblings.labelled[t]
}

// siblingLabelled finds the row that the text of a reference means. An id of a row is that row.
func (r *reader) siblingLabelled(p *schema.Property, text string) (found labelled) {
	class := r.schema.Type(p.Class)
	if class == nil {
		return found
	}
	if iri, err := r.schema.ResolveRef(p, text); err == nil && r.nodes[iri] {
		return found
	}
	label := r.schema.Property(class, r.schema.LabelOf(class))
	if label == nil {
		return found
	}
	terms, fields := r.schema.Values(label, label.WordValue(strings.TrimSpace(text)))
	if len(fields) > 0 || len(terms) != 1 {
		return found
	}
	var nodes []rdf.IRI
	for _, t := range r.schema.Concrete(class) {
		nodes = append(nodes, r.byLabel[t.Name][terms[0]]...)
	}
	switch {
	case len(nodes) == 1:
		found.node, r.some = nodes[0], true
	case len(nodes) > 1:
		found.wrong = r.ambiguous(p, class, label, text, nodes[:min(len(nodes), MaxFound)])
	}
	return found
}

// await keeps a row until all rows are read, if it may refer to one of them by its label, and reports whether it does. The
// row gets its id now, so that others can refer to it; only one whose id is made from its content gets it later.
func (r *reader) await(w tableRow, cells []string, at func(cell int) (line, column int)) bool {
	if !r.unfound || len(w.unmatched) > 0 {
		return false
	}
	size := 0
	for _, text := range cells {
		size += len(text)
	}
	if len(r.waiting) == maxWaiting || r.held+size > maxWaitingBytes {
		r.tooMany = true
		return false
	}
	e := change.UpsertEntity(r.schema, w.n)
	for _, f := range e.Fields {
		if p := r.schema.Property(w.n.Type, f.Field); p == nil || p.Class == "" {
			return false // it is refused at once
		}
	}
	if w.n.ID != "" || r.schema.MintOf(w.n.Type) != schema.MintContent {
		if e.IRI == "" {
			return false
		}
		w.n.ID = string(e.IRI)
		r.label(w.n, e.IRI)
	}
	places := make([][2]int, len(w.columns))
	for i := range places {
		places[i][0], places[i][1] = at(i)
	}
	w.at = func(cell int) (line, column int) { return places[cell][0], places[cell][1] }
	source, conventions := r.source, r.Conventions
	r.held += size
	r.waiting = append(r.waiting, func() (err error) {
		r.source, r.Conventions = source, conventions
		if w.unmatched, err = r.match(&w.n, nil); err != nil {
			return err
		}
		return r.finishRow(w)
	})
	return true
}

// finishWaiting makes edits of the rows that wait.
func (r *reader) finishWaiting() error {
	r.done = true
	for _, finish := range r.waiting {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := finish(); err != nil {
			return err
		}
	}
	if r.tooMany && r.some {
		r.Notes = append(r.Notes, fmt.Sprintf("rows refer to others of the same data by labels, which is done for %d rows with such references, of %d MiB together, and for labels of %d rows; where there are more, write ids", maxWaiting, maxWaitingBytes>>20, maxLabels))
	}
	return nil
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
