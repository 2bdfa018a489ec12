package sparql

import "strconv"

// scope is the set of variables in scope at a place (section 18.2.1), in order of first appearance in the text.
// Variables of blank nodes are left out.
type scope struct {
	vars []Var
	seen map[Var]bool // nil while the scope is small
}

const fewVars = 12

func (s *scope) has(v Var) bool {
	if s.seen != nil {
		return s.seen[v]
	}
	for _, known := range s.vars {
		if known == v {
			return true
		}
	}
	return false
}

func (s *scope) add(v Var) {
	if v == "" || v[0] == '.' || s.has(v) {
		return
	}
	s.vars = append(s.vars, v)
	switch {
	case s.seen != nil:
		s.seen[v] = true
	case len(s.vars) > fewVars:
		s.seen = make(map[Var]bool, 2*len(s.vars))
		for _, known := range s.vars {
			s.seen[known] = true
		}
	}
}

func (s *scope) addAll(vars []Var) {
	for _, v := range vars {
		s.add(v)
	}
}

func (s *scope) addTriples(triples []triple) {
	for _, t := range triples {
		s.add(t.subject.Var)
		s.add(t.verb.Var)
		s.add(t.object.Var)
	}
}

// blocks assigns blank node labels to basic graph patterns: a label may be used in one of them only (section 5.1.1).
// A FILTER does not end a basic graph pattern.
type blocks struct {
	current, made int
	labels        map[string]int
	fresh         int
}

// begin starts a new basic graph pattern and returns its number.
func (b *blocks) begin() int {
	b.made++
	b.current = b.made
	return b.current
}

// label returns the variable for a blank node label. ok is false if another basic graph pattern uses the label.
func (b *blocks) label(label string) (Operand, bool) {
	if b.labels == nil {
		b.labels = map[string]int{}
	}
	block, known := b.labels[label]
	b.labels[label] = b.current
	return Operand{Var: Var("._" + label)}, !known || block == b.current
}

// anonymous returns a new variable that no text can name. [parser.finished] renames it.
func (b *blocks) anonymous() Operand {
	b.fresh++
	return Operand{Var: Var(".#" + strconv.Itoa(b.fresh))}
}

// blankOfPattern returns the variable for a blank node of a pattern.
func blankOfPattern(p *parser, label string, at int) Operand {
	if label == "" {
		return p.blocks.anonymous()
	}
	v, ok := p.blocks.label(label)
	if !ok {
		p.failFrom(at, "the blank node label _:"+label+" is used in another graph pattern, and cannot be shared")
	}
	return v
}
