package kg_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
	"trails/rdf"
)

// doorsOfTests are doors by the classes of what comes through them.
var doorsOfTests = map[kg.Origin]string{policy.Person: "admin", policy.Agent: "mcp-http", policy.Unknown: "nobody knows"}

// originModel is a history with branches as sets of statements, each with the class of who said it first on its way there.
type originModel struct {
	now map[string]map[string]kg.Origin
	// gone are the classes of the commits that added statements last, also of those that are not there any more.
	gone map[string]map[string]kg.Origin
	// last is what the newest commit of a branch removed, if undo can take it back.
	last map[string][]string
}

func statementOfTest(s, o int) string { return fmt.Sprintf(":n%d :title \"%d\"", s, o) }

func (m *originModel) write(rt *rapid.T, t *testing.T, g *kg.Graph, on string) {
	origin := rapid.SampledFrom(slices.Sorted(maps.Keys(doorsOfTests))).Draw(rt, "origin")
	set := kg.ChangeSet{Activity: kg.Activity{Via: doorsOfTests[origin]}}
	if rapid.IntRange(0, 3).Draw(rt, "imports") == 0 {
		origin, set.Activity.Capability = min(origin, policy.Import), "load"
	}
	adds, removes := map[string]bool{}, map[string]bool{}
	for range rapid.IntRange(1, 4).Draw(rt, "edits") {
		q := statementOfTest(rapid.IntRange(0, 2).Draw(rt, "node"), rapid.IntRange(0, 3).Draw(rt, "value"))
		if rapid.Bool().Draw(rt, "adds") {
			adds[q] = true
		} else if !adds[q] {
			removes[q] = true
		}
	}
	maps.DeleteFunc(removes, func(q string, _ bool) bool { return adds[q] })
	text := "DELETE { " + strings.Join(slices.Sorted(maps.Keys(removes)), " . ") + " } INSERT { " + strings.Join(slices.Sorted(maps.Keys(adds)), " . ") + " } WHERE {}"
	r, err := g.Session(ana).On(on).Update(t.Context(), parseUpdate(t, text), set, kg.UpdateOptions{})
	if err != nil {
		rt.Fatal(err)
	}
	if !r.Changed {
		return
	}
	m.last[on] = nil
	for q := range removes {
		if _, there := m.now[on][q]; there {
			delete(m.now[on], q)
			m.last[on] = append(m.last[on], q)
		}
	}
	for q := range adds {
		if _, there := m.now[on][q]; !there {
			m.now[on][q], m.gone[on][q] = origin, origin
		}
	}
}

func (m *originModel) merge(rt *rapid.T, t *testing.T, g *kg.Graph, source, target string) {
	set := kg.ChangeSet{Activity: kg.Activity{Via: "admin"}}
	squash := rapid.IntRange(0, 3).Draw(rt, "squash") == 0
	r, err := g.Session(ana).On(target).Merge(t.Context(), kg.Merge{Source: source, Take: kg.Theirs, Squash: squash, Set: set})
	if err != nil {
		rt.Fatal(err)
	}
	if !r.Changed {
		return
	}
	m.last[target] = nil
	own := m.originOfCommit(rt, t, g, r.After)
	lowest := policy.Person
	for _, q := range r.Added {
		of := m.name(q)
		class, known := m.now[source][of]
		if !known {
			rt.Fatalf("the merge of %s added %s, which is not there", source, of)
		}
		lowest = min(lowest, class)
		if m.now[target][of] = class; squash {
			m.now[target][of] = own
		}
		m.gone[target][of] = own
	}
	for _, q := range r.Removed {
		delete(m.now[target], m.name(q))
	}
	if own > lowest {
		rt.Fatalf("the merge of %s is of the class %s, and brought what is of %s", source, own, lowest)
	}
}

// undo takes back the newest commit of a branch; what comes back is at most of the class that it had.
func (m *originModel) undo(rt *rapid.T, t *testing.T, g *kg.Graph, on string) {
	restored := m.last[on]
	if len(restored) == 0 {
		return
	}
	var head kg.Commit
	viewOf(t, g.Session(ana).On(on), func(s *kg.Snapshot) { head = s.Head() })
	r, err := g.Session(ana).On(on).Undo(t.Context(), kg.Undo{Commit: head.ID, Set: kg.ChangeSet{Activity: kg.Activity{Via: "admin"}}})
	if err != nil {
		rt.Fatal(err)
	}
	lowest := policy.Person
	for _, q := range restored {
		lowest = min(lowest, m.gone[on][q])
	}
	for _, q := range r.Added {
		m.now[on][m.name(q)], m.gone[on][m.name(q)] = lowest, lowest
	}
	for _, q := range r.Removed {
		delete(m.now[on], m.name(q))
	}
	m.last[on] = nil
	if got := m.originOfCommit(rt, t, g, r.After); got != lowest {
		rt.Fatalf("an undo of a person is of the class %s, and brought back what is of %s", got, lowest)
	}
}

func (m *originModel) originOfCommit(rt *rapid.T, t *testing.T, g *kg.Graph, c kg.Commit) (o kg.Origin) {
	viewOf(t, g.Session(ana), func(s *kg.Snapshot) {
		var err error
		if o, err = s.CommitOrigin(t.Context(), c); err != nil {
			rt.Fatal(err)
		}
	})
	return o
}

func (m *originModel) name(q rdf.Quad) string {
	return ":" + strings.TrimPrefix(rdf.Lexical(q.Subject), base) + " :title \"" + rdf.Lexical(q.Object) + "\""
}

// agrees compares what queries, reads and blame say of every branch with the model.
func (m *originModel) agrees(rt *rapid.T, t *testing.T, g *kg.Graph) {
	for on, want := range m.now {
		viewOf(t, g.Session(ana).On(on), func(snap *kg.Snapshot) {
			got, matched := map[string]kg.Origin{}, map[string]kg.Origin{}
			for _, name := range policy.OriginNames() {
				class, _ := policy.ParseOrigin(name)
				for q, err := range snap.Match(t.Context(), rdf.Quad{Label: rdf.IRI(class.IRI())}) {
					if err != nil {
						rt.Fatal(err)
					}
					matched[m.name(q)] = class
				}
				for _, row := range strings.Split(rowsOfOrigin(rt, t, g.Session(ana).On(on), class), "\n") {
					if row != "" {
						got[row] = class
					}
				}
			}
			if !maps.Equal(got, want) || !maps.Equal(matched, want) {
				rt.Fatalf("%s: queries say %v, reads %v, want %v", on, got, matched, want)
			}
			for i := range 3 {
				d, err := snap.Describe(t.Context(), rdf.IRI(fmt.Sprintf("%sn%d", base, i)))
				if err != nil {
					rt.Fatal(err)
				}
				blamed, err := snap.Blame(t.Context(), d, 100, 0)
				if err != nil {
					rt.Fatal(err)
				}
				for _, b := range blamed {
					if b.Origin != want[m.name(b.Quad)] {
						rt.Fatalf("%s: blame says that %s is of %s, want %s", on, m.name(b.Quad), b.Origin, want[m.name(b.Quad)])
					}
				}
			}
		})
	}
}

func rowsOfOrigin(rt *rapid.T, t *testing.T, s *kg.Session, class kg.Origin) string {
	got, err := solved(t, s, `SELECT (CONCAT(":", STRAFTER(STR(?s), "`+base+`"), " :title \"", ?o, "\"") AS ?q) { GRAPH <`+class.IRI()+`> { ?s :title ?o } } ORDER BY ?q`, kg.QueryOptions{})
	if err != nil {
		rt.Fatal(err)
	}
	return strings.NewReplacer(`q="`, "", `\"" `, `"`, `\"`, `"`).Replace(got)
}

// Whoever says what on which branch, and however branches are merged, a statement is of the class of who said it first on
// its way.
func TestOriginsAgreeWithAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGraph(t, "")
		defer g.Close()
		none := func() map[string]map[string]kg.Origin { return map[string]map[string]kg.Origin{kg.Main: {}} }
		m := &originModel{now: none(), gone: none(), last: map[string][]string{}}
		update(t, g, "INSERT DATA { GRAPH :other { :a :title \"first\" } }") // so that branches can be made
		for range rapid.IntRange(4, 20).Draw(rt, "steps") {
			names := slices.Sorted(maps.Keys(m.now))
			on := rapid.SampledFrom(names).Draw(rt, "on")
			switch kind := rapid.IntRange(0, 9).Draw(rt, "kind"); {
			case kind == 0 && len(names) < 4:
				name := fmt.Sprint("draft", len(names))
				if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: name, From: on}); err != nil {
					rt.Fatal(err)
				}
				m.now[name], m.gone[name] = maps.Clone(m.now[on]), maps.Clone(m.gone[on])
			case kind < 4 && len(names) > 1:
				if source := rapid.SampledFrom(names).Draw(rt, "source"); source != on {
					m.merge(rt, t, g, source, on)
				}
			case kind == 4:
				m.undo(rt, t, g, on)
			default:
				m.write(rt, t, g, on)
			}
		}
		m.agrees(rt, t, g)
	})
}

func TestAGraphOfNoClassIsRefused(t *testing.T) {
	g := linked(t)
	for text, want := range map[string]string{
		`SELECT * { GRAPH <urn:trails:origin:persn> { ?s ?p ?o } }`:                                `did you mean "person"?`,
		`SELECT * FROM <urn:trails:origin:> { ?s ?p ?o }`:                                          "they are person, agent, import, upstream, unknown",
		`SELECT * { VALUES ?g { <urn:trails:origin:agent> } GRAPH ?g { ?s ?p ?o } }`:               "write GRAPH <urn:trails:origin:agent>",
		`SELECT * { ?s ?p ?o FILTER NOT EXISTS { GRAPH <urn:trails:origin:Agent> { ?s ?p ?o } } }`: `did you mean "agent"?`,
	} {
		if got, err := solved(t, g.Session(ana), text, kg.QueryOptions{}); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v and %q, want %q", text, err, got, want)
		}
	}
	for _, text := range []string{
		`INSERT DATA { GRAPH <urn:trails:origin:person> { :a :b :c } }`,
		`CLEAR GRAPH <urn:trails:origin:agent>`,
		`COPY DEFAULT TO <urn:trails:origin:person>`,
		`WITH <urn:trails:origin:person> DELETE { ?s :nothing ?o } WHERE { ?s :nothing ?o }`,
	} {
		before := allOf(t, g.Session(ana))
		if _, err := tryUpdate(t, g, text, kg.ChangeSet{}, kg.UpdateOptions{}); err == nil || !strings.Contains(err.Error(), "cannot be written to") || !slices.Equal(before, allOf(t, g.Session(ana))) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
