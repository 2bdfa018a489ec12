package db

import (
	"testing"

	"trails/rdf"
	"trails/sparql"
)

// manyCommits fills the tables of history without making each commit.
const manyCommits = `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
	INSERT INTO main.commits (seq, id, parent, line, ts, author, message, schema_version, schema_seq, flags, added, removed, quads)
	SELECT i, CAST(printf('%032d', i) AS BLOB), CASE WHEN i > 1 THEN CAST(printf('%032d', i - 1) AS BLOB) END, 1,
		1700000000000000 + i * 1000001, printf('agent%d', i % 10), printf('change %d', i), 1, 0, 0, 2, 0, 2 * i FROM n`

const manyActivities = `INSERT INTO prov (id, capability, version, agent, via, started, ended, inputs, outcome, error, trace, cost, commit_seq, used, generated)
	SELECT printf('00000000-0000-7000-8000-%012d', seq), 'note.update', '1.0.0', author, 'cli', ts - 500, ts, x'00', 'ok', '', '', 500, seq,
		NULL, json_array('urn:n:' || (seq % ?1)) FROM commits WHERE seq > 1`

func longHistory(t testing.TB, commits int) *File {
	f := emptyFile(t)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	entity := rdf.Quad{Subject: rdf.IRI("urn:n:7"), Predicate: rdf.IRI("urn:p"), Object: rdf.IRI("urn:o")}
	if _, err := w.Add(t.Context(), entity); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
		t.Fatal(err)
	}
	if w, err = f.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, sql := range []string{manyCommits, manyActivities} {
		if err := w.conn.Exec(sql, nil, commits); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{"UPDATE live SET added = 7", "UPDATE lines SET head = (SELECT max(seq) FROM commits)"} {
		if err := w.conn.Once(sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.endWith("COMMIT"); err != nil {
		t.Fatal(err)
	}
	return f
}

const virtualPrefixes = `PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX t: <urn:trails:ns#> PREFIX dct: <http://purl.org/dc/terms/> PREFIX g: <urn:trails:graph:> `

// byKeys are queries whose cost is that of their answer.
var byKeys = []struct {
	name, text string
	rows       int
}{
	{"one commit", `SELECT * { GRAPH g:commits { <urn:trails:commit:3030303030303030303030303030303030303030303030303030303030333030> ?p ?o } }`, 12},
	{"one call", `SELECT * { GRAPH g:prov { <urn:uuid:00000000-0000-7000-8000-000000000300> ?p ?o } }`, 13},
	{"the latest commits", `SELECT ?c ?t ?m { GRAPH g:commits { ?c a t:Commit ; prov:generatedAtTime ?t ; dct:description ?m } } ORDER BY DESC(?t) LIMIT 20`, 20},
	{"the latest commits, FROM", `SELECT ?c ?t ?m FROM g:commits { ?c dct:description ?m ; prov:generatedAtTime ?t } ORDER BY DESC(?t) LIMIT 20`, 20},
	{"the latest calls", `SELECT ?a ?who { GRAPH g:prov { ?a a prov:Activity ; prov:wasAssociatedWith ?who ; prov:startedAtTime ?t } } ORDER BY DESC(?t) LIMIT 20`, 20},
	{"what made an entity", `SELECT ?a ?t { GRAPH g:prov { ?a a prov:Activity . <urn:n:7> prov:wasGeneratedBy ?a . ?a prov:endedAtTime ?t } }`, 1},
	{"what made the entities", `SELECT ?a ?t { ?e <urn:p> ?o GRAPH g:prov { ?a a prov:Activity ; prov:endedAtTime ?t ; prov:generated ?e } }`, 1},
	{"the call of a commit", `SELECT ?a { GRAPH g:prov { ?a prov:wasAssociatedWith ?w ; t:commit <urn:trails:commit:3030303030303030303030303030303030303030303030303030303030333030> } }`, 1},
	{"a hundred commits back", `SELECT ?c { GRAPH g:commits { <urn:trails:commit:3030303030303030303030303030303030303030303030303030303030313130> prov:wasRevisionOf+ ?c } }`, 109},
	{"a window of time", `SELECT * { GRAPH g:commits { ?c prov:generatedAtTime ?t FILTER(?t >= "2023-11-14T22:13:35Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> && ?t < "2023-11-14T22:13:40Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>) } }`, 5},
	{"the next commit", `SELECT ?c { GRAPH g:commits { ?c prov:wasRevisionOf <urn:trails:commit:3030303030303030303030303030303030303030303030303030303030313130> } }`, 1},
}

// TestVirtualGraphsAreAnsweredByKeys: what a query makes of terms is bounded by its
// memory, and reading a table whole would make thousands.
func TestVirtualGraphsAreAnsweredByKeys(t *testing.T) {
	f := longHistory(t, 5000)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, k := range byKeys {
		if n, err := askVirtual(t, r, k.text, Limits{Bytes: 30_000}); n != k.rows || err != nil {
			t.Errorf("%s: %d rows, want %d, error %v", k.name, n, k.rows, err)
		}
	}
	if n, err := askVirtual(t, r, `SELECT * { GRAPH g:commits { ?c a t:Commit } }`, Limits{Bytes: 30_000}); err == nil {
		t.Errorf("all %d commits fit into the bound, which proves nothing", n)
	}
}

func askVirtual(t testing.TB, r *Reader, text string, limits Limits) (n int, err error) {
	q, err := sparql.Parse(virtualPrefixes+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Run(t.Context(), plan, limits) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// BenchmarkVirtualGraphs asks a history of 100,000 commits.
func BenchmarkVirtualGraphs(b *testing.B) {
	f := longHistory(b, 100_000)
	r, err := f.Read(b.Context(), View{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	wide := []struct {
		name, text string
		rows       int
	}{
		{"all commits", `SELECT (COUNT(*) AS ?n) { GRAPH g:commits { ?c prov:generatedAtTime ?t } }`, 1},
		{"a filter on time", `SELECT (COUNT(*) AS ?n) { GRAPH g:commits { ?c prov:generatedAtTime ?t FILTER(?t > "2023-11-15T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>) } }`, 1},
		{"calls by agent", `SELECT ?w (COUNT(*) AS ?n) { GRAPH g:prov { ?a prov:wasAssociatedWith ?w } } GROUP BY ?w`, 10},
		{"everything", `SELECT (COUNT(*) AS ?n) { GRAPH g:commits { ?c ?p ?o } }`, 1},
	}
	for _, k := range append(byKeys[:len(byKeys):len(byKeys)], wide...) {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				if n, err := askVirtual(b, r, k.text, Limits{}); n != k.rows || err != nil {
					b.Fatalf("%d rows, want %d, error %v", n, k.rows, err)
				}
			}
		})
	}
}
