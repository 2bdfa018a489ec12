package kg_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/kg"
	"trails/kg/load"
)

const base = "urn:trails:t:"

// ana writes most of what these tests write.
var ana = policy.Local("ana", "")

// clock returns a clock that goes a second further with each look.
func clock() func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

// newFile makes a file with this schema, empty for none, under a clock of its own.
func newFile(t testing.TB, schema string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.db")
	fileAt(t, path, schema)
	return path
}

// made are files by their schemas: to copy one is quicker than to make it again.
var made sync.Map

// fileAt makes a file at path.
func fileAt(t testing.TB, path, schema string) {
	t.Helper()
	if data, ok := made.Load(schema); ok {
		if err := os.WriteFile(path, data.([]byte), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Base: base, Schema: []byte(schema), By: ana, Now: clock()}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	made.Store(schema, data)
}

// open opens a file for the test; several may have one file open.
func open(t testing.TB, path string) *kg.Graph {
	t.Helper()
	g, err := kg.Open(t.Context(), path, kg.Options{Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// newGraph is an open new file with this schema.
func newGraph(t testing.TB, schema string) *kg.Graph {
	t.Helper()
	return open(t, newFile(t, schema))
}

// export returns the whole graph as text.
func export(t testing.TB, g *kg.Graph, format load.Format) string {
	t.Helper()
	return exportOf(t, g, kg.Main, format)
}

func exportOf(t testing.TB, g *kg.Graph, branch string, format load.Format) string {
	t.Helper()
	var out bytes.Buffer
	err := g.Session(ana).On(branch).View(t.Context(), func(s *kg.Snapshot) error {
		_, err := s.Export(t.Context(), &out, format, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func view(t testing.TB, g *kg.Graph, read func(*kg.Snapshot) error) {
	t.Helper()
	if err := g.Session(ana).View(t.Context(), read); err != nil {
		t.Fatal(err)
	}
}

func head(t testing.TB, g *kg.Graph) kg.Commit {
	t.Helper()
	var c kg.Commit
	view(t, g, func(s *kg.Snapshot) error { c = s.Head(); return nil })
	return c
}

// mustLoad loads text and must succeed.
func mustLoad(t testing.TB, g *kg.Graph, name, text string) kg.Loaded {
	t.Helper()
	loaded, err := tryLoad(t, g, kg.Load{}, name, text)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// importInto puts an export into a new graph.
func importInto(t testing.TB, g *kg.Graph, format load.Format, text string) error {
	t.Helper()
	_, err := g.Session(ana).Import(t.Context(), kg.Load{Options: load.Options{Format: format, Inputs: []load.Input{{Name: "export", Reader: strings.NewReader(text)}}}})
	return err
}

func tryLoad(t testing.TB, g *kg.Graph, l kg.Load, name, text string) (kg.Loaded, error) {
	t.Helper()
	l.Inputs = []load.Input{{Name: name, Reader: strings.NewReader(text)}}
	return g.Session(ana).Load(t.Context(), l)
}

// verify holds the whole file against its own hashes and tables.
func verify(t testing.TB, g *kg.Graph) {
	t.Helper()
	report, err := g.Verify(t.Context(), kg.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		t.Fatalf("verify: %s", strings.Join(report.Problems, "\n"))
	}
}

var madeLabel = regexp.MustCompile(`g[a-z2-7]{13}-`)

// short makes text of this graph readable and the same in every run.
func short(text string) string {
	text = strings.ReplaceAll(text, "<"+base, "<:")
	text = strings.ReplaceAll(text, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "a")
	text = strings.ReplaceAll(text, "http://www.w3.org/2001/XMLSchema#", "xsd:")
	return madeLabel.ReplaceAllString(text, "g…-")
}

// long is the inverse of short, for input.
func long(text string) string {
	text = strings.ReplaceAll(text, "<:", "<"+base)
	text = strings.ReplaceAll(text, " a <", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <")
	return strings.ReplaceAll(text, "<xsd:", "<http://www.w3.org/2001/XMLSchema#")
}

// cancelled is a context that has ended.
func cancelled(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
