package sparql

import (
	"strconv"

	"trails/rdf"
)

// template reads ConstructTemplate. Its blank nodes are terms, which are made anew for each solution.
func (p *parser) template() []TriplePattern {
	s := sink{place: "a template", vars: true, blanks: true, blank: (&labels{}).blank}
	p.with(&s, p.bracedTriples)
	return templateOf(s.triples)
}

func (p *parser) bracedTriples() {
	p.expect("{")
	p.triples()
	p.expect("}")
}

func templateOf(triples []triple) []TriplePattern {
	var patterns []TriplePattern
	for _, t := range triples {
		patterns = append(patterns, TriplePattern{t.subject, t.verb, t.object})
	}
	return patterns
}

// templateAsPattern reads the template behind CONSTRUCT WHERE, which is the pattern as well.
func (p *parser) templateAsPattern(l *level) []TriplePattern {
	names := &labels{}
	terms := map[Operand]Operand{}
	s := sink{place: "a template", vars: true, blanks: true}
	s.blank = func(p *parser, label string, at int) Operand {
		v := blankOfPattern(p, label, at)
		terms[v] = names.blank(p, label, at)
		return v
	}
	p.blocks.begin()
	p.with(&s, p.bracedTriples)
	l.scope.addTriples(s.triples)
	pattern := BGP{templateOf(s.triples)}
	l.op = pattern
	var out []TriplePattern
	for _, t := range pattern.Patterns {
		if s, ok := terms[t.Subject]; ok {
			t.Subject = s
		}
		if o, ok := terms[t.Object]; ok {
			t.Object = o
		}
		out = append(out, t)
	}
	return out
}

// labels numbers the blank nodes of a template in order of appearance.
type labels struct {
	known map[string]rdf.BNode
	n     int
}

// dataNodes are the blank nodes of the INSERT DATA operations so far. Two operations must not use the same label
// (section 19.6), and their nodes are distinct.
type dataNodes struct {
	seen map[string]bool
	n    int
}

// insertData reads INSERT DATA; both keywords have been read.
func (p *parser) insertData() []QuadPattern {
	mine := &labels{n: p.data.n}
	s := &sink{place: "INSERT DATA", blanks: true}
	s.blank = func(p *parser, label string, at int) Operand {
		if label != "" && p.data.seen[label] {
			p.failFrom(at, "the blank node label _:"+label+" is used in another INSERT DATA, and cannot be shared")
		}
		return mine.blank(p, label, at)
	}
	quads := p.quads(s)
	p.data.n = mine.n
	for label := range mine.known {
		if p.data.seen == nil {
			p.data.seen = map[string]bool{}
		}
		p.data.seen[label] = true
	}
	return quads
}

func (l *labels) blank(_ *parser, label string, _ int) Operand {
	if node, ok := l.known[label]; ok {
		return Operand{Term: node}
	}
	node := rdf.BNode("b" + strconv.Itoa(l.n))
	l.n++
	if label != "" {
		if l.known == nil {
			l.known = map[string]rdf.BNode{}
		}
		l.known[label] = node
	}
	return Operand{Term: node}
}
