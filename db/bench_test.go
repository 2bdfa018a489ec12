package db_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/db"
	"trails/rdf"
)

// Each benchmark has its reference in raw SQL through the same driver beside it:
// what is compared is the ratio of the two in one run.

func benchQuads() int {
	if testing.Short() {
		return 100_000
	}
	return 1_000_000
}

func BenchmarkLoad(b *testing.B) {
	n := benchQuads()
	quads := entities(n)
	b.Run("trails", func(b *testing.B) {
		for b.Loop() {
			path := filepath.Join(b.TempDir(), "load.db")
			b.StopTimer()
			if err := db.Create(b.Context(), path, db.CreateOptions{}); err != nil {
				b.Fatal(err)
			}
			f, err := db.Open(b.Context(), path, db.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			load(b, f, quads)
			f.Close()
			b.ReportMetric(fileBytes(b, path)/float64(n), "B/quad")
		}
		b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "quads/s")
	})
	rows, terms := numbered(quads)
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			path := filepath.Join(b.TempDir(), "raw.db")
			rawLoad(b, path, rows, terms)
			b.ReportMetric(fileBytes(b, path)/float64(n), "B/quad")
		}
		b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "quads/s")
	})
}

func load(b *testing.B, f *db.File, quads []rdf.Quad) {
	b.Helper()
	w, err := f.Write(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for _, q := range quads {
		if _, err := w.Add(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := w.Commit(b.Context(), db.CommitMeta{Time: epoch, Author: "bench"}, nil); err != nil {
		b.Fatal(err)
	}
}

func fileBytes(b *testing.B, path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size())
}

// numbered gives each term that a dictionary would hold a number in order.
func numbered(quads []rdf.Quad) (rows [][4]int64, terms []string) {
	ids := map[rdf.Term]int64{}
	id := func(t rdf.Term) int64 {
		if typed, ok := t.(rdf.TypedString); ok {
			return -1<<45 + int64(len(typed.Value)) + int64(typed.Value[len(typed.Value)-1])
		}
		n, ok := ids[t]
		if !ok {
			terms = append(terms, rdf.Lexical(t))
			n = int64(len(terms))
			ids[t] = n
		}
		return n
	}
	for _, q := range quads {
		rows = append(rows, [4]int64{id(q.Subject), id(q.Predicate), id(q.Object), 0})
	}
	return rows, terms
}

// rawLoad is the reference: ready ids, inserted in order, then the indexes.
func rawLoad(b *testing.B, path string, rows [][4]int64, terms []string) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := sqlitex.ExecuteTransient(c, "PRAGMA journal_mode = WAL", nil); err != nil {
		b.Fatal(err)
	}
	for _, p := range []string{"PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -131072", "BEGIN"} {
		if err := sqlitex.ExecuteTransient(c, p, nil); err != nil {
			b.Fatal(err)
		}
	}
	for _, p := range []string{
		"CREATE TABLE terms (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, value TEXT NOT NULL, datatype INTEGER, lang TEXT, hash INTEGER NOT NULL)",
		"CREATE TABLE live (s INTEGER NOT NULL, p INTEGER NOT NULL, o INTEGER NOT NULL, g INTEGER NOT NULL, added INTEGER NOT NULL, PRIMARY KEY (s, p, o, g)) WITHOUT ROWID",
	} {
		if err := sqlitex.ExecuteTransient(c, p, nil); err != nil {
			b.Fatal(err)
		}
	}
	s := c.Prep("INSERT INTO terms (id, kind, value, hash) VALUES (?, 1, ?, ?)")
	for i, t := range terms {
		s.BindInt64(1, int64(i+1))
		s.BindText(2, t)
		s.BindInt64(3, int64(uint64(i)*0x9E3779B97F4A7C15>>16))
		if _, err := s.Step(); err != nil {
			b.Fatal(err)
		}
		s.Reset()
	}
	s = c.Prep("INSERT OR IGNORE INTO live (s, p, o, g, added) VALUES (?, ?, ?, ?, 1)")
	for _, r := range rows {
		for i, id := range r {
			s.BindInt64(i+1, id)
		}
		if _, err := s.Step(); err != nil {
			b.Fatal(err)
		}
		s.Reset()
	}
	for _, p := range []string{
		"CREATE INDEX terms_h ON terms (hash)",
		"CREATE INDEX live_pos ON live (p, o, s, g, added)",
		"CREATE INDEX live_osp ON live (o, s, p, g, added)",
		"COMMIT",
	} {
		if err := sqlitex.ExecuteTransient(c, p, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// filled returns a file with n quads.
func filled(b *testing.B, n int) *db.File {
	b.Helper()
	f := create(b)
	load(b, f, entities(n))
	return f
}

func BenchmarkSmallWrite(b *testing.B) {
	for _, n := range []int{10_000, benchQuads()} {
		b.Run(fmt.Sprintf("at %d", n), func(b *testing.B) {
			f := filled(b, n)
			i := 0
			for b.Loop() {
				i++
				smallWrite(b, f, i)
			}
		})
	}
}

func smallWrite(b *testing.B, f *db.File, i int) {
	w, err := f.Write(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	s := fmt.Sprintf("new%08d", i)
	quads := []rdf.Quad{
		q(s, "a", rdf.String(fmt.Sprintf("name %d", i))),
		q(s, "b", rdf.String(fmt.Sprintf("note %d", i))),
		q(s, "c", rdf.Literal(fmt.Sprint(i), rdf.XSDInteger)),
		q(s, "d", iri(fmt.Sprintf("Thing/%08d", i%1000))),
		q(s, "e", iri(fmt.Sprintf("Thing/%08d", i*7%1000))),
		q(s, "f", rdf.Literal("true", rdf.XSDBoolean)),
		q(s, "g", rdf.String("open")),
		q(s, "h", rdf.Literal("2026-01-02", rdf.XSDDate)),
		q(s, "i", rdf.Literal("1.5", rdf.XSDDecimal)),
		q(s, "j", iri("Type1")),
	}
	for _, q := range quads {
		if _, err := w.Add(context.Background(), q); err != nil {
			b.Fatal(err)
		}
	}
	act := &db.Activity{ID: "0190f9b2-6b7c-7c3e-9f0a-000000000000", Capability: "thing.create", Version: "1.0.0", Agent: "bench", Started: epoch, Ended: epoch, Outcome: "ok", Generated: []string{s}}
	if _, err := w.Commit(context.Background(), db.CommitMeta{Time: epoch.Add(time.Duration(i)), Author: "bench"}, act); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkSubject(b *testing.B) {
	n := benchQuads()
	f := filled(b, n)
	random := rand.New(rand.NewPCG(1, 2))
	b.Run("trails", func(b *testing.B) {
		r := read(b, f)
		for b.Loop() {
			s := iri(fmt.Sprintf("Thing/%08d", random.IntN(n/10)))
			rows := 0
			for _, err := range r.Match(context.Background(), rdf.Quad{Subject: s}) {
				if err != nil {
					b.Fatal(err)
				}
				rows++
			}
			if rows != 10 {
				b.Fatal(rows)
			}
		}
	})
	b.Run("trails with its own snapshot", func(b *testing.B) {
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		for b.Loop() {
			r, err := f.Read(ctx, db.View{})
			if err != nil {
				b.Fatal(err)
			}
			for range r.Match(ctx, rdf.Quad{Subject: iri(fmt.Sprintf("Thing/%08d", random.IntN(n/10)))}) {
			}
			r.Close()
		}
	})
	b.Run("raw ids", func(b *testing.B) {
		rawSubject(b, f.Path(), random, "SELECT s, p, o, g FROM live WHERE s = ?")
	})
	b.Run("raw values", func(b *testing.B) {
		rawSubject(b, f.Path(), random, `SELECT l.s, l.p, l.o, l.g, t.value, p.value
			FROM live l JOIN terms p ON p.id = l.p LEFT JOIN terms t ON t.id = l.o WHERE l.s = ?`)
	})
}

// rawSubject reads one subject's rows by its ready id.
func rawSubject(b *testing.B, path string, random *rand.Rand, sql string) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := sqlitex.ExecuteTransient(c, "PRAGMA cache_size = -16384", nil); err != nil {
		b.Fatal(err)
	}
	var ids []int64
	if err := sqlitex.ExecuteTransient(c, "SELECT DISTINCT s FROM live WHERE g = 0", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		ids = append(ids, s.ColumnInt64(0))
		return nil
	}}); err != nil {
		b.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(c, "BEGIN", nil); err != nil {
		b.Fatal(err)
	}
	s := c.Prep(sql)
	for b.Loop() {
		s.BindInt64(1, ids[random.IntN(len(ids))])
		for {
			more, err := s.Step()
			if err != nil {
				b.Fatal(err)
			}
			if !more {
				break
			}
			for i := range 4 {
				_ = s.ColumnInt64(i)
			}
			for i := 4; i < s.ColumnCount(); i++ {
				_ = s.ColumnText(i)
			}
		}
		s.Reset()
	}
}

func BenchmarkScan(b *testing.B) {
	n := benchQuads()
	f := filled(b, n)
	r := read(b, f)
	rows := 0
	for b.Loop() {
		for _, err := range r.Match(context.Background(), rdf.Quad{}) {
			if err != nil {
				b.Fatal(err)
			}
			rows++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/quad")
}

// BenchmarkVerify checks a whole file: one bulk commit and a tenth of it in logged ones.
func BenchmarkVerify(b *testing.B) {
	n := benchQuads()
	quads := entities(n)
	f := create(b)
	load(b, f, quads)
	for i := range n / 10_000 {
		write(b, f, nil, quads[i*1000:i*1000+500])
		write(b, f, quads[i*1000:i*1000+500], nil)
	}
	for b.Loop() {
		report, err := f.Verify(b.Context(), db.VerifyOptions{})
		if err != nil || !report.OK() {
			b.Fatalf("%v %v", report.Problems, err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "quads/s")
}
