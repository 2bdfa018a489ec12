// Package lint warns about what a query or an update probably did not mean: a name that neither the schema nor the
// data knows, a pattern that nothing can match under the schema, a comparison of different types. It changes no
// answer. It does not warn about what the schema leaves open, such as properties of other vocabularies.
//
// Only statements of the default graph are checked against the schema, because only they are validated. Read [Linter]
// first, then values.go, which describes the possible values of a variable.
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

// Data is what the linter reads of the graph that a text is about.
type Data interface {
	rdf.Source
	// Predicates returns predicates that statements use, at most as many as are searched for similar names.
	Predicates(ctx context.Context) ([]rdf.IRI, error)
	// Datatype returns the datatype of all objects of a predicate, or "" if they have several or it is not known at once.
	Datatype(ctx context.Context, predicate rdf.IRI) rdf.IRI
	// Absent says why no statement mentions an entity, such as "it was deleted" or "did you mean Person/ana?"; ""
	// when nothing is known.
	Absent(ctx context.Context, node rdf.IRI) (string, error)
	// Graphs returns named graphs that have statements, up to a number.
	Graphs(ctx context.Context, limit int) ([]rdf.IRI, error)
	// Alike returns the value of a property that is most similar to a text which is none of its values: they differ
	// in case, accents, spaces or few letters. It is nil if there is none.
	Alike(ctx context.Context, property rdf.IRI, text string) (rdf.Term, error)
	// Named returns nodes that a text names by their id (also with the name of their type), key or label, the
	// likeliest first.
	Named(ctx context.Context, text string) ([]rdf.IRI, error)
	// Solved reports whether a pattern has a solution.
	Solved(ctx context.Context, op sparql.Op) (bool, error)
}

// Warning is one likely mistake in a text.
type Warning struct {
	// Text is a sentence without its full stop.
	Text string
	// Empties reports that the answer must be empty if the warning is right. An answer with solutions, which data
	// older than the schema may give, disproves it.
	Empties bool
	// Misfit reports that the warning follows from the schema alone, or from the schema and the values that are there.
	Misfit bool
	// About is the property or class that the warning is about, or "".
	About rdf.IRI
	// Line and Column are the place in the text that [Linter.In] was given; 0 if it is not known.
	Line, Column int

	at any // the sparql.Expr, sparql.TriplePattern or rdf.Term that the warning is about
}

// shownWarnings is how many warnings a caller is shown.
const shownWarnings = 10

// Sentences returns the texts of the first warnings and the number of the others. If the answer has solutions, the
// warnings that it disproves are left out.
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

// Linter checks texts against one schema. It is immutable and safe for concurrent use.
type Linter struct {
	schema     *schema.Schema
	instances  map[*schema.Type]typeSet // a type and its subtypes that can have instances
	everything typeSet                  // all types that can have instances
	declared   map[rdf.IRI][]declaration
	properties []rdf.IRI // in order of declaration
	classes    []rdf.IRI
	concrete   []rdf.IRI       // types that a node may have as its only type
	namespaces map[string]bool // namespaces of the prefixes of the schema
	given      facts           // facts about the variables that get their values from outside
	text, base string          // the linted text and its base, "" if unknown
	params     map[sparql.Var]rdf.Term
	found      Answer
}

// Answer is what a query answered. The zero value says nothing.
type Answer struct {
	// Empty reports that there were no solutions.
	Empty bool
	// Unbound are the variables without a value in any solution.
	Unbound []sparql.Var
}

// declaration is a property as some types declare it, with its possible values.
type declaration struct {
	property *schema.Property
	types    typeSet
	values   values
}

// New prepares a linter for a schema.
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

// Given returns a linter for texts with parameters: variables whose values come from outside and are values of the
// given properties.
func (l *Linter) Given(params map[sparql.Var]*schema.Property) *Linter {
	out := *l
	out.given = facts{}
	for v, p := range params {
		out.given[v] = fact{values: l.valuesOf(p), certain: true}
	}
	return &out
}

// In returns a linter that also gives the place of warnings in the text from which a query or an update was parsed.
func (l *Linter) In(text, base string, params map[sparql.Var]rdf.Term) *Linter {
	out := *l
	out.text, out.base, out.params = text, base, params
	return &out
}

// After returns a linter that also warns of what explains an answer: an expression that was always an error, and a text
// that values only have in other letters.
func (l *Linter) After(found Answer) *Linter {
	out := *l
	out.found = found
	return &out
}

// nothing is a graph without statements.
type nothing struct{}

func (nothing) Match(context.Context, rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(func(rdf.Quad, error) bool) {}
}
func (nothing) Predicates(context.Context) ([]rdf.IRI, error)            { return nil, nil }
func (nothing) Graphs(context.Context, int) ([]rdf.IRI, error)           { return nil, nil }
func (nothing) Datatype(context.Context, rdf.IRI) rdf.IRI                { return "" }
func (nothing) Absent(context.Context, rdf.IRI) (string, error)          { return "", nil }
func (nothing) Alike(context.Context, rdf.IRI, string) (rdf.Term, error) { return nil, nil }
func (nothing) Named(context.Context, string) ([]rdf.IRI, error)         { return nil, nil }
func (nothing) Solved(context.Context, sparql.Op) (bool, error)          { return true, nil }

// QueryMisfits returns the warnings about a query that follow from the schema alone.
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

// Bounds for one text. Beyond them there are no warnings.
const (
	maxLookups  = 1000 // look-ups in the data
	maxLooked   = 50   // statements that are examined for one that fits
	maxPatterns = 300  // patterns of one group
	maxRows     = 100  // rows of VALUES
	maxRounds   = 10   // rounds of narrowing the values of variables
)

// run lints one text.
type run struct {
	*Linter
	ctx       context.Context //nolint:containedctx // of one call, which made the run
	data      Data
	lookups   int
	err       error // the first error of a read
	misfits   []Warning
	unknown   []Warning
	said      map[string]bool
	mentioned map[rdf.IRI]bool // all names in the text
	elsewhere []misplaced
	read      map[rdf.Quad]bool  // patterns with the graphs in which the text looks for them
	graphs    []rdf.IRI          // named graphs, after the first use
	limited   bool               // FROM or USING say which graphs are read
	from      []rdf.Term         // graphs of FROM NAMED
	subjects  map[rdf.IRI]values // subjects of predicates that the schema does not declare
	missing   []missingName
	supers    []*schema.Type // classes of patterns that have subtypes
	used      []rdf.IRI      // predicates of the data, after the first use
	foreign   bool           // the text selects graphs, which nobody validates
	asked     bool           // the text asks whether one statement exists
	part      bool           // the next group is a part of one that is emptied, in the sense of group
	unmatched int            // how many warnings say what matches nothing

	resolves string // the base of IRI()

	computed map[sparql.Var]bool // variables in expressions
	missed   []sparql.Var        // variables of the answer, as they are called here, that no solution binds
	seen     map[rdf.IRI]values  // objects of predicates that the schema does not declare

	whole      sparql.Op // the pattern of the text
	here       *scope    // scope of the expression that is being linted
	around     []*scope  // scopes of the expressions whose EXISTS contains it
	aggregates map[sparql.Var]sparql.Aggregate
	nodes      map[string][]rdf.IRI  // nodes by the text that names them
	alikes     map[rdf.Quad]rdf.Term // the value that a text was probably meant to be, by its property and itself
}

func (l *Linter) begin(ctx context.Context, data Data) *run {
	return &run{Linter: l, ctx: ctx, data: data, said: map[string]bool{}, mentioned: map[rdf.IRI]bool{}, read: map[rdf.Quad]bool{}, subjects: map[rdf.IRI]values{},
		computed: map[sparql.Var]bool{}, seen: map[rdf.IRI]values{}, aggregates: map[sparql.Var]sparql.Aggregate{}, nodes: map[string][]rdf.IRI{}, alikes: map[rdf.Quad]rdf.Term{}}
}

// Query returns the warnings about a query, unknown names first.
func (l *Linter) Query(ctx context.Context, data Data, q *sparql.Query) ([]Warning, error) {
	if readsVirtual(q.Dataset) {
		return nil, nil
	}
	r := l.begin(ctx, data)
	r.foreign, r.missed = !q.Dataset.IsZero(), r.found.Unbound
	for _, graph := range slices.Concat(q.Dataset.Default, q.Dataset.Named) {
		r.graphNamed(graph)
	}
	r.resolves = q.Base
	if q.Op != nil {
		r.root(q.Op, q.Form, r.outside(q.Dataset))
		r.sliced(q.Op)
		r.tellTogether(q.Op)
	}
	for _, node := range q.Describe {
		r.nodeNamed(node, place{})
		if isClass := r.schema.TypeByIRI(node) != nil; (isClass || len(r.declared[node]) > 0) && r.absent(rdf.Quad{Subject: node}, false) {
			pattern := map[bool]string{true: "a " + r.short(node), false: r.short(node) + " ?value"}[isClass]
			r.tell(node, false, fmt.Sprintf("no statement describes %s; the nodes that have it are DESCRIBE ?x { ?x %s }", r.short(node), pattern))
		}
	}
	return r.end(q.Prefixes)
}

// Update is [Linter.Query] for an update. Templates insert new names, so an unknown name there is a warning only if
// it is very similar to a known one.
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
			at := r.outside(m.Using)
			if m.Using.IsZero() && m.With != "" {
				at.graphs = []rdf.Term{m.With}
			}
			r.resolves = m.Base
			r.names(m.Where, at)
			r.whole = m.Where
			r.computes(m.Where)
			known = r.group(m.Where, r.given, len(u.Operations) == 1)
		}
		r.removes(m, known)
		for _, p := range m.Insert {
			r.tripleNames(p.TriplePattern, place{inserted: true})
		}
		if m.Where != nil && len(u.Operations) == 1 {
			r.tellTogether(m.Where)
		}
	}
	return r.end(u.Prefixes)
}

// root lints the pattern of a query.
func (r *run) root(op sparql.Op, form sparql.Form, at place) {
	r.whole = op
	if bgp, ok := op.(sparql.BGP); ok && form == sparql.Ask && len(bgp.Patterns) == 1 {
		at.asked, r.asked = true, true
	}
	r.names(op, at)
	r.computes(op)
	r.group(op, r.given, true)
}

// removes lints the statements that a template removes, like a pattern behind WHERE.
func (r *run) removes(m sparql.Modify, known facts) {
	var patterns []sparql.TriplePattern
	for _, p := range m.Delete {
		at := place{named: r.foreign || p.Graph != sparql.Operand{}, many: true}
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

// end returns the warnings in order. declared are the prefixes of the text.
func (r *run) end(declared map[string]string) ([]Warning, error) {
	r.tellSupers()
	r.tellMisplaced()
	r.tellMissing(declared)
	all := append(r.unknown, r.misfits...)
	r.place(all)
	return all, r.err
}

// place adds to warnings their place in the text.
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

// written returns an expression as the text has it, with its aggregates.
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

// warnAt adds a warning about types that do not fit, unless it is already there. at is what it is about.
func (r *run) warnAt(at any, about rdf.IRI, empties bool, format string, args ...any) {
	r.add(&r.misfits, Warning{Text: fmt.Sprintf(format, args...), Empties: empties, Misfit: true, About: about, at: at})
}

// tell adds a warning about an unknown name, unless it is already there.
func (r *run) tell(about rdf.IRI, misfit bool, text string) {
	r.add(&r.unknown, Warning{Text: text, Misfit: misfit, About: about, at: rdf.Term(about)})
}

func (r *run) add(list *[]Warning, w Warning) {
	if !r.said[w.Text] {
		r.said[w.Text] = true
		*list = append(*list, w)
	}
}

// first returns the first statement that matches a pattern and is accepted. It examines a bounded number; more is
// true if there are others, or if the look-ups are used up.
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

// absent reports that no statement matches a pattern, in the default graph or, if anywhere is set, in any graph. If
// finding out would take long, it is false.
func (r *run) absent(pattern rdf.Quad, anywhere bool) bool {
	_, ok, more := r.first(pattern, func(q rdf.Quad) bool { return anywhere || q.Label == nil })
	return !ok && !more
}

// short writes an IRI as a query may write it.
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
