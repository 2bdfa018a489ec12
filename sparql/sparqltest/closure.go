package sparqltest

import (
	"strings"

	"pgregory.net/rapid"
)

// Closures draws a query with mostly transitive paths (* and +), whose ends are bound in different places. It lists or
// counts the solutions.
func Closures(t *rapid.T) Case {
	d := &drawer{T: t}
	from := d.from()
	answer, group := "* ", ""
	if d.in(3) {
		v := d.variable()
		answer = d.one([]string{"(COUNT(*) AS ?all) ", "(COUNT(" + v + ") AS ?some) ", "(COUNT(DISTINCT " + v + ") AS ?different) (COUNT(*) AS ?all) "})
		if d.in(2) {
			answer, group = v+" "+answer, " GROUP BY "+v
		}
	}
	return Case{Text: prologue + "SELECT " + d.one([]string{"", "DISTINCT "}) + answer + from + "WHERE " + d.walks(2) + group}
}

// walks draws a group of transitive paths and of patterns that bind their ends.
func (d *drawer) walks(depth int) string {
	parts := []string{d.closure()}
	for range d.number(2) {
		parts = append(parts, d.besideWalks(depth-1))
	}
	if d.in(2) {
		parts = append([]string{d.besideWalks(depth - 1)}, parts...)
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

func (d *drawer) besideWalks(depth int) string {
	link := d.variable() + " " + d.one(predicates[:3]) + " " + d.variable() + " ."
	if depth < 0 {
		return link
	}
	switch d.number(9) {
	case 0, 1:
		return "OPTIONAL " + d.walks(depth)
	case 2:
		return "MINUS " + d.walks(depth)
	case 3:
		return "FILTER " + d.one([]string{"", "NOT "}) + "EXISTS " + d.walks(depth)
	case 4:
		return "GRAPH " + d.graphName() + " " + d.walks(depth)
	case 5:
		return d.walks(depth) + " UNION " + d.walks(depth)
	case 6:
		return "{ SELECT DISTINCT " + d.some() + " WHERE " + d.walks(depth) + " }"
	case 7:
		return d.inline()
	case 8:
		return d.closure()
	}
	return link
}

// closure draws a path with ?, * or +. Its two ends may be the same variable, or a term that occurs in no statement.
func (d *drawer) closure() string {
	end := func() string {
		if d.in(3) {
			return d.one(append([]string{":nowhere"}, nodes...))
		}
		return d.variable()
	}
	links := d.times(1, 3, "|", func() string { return d.one([]string{"", "", "^"}) + d.one(predicates[:3]) })
	return end() + " (" + links + ")" + d.one([]string{"?", "*", "+"}) + " " + end() + " ."
}
