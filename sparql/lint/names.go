package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// place says where in a text a name occurs.
type place struct {
	named    bool       // in a pattern that reads named graphs
	schema   bool       // in a pattern that reads the graph of the schema
	inserted bool       // in a template of INSERT
	asked    bool       // in the one pattern of ASK, or one that asks for statements about the node
	inside   bool       // in GRAPH
	name     rdf.Term   // of GRAPH, nil for a variable
	graphs   []rdf.Term // that it reads
	many     bool       // it reads more graphs than are looked at
}

// missingName is a property or a class that neither the schema nor the data knows.
type missingName struct {
	iri      rdf.IRI
	class    bool
	inserted bool
	graphs   bool // only the graph of the schema contains it
}

// names collects the unknown names in an operator and those below it.
func (r *run) names(op sparql.Op, at place) {
	switch op := op.(type) {
	case nil, sparql.Service:
		return
	case sparql.Graph:
		if rdf.IsVirtual(op.Name.Term) {
			return
		}
		at = r.reads(op.Name, at)
		r.graphNamed(op.Name.Term)
	case sparql.BGP:
		for _, p := range op.Patterns {
			r.tripleNames(p, at)
		}
	case sparql.PathPattern:
		r.pathNames(op.Path, at)
		r.endNamed(op.Subject, at)
		r.endNamed(op.Object, at)
	case sparql.Table:
		for _, row := range op.Rows[:min(len(op.Rows), maxRows)] {
			for _, term := range row {
				r.entityNamed(term, at)
			}
		}
	}
	left, right := sparql.Operands(op)
	r.names(left, at)
	r.names(right, at)
	sparql.Exprs(op, func(e sparql.Expr) {
		sparql.Some(e, func(e sparql.Expr) bool {
			switch e := e.(type) {
			case sparql.Exists:
				r.names(e.Op, at)
			case sparql.TermExpr:
				r.entityNamed(e.Term, at)
			}
			return false
		})
	})
}

// graphNamed warns about a graph without statements.
func (r *run) graphNamed(t rdf.Term) {
	if iri, ok := t.(rdf.IRI); ok && !rdf.IsVirtual(iri) && r.absent(rdf.Quad{Label: iri}, true) {
		r.tell(iri, false, fmt.Sprintf("there is no graph %s; without GRAPH and FROM the default graph is asked, and GRAPH ?g { … } asks the others", r.short(iri)))
	}
}

func (r *run) tripleNames(p sparql.TriplePattern, at place) {
	predicate, isIRI := p.Predicate.Term.(rdf.IRI)
	if isIRI && r.propertyNamed(predicate, at) {
		return
	}
	if whole := (rdf.Quad{Subject: p.Subject.Term, Predicate: p.Predicate.Term, Object: p.Object.Term}); (p.Subject.Term != nil || p.Object.Term != nil) && (predicate != rdf.Type || p.Object.Term == nil) &&
		r.misplaces(predicate, p, whole, at, "matches "+r.pattern(p)) {
		return
	}
	at.asked = at.asked || !isIRI && p.Object.Var != ""
	r.endNamed(p.Subject, at)
	if class, ok := p.Object.Term.(rdf.IRI); ok && predicate == rdf.Type {
		if !at.asked {
			r.classNamed(class, at)
		}
		return
	}
	if declared := r.declared[predicate]; len(declared) == 0 || slices.ContainsFunc(declared, func(d declaration) bool { return d.values.nodes() }) {
		r.endNamed(p.Object, at)
	}
}

func (r *run) pathNames(path sparql.Path, at place) {
	switch p := path.(type) {
	case sparql.Link:
		r.propertyNamed(p.IRI, at)
	case sparql.Inverse:
		r.pathNames(p.Path, at)
	case sparql.Sequence:
		r.pathNames(p.Left, at)
		r.pathNames(p.Right, at)
	case sparql.Alternative:
		r.pathNames(p.Left, at)
		r.pathNames(p.Right, at)
	case sparql.ZeroOrMore:
		r.pathNames(p.Path, at)
	case sparql.OneOrMore:
		r.pathNames(p.Path, at)
	case sparql.ZeroOrOne:
		r.pathNames(p.Path, at)
	case sparql.NegatedSet:
		for _, iri := range slices.Concat(p.Forward, p.Backward) {
			r.propertyNamed(iri, at)
		}
	}
}

// propertyNamed checks a property, and reports whether only other graphs have it.
func (r *run) propertyNamed(iri rdf.IRI, at place) bool {
	if iri == rdf.SubClassOf && at.schema {
		return false // the query asks for supertypes, and there are none
	}
	known := r.mentioned[iri]
	r.mentioned[iri] = true
	if iri == rdf.Type {
		return false
	}
	if r.misplaces(iri, rdf.Term(iri), rdf.Quad{Predicate: iri}, at, "has the property "+r.short(iri)) {
		return true
	}
	if known || len(r.declared[iri]) > 0 {
		return false
	}
	r.look(missingName{iri: iri, inserted: at.inserted}, rdf.Quad{Predicate: iri}, at)
	return false
}

func (r *run) classNamed(iri rdf.IRI, at place) {
	known := r.mentioned[iri]
	r.mentioned[iri] = true
	if r.misplaces(iri, rdf.Term(iri), rdf.Quad{Predicate: rdf.Type, Object: iri}, at, "has the class "+r.short(iri)) {
		return
	}
	switch t := r.schema.TypeByIRI(iri); {
	case t != nil && !at.named && !at.inserted && len(r.schema.Subtypes(t)) > 1 && !slices.Contains(r.supers, t):
		r.supers = append(r.supers, t)
	case t == nil && !known:
		r.look(missingName{iri: iri, class: true, inserted: at.inserted}, rdf.Quad{Predicate: rdf.Type, Object: iri}, at)
	}
}

// look records a name that no statement uses.
func (r *run) look(m missingName, pattern rdf.Quad, at place) {
	if !r.absent(pattern, at.named || at.inserted) {
		return
	}
	m.graphs = m.iri == rdf.SubClassOf && !at.named && !at.inserted && !r.absent(pattern, true)
	r.missing = append(r.missing, m)
}

// endNamed checks the node that a subject or object names.
func (r *run) endNamed(o sparql.Operand, at place) {
	if iri, ok := o.Term.(rdf.IRI); ok {
		r.nodeNamed(iri, at)
	}
}

// entityNamed checks an entity of this graph that is used as a value. Other IRIs may be anything.
func (r *run) entityNamed(t rdf.Term, at place) {
	iri, ok := t.(rdf.IRI)
	if !ok {
		return
	}
	if r.schema.TypeByIRI(iri) != nil || len(r.declared[iri]) > 0 {
		r.mentioned[iri] = true
		return
	}
	_, _, entity := r.schema.Local(iri)
	if _, misnamed := r.schema.Misnamed(iri); entity || misnamed {
		r.nodeNamed(iri, at)
	}
}

// nodeNamed checks a node. One that is inserted or asked about may be new, and is told only if it has the name that
// answers give to another one.
func (r *run) nodeNamed(iri rdf.IRI, at place) {
	_, _, entity := r.schema.Local(iri)
	meant, misnamed := r.schema.Misnamed(iri)
	if r.mentioned[iri] || (at.inserted || at.asked) && (entity || !misnamed) {
		return
	}
	r.mentioned[iri] = true
	if r.schema.TypeByIRI(iri) != nil || len(r.declared[iri]) > 0 {
		return
	}
	for _, pattern := range []rdf.Quad{{Subject: iri}, {Object: iri}, {Predicate: iri}, {Label: iri}} {
		if !r.absent(pattern, true) {
			return
		}
	}
	if misnamed {
		r.tell(iri, false, fmt.Sprintf("no statement names <%s>; the IRI of %s is <%s>, because renaming a type changes no IRI of its nodes", string(iri), r.node(meant), string(meant)))
		return
	}
	hint := ""
	if entity && r.err == nil {
		hint, r.err = r.data.Absent(r.ctx, iri)
	}
	if hint != "" {
		hint = "; " + hint
	}
	r.tell(iri, false, fmt.Sprintf("no statement names the node %s%s", r.node(iri), hint))
}

// Instances returns a pattern that matches the nodes of a type and of its subtypes as ?x. rdf:type alone does not
// find them by a supertype.
func Instances(s *schema.Schema, t *schema.Type) string {
	return fmt.Sprintf("?x a ?type . GRAPH <%s> { ?type rdfs:subClassOf* %s }", string(rdf.SchemaGraph), s.Short(t.IRI))
}

// tellSupers warns that rdf:type with a supertype does not find the nodes of its subtypes.
func (r *run) tellSupers() {
	for _, t := range r.supers {
		all := "; all of them are " + Instances(r.schema, t)
		if t.Abstract {
			if r.absent(rdf.Quad{Predicate: rdf.Type, Object: t.IRI}, false) {
				r.tell(t.IRI, true, fmt.Sprintf("%s is abstract: only nodes of its subtypes are there%s", r.short(t.IRI), all))
			}
			continue
		}
		for _, sub := range r.schema.Concrete(t) {
			if sub == t || r.mentioned[sub.IRI] {
				continue
			}
			q, ok, _ := r.first(rdf.Quad{Predicate: rdf.Type, Object: sub.IRI}, func(q rdf.Quad) bool { return q.Label == nil })
			if ok && r.absent(rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: t.IRI}, false) {
				r.tell(t.IRI, false, fmt.Sprintf("\"a %s\" leaves out the nodes of its subtypes, such as %s%s", r.short(t.IRI), sub.Name, all))
				break
			}
		}
	}
}

// tellMissing warns about unknown names. Names that share a prefix get one warning.
func (r *run) tellMissing(declared map[string]string) {
	left := r.missing
	for _, prefix := range slices.Sorted(maps.Keys(declared)) {
		left = r.tellPrefix(prefix, declared[prefix], left)
	}
	for _, m := range left {
		r.tellName(m)
	}
}

// tellPrefix warns about a prefix whose names are all unknown, and returns the other names.
func (r *run) tellPrefix(prefix, namespace string, missing []missingName) (left []missingName) {
	if namespace == "" || r.namespaces[namespace] {
		return missing
	}
	within := func(iri rdf.IRI) bool { return strings.HasPrefix(string(iri), namespace) }
	unknown := map[rdf.IRI]bool{}
	var names, nearest []string
	var first rdf.IRI
	for _, m := range missing {
		if !within(m.iri) || m.graphs || m.inserted {
			left = append(left, m)
			continue
		}
		unknown[m.iri], first = true, cmp.Or(first, m.iri)
		names = append(names, prefix+":"+string(m.iri[len(namespace):]))
		if near := r.nearest(m); near != "" {
			nearest = append(nearest, near)
		}
	}
	for iri := range r.mentioned {
		if within(iri) && !unknown[iri] {
			return missing
		}
	}
	if len(names) == 0 {
		return missing
	}
	text := fmt.Sprintf("the prefix %s: is <%s>, and neither the schema nor the data has any of %s", prefix, namespace, listed(names))
	own, same := r.schema.TurtlePrefixes()[prefix]
	switch {
	case same:
		text += fmt.Sprintf("; leave the declaration out, and it is <%s>", own)
	case len(nearest) > 0:
		text += "; did you mean " + listed(nearest) + "? They need no PREFIX"
	}
	r.tell(first, false, text)
	return left
}

// tellName warns about one unknown name.
func (r *run) tellName(m missingName) {
	what, name := "property", r.short(m.iri)
	if m.class {
		what = "class"
	}
	near := r.nearest(m)
	switch {
	case m.inserted:
		if near != "" {
			r.tell(m.iri, false, fmt.Sprintf("the %s %s is new; did you mean %s?", what, name, near))
		}
		return
	case m.graphs:
		r.tell(m.iri, false, fmt.Sprintf("subtypes are told in the graph of the schema alone: ?x a ?type . GRAPH <%s> { ?type rdfs:subClassOf* :Type }", string(rdf.SchemaGraph)))
		return
	}
	text := fmt.Sprintf("neither the schema nor the data has the %s %s", what, name)
	subject := r.subjects[m.iri]
	switch t := r.schema.TypeByIRI(m.iri); {
	case !m.class && t != nil:
		text += fmt.Sprintf(", which is a class: ?x a %s", name)
	case m.class && len(r.declared[m.iri]) > 0:
		text += ", which is a property"
	case !m.class && isLabel(m.iri) && len(r.labels(subject)) > 0:
		text += "; labels are " + listed(r.labels(subject))
	case near != "":
		text += "; did you mean " + near + "?"
	case !m.class && len(r.declaredBy(subject)) > 0:
		text += fmt.Sprintf("; %s has %s", r.types(subject.types), listed(r.shorts(r.declaredBy(subject))))
	case m.class && len(r.concrete) > 0:
		text += "; there is " + listed(r.shorts(r.concrete))
	case len(r.properties) > 0:
		text += "; schema_get lists those of the schema"
	}
	r.tell(m.iri, false, text)
}

// isLabel reports that well-known vocabularies use a property for labels.
func isLabel(iri rdf.IRI) bool {
	return iri == rdf.Label || iri == rdf.SKOSNS+"prefLabel"
}

// nearest returns the name that was probably meant, as a query writes it, or "". It is a name of the subject's types,
// of the schema, or of the data, or the one of a search.
func (r *run) nearest(m missingName) string {
	word := localName(m.iri)
	if m.class {
		return r.nearestOf(m.iri, word, m.candidates(r.classes))
	}
	if subject, ok := r.subjects[m.iri]; ok {
		if near := r.nearestOf(m.iri, word, m.candidates(r.declaredBy(subject))); near != "" {
			return near
		}
	}
	if near := r.nearestOf(m.iri, word, m.candidates(r.properties)); near != "" {
		return near
	}
	if r.used == nil && r.err == nil {
		r.used, r.err = r.data.Predicates(r.ctx)
	}
	return r.nearestOf(m.iri, word, m.candidates(append(slices.Clip(r.used), sparql.Matches)))
}

// candidates returns the names that may have been meant. For an inserted name only its own vocabulary counts.
func (m missingName) candidates(all []rdf.IRI) (list []rdf.IRI) {
	if !m.inserted {
		return all
	}
	namespace := strings.TrimSuffix(string(m.iri), localName(m.iri))
	for _, iri := range all {
		if strings.TrimSuffix(string(iri), localName(iri)) == namespace {
			list = append(list, iri)
		}
	}
	return list
}

// nearestOf returns the candidate whose local name is most similar to a word: equal but for case, dashes and
// underscores, or few letters different, or one contains the other, or they share a beginning.
func (r *run) nearestOf(iri rdf.IRI, word string, candidates []rdf.IRI) string {
	names := make([]string, 0, len(candidates))
	of := make(map[string]rdf.IRI, len(candidates))
	for _, c := range candidates {
		if name := localName(c); c != iri && of[name] == "" {
			names, of[name] = append(names, name), c
		}
	}
	plain := plainName(word)
	part := ""
	for _, name := range names {
		other := plainName(name)
		if other == plain {
			return r.short(of[name])
		}
		if shorter := min(len(other), len(plain)); part == "" && shorter >= 4 && (strings.Contains(other, plain) || strings.Contains(plain, other)) {
			part = name
		}
	}
	if near := fault.Nearest(word, names); near != "" {
		return r.short(of[near])
	}
	if part != "" {
		return r.short(of[part])
	}
	for _, name := range names { // names that begin alike
		other, same := plainName(name), 0
		for same < min(len(plain), len(other)) && plain[same] == other[same] {
			same++
		}
		if same >= 4 && 5*same >= 3*max(len(plain), len(other)) {
			return r.short(of[name])
		}
	}
	return ""
}

// plainName removes from a name what people write in different ways: case, dashes, underscores.
func plainName(name string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == '.' {
			return -1
		}
		return c
	}, name))
}

// localName returns the last part of an IRI.
func localName(iri rdf.IRI) string {
	text := string(iri)
	return text[strings.LastIndexAny(text, "#/:")+1:]
}
