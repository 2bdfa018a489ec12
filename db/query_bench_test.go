package db_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/db"
	"trails/kg/rdf"
	"trails/kg/sparql"
)

// queryShapes are queries and the best SQL for the same rows that a person writes
// with the ids at hand: {name} stands for the id of an IRI, {=text} of a string.
var queryShapes = []struct{ name, query, sql string }{
	{
		"point", "SELECT ?o { x:Thing/00000500 x:name ?o }",
		"SELECT t.value FROM live l JOIN terms t ON t.id = l.o WHERE l.s = {Thing/00000500} AND l.p = {name} AND l.g = 0",
	},
	{
		"chain3", "SELECT ?d { x:Thing/00000500 x:likes ?b . ?b x:likes ?c . ?e x:likes ?c . ?e x:name ?d }",
		`SELECT t.value FROM live a CROSS JOIN live b CROSS JOIN live e INDEXED BY live_pos CROSS JOIN live n CROSS JOIN terms t
		WHERE a.s = {Thing/00000500} AND a.p = {likes} AND a.g = 0 AND b.s = a.o AND b.p = {likes} AND b.g = 0
		AND e.p = {likes} AND e.o = b.o AND e.g = 0 AND n.s = e.s AND n.p = {name} AND n.g = 0 AND t.id = n.o`,
	},
	{
		"star", `SELECT ?s ?n ?z { ?s a x:Type3 . ?s x:status "open" . ?s x:name ?n . ?s x:size ?z . ?s x:likes ?l }`,
		`SELECT ts.value, tn.value, z.o FROM live a INDEXED BY live_pos CROSS JOIN live b CROSS JOIN live n CROSS JOIN live z CROSS JOIN live l CROSS JOIN terms ts CROSS JOIN terms tn
		WHERE a.p = {a} AND a.o = {Type3} AND a.g = 0 AND b.s = a.s AND b.p = {status} AND b.o = {=open} AND b.g = 0
		AND n.s = a.s AND n.p = {name} AND n.g = 0 AND z.s = a.s AND z.p = {size} AND z.g = 0 AND l.s = a.s AND l.p = {likes} AND l.g = 0
		AND ts.id = a.s AND tn.id = n.o`,
	},
	{
		"range", "SELECT ?s ?z { ?s x:size ?z FILTER(?z >= 1000 && ?z < 3000) }",
		`SELECT t.value, l.o FROM live l INDEXED BY live_pos CROSS JOIN terms t
		WHERE l.p = {size} AND l.o BETWEEN -35184372087832 AND -35184372085833 AND l.g = 0 AND t.id = l.s`,
	},
	{
		"notexists", `SELECT (COUNT(*) AS ?n) { ?s x:status "open" FILTER NOT EXISTS { ?s x:likes ?o . ?o x:status "stuck" } }`,
		`SELECT count(*) FROM live a INDEXED BY live_pos WHERE a.p = {status} AND a.o = {=open} AND a.g = 0 AND NOT EXISTS
		(SELECT 1 FROM live b CROSS JOIN live c WHERE b.s = a.s AND b.p = {likes} AND b.g = 0 AND c.s = b.o AND c.p = {status} AND c.o = {=stuck} AND c.g = 0)`,
	},
	{
		"optional", `SELECT (COUNT(?o) AS ?n) { ?s a x:Type4 OPTIONAL { ?s x:knows ?o } }`,
		`SELECT count(b.o) FROM live a INDEXED BY live_pos LEFT JOIN live b ON b.s = a.s AND b.p = {knows} AND b.g = 0
		WHERE a.p = {a} AND a.o = {Type4} AND a.g = 0`,
	},
	{
		"group", "SELECT ?t (COUNT(*) AS ?n) (SUM(?z) AS ?sum) { ?s a ?t . ?s x:size ?z } GROUP BY ?t",
		`SELECT t.value, x.n, x.z FROM (SELECT a.o AS o, count(*) AS n, sum(b.o + 35184372088832) AS z FROM live a INDEXED BY live_pos CROSS JOIN live b
		WHERE a.p = {a} AND a.g = 0 AND b.s = a.s AND b.p = {size} AND b.g = 0 GROUP BY a.o) x JOIN terms t ON t.id = x.o`,
	},
	{
		"top", "SELECT ?s ?d { ?s x:born ?d } ORDER BY DESC(?d) LIMIT 20",
		`SELECT t.value, l.o FROM live l INDEXED BY live_pos CROSS JOIN terms t WHERE l.p = {born} AND l.g = 0 AND t.id = l.s ORDER BY l.o DESC LIMIT 20`,
	},
	{
		"toptext", "SELECT ?s { ?s a x:Type5 . ?s x:name ?n } ORDER BY ?n LIMIT 20",
		`SELECT t.value FROM live a INDEXED BY live_pos CROSS JOIN live n CROSS JOIN terms tn CROSS JOIN terms t
		WHERE a.p = {a} AND a.o = {Type5} AND a.g = 0 AND n.s = a.s AND n.p = {name} AND n.g = 0 AND tn.id = n.o AND t.id = a.s ORDER BY tn.value LIMIT 20`,
	},
	{
		"pathplus", "SELECT (COUNT(*) AS ?n) { ?x x:part+ x:Thing/00000000 }",
		`WITH RECURSIVE r(x) AS (SELECT s FROM live INDEXED BY live_pos WHERE p = {part} AND o = {Thing/00000000} AND g = 0
		UNION SELECT l.s FROM r CROSS JOIN live l INDEXED BY live_pos WHERE l.p = {part} AND l.o = r.x AND l.g = 0) SELECT count(*) FROM r`,
	},
	{
		"regex", `SELECT (COUNT(*) AS ?n) { ?s x:name ?o FILTER REGEX(?o, "77$") }`,
		`SELECT count(*) FROM live l INDEXED BY live_pos CROSS JOIN terms t WHERE l.p = {name} AND l.g = 0 AND t.id = l.o AND t.value LIKE '%77'`,
	},
	{
		"scan", "SELECT ?s ?o { ?s x:likes ?o }",
		`SELECT a.value, b.value FROM live l INDEXED BY live_pos CROSS JOIN terms a CROSS JOIN terms b WHERE l.p = {likes} AND l.g = 0 AND a.id = l.s AND b.id = l.o`,
	},
}

// BenchmarkQuery holds each shape against hand-written SQL through the same driver.
func BenchmarkQuery(b *testing.B) {
	path := filepath.Join(b.TempDir(), "query.db")
	if err := db.Create(b.Context(), path, db.CreateOptions{}); err != nil {
		b.Fatal(err)
	}
	f, err := db.Open(b.Context(), path, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	load(b, f, entities(benchQuads()))
	for _, s := range queryShapes {
		b.Run(s.name+"/trails", func(b *testing.B) { benchQuery(b, f, s.query) })
		b.Run(s.name+"/sql", func(b *testing.B) { benchSQL(b, path, s.sql) })
	}
}

// benchQuery is a query from its text to its last row.
func benchQuery(b *testing.B, f *db.File, text string) {
	rows := 0
	text = "PREFIX x: <urn:test:>\n" + escaped(text)
	for b.Loop() {
		r, err := f.Read(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		q, err := sparql.Parse(text, sparql.Options{})
		if err != nil {
			b.Fatal(err)
		}
		plan, err := r.Plan(b.Context(), q.Op, q.Vars, q.Dataset, q.Base)
		if err != nil {
			b.Fatal(err)
		}
		rows = 0
		for _, err := range r.Run(b.Context(), plan, db.Limits{}) {
			if err != nil {
				b.Fatal(err)
			}
			rows++
		}
		r.Close()
	}
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
}

var slashes = regexp.MustCompile(`x:Thing/(\d+)`)

// escaped writes a slash of a name as SPARQL has it.
func escaped(text string) string { return slashes.ReplaceAllString(text, `x:Thing\/$1`) }

var ids = regexp.MustCompile(`\{(=?)([^}]+)\}`)

func benchSQL(b *testing.B, path, sql string) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	sql = ids.ReplaceAllStringFunc(sql, func(name string) string { return idOf(b, c, strings.Trim(name, "{}")) })
	s, _, err := c.PrepareTransient(sql)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Finalize()
	rows := 0
	for b.Loop() {
		rows = 0
		for {
			more, err := s.Step()
			if err != nil {
				b.Fatal(err)
			}
			if !more {
				break
			}
			for i := range s.ColumnCount() {
				_ = s.ColumnText(i)
			}
			rows++
		}
		if err := s.Reset(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
}

// idOf returns the id of an IRI of the tests, of rdf:type for "a", and of a string
// behind "=".
func idOf(b *testing.B, c *sqlite.Conn, name string) string {
	b.Helper()
	kind, value := 1, string(iri(name))
	if text, ok := strings.CutPrefix(name, "="); ok {
		kind, value = 3, text
	} else if name == "a" {
		value = string(rdf.Type)
	}
	id := ""
	err := sqlitex.ExecuteTransient(c, "SELECT id FROM terms WHERE kind = ? AND value = ?", &sqlitex.ExecOptions{
		Args:       []any{kind, value},
		ResultFunc: func(s *sqlite.Stmt) error { id = s.ColumnText(0); return nil },
	})
	if err != nil || id == "" {
		b.Fatalf("no id of %q: %v", name, err)
	}
	return id
}
