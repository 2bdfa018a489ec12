package sparqltest

import (
	"fmt"
	"strings"
)

var variables = []string{"?a", "?b", "?c", "?d", "?e"}

// uniformVars are variables whose values are all of one kind.
var uniformVars = map[string]string{":n": "?m", ":t": "?u"}

// group draws a group graph pattern; it may hold others as deep as depth says.
func (d *drawer) group(depth int) string {
	var parts []string
	if depth == 0 || !d.in(8) {
		parts = append(parts, d.triples())
	}
	for range d.number(2) {
		if depth > 0 {
			parts = append(parts, d.element(depth-1))
		}
	}
	if d.in(3) {
		parts = append(parts, "FILTER("+d.condition()+")")
	}
	if d.in(5) {
		parts = append(parts, d.bind())
	}
	if d.in(8) {
		parts = append(parts, d.absent())
	}
	if d.in(8) {
		parts = append(parts, d.variable()+" "+d.one(predicates)+" "+d.variable()+" FILTER("+d.alike()+")")
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

// absent draws the negation of SPARQL 1.0: OPTIONAL with !BOUND.
func (d *drawer) absent() string {
	condition := d.one([]string{"", "FILTER(" + d.alike() + ")", "FILTER(" + d.alike() + " && " + d.condition() + ")"})
	return "OPTIONAL { " + d.triples() + " " + condition + " } FILTER(!BOUND(" + d.variable() + "))"
}

// alike draws a condition that two variables are equal.
func (d *drawer) alike() string {
	return fmt.Sprintf(d.one([]string{"%s = %s", "%s = %s", "sameTerm(%s, %s)"}), d.variable(), d.variable())
}

func (d *drawer) element(depth int) string {
	switch d.number(14) {
	case 0, 1, 10:
		return "OPTIONAL " + d.group(depth)
	case 2, 11:
		return d.group(depth) + " UNION " + d.group(depth)
	case 3:
		return "MINUS " + d.group(depth)
	case 4, 5:
		inside := d.group(depth)
		if d.in(4) {
			inside = "{ " + d.subquery(depth) + " }"
		}
		return "GRAPH " + d.graphName() + " " + inside
	case 6:
		return "FILTER " + d.one([]string{"", "NOT "}) + "EXISTS " + d.exists(depth)
	case 7:
		return d.inline()
	case 8:
		return "{ " + d.subquery(depth) + " }"
	case 9:
		return d.group(depth)
	case 12:
		return d.bind()
	}
	return d.triples()
}

// bind draws a new variable that later patterns and expressions may use.
func (d *drawer) bind() string {
	e := d.one([]string{d.expr(2), d.leaf(), d.condition()})
	v := d.newVar()
	d.bound = append(d.bound, v)
	return "BIND(" + e + " AS " + v + ")"
}

func (d *drawer) graphName() string {
	if d.in(2) {
		return d.one([]string{"?g", "?a"})
	}
	return d.one(append(graphs, graphs[0], graphs[1], ":nowhere"))
}

// exists draws EXISTS. Section 18.6 contradicts itself about subqueries, inline data and MINUS inside EXISTS; the
// engine must read them as package naive does.
func (d *drawer) exists(depth int) string {
	parts := []string{d.triples()}
	if depth > 0 && d.in(2) {
		parts = append(parts, d.one([]string{"OPTIONAL ", "", "GRAPH " + d.graphName() + " ", d.exists(depth-1) + " UNION ", "MINUS ", "FILTER EXISTS ", "FILTER NOT EXISTS "})+d.exists(depth-1))
	}
	if d.in(3) {
		parts = append(parts, "FILTER("+d.condition()+")")
	}
	if d.in(6) {
		parts = append(parts, d.one([]string{d.inline(), "{ " + d.subquery(0) + " }"}))
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

func (d *drawer) triples() string {
	return d.times(1, 2, " ", d.triple)
}

func (d *drawer) triple() string {
	subject := d.variable()
	if d.in(6) {
		subject = d.one(append(nodes, "_:n", "[]"))
	}
	if strings.HasPrefix(subject, "_:") { // a label may occur in one pattern only
		d.fresh++
		subject = fmt.Sprintf("_:n%d", d.fresh)
	}
	verb := d.one(predicates)
	if uniform[verb] != nil && d.in(2) {
		return subject + " " + verb + " " + uniformVars[verb] + " ."
	}
	switch {
	case d.in(12):
		return d.closure()
	case d.in(5):
		verb = d.path(2)
	case d.in(4):
		verb = d.variable()
	}
	return subject + " " + verb + " " + d.object() + " ."
}

func (d *drawer) variable() string {
	if len(d.bound) > 0 && d.in(8) {
		return d.one(d.bound)
	}
	return d.one(variables)
}

func (d *drawer) object() string {
	switch d.number(13) {
	case 0:
		return d.one(nodes)
	case 1:
		return d.one(values)
	}
	return d.variable()
}

func (d *drawer) path(depth int) string {
	link := d.one(predicates)
	if depth == 0 {
		return link
	}
	switch d.number(6) {
	case 0:
		return "^" + d.primary(depth)
	case 1:
		return d.primary(depth) + "/" + d.primary(depth)
	case 2:
		return d.primary(depth) + "|" + d.primary(depth)
	case 3:
		return d.primary(depth) + d.one([]string{"?", "*", "+"})
	case 4:
		return "!" + d.one([]string{link, "^" + link, "(" + link + "|" + d.one(predicates) + ")", "(" + link + "|^" + d.one(predicates) + ")"})
	}
	return link
}

func (d *drawer) primary(depth int) string { return "(" + d.path(depth-1) + ")" }

func (d *drawer) inline() string {
	value := func() string {
		if d.in(6) {
			return "UNDEF"
		}
		return d.one(append(append(nodes, ":nowhere"), values[:8]...))
	}
	if d.in(2) {
		return "VALUES " + d.variable() + " { " + d.times(0, 3, " ", value) + " }"
	}
	return "VALUES (?a ?b) { " + d.times(0, 3, " ", func() string { return "(" + value() + " " + value() + ")" }) + " }"
}

// subquery draws a subquery whose rows the specification determines.
func (d *drawer) subquery(depth int) string {
	switch d.number(5) {
	case 0, 1:
		return d.aggregated(depth).text
	case 2, 3:
		n := d.newVar()
		value, where := d.one([]string{"STR(%)", "STRLEN(STR(%))", "isIRI(%)", "IF(BOUND(%), 1, 2)"}), d.group(depth)
		if d.in(4) {
			value, where = "COUNT(%)", where+d.one([]string{"", " GROUP BY " + d.variable()})
		}
		return "SELECT " + d.one([]string{"", "DISTINCT "}) + "(" + strings.Replace(value, "%", d.variable(), 1) + " AS " + n + ") WHERE " + where + " ORDER BY " + d.one([]string{"", "DESC"}) + "(" + n + ")" + d.one([]string{" LIMIT 0", " LIMIT 1", " LIMIT 2", " LIMIT 3", ""}) + d.one([]string{"", " OFFSET 1", " OFFSET 2"})
	}
	return "SELECT " + d.one([]string{"", "DISTINCT "}) + d.some() + " WHERE " + d.group(depth)
}

// some draws a selection of variables, without repeats.
func (d *drawer) some() string { return strings.Join(d.someVars(), " ") }

func (d *drawer) someVars() []string {
	var out []string
	for _, v := range append(variables[:len(variables):len(variables)], "?m", "?u") {
		if d.in(2) {
			out = append(out, v)
		}
	}
	if out == nil {
		return []string{d.variable()}
	}
	return out
}
