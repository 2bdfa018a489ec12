package lint

import (
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// How many characters of a literal a warning shows, and one that tells to write it.
const (
	longText    = 40
	longWritten = 2_000
)

// never warns why nothing can match a pattern. subject and object are their possible values by everything else in the
// group. If the data contradicts the schema, there is no warning.
func (g *group) never(p sparql.TriplePattern, declared []declaration, subject, object values) {
	fits := func(q rdf.Quad) bool {
		return q.Label == nil && !g.constant(q.Subject).and(subject).empty() && !g.constant(q.Object).and(object).empty()
	}
	_, found, _ := g.first(rdf.Quad{Subject: p.Subject.Term, Predicate: p.Predicate.Term, Object: p.Object.Term}, fits)
	if !found && g.err == nil {
		predicate, _ := p.Predicate.Term.(rdf.IRI)
		g.warnAt(p, predicate, g.empties, "%s can never match under the schema: %s", g.pattern(p), g.why(p, declared, subject, object))
	}
}

// neverOf warns why no node can match a pattern with rdf:type.
func (g *group) neverOf(p sparql.TriplePattern, subject values) {
	fits := func(q rdf.Quad) bool { return q.Label == nil && !g.constant(q.Subject).and(subject).empty() }
	_, found, _ := g.first(rdf.Quad{Subject: p.Subject.Term, Predicate: rdf.Type, Object: p.Object.Term}, fits)
	if !found && g.err == nil {
		class, _ := p.Object.Term.(rdf.IRI)
		g.warnAt(p, class, g.empties, "%s can never match under the schema: by what else is said %s is %s", g.pattern(p), g.end(p.Subject), g.kinds(subject))
	}
}

// why says what is wrong with a pattern, and the way out.
func (g *group) why(p sparql.TriplePattern, declared []declaration, subject, object values) string {
	name := g.short(p.Predicate.Term.(rdf.IRI))
	var domain typeSet
	var all, here values // values that the property has, and those that it has on such subjects
	for _, d := range declared {
		domain, all = domain.or(d.types), all.or(d.values)
		if !(values{types: d.types}).and(subject).empty() {
			here = here.or(d.values)
		}
	}
	switch {
	case g.illFormed(p.Object.Term):
		return g.unlikeLiteral(p.Object, p.Predicate.Term.(rdf.IRI), here.or(all), g.constant(p.Object.Term))
	case !subject.nodes():
		return fmt.Sprintf("%s is %s, and no node with properties", g.end(p.Subject), g.kinds(subject))
	case g.turned(declared, subject, object) && (here.empty() || object.nodes()):
		return fmt.Sprintf("%s leads from %s to %s; the other way round it is %s %s %s",
			name, g.types(domain), g.types(all.types), g.operand(p.Object), name, g.operand(p.Subject))
	case here.empty():
		return fmt.Sprintf("%s is a property of %s, and %s is %s%s", name, g.types(domain), g.end(p.Subject), g.kinds(subject), g.instead(p, subject, object))
	case !object.nodes() && len(here.literals) == 0:
		if len(object.oneOf) == 1 {
			p.Object = sparql.Operand{Term: object.oneOf[0]}
		}
		return fmt.Sprintf("%s refers to %s, not to a text%s", name, g.kinds(here), g.byLabel(p, here))
	case p.Object.Term == nil && !object.nodes():
		return fmt.Sprintf("%s is %s, and %s is %s", name, g.kinds(here), g.end(p.Object), g.kinds(object))
	case len(object.literals) == 0 && !here.nodes():
		if term := g.sameNamed(p.Object.Term, here.oneOf); term != nil {
			return fmt.Sprintf("%s is %s; write %s", name, g.kinds(here), g.uncut(term))
		}
		if iri, isIRI := p.Object.Term.(rdf.IRI); isIRI && slices.Contains(here.literals, rdf.XSDAnyURI) {
			return fmt.Sprintf("%s is %s; write %s", name, g.kinds(here), g.uncut(rdf.Literal(string(iri), rdf.XSDAnyURI)))
		}
		return fmt.Sprintf("%s is %s, never a node", name, g.kinds(here))
	case !object.nodes():
		return g.unlikeLiteral(p.Object, p.Predicate.Term.(rdf.IRI), here, object)
	}
	from := ""
	if !subject.any {
		from = " of " + g.kinds(subject)
	}
	return fmt.Sprintf("%s%s refers to %s, and %s is %s%s", name, from, g.kinds(here), g.end(p.Object), g.kinds(object), g.instead(p, subject, object))
}

// turned reports that the property connects these nodes in the other direction.
func (r *run) turned(declared []declaration, subject, object values) bool {
	if subject.any && object.any {
		return false
	}
	_, to := r.fits(declared, object, subject)
	return !to.types.empty()
}

// instead suggests a property that connects subject and object, or lists those of the subject.
func (g *group) instead(p sparql.TriplePattern, subject, object values) string {
	if subject.any || subject.types.empty() {
		return ""
	}
	var fitting []string
	if !object.any && !object.types.empty() {
		for _, iri := range g.properties {
			if from, _ := g.fits(g.declared[iri], subject, object); !from.empty() && g.refersTo(iri, object) {
				fitting = append(fitting, fmt.Sprintf("%s %s %s", g.operand(p.Subject), g.short(iri), g.operand(p.Object)))
			}
			if from, _ := g.fits(g.declared[iri], object, subject); !from.empty() && g.refersTo(iri, subject) {
				fitting = append(fitting, fmt.Sprintf("%s %s %s", g.operand(p.Object), g.short(iri), g.operand(p.Subject)))
			}
		}
		if len(fitting) > 0 {
			return "; there is " + listed(fitting)
		}
	}
	predicate, _ := p.Predicate.Term.(rdf.IRI)
	own := g.declaredBy(subject)
	if near := g.nearestOf(predicate, localName(predicate), own); near != "" {
		return "; did you mean " + near + "?"
	}
	if len(own) > 0 {
		return fmt.Sprintf("; %s has %s", g.types(subject.types), listed(g.shorts(own)))
	}
	return ""
}

// refersTo reports that a property is declared to refer to some of the nodes, and not to any node.
func (r *run) refersTo(iri rdf.IRI, nodes values) bool {
	return slices.ContainsFunc(r.declared[iri], func(d declaration) bool {
		return d.property.Class != "" && !d.values.types.and(nodes.types).empty()
	})
}

// byLabel says how to find a node by its label, where a text is used in its place.
func (g *group) byLabel(p sparql.TriplePattern, nodes values) string {
	labels := g.labels(nodes)
	if p.Object.Term == nil {
		return ""
	}
	if iri := g.nodeOf(nodes, rdf.Lexical(p.Object.Term)); iri != "" {
		return fmt.Sprintf("; write %s %s %s", g.operand(p.Subject), g.operand(p.Predicate), g.name(iri))
	}
	if len(labels) == 0 {
		return ""
	}
	if g.data != (nothing{}) {
		return fmt.Sprintf("; nothing that it refers to has the id or the label %s", g.term(p.Object.Term))
	}
	return fmt.Sprintf("; match its label: %s %s ?node . ?node %s %s", g.operand(p.Subject), g.short(p.Predicate.Term.(rdf.IRI)), labels[0], g.operand(p.Object))
}

// sameNamed returns the value that an IRI was probably meant to be.
func (g *group) sameNamed(t rdf.Term, oneOf []rdf.Term) rdf.Term {
	iri, _ := t.(rdf.IRI)
	for _, one := range oneOf {
		if strings.EqualFold(rdf.Lexical(one), localName(iri)) && iri != "" {
			return one
		}
	}
	return nil
}

// unlikeLiteral says why a literal is not a value of a property.
func (g *group) unlikeLiteral(o sparql.Operand, predicate rdf.IRI, here, object values) string {
	name := g.short(predicate)
	if o.Var != "" {
		return fmt.Sprintf("%s is %s, and %s is %s", name, g.kinds(here), g.end(o), g.kinds(object))
	}
	if slices.Contains(here.literals, rdf.DatatypeOf(o.Term)) && !g.illFormed(o.Term) {
		return fmt.Sprintf("%s is none of the values of %s%s", g.term(o.Term), name, g.valueHint(o.Term, here.oneOf))
	}
	kind := g.kinds(object)
	if g.illFormed(o.Term) {
		kind = "no " + localName(rdf.DatatypeOf(o.Term))
	}
	return fmt.Sprintf("%s is %s, and %s is %s%s", name, g.kinds(here), g.term(o.Term), kind, g.matched(o.Term, predicate, here.literals))
}

// valueHint names the value that is most similar to a literal, or the first values.
func (r *run) valueHint(t rdf.Term, oneOf []rdf.Term) string {
	names := make([]string, len(oneOf))
	for i, one := range oneOf {
		names[i] = rdf.Lexical(one)
	}
	if near := fault.Nearest(rdf.Lexical(t), names); near != "" {
		return "; did you mean " + r.uncut(oneOf[slices.Index(names, near)]) + "?"
	}
	return "; there is " + r.listedTerms(oneOf)
}

func (r *run) listedTerms(terms []rdf.Term) string {
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = r.term(t)
	}
	return listed(texts)
}

// pattern writes a triple pattern as a query does.
func (r *run) pattern(p sparql.TriplePattern) string {
	return fmt.Sprintf("%s %s %s", r.operand(p.Subject), r.operand(p.Predicate), r.operand(p.Object))
}

func (r *run) operand(o sparql.Operand) string {
	switch {
	case o.Var == "":
		return r.term(o.Term)
	case o.Var[0] == '.':
		return "[]"
	}
	return "?" + string(o.Var)
}

// end returns the words for a subject or object.
func (g *group) end(o sparql.Operand) string {
	if o.Var == "" {
		return g.term(o.Term)
	}
	return g.variable(o.Var)
}

// variable returns the words for a variable. A variable that a path made is called the value of the property before
// it.
func (g *group) variable(v sparql.Var) string {
	if v[0] != '.' {
		return "?" + string(v)
	}
	for _, p := range g.patterns {
		if predicate, ok := p.Predicate.Term.(rdf.IRI); ok && p.Object.Var == v {
			return "the value of " + g.short(predicate)
		}
	}
	return "the blank node"
}

// term names a term as a query does, with long literals shortened.
func (r *run) term(t rdf.Term) string { return r.cut(t, longText) }

// uncut is a term that is told to be written: a long literal, too, is whole.
func (r *run) uncut(t rdf.Term) string { return r.cut(t, longWritten) }

// cut writes a term as a query does, with so many characters of a literal.
func (r *run) cut(t rdf.Term, most int) string {
	iri, ok := t.(rdf.IRI)
	if ok && iri == rdf.Type {
		return "a"
	}
	if ok {
		return r.short(iri)
	}
	lexical, datatype := rdf.Lexical(t), rdf.DatatypeOf(t)
	if rdf.NumberType(lexical) == datatype || datatype == rdf.XSDBoolean && xsd.Valid(lexical, datatype) && len(lexical) > 1 {
		return lexical
	}
	if short := []rune(lexical); len(short) > most {
		lexical = string(short[:most]) + "…"
	}
	text := string(rdf.AppendTerm(nil, rdf.String(lexical)))
	switch tag, tagged := rdf.LangOf(t); {
	case tagged:
		return text + "@" + tag
	case datatype != rdf.XSDString:
		return text + "^^" + r.short(datatype)
	}
	return text
}

// node returns the words for a node: Type/id if the schema names it.
func (r *run) node(iri rdf.IRI) string {
	if name, local, ok := r.schema.Local(iri); ok {
		return name + "/" + local
	}
	return r.short(iri)
}

// kinds returns the words for values: "a Person", "an integer or a date".
func (r *run) kinds(v values) string {
	var all []string
	switch {
	case v.any:
		return "anything"
	case v.other:
		all = append(all, "a node")
	case !v.types.empty():
		all = append(all, withArticle(r.types(v.types)))
	}
	for _, d := range v.literals {
		all = append(all, kindOf(d))
	}
	return strings.Join(all, " or ")
}

// kindOf returns the words for a literal of a datatype.
func kindOf(d rdf.IRI) string {
	if d == rdf.RDFLangString {
		return "a text with a language"
	}
	return withArticle(localName(d))
}

func withArticle(noun string) string {
	if strings.ContainsRune("aeioAEIO", rune(noun[0])) || strings.HasPrefix(noun, "unsigned") {
		return "an " + noun
	}
	return "a " + noun
}

// types returns the words for a set of types, by a common supertype if there is one.
func (r *run) types(set typeSet) string {
	var names []string
	for i, t := range r.schema.Types {
		if set.same(r.instances[t]) {
			return t.Name
		}
		if set.has(i) {
			names = append(names, t.Name)
		}
	}
	const most = 4
	if more := len(names) - most; more > 1 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" or %d others", more)
	}
	return strings.Join(names, " or ")
}

// declaredBy returns the properties that the types of nodes declare.
func (r *run) declaredBy(nodes values) (list []rdf.IRI) {
	if nodes.any {
		return nil
	}
	for _, iri := range r.properties {
		if slices.ContainsFunc(r.declared[iri], func(d declaration) bool { return !d.types.and(nodes.types).empty() }) {
			list = append(list, iri)
		}
	}
	return list
}

// labels returns the properties that are the labels of nodes; of all types if nothing is known.
func (r *run) labels(nodes values) (list []string) {
	for i, t := range r.schema.Types {
		p := r.schema.Property(t, r.schema.LabelOf(t))
		if p == nil || !nodes.any && !nodes.types.has(i) {
			continue
		}
		if name := r.short(p.IRI); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func (r *run) shorts(iris []rdf.IRI) []string {
	out := make([]string, len(iris))
	for i, iri := range iris {
		out[i] = r.short(iri)
	}
	return out
}

// listed joins the first names of a list.
func listed(names []string) string {
	const most = 6
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
