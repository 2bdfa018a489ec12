package sparql

import (
	"strings"

	"trails/rdf"
)

// Places holds the byte offsets of the expressions, patterns and terms of a text. The zero value has none.
type Places struct{ at map[string]int }

// PlacesIn parses a query or an update again and records its offsets. Parameters are bound as in [Query.Bind]. An
// invalid text has no offsets.
func PlacesIn(text string, opts Options, params map[Var]rdf.Term) Places {
	form := FormOf(text)
	p, err := newParser(text, opts)
	if err != nil || len(text) > maxShared {
		return Places{}
	}
	p.placing = &placing{binder: newBinder(params), at: map[string]int{}}
	if form != "" {
		p.query()
	} else {
		p.update()
	}
	return Places{p.placing.at}
}

// OfExpr returns the byte offset of the first occurrence of an expression.
func (p Places) OfExpr(e Expr) (at int, ok bool) {
	if t, constant := e.(TermExpr); constant {
		return p.OfTerm(t.Term)
	}
	at, ok = p.at[exprText(e)]
	return at, ok
}

// OfPattern returns the byte offset of the object of the first occurrence of a triple pattern.
func (p Places) OfPattern(t TriplePattern) (at int, ok bool) {
	at, ok = p.at[placeOfTriple(t)]
	return at, ok
}

// OfTerm returns the byte offset of the first occurrence of a term.
func (p Places) OfTerm(t rdf.Term) (at int, ok bool) {
	at, ok = p.at[placeOfTerm(t)]
	return at, ok
}

// placing records offsets during a parse. Long is the total size of the recorded expressions.
type placing struct {
	*binder
	at   map[string]int
	long int
}

// maxPlaced bounds the total size of the recorded expressions, each of which contains those inside it.
const maxPlaced = 1 << 20

func (p *placing) note(key string, at int) {
	p.long += len(key)
	if _, known := p.at[key]; !known {
		p.at[key] = at
	}
}

// placeExpr records the offset of an expression, and returns the expression.
func (p *parser) placeExpr(e Expr, at int) Expr {
	if p.placing != nil && p.failed == nil && p.placing.long < maxPlaced {
		p.placing.note(exprText(p.placing.expr(e)), p.writtenAt(at))
	}
	return e
}

// placeTerm records the offset of a term.
func (p *parser) placeTerm(t rdf.Term, at int) rdf.Term {
	if p.placing != nil && p.failed == nil {
		p.placing.note(placeOfTerm(t), p.writtenAt(at))
	}
	return t
}

// placeTriple records a triple pattern at its object, which may be far behind its subject.
func (p *parser) placeTriple(t triple, at int) {
	if p.placing == nil || p.failed != nil {
		return
	}
	pattern := TriplePattern{t.subject, t.verb, t.object}
	link, isLink := t.path.(Link)
	switch {
	case isLink:
		pattern.Predicate = Operand{Term: link.IRI}
	case t.path != nil:
		return
	}
	p.placing.note(placeOfTriple(pattern.each(p.placing.operand)), p.writtenAt(at))
}

func placeOfTerm(t rdf.Term) string {
	if t == nil {
		return ""
	}
	return string(rdf.AppendTerm([]byte("term "), t))
}

func placeOfTriple(t TriplePattern) string {
	var key strings.Builder
	for _, o := range []Operand{t.Subject, t.Predicate, t.Object} {
		switch {
		case o.Var == "":
			key.WriteString(placeOfTerm(o.Term))
		case o.Var[0] == '.':
			key.WriteString("[]")
		default:
			key.WriteString("?" + string(o.Var))
		}
		key.WriteByte(' ')
	}
	return key.String()
}
