package stored

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// writes returns what an update can never write and, unless certain is set, what it probably cannot write. It checks
// each subject in a template against the shapes, with the constants of the template and the types that it is known to
// have. What a later operation may remove is not checked.
func (c Checker) writes(ctx context.Context, q *Query, certain bool) ([]fault.FieldError, error) {
	if q.Update == nil {
		return nil, nil
	}
	w := writing{Checker: c, ctx: ctx, query: q, certain: certain, names: namesIn(q.Text, c.Schema)}
	for i, o := range q.Update.Operations {
		m, ok := o.(sparql.Modify)
		if !ok || slices.ContainsFunc(q.Update.Operations[i+1:], takesBack) {
			continue
		}
		w.subjects = nil
		for _, p := range m.Insert {
			w.template(m, p)
		}
		if m.With == "" {
			w.where(m.Where)
		}
		for _, s := range w.subjects {
			if err := w.subject(s); err != nil {
				return nil, err
			}
		}
		if !certain && m.With == "" {
			w.losses(m)
		}
	}
	return w.found, nil
}

// takesBack reports that an operation may remove statements.
func takesBack(o sparql.Operation) bool {
	m, ok := o.(sparql.Modify)
	return !ok || len(m.Delete) > 0
}

// writing checks one update.
type writing struct {
	Checker
	ctx      context.Context //nolint:containedctx // of one call, which made it
	query    *Query
	certain  bool
	names    []sparql.Name
	subjects []*written
	found    []fault.FieldError
}

// written is a subject of a template of INSERT in the default graph.
type written struct {
	operand sparql.Operand
	types   []*schema.Type // from the template or from WHERE
	class   *schema.Type   // class of the parameter that it is
	given   bool           // the template contains its type
	fresh   bool           // it is a new node
	triples []sparql.TriplePattern
	known   map[rdf.IRI]bool // predicates that it has according to WHERE
}

// report records an error about a name of a template, certain or not.
func (w *writing) report(certain bool, about rdf.IRI, word string, code fault.Code, format string, args ...any) {
	if certain != w.certain {
		return
	}
	from := max(0, sparql.PlaceOf(w.query.Text, word, 0))
	f := fault.FieldError{Field: "query", Code: code, Source: placeOf(w.query.Text, w.names, about, from), Message: fmt.Sprintf(format, args...)}
	if !slices.ContainsFunc(w.found, func(g fault.FieldError) bool { return g.Source == f.Source && g.Message == f.Message }) {
		w.found = append(w.found, f)
	}
}

// template records a statement inserted into the default graph; for other graphs only names are checked.
func (w *writing) template(m sparql.Modify, p sparql.QuadPattern) {
	if m.With != "" || p.Graph != (sparql.Operand{}) {
		w.undeclared(p.TriplePattern, rdf.IRI("urn:graph"), nil, true)
		return
	}
	s := w.of(p.Subject)
	if s == nil {
		s = &written{operand: p.Subject, known: map[rdf.IRI]bool{}}
		_, s.fresh = p.Subject.Term.(rdf.BNode)
		for _, param := range w.query.Params {
			if p.Subject.Var == sparql.Var(param.Name) && param.Class != "" {
				s.class = w.Schema.Type(param.Class)
			}
		}
		w.subjects = append(w.subjects, s)
	}
	s.triples = append(s.triples, p.TriplePattern)
	class, _ := p.Object.Term.(rdf.IRI)
	if t := w.Schema.TypeByIRI(class); t != nil && p.Predicate.Term == rdf.Type {
		s.types, s.given = append(s.types, t), true
	}
}

func (w *writing) of(o sparql.Operand) *written {
	i := slices.IndexFunc(w.subjects, func(s *written) bool { return s.operand == o })
	if i < 0 {
		return nil
	}
	return w.subjects[i]
}

// where records what every solution of WHERE has about the subjects.
func (w *writing) where(op sparql.Op) {
	switch op := op.(type) {
	case sparql.BGP:
		for _, p := range op.Patterns {
			s := w.of(p.Subject)
			predicate, _ := p.Predicate.Term.(rdf.IRI)
			if s == nil || s.operand.Var == "" {
				continue
			}
			s.known[predicate] = true
			class, _ := p.Object.Term.(rdf.IRI)
			if t := w.Schema.TypeByIRI(class); t != nil && predicate == rdf.Type && !slices.Contains(s.types, t) {
				s.types = append(s.types, t)
			}
		}
	case sparql.Extend:
		if call, ok := op.Expr.(sparql.Call); ok && (call.Func == "UUID" || call.Func == "BNODE") {
			if s := w.of(sparql.Operand{Var: op.Var}); s != nil {
				s.fresh = true
			}
		}
		w.where(op.Op)
	case sparql.Join:
		w.where(op.Left)
		w.where(op.Right)
	case sparql.Filter:
		w.where(op.Op)
	case sparql.LeftJoin:
		w.where(op.Left)
	case sparql.Minus:
		w.where(op.Left)
	}
}

// undeclared checks a name under the base that the schema does not declare.
func (w *writing) undeclared(p sparql.TriplePattern, graph rdf.Term, types []*schema.Type, closed bool) {
	q := rdf.Quad{Subject: rdf.BNode("node"), Predicate: p.Predicate.Term, Object: p.Object.Term, Label: graph}
	about, _ := p.Predicate.Term.(rdf.IRI)
	if about == rdf.Type {
		about, _ = p.Object.Term.(rdf.IRI)
	}
	if about == "" || !w.Schema.Undeclared(q) || w.Schema.IsOpen(types) {
		return
	}
	if q.Object == nil {
		q.Object = rdf.String("")
	}
	f := w.Schema.ClosedError(q, types, schema.DeclareWith)
	w.report(closed, about, "INSERT", f.Code, "INSERT: %s", f.Message)
}

// isClosed reports that names which the schema does not declare are forbidden for every node.
func (w *writing) isClosed() bool {
	return !slices.ContainsFunc(w.Schema.Types, func(t *schema.Type) bool { return w.Schema.IsOpen([]*schema.Type{t}) })
}

// subject checks the inserted statements of one subject against the shapes.
func (w *writing) subject(s *written) error {
	any := false // a predicate that is a variable
	for _, p := range s.triples {
		any = any || p.Predicate.Var != ""
		w.undeclared(p, nil, s.types, w.isClosed() || s.fresh && s.given)
	}
	certain := true
	candidates := [][]*schema.Type{s.types}
	switch {
	case len(s.types) > 0:
	case s.class != nil:
		candidates = nil
		for _, t := range w.Schema.Concrete(s.class) {
			candidates = append(candidates, []*schema.Type{t})
		}
	default: // a node of some type that has one of the properties
		certain, candidates = false, nil
		for _, t := range w.Schema.Types {
			if !t.Abstract && slices.ContainsFunc(s.triples, func(p sparql.TriplePattern) bool {
				predicate, _ := p.Predicate.Term.(rdf.IRI)
				return w.Schema.PropertyByIRI(t, predicate) != nil
			}) {
				candidates = append(candidates, []*schema.Type{t})
			}
		}
	}
	var wrong []misfit
	for i, types := range candidates {
		these, err := w.node(s, types, any)
		if err != nil {
			return err
		}
		if i == 0 {
			wrong = these
			continue
		}
		wrong = slices.DeleteFunc(wrong, func(a misfit) bool {
			return !slices.ContainsFunc(these, func(b misfit) bool { return a.path == b.path && a.value == b.value && a.doubt == b.doubt })
		})
	}
	for _, m := range wrong {
		w.report(certain && !m.doubt, m.about, "INSERT", m.code, "%s", m.text)
	}
	return nil
}

// misfit is one error in the statements of a subject.
type misfit struct {
	path, about rdf.IRI
	value       rdf.Term
	code        fault.Code
	text        string
	doubt       bool // it depends on the data
}

// ofValues are the constraints that a value violates by itself.
var ofValues = []fault.Code{fault.Datatype, fault.MinLength, fault.MaxLength, fault.Pattern, fault.OneOf, fault.MinValue, fault.MaxValue, fault.NodeKind}

// node checks a subject as a node of these types.
func (w *writing) node(s *written, types []*schema.Type, any bool) ([]misfit, error) {
	focus, filled := rdf.Term(rdf.BNode("node")), map[rdf.IRI]bool{}
	var triples statements
	var out []misfit
	for _, t := range types {
		triples = append(triples, rdf.Quad{Subject: focus, Predicate: rdf.Type, Object: t.IRI})
	}
	for _, p := range s.triples {
		predicate, _ := p.Predicate.Term.(rdf.IRI)
		switch {
		case p.Object.Var != "":
			filled[predicate] = true
			out = append(out, w.param(predicate, p.Object.Var, types)...)
		case predicate != "" && predicate != rdf.Type:
			triples = append(triples, rdf.Quad{Subject: focus, Predicate: predicate, Object: p.Object.Term})
		}
	}
	results, err := w.Shapes.Node(w.ctx, triples, focus)
	for _, r := range results {
		f := r.FieldError()
		switch missing := f.Code == fault.Required || f.Code == fault.MinCount || f.Code == fault.HasValue; {
		case slices.Contains(ofValues, f.Code) && r.Value != nil, f.Code == fault.MaxCount:
			out = append(out, misfit{r.Path, r.Path, r.Value, f.Code, fmt.Sprintf("INSERT: %s", f.Message), false})
		case missing && s.given && !any && !filled[r.Path] && !s.known[r.Path] && !w.hasDefault(types, r.Path):
			m := misfit{r.Path, types[0].IRI, nil, f.Code, fmt.Sprintf("INSERT: %s, and nothing here gives a value", f.Message), !s.fresh}
			if m.doubt {
				m.text = fmt.Sprintf("INSERT: %s, and nothing here gives a value; it fails for a node that has none yet", f.Message)
			}
			out = append(out, m)
		case f.Code == fault.Class && r.Path == "" && s.given: // an abstract type
			out = append(out, misfit{"", types[0].IRI, nil, f.Code, "INSERT: " + f.Message, !s.fresh})
		}
	}
	return out, err
}

func (w *writing) hasDefault(types []*schema.Type, predicate rdf.IRI) bool {
	return slices.ContainsFunc(types, func(t *schema.Type) bool {
		p := w.Schema.PropertyByIRI(t, predicate)
		return p != nil && p.Default != nil
	})
}

// param checks a parameter used as the value of a property.
func (w *writing) param(predicate rdf.IRI, v sparql.Var, types []*schema.Type) (out []misfit) {
	i := slices.IndexFunc(w.query.Params, func(p Param) bool { return p.Name == string(v) })
	if i < 0 {
		return nil
	}
	given := w.query.Params[i].Property
	for _, t := range types {
		p := w.Schema.PropertyByIRI(t, predicate)
		if p == nil {
			continue
		}
		is, wants := schema.Datatypes[given.Datatype].IRI, schema.Datatypes[p.Datatype].IRI
		if is != wants {
			out = append(out, misfit{predicate, predicate, rdf.String(v), fault.Datatype,
				fmt.Sprintf("INSERT: %s is %s, and the parameter ?%s is %s", p.Name, kindOf(p), v, kindOf(given)), false})
		}
	}
	return out
}

func kindOf(p *schema.Property) string {
	if p.Class != "" {
		return p.Class
	}
	return p.Datatype
}

// losses finds properties that are removed but required by the types of their subjects.
func (w *writing) losses(m sparql.Modify) {
	for _, p := range m.Delete {
		predicate, _ := p.Predicate.Term.(rdf.IRI)
		again := slices.ContainsFunc(m.Insert, func(i sparql.QuadPattern) bool {
			return i.Subject == p.Subject && (i.Predicate == p.Predicate || i.Predicate.Var != "")
		})
		whole := slices.ContainsFunc(m.Delete, func(d sparql.QuadPattern) bool {
			return d.Subject == p.Subject && (d.Predicate.Var != "" || d.Predicate.Term == rdf.Type)
		})
		if predicate == "" || again || whole || p.Graph != (sparql.Operand{}) {
			continue
		}
		w.subjects = nil
		w.template(sparql.Modify{}, p)
		w.where(m.Where)
		s := w.subjects[0]
		if s.class != nil {
			s.types = append(s.types, s.class)
		}
		for _, t := range s.types {
			if property := w.Schema.PropertyByIRI(t, predicate); property != nil && property.Required() && !property.Many() {
				w.report(false, predicate, "DELETE", fault.Required, "DELETE takes %s, which %s needs, and nothing gives another value", property.Name, t.Name)
			}
		}
	}
}

// statements are a graph.
type statements []rdf.Quad

// Match implements [validate.Data].
func (s statements) Match(_ context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	fits := func(a, b rdf.Term) bool { return a == nil || a == b || a == rdf.Term(rdf.DefaultGraph) }
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range s {
			if fits(pattern.Subject, q.Subject) && fits(pattern.Predicate, q.Predicate) && fits(pattern.Object, q.Object) && fits(pattern.Label, q.Label) && !yield(q, nil) {
				return
			}
		}
	}
}

// Having implements [validate.Data]. No other node is known.
func (statements) Having(context.Context, []rdf.PredicateObject, int) ([]rdf.Term, error) {
	return nil, nil
}
