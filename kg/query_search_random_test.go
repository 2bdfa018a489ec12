package kg_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/naive"
	"trails/text/fulltext"
)

// The texts of the random graphs are made of these words, of which none begins with another.
var matchedWords = []string{"apricot", "birch", "copper", "damson", "elm"}

// drawTexts draws statements that fit searchSchema, and texts of a node without an IRI, of a node without a type and of a
// named graph.
func drawTexts(t *rapid.T) string {
	text := func() string {
		return `"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom(matchedWords), 1, 3).Draw(t, "words"), " ") + `"`
	}
	var b strings.Builder
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		for _, typ := range []string{"Person", "Place"} {
			node := fmt.Sprintf(`:%s\/n%d`, typ, i)
			fmt.Fprintf(&b, `%s a :%s ; :code "n%d" ; :name %s . `, node, typ, i, text())
			for _, property := range []string{":note", ":secret"} {
				if rapid.Bool().Draw(t, "has") {
					fmt.Fprintf(&b, "%s %s %s . ", node, property, text())
				}
			}
			fmt.Fprintf(&b, `%s <urn:near> :%s\/n%d . `, node, rapid.SampledFrom([]string{"Person", "Place"}).Draw(t, "type"), rapid.IntRange(0, 4).Draw(t, "near"))
		}
	}
	fmt.Fprintf(&b, "_:b <urn:says> %s ; <urn:near> <urn:one> . <urn:one> <urn:says> %s@en , %s . GRAPH <urn:g> { <urn:named> <urn:says> %s }", text(), text(), text(), text())
	return "INSERT DATA { " + b.String() + " }"
}

// matched is a state of a random graph that somebody may ask.
type matched struct {
	name string
	open func(context.Context) (*kg.Snapshot, error)
}

// drawMatched draws a graph with an earlier commit and a branch, of which one reader sees a part.
func drawMatched(t *rapid.T, tb *testing.T) []matched {
	g := newGraph(tb, searchSchema)
	session := g.Session(ana)
	write := func(s *kg.Session, text string) {
		if _, err := s.Update(tb.Context(), parseUpdate(tb, text), kg.ChangeSet{}, kg.UpdateOptions{}); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	const other = ` DELETE { ?n :name ?t } INSERT { ?n :name ?u } WHERE { { SELECT ?n (MIN(?t) AS ?t2) { ?n :name ?t } GROUP BY ?n ORDER BY ?n LIMIT 3 } ?n :name ?t BIND(CONCAT("%s ", ?t2) AS ?u) }`
	write(session, drawTexts(t))
	earlier := session.LatestHead(tb.Context())
	if _, err := session.MakeBranch(tb.Context(), kg.NewBranch{Name: "aside"}); err != nil {
		t.Fatal(err)
	}
	write(session, fmt.Sprintf(other, rapid.SampledFrom(matchedWords).Draw(t, "word")))
	write(session.On("aside"), fmt.Sprintf(other, rapid.SampledFrom(matchedWords).Draw(t, "word")))
	rights := &kg.Rights{Types: []rdf.IRI{base + "Place"}, Predicates: []rdf.IRI{base + "note"}, Nodes: []rdf.Term{rdf.IRI(base + "Person/n0")}}
	return []matched{
		{"newest", session.Snapshot}, {"of the branch", session.On("aside").Snapshot}, {"of which a part is hidden", session.Seeing(rights).Snapshot},
		{"earlier", func(ctx context.Context) (*kg.Snapshot, error) {
			s, err := session.Snapshot(ctx)
			if err != nil {
				return nil, err
			}
			return s.At(ctx, earlier)
		}},
	}
}

// drawing draws a query as the engine is asked it, and as the oracle is: with VALUES of one cell in the place of each
// search, for which tables has what was found.
type drawing struct {
	t        *rapid.T
	snapshot *kg.Snapshot
	facts    naive.Dataset
	tables   map[rdf.Term]sparql.Table
	hits     int
	counts   int // ?k1, ?k2 … are counted
}

const matchedPrologue = "PREFIX : <" + base + "> PREFIX trails: <urn:trails:ns#> "

func (d *drawing) variable() string {
	return rapid.SampledFrom([]string{"?a", "?b", "?c", "?d"}).Draw(d.t, "variable")
}

func (d *drawing) words() string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append([]string{"damsn", "n1"}, matchedWords...)), 1, 3).Draw(d.t, "searched"), " ")
}

// group draws what stands in braces.
func (d *drawing) group(depth int) (engine, oracle string) {
	add := func(format string, parts ...string) {
		var one, other []any
		for i := 0; i < len(parts); i += 2 {
			one, other = append(one, parts[i]), append(other, parts[i+1])
		}
		engine += fmt.Sprintf(format, one...)
		oracle += fmt.Sprintf(format, other...)
	}
	known := []string(nil)
	if rapid.IntRange(0, 2).Draw(d.t, "known") == 0 {
		known = rapid.SliceOfNDistinct(rapid.SampledFrom(matchedWords), 1, 2, rapid.ID).Draw(d.t, "values")
		text := `VALUES ?w { "` + strings.Join(known, `" "`) + `" } `
		if len(known) == 1 && rapid.Bool().Draw(d.t, "bound") {
			text = `BIND("` + known[0] + `" AS ?w) `
		}
		add("%s", text, text)
	}
	for range rapid.IntRange(1, 3).Draw(d.t, "elements") {
		kind := rapid.IntRange(0, 12).Draw(d.t, "kind")
		if depth == 0 && kind > 6 {
			kind %= 7
		}
		switch kind {
		case 0, 1, 2:
			one, other := d.search(known)
			add("%s . ", one, other)
		case 3:
			text := d.variable() + " " + rapid.SampledFrom([]string{"<urn:near>", ":name", ":note", "?p", "<urn:near>+", "^<urn:near>/:name"}).Draw(d.t, "predicate") + " " + d.variable() + " . "
			add("%s", text, text)
		case 4:
			text := d.variable() + " a " + rapid.SampledFrom([]string{":Person", ":Place"}).Draw(d.t, "class") + " . "
			add("%s", text, text)
		case 5:
			text := fmt.Sprintf(rapid.SampledFrom([]string{"FILTER(BOUND(%s)) ", "FILTER(ISIRI(%s)) ", "FILTER(!BOUND(%s) || %[1]s < 0.4) ", `FILTER(CONTAINS(STR(%s), "e")) `}).Draw(d.t, "condition"), d.variable())
			add("%s", text, text)
		case 6: // searches of what the group around knows
			one, other := d.search(known)
			two, another := d.search(known)
			if rapid.Bool().Draw(d.t, "alternatives") {
				add("{ %s } UNION { %s } ", one, other, two, another)
			} else {
				add("OPTIONAL { %s } ", one, other)
			}
		default:
			one, other := d.group(depth - 1)
			two, another := d.group(depth - 1)
			switch v := d.variable(); kind {
			case 7:
				add("OPTIONAL { %s} ", one, other)
			case 8:
				add("{ %s} UNION { %s} ", one, other, two, another)
			case 9:
				add("MINUS { %s} ", one, other)
			case 10:
				add("FILTER EXISTS { %s} ", one, other)
			case 11:
				add("FILTER NOT EXISTS { %s} ", one, other)
			default:
				d.counts++
				add(fmt.Sprintf("{ SELECT %s (COUNT(*) AS ?k%d) { %%s} GROUP BY %[1]s } ", v, d.counts), one, other)
			}
		}
	}
	return engine, oracle
}

// search draws a search by words alone, and looks up by itself what it finds.
func (d *drawing) search(known []string) (engine, oracle string) {
	text, limit, options := d.words(), 100, ""
	var types []*schema.Type
	all := rapid.IntRange(0, 2).Draw(d.t, "all") == 0
	if all {
		options = " trails:allWords"
	}
	if rapid.IntRange(0, 2).Draw(d.t, "typed") == 0 {
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Person", "Place", "Thing"}), 1, 2, rapid.ID).Draw(d.t, "types") {
			if t := d.snapshot.Schema().Type(name); t != nil { // else it is hidden
				types, options = append(types, t), options+" :"+name
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(d.t, "limited") == 0 {
		limit = rapid.IntRange(1, 4).Draw(d.t, "limit")
		options = fmt.Sprintf(" %d%s", limit, options)
	}
	var ends []string
	for i := range rapid.IntRange(1, 4).Draw(d.t, "ends") {
		end := d.variable()
		if rapid.IntRange(0, 7).Draw(d.t, "constant") == 0 {
			end = []string{":Person\\/n1", "0.5e0", `"apricot"`, ":name"}[i]
		}
		ends = append(ends, end)
	}
	object, texts := fmt.Sprintf("(%q%s)", text, options), []string{text}
	vars := slices.Clone(ends)
	if known != nil && rapid.Bool().Draw(d.t, "of a variable") {
		object, texts = "(?w"+options+")", known
		vars = append(vars, "?w")
	} else if options == "" && rapid.Bool().Draw(d.t, "alone") {
		object = fmt.Sprintf("%q", text)
	}
	var table sparql.Table
	for _, v := range vars {
		if name := sparql.Var(v[1:]); v[0] == '?' && !slices.Contains(table.Vars, name) {
			table.Vars = append(table.Vars, name)
		}
	}
	constants := map[string]rdf.Term{":Person\\/n1": rdf.IRI(base + "Person/n1"), "0.5e0": rdf.Literal("0.5e0", rdf.XSDDouble), `"apricot"`: rdf.Literal("apricot", ""), ":name": rdf.IRI(base + "name")}
	for _, text := range texts {
		for _, hit := range d.found(text, types, limit, all) {
			row, fits := make([]rdf.Term, len(table.Vars)), true
			for i, v := range vars {
				term := append(hit[:4:4], rdf.Literal(text, ""))[i]
				if i == len(ends) {
					term = rdf.Literal(text, "")
				}
				if v[0] != '?' {
					fits = fits && constants[v] == term
				} else if at := slices.Index(table.Vars, sparql.Var(v[1:])); term != nil {
					fits = fits && (row[at] == nil || row[at] == term)
					row[at] = term
				}
			}
			if fits {
				table.Rows = append(table.Rows, row)
			}
		}
	}
	d.hits += len(table.Rows)
	key := rdf.Literal(fmt.Sprintf("search %d", len(d.tables)), "")
	d.tables[key] = table
	named, cells := "", ""
	for i, v := range table.Vars {
		named += " ?" + string(v)
		if cells += " UNDEF"; i == 0 {
			cells = " " + string(rdf.AppendTerm(nil, key))
		}
	}
	if named == "" {
		named, cells = " ?none", " "+string(rdf.AppendTerm(nil, key))
	}
	subject := "(" + strings.Join(ends, " ") + ")"
	if len(ends) == 1 {
		subject = ends[0]
	}
	return subject + " trails:matches " + object, "VALUES (" + named + " ) { (" + cells + " ) }"
}

// found are the hits of the tool: node, score, passage and property, the best first.
func (d *drawing) found(text string, types []*schema.Type, limit int, all bool) (hits [][]rdf.Term) {
	result, err := d.snapshot.Search(context.Background(), browse.Search{Text: text, Types: types, Limit: 100})
	if err != nil {
		d.t.Fatal(err)
	}
	for place, hit := range result.Hits {
		if all && (hit.Partial || result.Matching == browse.MatchedAny) || len(hits) == limit {
			continue
		}
		row := []rdf.Term{hit.Term, xsd.Double(fulltext.Worth(place)).Term(), rdf.Literal(result.Snippet(hit), ""), nil}
		if said, is := hit.Text.(rdf.LangString); is {
			row[2] = rdf.LangLiteral(result.Snippet(hit), string(said.Lang))
		} else if hit.Text == nil {
			row[2] = nil
		}
		if hit.Property != "" {
			row[3] = hit.Property
		}
		hits = append(hits, row)
	}
	if all && limit == 100 && result.Corrections == nil && !strings.Contains(text, "n1") {
		var nodes []rdf.Term
		for _, hit := range hits {
			nodes = append(nodes, hit[0])
		}
		d.holds(text, types, nodes)
	}
	return hits
}

// holds holds the nodes that a search for all words finds against the statements.
func (d *drawing) holds(text string, types []*schema.Type, nodes []rdf.Term) {
	class := map[rdf.Term]rdf.Term{}
	for _, q := range d.facts {
		if q.Predicate == rdf.Term(rdf.Type) && q.Label == nil {
			class[q.Subject] = q.Object
		}
	}
	want := map[rdf.Term]bool{}
	for _, q := range d.facts {
		is := len(types) == 0
		for _, t := range types {
			is = is || class[q.Subject] == rdf.Term(t.IRI) || t.Name == "Thing" && class[q.Subject] != nil
		}
		said := strings.Fields(rdf.Lexical(q.Object))
		has := !slices.ContainsFunc(strings.Fields(text), func(word string) bool { return !slices.Contains(said, word) })
		if is && has && q.Label == nil && q.Predicate != rdf.Term(rdf.IRI(base+"secret")) {
			want[q.Subject] = true
		}
	}
	for _, n := range nodes {
		if !want[n] {
			d.t.Fatalf("%q finds %v, which does not say that", text, n)
		}
		delete(want, n)
	}
	if len(want) > 0 {
		d.t.Fatalf("%q does not find %v", text, want)
	}
}

// filled is the oracle's pattern with the tables in it.
func (d *drawing) filled(op sparql.Op) sparql.Op {
	if t, is := op.(sparql.Table); is && len(t.Rows) == 1 {
		if found, is := d.tables[t.Rows[0][0]]; is {
			if len(found.Vars) == 0 && len(found.Rows) > 0 { // rows without variables
				found.Vars, found.Rows = []sparql.Var{"none"}, slices.Clone(found.Rows)
				for i := range found.Rows {
					found.Rows[i] = []rdf.Term{nil}
				}
			}
			return found
		}
	}
	return sparql.EachOperand(op, d.filled, func(e sparql.Expr) sparql.Expr { return sparql.EachPattern(e, d.filled) })
}

// TestARandomQueryThatSearchesAnswersAsItsDefinitionSays holds random queries with searches, of every state that can be
// asked, against the oracle with the hits of the tool as VALUES.
func TestARandomQueryThatSearchesAnswersAsItsDefinitionSays(t *testing.T) {
	testrun.Alone(t)
	asked, answered, hit := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		states := drawMatched(rt, t)
		state := states[rapid.IntRange(0, len(states)-1).Draw(rt, "state")]
		s, err := state.open(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		facts, err := naive.Read(t.Context(), s)
		if err != nil {
			rt.Fatal(err)
		}
		for range 3 {
			d := drawing{t: rt, snapshot: s, facts: facts, tables: map[rdf.Term]sparql.Table{}}
			engine, oracle := d.group(2)
			rows, want := d.engine(t, engine), d.oracle(t, oracle)
			if !slices.Equal(rows, want) {
				rt.Fatalf("the state %s answers\n%s\nwith %d rows\n%s\nand the oracle with %d\n%s", state.name, engine, len(rows), strings.Join(rows, "\n"), len(want), strings.Join(want, "\n"))
			}
			if asked++; len(rows) > 0 {
				answered++
			}
			hit += d.hits
		}
	})
	if answered < asked/5 || hit < asked {
		t.Errorf("of %d queries %d have rows, and their searches find %d", asked, answered, hit)
	}
}

const matchedHead = matchedPrologue + "SELECT ?a ?b ?c ?d ?w ?k1 ?k2 { "

func (d *drawing) engine(t *testing.T, group string) []string {
	q, err := d.snapshot.ParseQuery(matchedHead+group+"}", "")
	if err != nil {
		d.t.Fatalf("%v\n%s", err, group)
	}
	a, err := d.snapshot.Query(t.Context(), q, kg.QueryOptions{})
	if err != nil {
		d.t.Fatalf("%v\n%s", err, group)
	}
	var rows [][]rdf.Term
	for row, err := range a.Rows(t.Context()) {
		if err != nil {
			d.t.Fatalf("%v\n%s", err, group)
		}
		rows = append(rows, row)
	}
	return rowTexts(rows)
}

func (d *drawing) oracle(t *testing.T, group string) []string {
	q, err := sparql.Parse(matchedHead+group+"}", sparql.Options{})
	if err != nil {
		d.t.Fatalf("%v\n%s", err, group)
	}
	filled := *q
	filled.Op = d.filled(q.Op)
	found, err := naive.Eval(t.Context(), &filled, d.facts)
	if err != nil {
		d.t.Fatalf("%v\n%s", err, group)
	}
	return rowTexts(found.Rows)
}

// rowTexts are rows as texts, in order.
func rowTexts(rows [][]rdf.Term) (texts []string) {
	for _, row := range rows {
		var line []byte
		for _, term := range row {
			if line = append(line, ' '); term != nil {
				line = rdf.AppendTerm(line, term)
			}
		}
		texts = append(texts, string(line))
	}
	slices.Sort(texts)
	return texts
}
