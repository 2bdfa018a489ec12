package kg

import (
	"context"
	"fmt"
	"strings"

	"trails/kg/change"
	"trails/quote"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// maxIdle bounds the sentences of [Result.Warnings].
const maxIdle = 10

// idleness counts the edits that change nothing, and says so of the first ones.
type idleness struct {
	there, absent           int64  // statements to add that are there, and to remove that are not
	firstThere, firstAbsent string // what is so of the first one
}

// note looks at the edits of a subject that change nothing: what they assert is there.
func (i *idleness) note(ctx context.Context, src rdf.Source, s *schema.Schema, group *change.Group) error {
	asserted := map[rdf.Quad]bool{}                         // statements, and without an object their predicates
	if first := group.Edits[0].Op; first != change.Assert { // they are sorted
		for _, e := range group.Edits {
			if e.Op == change.Assert {
				asserted[e.Quad], asserted[withoutObject(e.Quad)] = true, true
			}
		}
	}
	for _, e := range group.Edits {
		switch e.Op {
		case change.Assert:
			i.isThere(s, e.Quad)
		case change.Retract, change.Clear:
			q := e.Quad
			if e.Op == change.Clear {
				q = withoutObject(q)
			}
			if asserted[q] {
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

// isThere counts a statement that is there already.
func (i *idleness) isThere(s *schema.Schema, q rdf.Quad) {
	if i.there++; i.there == 1 {
		i.firstThere = statement(s, q)
	}
}

// isAbsent counts a statement, or without an object all values of a predicate, that there is
// not.
func (i *idleness) isAbsent(ctx context.Context, src rdf.Source, s *schema.Schema, q rdf.Quad) (err error) {
	if i.absent++; i.absent == 1 {
		i.firstAbsent, err = absence(ctx, src, s, q)
	}
	return err
}

// String says why nothing was changed; "" when no edit says.
func (i *idleness) String() string {
	there := fmt.Sprintf("it is there already: %s", i.firstThere)
	if i.there > 1 {
		there = fmt.Sprintf("all %d statements to add are there already, such as %s", i.there, i.firstThere)
	}
	absent := i.firstAbsent
	if i.absent > 1 {
		absent = fmt.Sprintf("none of %d to remove is there: %s", i.absent, i.firstAbsent)
	}
	switch {
	case i.absent == 0 && i.there == 0:
		return ""
	case i.absent == 0:
		return there
	case i.there == 0:
		return absent
	}
	return there + "; " + absent
}

// valuesNamed is how many values a sentence names in the place of one that is not there.
const valuesNamed = 3

// absence says what is there in the place of a statement that is not; without an object in
// the place of all values of its predicate.
func absence(ctx context.Context, src rdf.Source, s *schema.Schema, q rdf.Quad) (string, error) {
	in := q.Label
	if in == nil {
		in = rdf.DefaultGraph
	}
	said := false
	for _, err := range src.Match(ctx, rdf.Quad{Subject: q.Subject, Label: in}) {
		if err != nil {
			return "", err
		}
		said = true
		break
	}
	node, predicate, where := quote.Line(s.NodeName(q.Subject), maxSaid), q.Predicate, inGraph(q.Label)
	if !said {
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

// unchanged returns why the change, or an operation of it, changes nothing; of one that
// names no value there is nothing to say.
func (t *transaction) unchanged() (idle []string) {
	if t.job.idle != nil {
		idle = t.job.idle()
	}
	if t.result.Changed || len(idle) > 0 {
		return idle
	}
	why := t.idle.String()
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

// isIdle notes that what the caller calls so changes nothing, unless there is no reason.
func (u *updating) isIdle(what, why string) {
	if why != "" && len(u.idle) < maxIdle {
		u.idle = append(u.idle, what+" changes nothing: "+why)
	}
}

// makesNothing says why an operation with so many solutions makes no statement to add or
// remove.
func (u *updating) makesNothing(op sparql.Operation, solutions int64) string {
	if u.silenced != "" {
		return "SILENT passes over its refusal: " + quote.Line(u.silenced, maxSaid)
	}
	switch op := op.(type) {
	case sparql.Modify:
		switch {
		case op.Where == nil:
			return "it names no statement"
		case solutions == 0:
			return "WHERE has no solution"
		}
		return fmt.Sprintf("WHERE has solutions (%d), and none makes a statement of the templates: it leaves a variable of theirs unbound, or puts a literal where a node must stand", solutions)
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

// emptyTarget says that a target has no statements that an update may remove.
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
