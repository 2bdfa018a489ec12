package sparqltest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Case is a query, and what the specification determines of its answer.
type Case struct {
	Text string
	// Keys are the columns of ORDER BY.
	Keys []Key
	// Whole is the query without LIMIT and OFFSET, "" if it has neither. The answer is then any of its rows, as many
	// as Offset and Limit leave.
	Whole         string
	Offset, Limit int
}

// Key is a column of ORDER BY.
type Key struct {
	Var        string
	Descending bool
}

// Query draws a query of any form over what [Data] draws.
func Query(t *rapid.T) Case {
	d := &drawer{T: t}
	from := d.from()
	switch d.number(9) {
	case 0:
		return Case{Text: prologue + "ASK " + from + d.group(2)}
	case 1:
		return Case{Text: prologue + "CONSTRUCT { " + d.template() + " } " + from + "WHERE " + d.group(2)}
	case 2:
		return Case{Text: prologue + "DESCRIBE " + d.one(nodes) + " " + d.variable() + " " + from + "WHERE " + d.group(1)}
	}
	body := d.selection()
	if d.in(3) {
		body = d.aggregated(2)
	}
	c := Case{}
	text := prologue + body.clause + from + body.where
	if len(body.columns) > 0 && d.in(3) {
		text += " ORDER BY"
		for _, column := range body.columns[:1+d.number(len(body.columns)-1)] {
			descending := d.in(2)
			c.Keys = append(c.Keys, Key{strings.TrimPrefix(column, "?"), descending})
			text += " " + map[bool]string{true: "DESC", false: "ASC"}[descending] + "(" + column + ")"
		}
	}
	c.Text = text
	if d.in(4) {
		c.Whole, c.Limit, c.Offset = text, d.number(6), d.number(2)
		c.Text += fmt.Sprintf(" LIMIT %d OFFSET %d", c.Limit, c.Offset)
	}
	return c
}

// selected is a SELECT query without ORDER BY, and the columns that can be keys.
type selected struct {
	text    string
	columns []string
	clause  string // the projection; the dataset comes between it and WHERE
	where   string
}

func (d *drawer) selection() selected {
	columns := d.someVars()
	projection := strings.Join(columns, " ")
	switch {
	case d.in(4):
		projection, columns = "*", nil
	case d.in(3):
		v := d.newVar()
		projection += " (" + d.expr(2) + " AS " + v + ")"
		columns = append(columns, v)
	}
	return newSelected(d.one([]string{"", "", "DISTINCT "})+projection, d.group(2), columns)
}

func newSelected(projection, where string, columns []string) selected {
	return selected{
		text:   "SELECT " + projection + " WHERE " + where,
		clause: "SELECT " + projection + " ", where: "WHERE " + where, columns: columns,
	}
}

// aggregated draws a query with GROUP BY. GROUP_CONCAT has no defined order, so only its length is compared. MIN and
// MAX are not taken of blank nodes, whose order is that of their labels.
func (d *drawer) aggregated(depth int) selected {
	v := d.newVar()
	inner := d.variable()
	number := "xsd:double(STR(" + inner + "))"
	ordered := "xsd:decimal(STR(" + inner + "))"
	named := "IF(ISBLANK(" + inner + "), 0, " + inner + ")"
	aggregate := d.one([]string{
		"COUNT(*)", "COUNT(DISTINCT *)", "COUNT(" + inner + ")", "COUNT(DISTINCT " + inner + ")",
		"SUM(" + inner + ")", "SUM(" + number + ")", "AVG(" + number + ")", "AVG(DISTINCT " + inner + ")",
		"MIN(" + ordered + ")", "MAX(" + ordered + ")", "MIN(COALESCE(" + ordered + ", 0.5))", "MAX(COALESCE(" + ordered + ", 0.5))",
		"MIN(" + named + ")", "MAX(" + named + ")", "MIN(COALESCE(" + named + ", 1))", "MAX(LCASE(STR(" + named + ")))", "COUNT(DISTINCT " + d.expr(1) + ")",
		"SUM(COALESCE(" + number + ", 1))", "COUNT(" + d.expr(1) + ")",
		"STRLEN(GROUP_CONCAT(STR(" + inner + `); SEPARATOR="--"))`, "STRLEN(GROUP_CONCAT(DISTINCT " + inner + "))",
		"SUM(?m)", "AVG(?m)", "MIN(?m)", "MAX(?m)", "COUNT(DISTINCT ?m)", "SUM(DISTINCT ?m)", "MIN(?u)", "MAX(?u)",
		"SUM(IF(" + d.condition() + ", 1, 0))", "SUM(?m) + COUNT(*)",
	})
	where := d.group(depth)
	if d.in(3) {
		return newSelected("("+aggregate+" AS "+v+")", where, []string{v})
	}
	keys := d.someVars()
	projection := strings.Join(keys, " ")
	by := projection
	if d.in(4) {
		k := d.newVar()
		projection += " " + k
		by += " (" + d.expr(1) + " AS " + k + ")"
	}
	having := ""
	if d.in(4) {
		having = " HAVING (" + d.one([]string{"COUNT(*) > 1", "COUNT(" + inner + ") >= 1", "SUM(" + number + ") < 5", "BOUND(" + keys[0] + ")"}) + ")"
	}
	return newSelected(projection+" ("+aggregate+" AS "+v+")", where+" GROUP BY "+by+having, append(keys, v))
}

func (d *drawer) from() string {
	if !d.in(6) {
		return ""
	}
	return d.times(0, 2, "", func() string { return "FROM " + d.one(graphs) + " " }) +
		d.times(0, 2, "", func() string { return "FROM NAMED " + d.one(graphs) + " " })
}

// template draws triples for CONSTRUCT and INSERT, with a blank node for each solution.
func (d *drawer) template() string {
	return d.times(1, 3, " ", func() string {
		return d.one([]string{d.variable(), d.one(nodes), "_:t"}) + " " +
			d.one([]string{d.one(predicates), d.one(predicates), d.variable()}) + " " +
			d.one([]string{d.variable(), d.one(nodes), d.one(values), "_:t"}) + " ."
	})
}
