package db_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/db"
	"trails/db/dbtest"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// engine answers SELECT and ASK from a file of its own for each dataset; what is
// not this package's work, it leaves to the oracle.
type engine struct {
	sparqltest.Oracle
	dir   func() string
	scans db.Scans
	past  bool // whether half of the data has been removed again, and the commit before is asked
}

func (e engine) Query(ctx context.Context, text, base string, dataset []rdf.Quad) (rdftest.Answer, error) {
	q, err := sparql.Parse(text, sparql.Options{Base: base})
	if err != nil {
		return rdftest.Answer{}, err
	}
	if q.Form != sparql.Select && q.Form != sparql.Ask {
		return e.Oracle.Query(ctx, text, base, dataset)
	}
	f, err := fileWith(ctx, filepath.Join(e.dir(), "query.db"), dataset, db.Options{Scans: e.scans})
	if err != nil {
		return rdftest.Answer{}, err
	}
	defer f.Close()
	then := f.LatestHead(ctx, nil)
	if !e.past || then.ID.IsZero() {
		return answered(ctx, f, q, db.View{})
	}
	gone := sorted(dataset[:(len(dataset)+1)/2])
	if _, err := tryWrite(ctx, f, nil, gone); err != nil {
		return rdftest.Answer{}, err
	}
	return answered(ctx, f, q, db.View{At: then.ID})
}

// answered is the answer of a view of a file.
func answered(ctx context.Context, f *db.File, q *sparql.Query, v db.View) (rdftest.Answer, error) {
	r, err := f.Read(ctx, v)
	if err != nil {
		return rdftest.Answer{}, err
	}
	defer r.Close()
	return answer(ctx, r, q)
}

func answer(ctx context.Context, r *db.Reader, q *sparql.Query) (a rdftest.Answer, err error) {
	plan, err := r.Plan(ctx, q.Op, q.Vars, q.Dataset, q.Base)
	if err != nil {
		return a, err
	}
	for row, err := range r.Run(ctx, plan, db.Limits{}) {
		if err != nil {
			return a, err
		}
		a.Rows = append(a.Rows, row)
	}
	if q.Form == sparql.Ask {
		truth := len(a.Rows) > 0
		return rdftest.Answer{Truth: &truth}, nil
	}
	for _, v := range q.Vars {
		a.Vars = append(a.Vars, string(v))
	}
	return a, nil
}

func fileOf(ctx context.Context, path string, quads []rdf.Quad) (*db.File, error) {
	return fileWith(ctx, path, quads, db.Options{})
}

// checkFiles is rapid.Check of what holds for files; each begins empty.
func checkFiles(t *testing.T, property func(ctx context.Context, t *rapid.T, f *db.File)) {
	t.Helper()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ctx := context.Background()
		f, err := fileOf(ctx, filepath.Join(dir, fmt.Sprint(n, ".db")), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		property(ctx, t, f)
	})
}

// drawScans closes a file, and opens it so that patterns are answered by scans, by SQL, or by either.
func drawScans(ctx context.Context, t *rapid.T, f *db.File) *db.File {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	scans := rapid.SampledFrom([]db.Scans{db.ScansChosen, db.ScansNever, db.ScansAlways}).Draw(t, "scans")
	f, err := db.Open(ctx, f.Path(), db.Options{Scans: scans})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func fileWith(ctx context.Context, path string, quads []rdf.Quad, o db.Options) (*db.File, error) {
	if err := dbtest.Fresh(path, func(path string) error { return db.Create(ctx, path, db.CreateOptions{}) }); err != nil {
		return nil, err
	}
	f, err := db.Open(ctx, path, o)
	if err != nil || len(quads) == 0 {
		return f, err
	}
	w, err := f.Write(ctx)
	if err != nil {
		return f, err
	}
	defer w.Close()
	for _, q := range sorted(quads) {
		if _, err := w.Add(ctx, q); err != nil {
			return f, err
		}
	}
	_, err = w.Commit(ctx, db.CommitMeta{Time: epoch}, nil)
	return f, err
}

// TestQueriesAgreeWithTheOracle draws data and queries: the file must give the
// solutions that the specification gives.
func TestQueriesAgreeWithTheOracle(t *testing.T) { agreeWithTheOracle(t, sparqltest.Query) }

func TestClosuresAgreeWithTheOracle(t *testing.T) { agreeWithTheOracle(t, sparqltest.Closures) }

// agreeWithTheOracle asks the same data with scans wherever one fits, without any, and as is chosen.
func agreeWithTheOracle(t *testing.T, draw func(*rapid.T) sparqltest.Case) {
	rapid.Check(t, func(rt *rapid.T) {
		data, c := sparqltest.Data(rt), draw(rt)
		q, err := sparql.Parse(c.Text, sparql.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		if q.Form != sparql.Select && q.Form != sparql.Ask {
			rt.Skip("it is answered above this package")
		}
		path := filepath.Join(t.TempDir(), "query.db")
		f, err := fileOf(rt.Context(), path, data)
		for _, scans := range []db.Scans{db.ScansAlways, db.ScansNever, db.ScansChosen} {
			var got rdftest.Answer
			if err == nil {
				err = f.Close()
			}
			if err == nil {
				f, err = db.Open(rt.Context(), path, db.Options{Scans: scans})
			}
			if err == nil {
				got, err = answered(rt.Context(), f, q, db.View{})
			}
			if err == nil {
				err = sparqltest.Agree(rt.Context(), c, slices.Clone(data), got)
			}
			if err != nil {
				rt.Fatalf("%v\nwith scans %d, for\n%s", err, scans, c.Text)
			}
		}
		if err := f.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// sorted is the order in which changes are made.
func sorted(quads []rdf.Quad) []rdf.Quad {
	quads = slices.Clone(quads)
	text := func(q rdf.Quad) string { return string(rdf.AppendQuad(nil, q)) }
	slices.SortFunc(quads, func(a, b rdf.Quad) int { return strings.Compare(text(a), text(b)) })
	return slices.Compact(quads)
}
