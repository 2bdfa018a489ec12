package lower_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/db/lower"
	"trails/db/plan"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

var prefixes = map[string]string{"": "http://example.org/", "xsd": string(rdf.XSDNS)}

// TestLower holds the SQL of queries, rewritten as they are when they are run. The option "integers" names predicates whose
// objects are all inline integers, "scans" lets scans be chosen, "rows" the rows of patterns: p=100 of ?s :p ?o, p/c=5 of ?s :p :c,
// "subjects" how many subjects predicates have, "within" the rows of every range.
func TestLower(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			q, err := sparql.Parse(d.Input, sparql.Options{Prefixes: prefixes})
			if err != nil {
				t.Fatal(err)
			}
			opts, asked := lower.Options{Dataset: q.Dataset, Scans: lower.ScansNever, View: d.HasArg("view")}, map[sparql.TriplePattern]float64{}
			if d.HasArg("scans") {
				opts.Scans = lower.ScansChosen
			}
			if d.HasArg("integers") {
				opts.Region = integers(d)
			}
			if d.HasArg("rows") {
				of := rows(t, d, "rows")
				opts.Stats = func(p sparql.TriplePattern) float64 {
					asked[p] = of(p)
					return asked[p]
				}
			}
			if d.HasArg("within") {
				var n int
				d.ScanArgs(t, "within", &n)
				opts.Within = func(rdf.IRI, lower.Region, []lower.Bound) float64 { return float64(n) }
			}
			if d.HasArg("subjects") {
				of := rows(t, d, "subjects")
				opts.Subjects = func(p rdf.IRI) float64 {
					return of(sparql.TriplePattern{Predicate: sparql.Operand{Term: p}})
				}
			}
			made, err := lower.Lower(opt.Rewrite(q.Op, q.Vars), q.Vars, opts)
			if err != nil {
				return err.Error() + "\n"
			}
			opts.Explain = true
			if opts.Stats != nil { // estimates are shown of patterns whose rows no decision needs
				opts.Stats = func(p sparql.TriplePattern) float64 { return asked[p] }
			}
			explained, err := lower.Lower(opt.Rewrite(q.Op, q.Vars), q.Vars, opts)
			if got := withoutCounts(explained.SQL); err != nil || got != made.SQL || explained.Root == nil {
				t.Fatalf("%s: explained, it is\n%s\nnot\n%s\n%v", d.Pos, got, made.SQL, err)
			}
			choicesAreKept(t, explained.Root)
			return show(made)
		})
	})
}

// choicesAreKept holds what runs each operator to what was estimated.
func choicesAreKept(t *testing.T, n *plan.Node) {
	t.Helper()
	if c := n.Choice; c != nil && (n.Emitter == plan.Scan) != (c.Scan < c.SQL && c.Against == "") {
		t.Errorf("%s by %s, of %+v", n.Kind, n.Emitter, *c)
	}
	for _, child := range n.Children {
		choicesAreKept(t, child)
	}
}

// seen is a condition that counts; it has a column, or a subquery of one.
var seen = regexp.MustCompile(`likelihood\(t_seen\([^()]*(\(SELECT [^()]*\))?\), 1\.0\)`)

// withoutCounts removes from a statement what counts for an explanation.
func withoutCounts(sql string) string {
	sql = seen.ReplaceAllString(sql, "SEEN")
	for _, of := range []string{" AND SEEN", "SEEN AND ", " WHERE SEEN", ", 1 AS t_n", ", key AS t_n"} {
		sql = strings.ReplaceAll(sql, of, "")
	}
	return sql
}

func integers(d *datadriven.TestData) func(rdf.IRI) lower.Region {
	var names string
	for _, arg := range d.CmdArgs {
		names += strings.Join(arg.Vals, " ")
	}
	return func(p rdf.IRI) lower.Region {
		if strings.Contains(names, strings.TrimPrefix(string(p), prefixes[""])) {
			return lower.Region(rdf.XSDInteger)
		}
		return ""
	}
}

func rows(t *testing.T, d *datadriven.TestData, key string) func(sparql.TriplePattern) float64 {
	of := map[string]float64{}
	for _, arg := range d.CmdArgs {
		if arg.Key != key {
			continue
		}
		for _, val := range arg.Vals {
			name, n, _ := strings.Cut(val, "=")
			rows, err := strconv.ParseFloat(n, 64)
			if err != nil {
				t.Fatal(err)
			}
			of[name] = rows
		}
	}
	local := func(term rdf.Term) string { return strings.TrimPrefix(rdf.Lexical(term), prefixes[""]) }
	return func(p sparql.TriplePattern) float64 {
		if p.Predicate.Term == nil {
			return 1e6
		}
		name := local(p.Predicate.Term)
		if p.Object.Term != nil {
			name += "/" + local(p.Object.Term)
		}
		n, ok := of[name]
		if !ok {
			t.Errorf("%s: no %s of %s", d.Pos, key, name)
		}
		return n
	}
}

// clauses begin a line of their own.
var clauses = strings.NewReplacer(" FROM ", "\n  FROM ", " WHERE ", "\n  WHERE ", " CROSS JOIN ", "\n  CROSS JOIN ",
	" LEFT JOIN ", "\n  LEFT JOIN ", " UNION ", "\n  UNION ", " ORDER BY ", "\n  ORDER BY ", " GROUP BY ", "\n  GROUP BY ")

func show(p lower.Plan) string {
	var out strings.Builder
	out.WriteString(clauses.Replace(p.SQL) + "\n")
	for i, a := range p.Args {
		fmt.Fprintf(&out, "?%d = %s\n", i+1, argument(a))
	}
	for i := range p.Programs {
		fmt.Fprintf(&out, "t_scan %d reads%s\n", i, p.Programs[i].Text(nil))
	}
	if list := p.Listing; list != nil {
		fmt.Fprintf(&out, "lists t_scan %d:", list.Program)
		for _, c := range list.Columns {
			switch {
			case c.Place == 0:
				out.WriteString(" NULL")
			case c.Plus == 0:
				fmt.Fprintf(&out, " c%d", c.Place-1)
			default:
				fmt.Fprintf(&out, " c%d+?%d", c.Place-1, c.Plus)
			}
		}
		out.WriteByte('\n')
	}
	for i, e := range p.Exprs {
		fmt.Fprintf(&out, "expression %d of %v\n", i, e.Vars)
	}
	return out.String()
}

func argument(a lower.Arg) string {
	switch {
	case a.Region != "":
		end := "first"
		if a.High {
			end = "last"
		}
		text := end + " of " + strings.TrimPrefix(string(a.Region), string(rdf.XSDNS))
		for _, b := range a.Bounds {
			text += " " + string(b.Func) + " " + rdf.Lexical(b.Term)
		}
		return text
	case a.Rows != nil:
		text := "rows"
		for _, row := range a.Rows {
			text += " ("
			for i, t := range row {
				text += strings.Repeat(" ", min(i, 1)) + string(rdf.AppendTerm(nil, t))
			}
			text += ")"
		}
		return text
	case a.Term != nil:
		return string(rdf.AppendTerm(nil, a.Term))
	}
	return fmt.Sprint(a.Number)
}

// TestJoinedWalksGrowNoFasterThanTheText joins walks that begin at what is before them.
func TestJoinedWalksGrowNoFasterThanTheText(t *testing.T) {
	size := func(n int) int {
		text := "SELECT * FROM :g1 FROM :g2 { "
		for i := range n {
			text += fmt.Sprintf("{ ?s%[1]d (:p/:q)+ ?s%[2]d } UNION { ?s%[1]d (:p|^:r)* ?s%[2]d } ", i, i+1)
		}
		q, err := sparql.Parse(text+"}", sparql.Options{Prefixes: prefixes})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := lower.Lower(opt.Rewrite(q.Op, q.Vars), q.Vars, lower.Options{Dataset: q.Dataset})
		if err != nil {
			t.Fatalf("%d walks: %v", n, err)
		}
		return len(plan.SQL)
	}
	if few, many := size(20), size(80); many > 4*few {
		t.Errorf("20 pairs of walks are %d bytes, 80 are %d", few, many)
	}
}

// TestClosuresInsideEachOtherAreBounded lowers as many as there may be, and one more.
func TestClosuresInsideEachOtherAreBounded(t *testing.T) {
	nested := func(n int) error {
		path := ":p"
		for range n {
			path = "((" + path + "/:q)*|:r)+"
		}
		q, err := sparql.Parse("SELECT * { ?s "+path+" ?o }", sparql.Options{Prefixes: prefixes})
		if err != nil {
			t.Fatal(err)
		}
		_, err = lower.Lower(opt.Rewrite(q.Op, q.Vars), q.Vars, lower.Options{Dataset: q.Dataset})
		return err
	}
	if err := nested(12); err != nil {
		t.Error(err)
	}
	if err := nested(13); fault.Of(err).Kind != fault.TooLarge || !strings.Contains(err.Error(), "inside each other") {
		t.Errorf("got %v", err)
	}
}

// TestManySidesMayHaveVariablesOfTheirOwn lowers a union in which each side names a
// variable that no other has: each has a column for all of them.
func TestManySidesMayHaveVariablesOfTheirOwn(t *testing.T) {
	sides := make([]string, 200)
	for i := range sides {
		sides[i] = fmt.Sprintf("{ ?s%d :p %d }", i, i)
	}
	q, err := sparql.Parse("SELECT * { "+strings.Join(sides, " UNION ")+" }", sparql.Options{Prefixes: prefixes})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Lower(opt.Rewrite(q.Op, q.Vars), q.Vars, lower.Options{}); err != nil {
		t.Error(err)
	}
}
