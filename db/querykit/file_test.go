package querykit_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/db/querykit"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/sparql"
)

// made holds the paths of the files of data, which all tests and benchmarks of a run share.
var made struct {
	dir   string
	files sync.Map // of paths: a function that makes the file once
}

func TestMain(m *testing.M) {
	if path := os.Getenv(handVar); path != "" {
		if err := serveHand(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "trails-querykit-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	made.dir = dir
	return m.Run()
}

// fileOf returns the path of a graph with n triples of a set; the first call makes it.
func fileOf(tb testing.TB, set querykit.Set, n int) string {
	tb.Helper()
	path := filepath.Join(made.dir, fmt.Sprintf("%s-%d.db", set.Name, n))
	once, _ := made.files.LoadOrStore(path, sync.OnceValue(func() error { return makeFile(path, set, n) }))
	if err := once.(func() error)(); err != nil {
		tb.Fatal(err)
	}
	return path
}

func makeFile(path string, set querykit.Set, n int) error {
	ctx := context.Background()
	if err := kg.Create(ctx, path, kg.CreateOptions{Base: querykit.Base}); err != nil {
		return err
	}
	g, err := kg.Open(ctx, path, kg.Options{})
	if err != nil {
		return err
	}
	text, out := io.Pipe()
	go func() { out.CloseWithError(writeTriples(out, set, n)) }()
	_, err = g.Session(anyone).Load(ctx, kg.Load{Options: load.Options{Format: load.NQuads, Inputs: []load.Input{{Name: "kit", Reader: text}}}})
	text.Close()
	if err != nil {
		return err
	}
	return g.Close()
}

// writeTriples writes n triples of a set as N-Triples.
func writeTriples(w io.Writer, set querykit.Set, n int) error {
	_, err := rdfio.WriteNQuads(w, func(yield func(rdf.Quad, error) bool) {
		for q := range set.Triples(n) {
			if !yield(q, nil) {
				return
			}
		}
	})
	return err
}

var anyone = policy.Local("bench", "")

func open(tb testing.TB, path string) *kg.Graph {
	tb.Helper()
	return openWith(tb, path, db.ScansChosen)
}

func openWith(tb testing.TB, path string, scans db.Scans) *kg.Graph {
	tb.Helper()
	g, err := kg.Open(tb.Context(), path, kg.Options{Scans: scans})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { g.Close() })
	return g
}

func openHand(tb testing.TB, path string) *querykit.Hand {
	tb.Helper()
	h, err := querykit.OpenHand(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { h.Close() })
	return h
}

// answers are the rows that the engine, SQL or another engine returns for a shape.
type answers iter.Seq2[[]rdf.Term, error]

// asked parses a query and runs it in a snapshot of its own, as the transports do.
func asked(ctx context.Context, g *kg.Graph, text string) answers {
	return askedBy(ctx, g.Session(anyone), history.Commit{}, text)
}

// askedBy is asked in a session at a commit; the zero Commit is the newest.
func askedBy(ctx context.Context, session *kg.Session, at history.Commit, text string) answers {
	return func(yield func([]rdf.Term, error) bool) {
		q, err := sparql.Parse(text, sparql.Options{})
		if err != nil {
			yield(nil, err)
			return
		}
		err = session.View(ctx, func(s *kg.Snapshot) error {
			if !at.ID.IsZero() {
				if s, err = s.At(ctx, at); err != nil {
					return err
				}
				defer s.Close()
			}
			a, err := s.Query(ctx, q, kg.QueryOptions{})
			if err == nil {
				answersOf(ctx, a)(yield)
			}
			return err
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

func answersOf(ctx context.Context, a *kg.Answer) answers {
	switch a.Form {
	case sparql.Construct:
	case sparql.Ask:
		return func(yield func([]rdf.Term, error) bool) {
			holds, err := a.Truth(ctx)
			yield(rowOf(holds), err)
		}
	default:
		return answers(a.Rows(ctx))
	}
	return func(yield func([]rdf.Term, error) bool) {
		for q, err := range a.Triples(ctx) {
			if !yield([]rdf.Term{q.Subject, q.Predicate, q.Object}, err) {
				return
			}
		}
	}
}

// rowOf returns the one row of the answer to ASK.
func rowOf(holds bool) []rdf.Term {
	return []rdf.Term{rdf.Literal(strconv.FormatBool(holds), rdf.XSDBoolean)}
}

// count reads all rows, keeps none, and returns their number.
func (a answers) count() (n int, err error) {
	for _, err := range a {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// lines reads all rows as text, see [querykit.Lines].
func (a answers) lines(ordered bool) ([]string, error) {
	var rows [][]rdf.Term
	for row, err := range a {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return querykit.Lines(rows, ordered), nil
}
