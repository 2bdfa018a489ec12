package sparql

import (
	"maps"
	"slices"
	"strings"

	"trails/rdf"
)

// printer writes algebra as SPARQL. If the algebra came from [Parse], Parse reads the same algebra from the output.
type printer struct {
	strings.Builder
	prefixes   map[string]string // prefix by namespace
	aggregates map[Var]Aggregate // aggregates by the variable of [Group] that holds their value
	indent     int
}

func newPrinter(prefixes map[string]string) *printer {
	p := &printer{prefixes: map[string]string{}, aggregates: map[Var]Aggregate{}}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		if _, known := p.prefixes[prefixes[prefix]]; !known {
			p.prefixes[prefixes[prefix]] = prefix
		}
	}
	return p
}

// String returns the query as SPARQL. Parse returns the same query for it.
func (q *Query) String() string {
	p := newPrinter(q.Prefixes)
	p.prologue(q.Base, q.Prefixes)
	p.query(q)
	return p.Builder.String()
}

func exprText(e Expr) string {
	p := newPrinter(nil)
	p.expr(e, lowest)
	return p.Builder.String()
}

func (p *printer) prologue(base string, prefixes map[string]string) {
	if base != "" {
		p.write("BASE <", base, ">\n")
	}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		p.write("PREFIX ", prefix, ": <", prefixes[prefix], ">\n")
	}
}

// Not inlined, for the size of the binary.
//
//go:noinline
func (p *printer) write(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// maxIndent bounds the indentation, so that the text of a deep tree stays short.
const maxIndent = 40

// line begins a new line.
func (p *printer) line(parts ...string) {
	p.write("\n", strings.Repeat("  ", min(p.indent, maxIndent)))
	p.write(parts...)
}

// braces writes a block of lines.
func (p *printer) braces(lines func()) {
	p.write("{")
	p.indent++
	lines()
	p.indent--
	p.line("}")
}

func (p *printer) query(q *Query) {
	l := levelOf(q.Op, q.Form == Select)
	p.know(l.group)
	switch q.Form {
	case Select:
		p.selectClause(l)
	case Construct:
		p.write("CONSTRUCT ")
		p.template(q.Template)
	case Describe:
		p.write("DESCRIBE")
		p.described(q)
	default:
		p.write("ASK")
	}
	p.dataset("FROM", q.Dataset)
	p.rest(l)
}

func (p *printer) described(q *Query) {
	for _, v := range q.Vars {
		p.write(" ?", string(v))
	}
	for _, iri := range q.Describe {
		p.write(" ", p.iri(iri))
	}
	if len(q.Vars)+len(q.Describe) == 0 {
		p.write(" *")
	}
}

func (p *printer) template(patterns []TriplePattern) {
	p.braces(func() {
		for _, t := range patterns {
			p.triple(t)
		}
	})
}

func (p *printer) dataset(word string, d Dataset) {
	for _, iri := range d.Default {
		p.line(word, " ", p.iri(iri))
	}
	for _, iri := range d.Named {
		p.line(word, " NAMED ", p.iri(iri))
	}
}

func (p *printer) triple(t TriplePattern) {
	p.line(p.operand(t.Subject), " ", p.verb(t.Predicate), " ", p.operand(t.Object), " .")
}

func (p *printer) verb(o Operand) string {
	if o.Term == rdf.Type {
		return "a"
	}
	return p.operand(o)
}

// operand writes a variable or a term. A variable whose name begins with a dot is written as a blank node.
func (p *printer) operand(o Operand) string {
	switch {
	case o.Var == "":
		return p.term(o.Term)
	case o.Var[0] == '.':
		return "_:" + string(o.Var[1:])
	}
	return "?" + string(o.Var)
}

func (p *printer) term(t rdf.Term) string {
	switch t := t.(type) {
	case nil:
		return "UNDEF"
	case rdf.IRI:
		return p.iri(t)
	case rdf.TypedString:
		return p.typed(t)
	}
	return string(rdf.AppendTerm(nil, t))
}

// typed writes a number or boolean without quotes where the grammar allows it.
func (p *printer) typed(t rdf.TypedString) string {
	lexical := string(t.Value)
	if t.Type == rdf.XSDBoolean && (lexical == "true" || lexical == "false") || rdf.NumberType(lexical) == t.Type {
		return lexical
	}
	return string(rdf.AppendTerm(nil, t.Value)) + "^^" + p.iri(t.Type)
}

// iri writes a prefixed name if a prefix covers the IRI up to its last delimiter.
func (p *printer) iri(iri rdf.IRI) string {
	if n := strings.LastIndexAny(string(iri), "#/:") + 1; n > 0 && len(p.prefixes) > 0 {
		prefix, ok := p.prefixes[string(iri[:n])]
		if ok && isPlainLocal(string(iri[n:])) {
			return prefix + ":" + string(iri[n:])
		}
	}
	return "<" + string(iri) + ">"
}

// isPlainLocal reports whether a local name needs no escapes; it accepts a part of PN_LOCAL only.
func isPlainLocal(s string) bool {
	for i := range len(s) {
		if c := s[i]; !rdf.IsLetter(c) && !rdf.IsDigit(c) && c != '_' && (c != '-' || i == 0) {
			return false
		}
	}
	return s != ""
}
