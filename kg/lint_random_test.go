package kg_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/sparql"
	"trails/sparql/lint"
)

// lintedSchema has subtypes, lists of values, references in both directions, a property of two
// types with two datatypes, and one of another vocabulary.
const lintedSchema = `
prefixes: {foaf: "http://xmlns.com/foaf/0.1/"}
types:
  Software:
    abstract: true
    label: name
    properties:
      name: {type: string, required: true}
      kind: {type: string, one_of: [free, paid]}
  Malware:
    extends: Software
    properties:
      year: {type: integer}
      uses: {class: Technique, many: true}
      score: {type: number, min_value: 1}
  Worm:
    extends: Malware
    properties:
      seen: {type: date}
  Tool:
    extends: Software
    properties:
      year: {type: year}
      active: {type: boolean}
  Technique:
    label: name
    properties:
      name: {type: string}
      used_by: {class: Group, many: true}
      words: {type: lang_string, many: true, languages: [en, de]}
  Group:
    properties:
      called: {type: string, predicate: "http://xmlns.com/foaf/0.1/name"}
      wields: {class: Software, many: true}
      near: {type: iri}
`

// lintedProperties are the properties of each type, each with values as Turtle writes them; a
// type's name stands for one of its nodes.
var lintedProperties = map[string]map[string][]string{
	"Malware":   {":name": {`"a"`, `"b"`}, ":kind": {`"free"`, `"paid"`}, ":year": {"1", "2"}, ":uses": {"Technique"}, ":score": {"1e0", "2e0"}},
	"Worm":      {":name": {`"a"`}, ":kind": {`"free"`}, ":year": {"1"}, ":uses": {"Technique"}, ":score": {"1e0"}, ":seen": {`"2020-01-01"^^xsd:date`}},
	"Tool":      {":name": {`"a"`, `"c"`}, ":kind": {`"paid"`}, ":year": {`"2020"^^xsd:gYear`}, ":active": {"true", "false"}},
	"Technique": {":name": {`"t"`, `"a"`}, ":used_by": {"Group"}, ":words": {`"w"@de`, `"w"@en-GB`}},
	"Group":     {"foaf:name": {`"g"`}, ":wields": {"Malware", "Worm", "Tool"}, ":near": {"Group", "Tool", "<urn:elsewhere>"}},
}

var (
	lintedTypes    = []string{"Malware", "Worm", "Tool", "Technique", "Group"}
	lintedClasses  = append([]string{"Software"}, lintedTypes...)
	lintedNames    = []string{":name", ":kind", ":year", ":uses", ":score", ":seen", ":active", ":used_by", ":words", "foaf:name", ":wields", ":near"}
	lintedLiterals = []string{`"a"`, `"free"`, `"other"`, `"a"@en`, `"w"@de`, "1", "2", "1.0", "1e0", "true", `"2020-01-01"^^xsd:date`, `"2020"^^xsd:gYear`, `"1"`}
	lintedSigns    = []string{"=", "!=", "<", ">", "<=", ">="}
)

const lintedPrologue = `PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX foaf: <http://xmlns.com/foaf/0.1/> PREFIX : <` + base + "> "

// drawNodes draws statements that fit lintedSchema, each as the texts of its three terms: two
// nodes of each type, all with a name where they need one.
func drawNodes(t *rapid.T) (statements [][3]string) {
	node := func(name string) string {
		return fmt.Sprintf("<%s%s/%d>", base, name, rapid.IntRange(1, 2).Draw(t, "node"))
	}
	for _, name := range lintedTypes {
		for i := range 2 {
			subject := fmt.Sprintf("<%s%s/%d>", base, name, i+1)
			statements = append(statements, [3]string{subject, "a", ":" + name})
			for _, property := range lintedNames {
				values := lintedProperties[name][property]
				if len(values) == 0 || property != ":name" && rapid.IntRange(0, 2).Draw(t, "has") == 0 {
					continue
				}
				value := rapid.SampledFrom(values).Draw(t, "value")
				if lintedProperties[value] != nil {
					value = node(value)
				}
				statements = append(statements, [3]string{subject, property, value})
			}
		}
	}
	return statements
}

// drawGraph makes a graph of statements that its schema allows.
func drawGraph(t *rapid.T, tb testing.TB) (*kg.Graph, [][3]string) {
	g, statements := newGraph(tb, lintedSchema), drawNodes(t)
	var data strings.Builder
	for _, s := range statements {
		data.WriteString(s[0] + " " + s[1] + " " + s[2] + " . ")
	}
	u, err := sparql.ParseUpdate(lintedPrologue+"INSERT DATA { "+data.String()+"}", sparql.Options{})
	if err == nil {
		_, err = g.Session(ana).Update(tb.Context(), u, kg.ChangeSet{}, kg.UpdateOptions{})
	}
	if err != nil {
		t.Fatalf("the data does not fit: %v\n%s", err, data.String())
	}
	return g, statements
}

// lintAndAsk returns the warnings of a query, and how many solutions it has.
func lintAndAsk(t *rapid.T, tb testing.TB, g *kg.Graph, text string) (warnings []lint.Warning, solutions int) {
	err := g.Session(ana).View(tb.Context(), func(s *kg.Snapshot) error {
		q, err := s.ParseQuery(text, "")
		if err != nil {
			return err
		}
		if warnings, err = s.LintQuery(tb.Context(), q, kg.QueryOptions{}); err != nil {
			return err
		}
		a, err := s.Query(tb.Context(), q, kg.QueryOptions{})
		if err != nil {
			return err
		}
		for _, err := range a.Rows(tb.Context()) {
			if err != nil {
				return err
			}
			solutions++
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return warnings, solutions
}

// TestWhatIsSaidNeverToMatchDoesNot asks queries drawn from the words of a schema of data that
// fits it: one that is said to have no solutions has none.
func TestWhatIsSaidNeverToMatchDoesNot(t *testing.T) {
	testrun.Alone(t)
	said := 0
	rapid.Check(t, func(rt *rapid.T) {
		g, _ := drawGraph(rt, t)
		for range 12 {
			text := lintedPrologue + "SELECT * { " + drawPattern(rt, 2) + "}"
			warnings, solutions := lintAndAsk(rt, t, g, text)
			for _, w := range warnings {
				if w.Empties {
					said++
				}
				if w.Empties && solutions > 0 {
					rt.Fatalf("%s\nhas %d solutions, and %s", text, solutions, w.Text)
				}
			}
		}
	})
	if said < 50 {
		t.Errorf("only %d patterns were said never to match", said)
	}
}

// drawPattern draws a group of triple patterns with conditions, and groups inside it. Each depth has
// a variable of its own for what BIND and SELECT compute.
func drawPattern(t *rapid.T, depth int) string {
	variable := func() string { return rapid.SampledFrom([]string{"?a", "?b", "?c"}).Draw(t, "variable") }
	node := func() string {
		return fmt.Sprintf("<%s%s/1>", base, rapid.SampledFrom(lintedTypes).Draw(t, "type"))
	}
	var out strings.Builder
	for range rapid.IntRange(1, 3).Draw(t, "patterns") {
		subject, predicate, object := variable(), rapid.SampledFrom(lintedNames).Draw(t, "property"), variable()
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2:
			predicate, object = "a", ":"+rapid.SampledFrom(lintedClasses).Draw(t, "class")
		case 3, 4:
			object = rapid.SampledFrom(lintedLiterals).Draw(t, "literal")
		case 5:
			object = node()
		case 6:
			subject = node()
		case 8:
			predicate += "+"
		case 7:
			predicate += "/" + rapid.SampledFrom(lintedNames).Draw(t, "property")
		}
		fmt.Fprintf(&out, "%s %s %s . ", subject, predicate, object)
	}
	sign := rapid.SampledFrom(lintedSigns).Draw(t, "sign")
	fresh := fmt.Sprintf("?d%d", depth)
	switch kind := rapid.IntRange(0, 18).Draw(t, "more"); {
	case kind < 3:
		fmt.Fprintf(&out, "FILTER(%s %s %s) ", variable(), sign, rapid.SampledFrom(lintedLiterals).Draw(t, "literal"))
	case kind == 3:
		fmt.Fprintf(&out, "FILTER(%s %s %s) ", variable(), sign, variable())
	case kind == 4:
		fmt.Fprintf(&out, "FILTER(%s(%s, \"a\")) ", rapid.SampledFrom([]string{"CONTAINS", "REGEX", "STRSTARTS"}).Draw(t, "function"), variable())
	case kind == 5:
		fmt.Fprintf(&out, "FILTER(%s IN (%s, %s)) ", variable(), rapid.SampledFrom(lintedLiterals).Draw(t, "literal"), node())
	case kind == 6:
		fmt.Fprintf(&out, "VALUES %s { %s } ", variable(), rapid.SampledFrom(lintedLiterals).Draw(t, "literal"))
	case kind == 13:
		fmt.Fprintf(&out, "FILTER(%s) ", drawCondition(t, 2))
	case kind == 14:
		fmt.Fprintf(&out, "BIND(%s AS %s) FILTER(%s %s %s) ", drawExpression(t, 2), fresh, fresh, sign, drawExpression(t, 1))
	case kind == 15:
		fmt.Fprintf(&out, "BIND(%s AS %s) ?a %s %s . ", rapid.SampledFrom(lintedLiterals).Draw(t, "literal"), fresh, rapid.SampledFrom(lintedNames).Draw(t, "property"), fresh)
	case depth == 0:
	case kind == 16:
		aggregate := rapid.SampledFrom([]string{"COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"}).Draw(t, "aggregate")
		v := variable()
		fmt.Fprintf(&out, "{ SELECT %s (%s(%s) AS %s) { %s} GROUP BY %s HAVING (%s(%s) %s %s) } FILTER(%s %s %s) ",
			v, aggregate, variable(), fresh, drawPattern(t, depth-1), v, aggregate, variable(), sign, drawExpression(t, 0), fresh, sign, drawExpression(t, 1))
	case kind == 17:
		fmt.Fprintf(&out, "OPTIONAL { %sFILTER(%s) } ", drawPattern(t, depth-1), drawCondition(t, 1))
	case kind == 18:
		fmt.Fprintf(&out, "FILTER EXISTS { %sFILTER(%s) } ", drawPattern(t, depth-1), drawCondition(t, 1))
	case kind == 7:
		fmt.Fprintf(&out, "OPTIONAL { %s} ", drawPattern(t, depth-1))
	case kind == 8:
		fmt.Fprintf(&out, "{ %s} UNION { %s} ", drawPattern(t, depth-1), drawPattern(t, depth-1))
	case kind == 9:
		fmt.Fprintf(&out, "{ SELECT %s { %s} } ", variable(), drawPattern(t, depth-1))
	case kind == 10:
		fmt.Fprintf(&out, "MINUS { %s} ", drawPattern(t, depth-1))
	case kind == 11:
		fmt.Fprintf(&out, "FILTER NOT EXISTS { %s} ", drawPattern(t, depth-1))
	case kind == 12:
		fmt.Fprintf(&out, "{ %s} ", drawPattern(t, depth-1))
	}
	return out.String()
}

// TestWhatTheDataHasIsNotComplainedOf asks for statements of the data with variables for some of
// their terms: nothing is said of such a query, but that a type leaves out its subtypes.
func TestWhatTheDataHasIsNotComplainedOf(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(rt *rapid.T) {
		g, statements := drawGraph(rt, t)
		for range 6 {
			text := lintedPrologue + "SELECT * { " + drawKnown(rt, statements) + "}"
			warnings, solutions := lintAndAsk(rt, t, g, text)
			if solutions == 0 {
				rt.Fatalf("%s has no solutions", text)
			}
			for _, w := range warnings {
				if !strings.Contains(w.Text, "leaves out") {
					rt.Fatalf("%s\nhas %d solutions, and %s", text, solutions, w.Text)
				}
			}
		}
	})
}

// drawKnown draws patterns that statements match together: each term is a variable of its own,
// or itself.
func drawKnown(t *rapid.T, statements [][3]string) string {
	vars := map[string]string{}
	end := func(term string) string {
		if vars[term] == "" {
			vars[term] = term
			if rapid.IntRange(0, 3).Draw(t, "constant") > 0 {
				vars[term] = fmt.Sprintf("?v%d", len(vars))
			}
		}
		return vars[term]
	}
	var out, conditions strings.Builder
	for range rapid.IntRange(1, 5).Draw(t, "patterns") {
		s := rapid.SampledFrom(statements).Draw(t, "statement")
		object := s[2]
		if s[1] != "a" {
			object = end(s[2])
		}
		fmt.Fprintf(&out, "%s %s %s . ", end(s[0]), s[1], object)
		if object != s[2] && !strings.HasPrefix(s[2], "<") {
			fmt.Fprintf(&conditions, "FILTER(%s = %s) ", object, s[2])
		}
	}
	return out.String() + conditions.String()
}

// drawExpression draws an expression of the variables of patterns, and of one that none binds.
func drawExpression(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return rapid.OneOf(rapid.SampledFrom([]string{"?a", "?b", "?c", "?z"}), rapid.SampledFrom(lintedLiterals),
			rapid.SampledFrom([]string{`"x"^^xsd:integer`, `"2020"^^xsd:date`, `"urn:trails:t:Tool/1"`, `"Tool/1"`, `"A"`, "xsd:string", "-1", "0", "13", "1.5"})).Draw(t, "term")
	}
	one := rapid.SampledFrom([]string{
		"STR(%s)", "LCASE(%s)", "UCASE(%s)", "STRLEN(%s)", "DATATYPE(%s)", "LANG(%s)", "YEAR(%s)", "MONTH(%s)", "DAY(%s)", "CEIL(%s)", "MD5(%s)", "TZ(%s)", "ABS(%s)", "-(%s)", "xsd:string(%s)", "xsd:integer(%s)",
		"xsd:date(%s)", "xsd:boolean(%s)", "%s + %s", "%s * %s", "CONCAT(%s, %s)", "SUBSTR(%s, 1)", "COALESCE(%s, %s)", "IF(%s, %s, %s)", "STRAFTER(%s, %s)",
	}).Draw(t, "function")
	args := []any{drawExpression(t, depth-1), drawExpression(t, depth-1), drawExpression(t, depth-1)}
	return "(" + fmt.Sprintf(one, args[:strings.Count(one, "%s")]...) + ")"
}

// drawCondition draws a condition.
func drawCondition(t *rapid.T, depth int) string {
	if depth > 0 {
		switch rapid.IntRange(0, 5).Draw(t, "joined") {
		case 0:
			return drawCondition(t, depth-1) + " && " + drawCondition(t, depth-1)
		case 1:
			return "(" + drawCondition(t, depth-1) + " || " + drawCondition(t, depth-1) + ")"
		case 2:
			return "!(" + drawCondition(t, depth-1) + ")"
		}
	}
	one := rapid.SampledFrom([]string{
		"%s = %s", "%s != %s", "%s < %s", "%s >= %s", "%s IN (%s, %s)", "%s NOT IN (%s)", "SAMETERM(%s, %s)", "ISIRI(%s)", "ISLITERAL(%s)", "ISNUMERIC(%s)", "ISBLANK(%s)",
		"CONTAINS(%s, %s)", "STRSTARTS(%s, %s)", "REGEX(%s, %s)", "LANGMATCHES(LANG(%s), \"en\")", "LANG(%s) = \"de\"", "\"EN-gb\" = LANG(%s)", "LANGMATCHES(LANG(%s), \"de-AT\")", "BOUND(?a)", "!BOUND(?b)", "%s",
	}).Draw(t, "condition")
	args := []any{drawExpression(t, depth), drawExpression(t, depth), drawExpression(t, depth)}
	return fmt.Sprintf(one, args[:strings.Count(one, "%s")]...)
}
