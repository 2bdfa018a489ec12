package kg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/text/quote"
)

// maxIdle bounds the sentences of [Result.Warnings].
const maxIdle = 10

// idleness counts all edits and those that change nothing, and describes the first of these.
type idleness struct {
	adds, removes           int64  // statements to add and to remove
	there, absent           int64  // those that exist already, and those that do not exist
	firstThere, firstAbsent string // description of the first one
}

// note finds edits of a subject that have no effect: what they add exists already, or what they remove does not
// exist.
func (i *idleness) note(ctx context.Context, src rdf.Source, s *schema.Schema, group *change.Group, deltas []change.Delta) error {
	if group.Edits[0].Op == change.Assert && len(deltas) == len(group.Edits) { // the edits are sorted, so these are all
		i.adds += int64(len(deltas))
		return nil
	}
	changed, asserted := map[rdf.Quad]bool{}, map[rdf.Quad]bool{} // statements or, without an object, their predicates
	for _, d := range deltas {
		changed[d.Quad] = true
		if !d.Added {
			changed[withoutObject(d.Quad)] = true
		}
	}
	if group.Edits[0].Op != change.Assert {
		for _, e := range group.Edits {
			if e.Op == change.Assert {
				asserted[e.Quad], asserted[withoutObject(e.Quad)] = true, true
			}
		}
	}
	for _, e := range group.Edits {
		switch e.Op {
		case change.Assert:
			if i.adds++; !changed[e.Quad] {
				i.isThere(s, e.Quad)
			}
		case change.Retract, change.Clear:
			q := e.Quad
			if e.Op == change.Clear {
				q = withoutObject(q)
			}
			if asserted[q] {
				continue
			}
			if i.removes++; changed[q] {
				continue
			}
			if err := i.isAbsent(ctx, src, s, q); err != nil {
				return err
			}
		case change.Fresh, change.Once, change.Require, change.Erase, change.Default:
		}
	}
	return nil
}

func withoutObject(q rdf.Quad) rdf.Quad {
	q.Object = nil
	return q
}

// isThere counts a statement that exists already.
func (i *idleness) isThere(s *schema.Schema, q rdf.Quad) {
	if i.there++; i.there == 1 {
		i.firstThere = statement(s, q)
	}
}

// isAbsent counts a statement or, without an object, all values of a predicate, that do not exist.
func (i *idleness) isAbsent(ctx context.Context, src rdf.Source, s *schema.Schema, q rdf.Quad) (err error) {
	if i.absent++; i.absent == 1 {
		i.firstAbsent, err = absence(ctx, src, s, q)
	}
	return err
}

// String says why these edits change nothing; "" if all of them change something.
func (i *idleness) String() string {
	var parts []string
	switch {
	case i.there == 0:
	case i.there < i.adds:
		parts = append(parts, some(i.there, i.adds, "statements to add", "there already", i.firstThere))
	case i.there == 1:
		parts = append(parts, "it is there already: "+i.firstThere)
	default:
		parts = append(parts, fmt.Sprintf("all %d statements to add are there already, such as %s", i.there, i.firstThere))
	}
	switch {
	case i.absent == 0:
	case i.absent < i.removes:
		parts = append(parts, some(i.absent, i.removes, "to remove", "not there", i.firstAbsent))
	case i.absent == 1:
		parts = append(parts, i.firstAbsent)
	default:
		parts = append(parts, fmt.Sprintf("none of %d to remove is there: %s", i.absent, i.firstAbsent))
	}
	return strings.Join(parts, "; ")
}

// some describes a part of all edits, with the first of them.
func some(n, all int64, what, so, first string) string {
	if n == 1 {
		return fmt.Sprintf("1 of %d %s is %s: %s", all, what, so, first)
	}
	return fmt.Sprintf("%d of %d %s are %s, such as: %s", n, all, what, so, first)
}

// likeness counts the nodes of records, and the links, that already equal the record.
type likeness struct {
	nodes, like int64
	first       string
	links       idleness
}

// note examines the edits of a record. A node equals it if nothing changes. A record states all values of a property;
// a link adds one.
func (l *likeness) note(s *schema.Schema, group *change.Group, deltas []change.Delta) {
	if l.nodes++; len(deltas) == 0 {
		if l.like++; l.like == 1 {
			l.first = quote.Line(s.NodeName(group.Subject), maxSaid)
		}
		return
	}
	adds := 0 // new statements, without the requested ones
	for _, d := range deltas {
		if d.Added {
			adds++
		}
	}
	for _, e := range group.Edits {
		if e.Op == change.Assert || e.Op == change.Default {
			adds--
		}
	}
	if adds == 0 {
		return
	}
	for i, e := range group.Edits {
		isSet := func(other change.Edit) bool {
			return other.Op == change.Clear && other.Quad.Predicate == e.Quad.Predicate && other.Quad.Label == e.Quad.Label
		}
		if e.Op != change.Assert || e.Quad.Predicate == rdf.Type || slices.ContainsFunc(group.Edits[:i], isSet) {
			continue
		}
		if l.links.adds++; !slices.Contains(deltas, change.Delta{Added: true, Quad: e.Quad}) {
			l.links.isThere(s, e.Quad)
		}
	}
}

func (l *likeness) String() string {
	var parts []string
	if l.like > 0 {
		parts = append(parts, some(l.like, l.nodes, "nodes", "as the data says already", l.first))
	}
	if links := l.links.String(); links != "" {
		parts = append(parts, links)
	}
	return strings.Join(parts, "; ")
}

// valuesNamed is how many existing values a sentence names instead of a missing one.
const valuesNamed = 3

// absence says what exists instead of a missing statement or, without an object, instead of the values of a
// predicate.
func absence(ctx context.Context, src rdf.Source, s *schema.Schema, q rdf.Quad) (string, error) {
	in := q.Label
	if in == nil {
		in = rdf.DefaultGraph
	}
	found := false
	for _, err := range src.Match(ctx, rdf.Quad{Subject: q.Subject, Label: in}) {
		if err != nil {
			return "", err
		}
		found = true
		break
	}
	node, predicate, where := quote.Line(s.NodeName(q.Subject), maxSaid), q.Predicate, inGraph(q.Label)
	if !found {
		return fmt.Sprintf("nothing is said of %s%s", node, where), nil
	}
	name := "type"
	if iri, _ := predicate.(rdf.IRI); iri != rdf.Type {
		name = quote.Line(s.Short(iri), maxSaid)
	}
	if q.Object == nil {
		return fmt.Sprintf("%s has no %s%s", node, name, where), nil
	}
	var values []string
	for v, err := range src.Match(ctx, rdf.Quad{Subject: q.Subject, Predicate: predicate, Label: in}) {
		if err != nil {
			return "", err
		}
		if len(values) == valuesNamed {
			values = append(values, "…")
			break
		}
		values = append(values, value(s, v.Object))
	}
	if len(values) == 0 {
		return fmt.Sprintf("%s has no %s%s", node, name, where), nil
	}
	return fmt.Sprintf("%s has no %s %s%s; it has %s", node, name, value(s, q.Object), where, strings.Join(values, ", ")), nil
}

func inGraph(label rdf.Term) string {
	if label == nil {
		return ""
	}
	return " in graph <" + quote.Line(rdf.Lexical(label), maxSaid) + ">"
}

// statement writes a statement for people.
func statement(s *schema.Schema, q rdf.Quad) string {
	predicate := "a"
	if iri, _ := q.Predicate.(rdf.IRI); iri != rdf.Type {
		predicate = quote.Line(s.Short(iri), maxSaid)
	}
	return fmt.Sprintf("%s %s %s%s", quote.Line(s.NodeName(q.Subject), maxSaid), predicate, value(s, q.Object), inGraph(q.Label))
}

// value writes a term for people: nodes by their names, literals as SPARQL has them.
func value(s *schema.Schema, t rdf.Term) string {
	if !rdf.IsLiteral(t) {
		if iri, ok := t.(rdf.IRI); ok {
			return quote.Line(s.Short(iri), maxSaid)
		}
		return quote.Line(s.NodeName(t), maxSaid)
	}
	lexical, datatype := rdf.Lexical(t), rdf.DatatypeOf(t)
	if rdf.NumberType(lexical) == datatype || datatype == rdf.XSDBoolean {
		return quote.Line(lexical, maxSaid)
	}
	text := quote.Text(lexical, maxSaid)
	if tag, tagged := rdf.LangOf(t); tagged {
		return text + "@" + tag
	}
	if datatype != rdf.XSDString {
		return text + "^^" + s.Short(datatype)
	}
	return text
}

// idling is what is known about a change that has no effect, besides its edits.
type idling struct {
	// sentences are about operations, or steps of a patch or a migration, that change nothing or only in part.
	sentences []string
	// more counts those beyond [maxIdle].
	more int
	// part says which part of the only operation makes no statements.
	part string
	// replaces means that the change states everything that shall exist, so unchanged data is intended.
	replaces bool
}

// isIdle records that a part of the change, named what, changes nothing, unless why is empty.
func (i *idling) isIdle(what, why string) {
	switch {
	case why == "":
	case len(i.sentences) < maxIdle:
		i.sentences = append(i.sentences, what+" changes nothing: "+why)
	default:
		i.more++
	}
}

// takeBack records that some operations remove statements that others add, or the reverse.
func (i *idling) takeBack(all bool, count int64, first string) {
	what, and := "a part of this", ""
	if all {
		what = "this"
	}
	if count > 1 {
		and = fmt.Sprintf(" (and %d more)", count-1)
	}
	if count > 0 {
		i.isIdle(what, "what some operations do others take back: "+first+and)
	}
}

// list returns the sentences, and the number of those left out.
func (i *idling) list() []string {
	if i.more == 0 {
		return i.sentences
	}
	return append(slices.Clip(i.sentences), fmt.Sprintf("%d more of its parts change nothing", i.more))
}

// idleSteps says which steps of a patch change nothing; first is the number of its first one.
func idleSteps(patched schema.Patched, first int) (i idling) {
	for _, idle := range patched.Idle {
		what := fmt.Sprintf("step %d", first-1+idle.Step)
		if idle.Part {
			what = "a part of " + what
		}
		i.isIdle(what, idle.String())
	}
	return i
}

// unchanged returns why the change, or a part or an operation of it, changes nothing. There is no sentence for an
// operation without values.
func (t *transaction) unchanged() []string {
	if sentences := t.job.idle.list(); len(sentences) > 0 {
		return sentences
	}
	sentences := []string{t.job.idle.part, t.idle.String()}
	if t.result.Changed && t.job.isOfRecords() {
		sentences = []string{t.like.String()}
	}
	why := strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), "; ")
	if t.result.Changed {
		if why == "" || t.job.idle.replaces || t.job.undo != nil || t.job.action.EditsSchema() {
			return nil
		}
		return []string{"a part of this changes nothing: " + why}
	}
	switch {
	case t.job.undo != nil:
		why = t.job.undo.takenBack()
	case t.job.action.EditsSchema():
		why = "it is so already"
	case why == "" && t.job.records > 0:
		why = "the graph says all of the data already"
	case why == "" && t.job.inputs != nil:
		why = "the data has no statements"
	case why == "":
		return nil
	}
	return []string{"this changes nothing: " + why}
}

// makesNothing says why an operation makes no statement to add or remove.
func (u *updating) makesNothing(op sparql.Operation) string {
	if u.silenced != "" {
		return "SILENT passes over its refusal: " + quote.Line(u.silenced, maxSaid)
	}
	switch op := op.(type) {
	case sparql.Modify:
		switch {
		case op.Where == nil:
			return "it names no statement"
		case u.solved == 0:
			return "WHERE has no solution"
		}
		return fmt.Sprintf("WHERE has solutions (%d), and none makes a statement of the templates: it leaves a variable of theirs unbound, or puts a literal where a node must stand", u.solved)
	case sparql.Create:
		return "a graph is there while it has statements, and needs no CREATE"
	case sparql.Load:
		return fmt.Sprintf("<%s> has no statements", quote.Line(string(op.Source), maxSaid))
	case sparql.Clear:
		return emptyTarget(op.Target)
	case sparql.Drop:
		return emptyTarget(op.Target)
	case sparql.Transfer:
		if op.From == op.To {
			return "it is from a graph to itself"
		}
		return emptyTarget(op.From)
	}
	return ""
}

// makesPart says which patterns of the templates of an operation make no statement, while
// others do.
func (u *updating) makesPart(op sparql.Operation) string {
	m, _ := op.(sparql.Modify)
	var idle []string
	for i, p := range slices.Concat(m.Delete, m.Insert) {
		if u.made[i] == 0 {
			idle = append(idle, patternOf(u.schema, p))
		}
	}
	if len(idle) == 0 {
		return ""
	}
	and := ""
	if len(idle) > 1 {
		and = fmt.Sprintf(" (and %d more)", len(idle)-1)
	}
	return fmt.Sprintf("{ %s }%s makes no statement: WHERE has solutions (%d), which leave a variable of it unbound, or put a literal where a node must stand", idle[0], and, u.solved)
}

// patternOf writes a pattern of a template for people.
func patternOf(s *schema.Schema, p sparql.QuadPattern) string {
	end := func(o sparql.Operand) string {
		switch {
		case o.Var != "":
			return "?" + string(o.Var)
		case o.Term == rdf.Type:
			return "a"
		}
		return value(s, o.Term)
	}
	text := end(p.Subject) + " " + end(p.Predicate) + " " + end(p.Object)
	if (p.Graph != sparql.Operand{}) {
		text = "GRAPH " + end(p.Graph) + " { " + text + " }"
	}
	return text
}

// replaces reports that an operation states everything that a graph shall have, so unchanged data is intended.
func replaces(op sparql.Operation) bool {
	t, ok := op.(sparql.Transfer)
	return ok && t.Kind != sparql.AddGraph
}

// emptyTarget says that the target has no statements that an update may remove.
func emptyTarget(t sparql.Target) string {
	switch {
	case t.All:
		return "there are no statements"
	case t.Named:
		return "there are no named graphs"
	case t.Graph == "":
		return "the default graph has no statements"
	}
	return fmt.Sprintf("there is no graph <%s>", quote.Line(string(t.Graph), maxSaid))
}
