package change

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// Entity is the data of one node of a type, by property name, as decoded JSON.
type Entity struct {
	Type *schema.Type
	// ID is a local id or an IRI; empty lets the type mint one.
	ID string
	// Values are JSON values; in an update nil removes the property.
	Values map[string]any
	// Add and Remove are, in an update, values to add to a property and values to remove from it.
	Add, Remove map[string]any
	// Source is its place in the input.
	Source Source
}

// Edits are the edits of one node, and the errors in the request for them. The zero Edits is empty.
type Edits struct {
	IRI    rdf.IRI
	List   []Edit
	Fields []fault.FieldError
	source Source
}

func (e *Edits) add(op Op, s, p, o rdf.Term) {
	e.List = append(e.List, Edit{Op: op, Quad: rdf.Quad{Subject: s, Predicate: p, Object: o}, Source: e.source})
}

// CreateEntity returns the edits that make a new node, which must not exist yet.
func CreateEntity(s *schema.Schema, n Entity) Edits {
	e := UpsertEntity(s, n)
	if e.IRI != "" {
		e.add(Fresh, e.IRI, nil, nil)
	}
	return e
}

// AppendEntity is CreateEntity for a change that may make the node only once.
func AppendEntity(s *schema.Schema, n Entity) Edits {
	e := CreateEntity(s, n)
	if e.IRI != "" {
		e.add(Once, e.IRI, nil, nil)
	}
	return e
}

// UpsertEntity returns the edits that make a node or set the given properties of an existing one.
func UpsertEntity(s *schema.Schema, n Entity) Edits {
	e := Edits{source: n.Source}
	values := e.values(s, n.Type, n.Values)
	e.identify(s, n, values)
	if e.IRI == "" {
		return e
	}
	node := rdf.Term(e.IRI)
	e.List = slices.Grow(e.List, 1+2*len(values))
	e.add(Assert, node, rdf.Type, n.Type.IRI)
	for _, p := range s.PropertiesOf(n.Type) {
		terms, given := values[p.Name]
		switch {
		case given:
			e.set(node, p, terms)
		case p.Default != nil:
			e.add(Default, node, p.IRI, p.Default)
		}
	}
	return e
}

// UpdateEntity returns the edits that set the given properties of an existing node and
// remove those that are nil.
func UpdateEntity(s *schema.Schema, n Entity) Edits {
	e := Edits{source: n.Source}
	values, added, removed := e.values(s, n.Type, n.Values), e.values(s, n.Type, n.Add), e.values(s, n.Type, n.Remove)
	e.locate(s, n)
	if e.IRI == "" {
		return e
	}
	e.keepKey(s, n, values)
	for _, p := range s.PropertiesOf(n.Type) {
		if terms, given := values[p.Name]; given {
			e.set(e.IRI, p, terms)
		}
		for _, o := range removed[p.Name] {
			e.add(Retract, e.IRI, p.IRI, o)
		}
		for _, o := range added[p.Name] {
			e.add(Assert, e.IRI, p.IRI, o)
		}
	}
	return e
}

// DeleteEntity returns the edits that remove an existing node with all its statements.
func DeleteEntity(s *schema.Schema, n Entity) Edits {
	e := Edits{source: n.Source}
	e.locate(s, n)
	if e.IRI != "" {
		e.add(Erase, e.IRI, nil, nil)
	}
	return e
}

// LinkEntity returns the edits that add one value of a reference to an existing node.
func LinkEntity(s *schema.Schema, n Entity, p *schema.Property, to string) Edits {
	e := Edits{source: n.Source}
	terms, fields := s.Values(p, to)
	e.Fields = append(e.Fields, fields...)
	e.locate(s, n)
	if e.IRI == "" {
		return e
	}
	for _, o := range terms {
		e.add(Assert, e.IRI, p.IRI, o)
	}
	return e
}

// set replaces all values of p that a node has.
func (e *Edits) set(node rdf.Term, p *schema.Property, terms []rdf.Term) {
	predicate := rdf.Term(p.IRI)
	e.add(Clear, node, predicate, nil)
	for _, o := range terms {
		e.add(Assert, node, predicate, o)
	}
}

// values reads the JSON values; unknown names and unfit values become field errors.
func (e *Edits) values(s *schema.Schema, t *schema.Type, given map[string]any) map[string][]rdf.Term {
	out := make(map[string][]rdf.Term, len(given))
	for name, v := range given {
		p := s.Property(t, name)
		if p == nil {
			e.Fields = append(e.Fields, unknownProperty(s, t, name, v))
			continue
		}
		if v == nil {
			out[name] = nil
			continue
		}
		terms, fields := s.Values(p, v)
		e.Fields = append(e.Fields, fields...)
		if len(fields) == 0 || len(terms) > 0 { // the readable ones are validated, too
			out[name] = terms
		}
	}
	return out
}

func unknownProperty(s *schema.Schema, t *schema.Type, name string, v any) fault.FieldError {
	message, known := s.NoProperty(t, name)
	return fault.FieldError{Field: name, Code: fault.Closed, Value: v, Constraint: known, Message: message}
}

// locate finds an existing node by its id and requires it.
func (e *Edits) locate(s *schema.Schema, n Entity) {
	if n.ID == "" {
		e.Fields = append(e.Fields, fault.FieldError{Field: "id", Code: fault.Required, Message: "id is required"})
		return
	}
	e.resolve(s, n)
	if e.IRI != "" {
		e.add(Require, e.IRI, rdf.Type, n.Type.IRI)
	}
}

func (e *Edits) resolve(s *schema.Schema, n Entity) {
	iri, err := s.ResolveID(n.Type, n.ID)
	if err != nil {
		e.Fields = append(e.Fields, fault.FieldError{Field: "id", Code: fault.Pattern, Message: err.Error(), Value: n.ID})
		return
	}
	e.IRI = iri
}

// identify gives the node its IRI: the caller's, or one that the type mints.
func (e *Edits) identify(s *schema.Schema, n Entity, values map[string][]rdf.Term) {
	if n.ID != "" {
		e.resolve(s, n)
		e.keepKey(s, n, values)
		return
	}
	switch s.MintOf(n.Type) {
	case schema.MintPreserve:
		e.Fields = append(e.Fields, fault.FieldError{Field: "id", Code: fault.Required, Message: "id is required: " + n.Type.Name + " keeps the ids of its source"})
	case schema.MintKey:
		local, err := s.KeyLocal(n.Type, values)
		if err != nil {
			e.lacksKey(err)
			return
		}
		e.IRI = s.EntityIRI(n.Type, local)
	case schema.MintContent:
		e.IRI = s.EntityIRI(n.Type, s.ContentLocal(n.Type, values))
	default:
		e.IRI = s.EntityIRI(n.Type, uuid.Must(uuid.NewV7()).String())
	}
}

// lacksKey adds errors for the missing parts of a key, except for those that are given but cannot be read.
func (e *Edits) lacksKey(err error) {
	for _, f := range fault.Of(err).Fields {
		if !slices.ContainsFunc(e.Fields, func(known fault.FieldError) bool { return known.Field == f.Field }) {
			e.Fields = append(e.Fields, f)
		}
	}
}

// keepKey refuses values that would give a key-minted node another IRI.
func (e *Edits) keepKey(s *schema.Schema, n Entity, values map[string][]rdf.Term) {
	key := s.KeyOf(n.Type)
	touched := slices.ContainsFunc(key, func(name string) bool { _, ok := values[name]; return ok })
	if s.MintOf(n.Type) != schema.MintKey || e.IRI == "" || !touched {
		return
	}
	local, err := s.KeyLocal(n.Type, e.wholeKey(s, key, values))
	if err != nil || s.EntityIRI(n.Type, local) == e.IRI {
		return // a missing part is a required property, and validation reports it
	}
	e.Fields = append(e.Fields, fault.FieldError{
		Field: strings.Join(key, ","), Code: fault.HasValue, Value: local, Constraint: n.ID,
		Message: fmt.Sprintf("%s is the key of %s, and its id %q is made from it; create a new node instead", strings.Join(key, ","), n.Type.Name, n.ID),
	})
}

// wholeKey adds the parts of a key that an update leaves out to the values; the id contains them.
func (e *Edits) wholeKey(s *schema.Schema, key []string, values map[string][]rdf.Term) map[string][]rdf.Term {
	_, local, ours := s.Local(e.IRI)
	parts := strings.Split(local, "/")
	if len(key) == 1 || !ours || len(parts) != len(key) {
		return values
	}
	whole := maps.Clone(values)
	for i, name := range key {
		if text, err := url.PathUnescape(parts[i]); err == nil && values[name] == nil {
			whole[name] = []rdf.Term{rdf.Literal(text, "")}
		}
	}
	return whole
}
