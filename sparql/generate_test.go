package sparql_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGeneratedQueriesComeBack reads queries that follow the grammar and its scope
// rules at random: all must be read, and come back from their own text.
func TestGeneratedQueriesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{T: t}
		text := g.query()
		if err := roundTrip(text, textOptions, false); err != nil {
			t.Fatalf("%v\nfor\n%s", err, text)
		}
	})
}

func TestGeneratedUpdatesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{T: t}
		text := g.update()
		if err := roundTrip(text, textOptions, true); err != nil {
			t.Fatalf("%v\nfor\n%s", err, text)
		}
	})
}

// generator draws SPARQL. New names keep it within the rules on scope.
type generator struct {
	*rapid.T
	names, depth int
}

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) one(of ...string) string { return rapid.SampledFrom(of).Draw(g.T, "one") }
func (g *generator) flip() bool              { return rapid.Bool().Draw(g.T, "flip") }

// pick calls one of several; when it is deep, one of the first two, which end.
func (g *generator) pick(of ...func() string) string {
	n := len(of)
	if g.depth > 3 {
		n = min(n, 2)
	}
	g.depth++
	defer func() { g.depth-- }()
	return of[rapid.IntRange(0, n-1).Draw(g.T, "pick")]()
}

func (g *generator) times(least, most int, f func() string, separator string) string {
	parts := make([]string, rapid.IntRange(least, most).Draw(g.T, "times"))
	for i := range parts {
		parts[i] = f()
	}
	return strings.Join(parts, separator)
}

func (g *generator) maybe(f func() string) string {
	if g.flip() {
		return f()
	}
	return ""
}

func (g *generator) query() string {
	return g.pick(
		func() string { return g.selects(g.from()) },
		func() string { return "ASK " + g.from() + g.group() + g.limits() },
		func() string {
			return "CONSTRUCT {" + g.template() + "} " + g.from() + "WHERE " + g.group() + g.limits()
		},
		func() string { return "CONSTRUCT WHERE {" + g.template() + "}" },
		func() string { return "DESCRIBE " + g.one("*", ":a", "?a :b ?c") + g.from() + g.group() + g.limits() },
	)
}

func (g *generator) from() string {
	return g.maybe(func() string { return g.one(" FROM :g ", " FROM NAMED <h> FROM <g> ") })
}

func (g *generator) selects(from string) string {
	head := "SELECT " + g.one("", "DISTINCT ", "REDUCED ")
	if g.flip() {
		return head + g.one("*", "?a ?b") + from + g.group() + g.order(g.expr) + g.limits() + g.maybe(g.values)
	}
	if g.flip() {
		return head + g.times(1, 3, g.item(g.expr), " ") + "{" + g.body() + "}" + g.order(g.expr) + g.limits() + g.maybe(g.values)
	}
	having := g.maybe(func() string {
		return " HAVING " + g.times(1, 2, func() string { return "(" + g.aggregated() + ")" }, " ")
	})
	return head + "?a " + g.times(1, 3, g.item(g.aggregated), " ") + g.group() + " GROUP BY ?a " +
		g.maybe(func() string { return "(" + g.expr() + " AS ?" + g.fresh("k") + ")" }) + having +
		g.order(g.aggregated) + g.limits() + g.maybe(g.values)
}

func (g *generator) item(expr func() string) func() string {
	return func() string { return "(" + expr() + " AS ?" + g.fresh("n") + ")" }
}

func (g *generator) order(expr func() string) string {
	return g.maybe(func() string {
		return " ORDER BY " + g.times(1, 2, func() string { return g.one("", "ASC", "DESC") + "(" + expr() + ")" }, " ")
	})
}

func (g *generator) limits() string { return g.one("", " LIMIT 3", " OFFSET 2", " LIMIT 1 OFFSET 4") }

func (g *generator) subquery() string { return "{" + g.selects("") + "}" }
func (g *generator) group() string    { return " {" + g.body() + "} " }
func (g *generator) body() string     { return g.times(0, 4, g.element, " . ") }

func (g *generator) element() string {
	return g.pick(
		g.triple, g.values,
		func() string { return g.triple() + ". " + g.triple() + "; " + g.verb() + " " + g.node() + ", 2" },
		func() string { return "FILTER(" + g.expr() + ")" },
		func() string { return "OPTIONAL" + g.group() },
		func() string { return "MINUS" + g.group() },
		func() string { return "GRAPH " + g.one("?g", ":g") + g.group() },
		func() string { return "SERVICE " + g.one("SILENT ", "") + g.one("?g", "<http://s/>") + g.group() },
		func() string { return "BIND(" + g.expr() + " AS ?" + g.fresh("v") + ")" },
		func() string { return g.group() },
		func() string { return g.times(2, 3, g.group, "UNION") },
		func() string { return g.subquery() },
	)
}

func (g *generator) values() string {
	if g.flip() {
		return " VALUES ?" + g.one("a", "b") + " {" + g.times(0, 3, g.value, " ") + "}"
	}
	return " VALUES (?a ?c) {" + g.times(0, 2, func() string { return "(" + g.value() + " " + g.value() + ")" }, " ") + "}"
}

func (g *generator) value() string {
	return g.one("UNDEF", ":a", "1", "-2.5", `"x\ty"@en`, `'\\u0041'`, "true")
}

func (g *generator) triple() string { return g.node() + " " + g.verb() + " " + g.node() }

func (g *generator) template() string {
	return g.times(0, 3, func() string { return g.node() + " " + g.one("a", ":p", "?p") + " " + g.leaf() }, " . ")
}

func (g *generator) leaf() string {
	return g.one("?a", "?b", ":x", "<y>", "1", "-1.5", "'s'", `"""l"l"""@de`, "true", "[]", "()", "_:"+g.fresh("b"))
}

func (g *generator) node() string {
	return g.pick(g.leaf, g.leaf,
		func() string { return "[ :q " + g.node() + " ]" },
		func() string { return "(" + g.times(1, 3, g.node, " ") + ")" })
}

func (g *generator) verb() string {
	if g.depth == 0 || g.flip() {
		return g.one("a", ":p", "?p", ":q")
	}
	return g.path()
}

func (g *generator) path() string {
	return g.pick(
		func() string { return g.one(":p", "a", "!:p", "!(:p|^:q)", "!()") },
		func() string { return "^:p" },
		func() string { return "(" + g.path() + ")" + g.one("*", "+", "?") },
		func() string { return "(" + g.path() + "/" + g.path() + ")" },
		func() string { return "(" + g.path() + "|" + g.path() + ")" },
		func() string { return "^(" + g.path() + ")" },
		func() string { return g.path() + "/" + g.path() + "|" + g.path() },
	)
}

func (g *generator) expr() string { return g.exprOver(g.exprLeaf) }

func (g *generator) exprLeaf() string {
	return g.one("?a", "?b", ":x", "1", "-1", "+2e0", "'s'", "false", "NOW()")
}

// aggregated is an expression in which a variable is a key or stands in an aggregate.
func (g *generator) aggregated() string {
	return g.exprOver(func() string {
		return g.one("?a", "1", "COUNT(*)", "SUM(?b)", "GROUP_CONCAT(DISTINCT ?b; SEPARATOR='-')", "SAMPLE(?b + 1)", "MIN(EXISTS{?a :p []})")
	})
}

func (g *generator) exprOver(leaf func() string) string {
	again := func() string { return g.exprOver(leaf) }
	return g.pick(leaf, leaf,
		func() string {
			return "((" + again() + ")" + g.one("||", "&&", "=", "!=", " < ", ">=") + "(" + again() + "))"
		},
		func() string { return "(" + again() + g.one(" + ", " - ", " * ", " / ") + again() + ")" },
		func() string { return again() + g.one(" + ", " -", " * ", " / ", " -1 * ") + again() },
		func() string { return g.one("!", "-", "+") + "(" + again() + ")" },
		func() string {
			return "(" + again() + g.one(" IN ", " NOT IN ") + "(" + again() + ", " + again() + "))"
		},
		func() string { return g.one("STR", "ISIRI", ":f", "xsd:integer") + "(" + again() + ")" },
		func() string { return "IF(" + again() + ", " + again() + ", COALESCE(" + again() + "))" },
		func() string { return g.one("", "NOT ") + "EXISTS" + g.group() },
	)
}

func (g *generator) update() string { return g.times(0, 3, g.operation, " ; ") }

func (g *generator) operation() string {
	return g.pick(
		func() string {
			return g.one("CLEAR ALL", "DROP SILENT GRAPH :g", "CREATE GRAPH <g>", "LOAD <x> INTO GRAPH :g", "COPY :a TO DEFAULT")
		},
		func() string { return "DELETE DATA { :a :p 1 GRAPH :g { :b :q 'x' } }" },
		func() string {
			return "INSERT DATA {" + strings.ReplaceAll(g.template(), "?", ":v") + " GRAPH :g { :a :p _:x" + g.fresh("d") + " } }"
		},
		func() string { return "DELETE WHERE { ?a ?p ?c GRAPH ?g { ?a :q 1 . ?c :r 2 } ?a a 1 }" },
		func() string {
			return g.one("", "WITH :g ") + "DELETE { ?a :p ?b GRAPH ?g { ?a :p ?c } }" + g.maybe(g.insert) + g.one("", " USING :u USING NAMED :n") + " WHERE" + g.group()
		},
		func() string { return g.insert() + " WHERE" + g.group() },
	)
}

func (g *generator) insert() string { return "INSERT {" + g.template() + "}" }
