// Package lint tells what a query or an update probably did not mean: a name that neither
// the schema nor the data knows, a pattern that nothing can match under the schema, a
// comparison of unlike things. It changes no answer. What the schema leaves open, as the
// properties of other vocabularies, is not complained of.
//
// Only statements of the default graph are held against the schema, because only these are
// validated. Read [Linter] first, then values.go, which has what a variable may stand for.
package lint

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// Data is the graph that a text is about, as far as warnings need it.
type Data interface {
	rdf.Source
	// Predicates returns predicates that statements have, as many as names are sought among.
	Predicates(ctx context.Context) ([]rdf.IRI, error)
	// Absent says of an entity that no statement names why that may be, as "it was deleted"
	// or "did you mean Person/ana?"; "" when nothing is known.
	Absent(ctx context.Context, node rdf.IRI) (string, error)
	// Alike returns the value of a property that was probably meant by a text that none of its
	// values is: they differ in case, accents, spaces or few letters. It is nil where there is
	// none.
	Alike(ctx context.Context, property rdf.IRI, text string) (rdf.Term, error)
	// Named returns nodes that a text names: by their id, also with the name of their type, by
	// their key or their label; the likeliest first.
	Named(ctx context.Context, text string) ([]rdf.IRI, error)
}

// Warning is one thing that a text probably did not mean.
type Warning struct {
	// Text is a sentence without its full stop.
	Text string
	// Empties says that nothing can match the text as a whole when the sentence is true: an
	// answer with solutions, which data from before the schema may give, disproves it.
	Empties bool
	// Misfit says that the schema alone rules out what the text asks for.
	Misfit bool
	// About is the property or the class that it is about, "" when it is about neither.
	About rdf.IRI
	// Line and Column are where in the text it stands, as [Linter.In] knows it; 0 where that is
	// not known.
	Line, Column int

	at any // the sparql.Expr, sparql.TriplePattern or rdf.Term that it is about
}

// shownWarnings is how many sentences a caller is told.
const shownWarnings = 10

// Sentences returns what a caller is told: the texts of warnings, the first ones and how
// many more there are. An answer that has solutions leaves out what it disproves.
func Sentences(warnings []Warning, solutions bool) []string {
	var out []string
	for _, w := range warnings {
		switch {
		case solutions && w.Empties:
		case w.Line > 0:
			out = append(out, fmt.Sprintf("%s (line %d, column %d)", w.Text, w.Line, w.Column))
		default:
			out = append(out, w.Text)
		}
	}
	if more := len(out) - shownWarnings; more > 0 {
		out = append(out[:shownWarnings], fmt.Sprintf("and %d more", more))
	}
	return out
}

// Linter holds texts against one schema. It is immutable and safe for concurrent use.
type Linter struct {
	schema     *schema.Schema
	instances  map[*schema.Type]typeSet // that a type and its subtypes have
	everything typeSet                  // all types that can have instances
	declared   map[rdf.IRI][]declaration
	properties []rdf.IRI // in order of declaration
	classes    []rdf.IRI
	concrete   []rdf.IRI       // those that a node may have alone
	namespaces map[string]bool // that prefixes of the schema stand for
	given      facts           // what is known of the variables that get their values from outside
	text, base string          // of what is linted, "" where nobody says
	params     map[sparql.Var]rdf.Term
}

// declaration is a property of some types, and what its values may be.
type declaration struct {
	property *schema.Property
	types    typeSet
	values   values
}

// New prepares a schema.
func New(s *schema.Schema) *Linter {
	l := &Linter{schema: s, instances: map[*schema.Type]typeSet{}, declared: map[rdf.IRI][]declaration{}, namespaces: map[string]bool{}}
	for _, namespace := range s.TurtlePrefixes() {
		l.namespaces[namespace] = true
	}
	order := make(map[*schema.Type]int, len(s.Types))
	for i, t := range s.Types {
		order[t] = i
		l.classes = append(l.classes, t.IRI)
		if !t.Abstract {
			l.concrete = append(l.concrete, t.IRI)
		}
	}
	for _, t := range s.Types {
		set := newTypeSet(len(s.Types))
		for _, own := range s.Concrete(t) {
			set.add(order[own])
		}
		l.instances[t] = set
		l.everything = l.everything.or(set)
	}
	at := map[*schema.Property]int{}
	for _, t := range s.Types {
		if t.Abstract {
			continue
		}
		for _, p := range s.PropertiesOf(t) {
			i, known := at[p]
			if !known {
				i = len(l.declared[p.IRI])
				at[p] = i
				if i == 0 {
					l.properties = append(l.properties, p.IRI)
				}
				l.declared[p.IRI] = append(l.declared[p.IRI], declaration{p, newTypeSet(len(s.Types)), l.valuesOf(p)})
			}
			l.declared[p.IRI][i].types.add(order[t])
		}
	}
	return l
}

// Given returns the linter of texts some of whose variables, wherever they stand, get values
// such as properties may have: parameters.
func (l *Linter) Given(params map[sparql.Var]*schema.Property) *Linter {
	out := *l
	out.given = facts{}
	for v, p := range params {
		out.given[v] = fact{values: l.valuesOf(p), certain: true}
	}
	return &out
}

// In returns the linter of a query or an update that was read from a text with a base, and
// bound to parameters: it says where things stand.
func (l *Linter) In(text, base string, params map[sparql.Var]rdf.Term) *Linter {
	out := *l
	out.text, out.base, out.params = text, base, params
	return &out
}

// nothing is a graph without statements.
type nothing struct{}

func (nothing) Match(context.Context, rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(func(rdf.Quad, error) bool) {}
}
func (nothing) Predicates(context.Context) ([]rdf.IRI, error)            { return nil, nil }
func (nothing) Absent(context.Context, rdf.IRI) (string, error)          { return "", nil }
func (nothing) Alike(context.Context, rdf.IRI, string) (rdf.Term, error) { return nil, nil }
func (nothing) Named(context.Context, string) ([]rdf.IRI, error)         { return nil, nil }

// QueryMisfits returns what the schema alone rules out in a query, whatever the data is.
func (l *Linter) QueryMisfits(ctx context.Context, q *sparql.Query) ([]Warning, error) {
	all, err := l.Query(ctx, nothing{}, q)
	return misfits(all), err
}

// UpdateMisfits is [Linter.QueryMisfits] for an update.
func (l *Linter) UpdateMisfits(ctx context.Context, u *sparql.Update) ([]Warning, error) {
	all, err := l.Update(ctx, nothing{}, u)
	return misfits(all), err
}

func misfits(all []Warning) []Warning {
	return slices.DeleteFunc(all, func(w Warning) bool { return !w.Misfit })
}

// Bounds of one text. What is beyond them is not complained of.
const (
	maxLookups  = 1000 // of data
	maxLooked   = 50   // statements, for one that fits
	maxPatterns = 300  // of one group
	maxRows     = 100  // of VALUES
	maxRounds   = 10   // in which what is known of variables narrows
)

// run is the linting of one text.
type run struct {
	*Linter
	ctx      context.Context //nolint:containedctx // of one call, which made the run
	data     Data
	lookups  int
	err      error // of data, the first one
	misfits  []Warning
	unknown  []Warning
	said     map[string]bool
	named    map[rdf.IRI]bool   // all that the text names
	subjects map[rdf.IRI]values // of predicates that the schema does not declare
	missing  []missingName
	supers   []*schema.Type // classes of patterns that have subtypes
	used     []rdf.IRI      // predicates of the data, once they were asked for
	foreign  bool           // the text reads graphs of its choice, which nobody validates
	asked    bool           // whether one statement is there is the question

	whole      sparql.Op // the pattern of the text
	here       *scope    // of the expression that is looked at
	around     []*scope  // of the expressions whose EXISTS it stands in
	aggregates map[sparql.Var]sparql.Aggregate
	nodes      map[string][]rdf.IRI // what texts name
}

func (l *Linter) begin(ctx context.Context, data Data) *run {
	return &run{Linter: l, ctx: ctx, data: data, said: map[string]bool{}, named: map[rdf.IRI]bool{}, subjects: map[rdf.IRI]values{},
		aggregates: map[sparql.Var]sparql.Aggregate{}, nodes: map[string][]rdf.IRI{}}
}

// Query returns what a query probably did not mean, unknown names first.
func (l *Linter) Query(ctx context.Context, data Data, q *sparql.Query) ([]Warning, error) {
	if readsVirtual(q.Dataset) {
		return nil, nil
	}
	r := l.begin(ctx, data)
	r.foreign = !q.Dataset.IsZero()
	if q.Op != nil {
		r.root(q.Op, q.Form)
	}
	for _, node := range q.Describe {
		r.nodeNamed(node, place{})
	}
	return r.end(q.Prefixes)
}

// Update is [Linter.Query] for an update. What a template inserts is new by its nature:
// there a name is unknown only when it is nearly that of another one.
func (l *Linter) Update(ctx context.Context, data Data, u *sparql.Update) ([]Warning, error) {
	r := l.begin(ctx, data)
	for _, o := range u.Operations {
		m, ok := o.(sparql.Modify)
		if !ok || readsVirtual(m.Using) {
			continue
		}
		r.foreign = !m.Using.IsZero() || m.With != ""
		known := facts{}
		if m.Where != nil {
			r.names(m.Where, place{named: r.foreign})
			r.whole = m.Where
			known = r.group(m.Where, r.given, len(u.Operations) == 1)
		}
		r.removes(m, known)
		for _, p := range m.Insert {
			r.tripleNames(p.TriplePattern, place{inserted: true})
		}
	}
	return r.end(u.Prefixes)
}

// root lints the pattern of a query.
func (r *run) root(op sparql.Op, form sparql.Form) {
	at := place{named: r.foreign}
	r.whole = op
	if bgp, ok := op.(sparql.BGP); ok && form == sparql.Ask && len(bgp.Patterns) == 1 {
		at.asked, r.asked = true, true
	}
	r.names(op, at)
	r.group(op, r.given, true)
}

// removes lints the statements that a template removes, as a pattern behind WHERE.
func (r *run) removes(m sparql.Modify, known facts) {
	var patterns []sparql.TriplePattern
	for _, p := range m.Delete {
		at := place{named: r.foreign || p.Graph != sparql.Operand{}}
		r.tripleNames(p.TriplePattern, at)
		if !at.named {
			patterns = append(patterns, p.TriplePattern)
		}
	}
	if len(patterns) > 0 {
		r.group(sparql.BGP{Patterns: patterns}, known, false)
	}
}

func readsVirtual(d sparql.Dataset) bool {
	virtual := func(g rdf.IRI) bool { return rdf.IsVirtual(g) }
	return slices.ContainsFunc(d.Default, virtual) || slices.ContainsFunc(d.Named, virtual)
}

// end puts the warnings together. Declared are the prefixes of the text.
func (r *run) end(declared map[string]string) ([]Warning, error) {
	r.tellSupers()
	r.tellMissing(declared)
	all := append(r.unknown, r.misfits...)
	r.place(all)
	return all, r.err
}

// place says of warnings where in the text they stand.
func (r *run) place(all []Warning) {
	if len(all) == 0 || r.text == "" {
		return
	}
	places := sparql.PlacesIn(r.text, sparql.Options{Base: r.base, Prefixes: r.schema.TurtlePrefixes()}, r.params)
	for i, w := range all {
		at, ok := 0, false
		switch it := w.at.(type) {
		case sparql.Expr:
			at, ok = places.OfExpr(r.written(it))
			if call, isCall := it.(sparql.Call); isCall && !ok && len(call.Args) > 0 { // a member of IN
				at, ok = places.OfExpr(call.Args[len(call.Args)-1])
			}
		case sparql.TriplePattern:
			if at, ok = places.OfPattern(it); !ok { // a step of a path
				at, ok = places.OfTerm(it.Predicate.Term)
			}
		case rdf.Term:
			at, ok = places.OfTerm(it)
		}
		if ok {
			all[i].Line, all[i].Column = fault.Position(r.text, at)
		}
	}
}

// written is an expression as the text has it, aggregates included.
func (r *run) written(e sparql.Expr) sparql.Expr {
	return sparql.EachLeaf(e, func(leaf sparql.Expr) sparql.Expr {
		if v, ok := leaf.(sparql.VarExpr); ok {
			if a, ok := r.aggregates[v.Var]; ok {
				return a
			}
		}
		return leaf
	})
}

// warnAt adds a sentence about things that do not fit, once: at is what it is about.
func (r *run) warnAt(at any, about rdf.IRI, empties bool, format string, args ...any) {
	r.add(&r.misfits, Warning{Text: fmt.Sprintf(format, args...), Empties: empties, Misfit: true, About: about, at: at})
}

// tell adds a sentence about what is not known, once.
func (r *run) tell(about rdf.IRI, misfit bool, text string) {
	r.add(&r.unknown, Warning{Text: text, Misfit: misfit, About: about, at: rdf.Term(about)})
}

func (r *run) add(list *[]Warning, w Warning) {
	if !r.said[w.Text] {
		r.said[w.Text] = true
		*list = append(*list, w)
	}
}

// first returns the first of the statements that fit a pattern and are such. It looks at the
// first ones; more is true when there are others, or when nothing more may be looked up.
func (r *run) first(pattern rdf.Quad, such func(rdf.Quad) bool) (found rdf.Quad, ok, more bool) {
	if r.lookups++; r.lookups > maxLookups || r.err != nil {
		return found, false, true
	}
	n := 0
	for q, err := range r.data.Match(r.ctx, pattern) {
		if err != nil {
			r.err = err
			return found, false, true
		}
		if such(q) {
			return q, true, true
		}
		if n++; n == maxLooked {
			return found, false, true
		}
	}
	return found, false, false
}

// absent reports that no statement fits a pattern, of the default graph unless it is
// anywhere. Where looking would take long it is false.
func (r *run) absent(pattern rdf.Quad, anywhere bool) bool {
	_, ok, more := r.first(pattern, func(q rdf.Quad) bool { return anywhere || q.Label == nil })
	return !ok && !more
}

// short is an IRI as a text may write it.
func (r *run) short(iri rdf.IRI) string {
	if _, _, ok := r.schema.Local(iri); ok {
		return "<" + string(iri) + ">"
	}
	if short := r.schema.Short(iri); short != string(iri) {
		return short
	}
	return "<" + string(iri) + ">"
}

// own reports that an IRI is in the schema's own namespace.
func (r *run) own(iri rdf.IRI) bool {
	return r.schema.Base != "" && strings.HasPrefix(string(iri), r.schema.Base)
}
