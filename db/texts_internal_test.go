package db

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/e2e/testrun"
	"trails/rdf"
)

// commitQuads makes one commit.
func commitQuads(t interface{ Fatal(...any) }, f *File, add, remove []rdf.Quad) {
	line := func(q rdf.Quad) string { return string(rdf.AppendQuad(nil, q)) }
	type edit struct {
		rdf.Quad
		add bool
	}
	edits := map[string]edit{}
	for _, q := range remove {
		edits[line(q)] = edit{q, false}
	}
	for _, q := range add {
		edits[line(q)] = edit{q, true}
	}
	var lines []string
	for l := range edits {
		lines = append(lines, l)
	}
	slices.Sort(lines)
	w, err := f.Write(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, l := range lines {
		change := w.Remove
		if edits[l].add {
			change = w.Add
		}
		if _, err := change(context.Background(), edits[l].Quad); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(context.Background(), CommitMeta{}, nil); err != nil {
		t.Fatal(err)
	}
}

// TestKeptTextsFollowCommits compares texts that follow the change log with texts that
// are read again, and with what an older reader sees.
func TestKeptTextsFollowCommits(t *testing.T) {
	testrun.Alone(t)
	dir, files := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		files++
		path := filepath.Join(dir, fmt.Sprint(files))
		if err := fresh(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		f, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for range rapid.IntRange(1, 5).Draw(t, "commits") {
			commitQuads(t, f, drawQuads(t, false), drawQuads(t, false))
			if rapid.Bool().Draw(t, "look") {
				sameTexts(t, f)
			}
		}
		sameTexts(t, f)
	})
}

func sameTexts(t interface {
	Fatal(...any)
	Error(...any)
}, f *File) {
	r, err := f.Read(context.Background(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, name := range []rdf.IRI{modelText, modelNumber} {
		p, ok, err := r.dict.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		got, kept, err := r.sortedTexts(context.Background(), keyOf(p, ""))
		if err != nil || !kept {
			t.Fatal("not kept", err)
		}
		want := readAgain(t, r, p)
		if !slices.Equal(want, got) {
			t.Error(gocmp.Diff(want, got, gocmp.AllowUnexported(textRow{})))
		}
	}
}

func readAgain(t interface{ Fatal(...any) }, r *Reader, p inline.TermID) (rows []textRow) {
	err := r.conn.Exec(r.conn.text(leaf.Texts), func(s *stmt.Stmt) error {
		rows = append(rows, scanText(s, textKey{}))
		return nil
	}, sortRunes, p)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b textRow) int {
		return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.o, b.o), cmp.Compare(a.s, b.s))
	})
	return rows
}

func TestAnOlderReaderHasItsOwnTexts(t *testing.T) {
	testrun.Alone(t)
	f := emptyFile(t)
	quads := func(from, to int) (list []rdf.Quad) {
		for i := range to - from {
			list = append(list, rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("urn:s:%06d", from+i)), Predicate: modelText, Object: rdf.Literal(fmt.Sprint("text ", from+i), "")})
		}
		return list
	}
	commitQuads(t, f, quads(0, 10), nil)
	old, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	commitQuads(t, f, quads(10, 20), quads(0, 5))
	sameTexts(t, f)
	p, _, err := old.dict.Lookup(modelText)
	if err != nil {
		t.Fatal(err)
	}
	if _, kept, err := old.sortedTexts(t.Context(), keyOf(p, "")); kept || err != nil {
		t.Errorf("an older reader got later texts: %t, %v", kept, err)
	}
	t.Run("a bulk commit has no log and is read", func(t *testing.T) {
		commitQuads(t, f, quads(1000, 1000+bulkSize+1), nil)
		sameTexts(t, f)
	})
	t.Run("a writer has no commit", func(t *testing.T) {
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, kept, err := w.sortedTexts(t.Context(), keyOf(p, "")); kept || err != nil {
			t.Errorf("a writer's texts are kept: %t, %v", kept, err)
		}
	})
}

func TestTextsThatWereUsedLongAgoGo(t *testing.T) {
	var store textStore
	for p := range inline.TermID(4) {
		store.put(textKey{p: p}, &textColumn{seq: 1, bytes: keptTextBytes / 2})
		store.get(textKey{})
	}
	for p, want := range []bool{true, false, false, true} {
		if got := store.get(textKey{p: inline.TermID(p)}) != nil; got != want {
			t.Errorf("property %d is kept: %t, want %t", p, got, want)
		}
	}
	store.put(textKey{p: 3}, &textColumn{seq: 0})
	if c := store.get(textKey{p: 3}); c.seq != 1 {
		t.Errorf("an older column came in the place of a later one")
	}
}

// However long they are, the texts that are kept have a bound in bytes.
func TestTextsThatTakeTooMuchMemoryAreNotKept(t *testing.T) {
	before := keptTextBytes
	defer func() { keptTextBytes = before }()
	f := emptyFile(t)
	text := func(i, length int) rdf.Quad {
		return rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("urn:s:%03d", i)), Predicate: rdf.IRI("urn:p"), Object: rdf.Literal(strings.Repeat("x", length)+fmt.Sprint(i), rdf.XSDString)}
	}
	var short []rdf.Quad
	for i := range 10 {
		short = append(short, text(i, 1))
	}
	commitQuads(t, f, short, nil)
	keptTextBytes = 10 * (32 + 2)
	look := func(want int, kept bool) {
		t.Helper()
		r, err := f.Read(t.Context(), View{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		ids, ok, err := r.ids(rdf.IRI("urn:p"))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		rows, got, err := r.sortedTexts(t.Context(), keyOf(ids[0], ""))
		if err != nil || got != kept || len(rows) != want {
			t.Errorf("%d texts, kept %t, %v; want %d, %t", len(rows), got, err, want, kept)
		}
		held := 0
		for _, c := range f.caches.Load().texts.columns {
			held += c.bytes
		}
		if held > keptTextBytes {
			t.Errorf("%d bytes are held, want %d at most", held, keptTextBytes)
		}
	}
	look(10, true)
	// The same number, one of them long: what follows the change is no way around.
	commitQuads(t, f, []rdf.Quad{text(3, 100)}, []rdf.Quad{text(3, 1)})
	look(10, true) // this reader has them; they are not kept
	if len(f.caches.Load().texts.columns) > 0 {
		t.Error("texts past the bound are kept")
	}
	look(0, false)
}

// TestKeptTextsWhileOthersWrite has several readers, each of which must get the texts of
// its own state while the others bring the kept ones forward.
func TestKeptTextsWhileOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "texts.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	one := func(i int) []rdf.Quad {
		return []rdf.Quad{{Subject: rdf.IRI(fmt.Sprint("urn:s:", i%7)), Predicate: modelText, Object: rdf.Literal(fmt.Sprint("text ", i), "")}}
	}
	commitQuads(t, f, one(0), nil)
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					sameTextsOrNone(t, f)
				}
			}
		})
	}
	for i := range 60 {
		commitQuads(t, f, one(i+1), one(i-3))
	}
	close(done)
	readers.Wait()
}

// sameTextsOrNone is sameTexts for a reader that others may have overtaken.
func sameTextsOrNone(t *testing.T, f *File) {
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Error(err)
		return
	}
	defer r.Close()
	p, ok, err := r.dict.Lookup(modelText)
	if err != nil || !ok {
		t.Errorf("%t, %v", ok, err)
		return
	}
	got, kept, err := r.sortedTexts(t.Context(), keyOf(p, ""))
	if err != nil {
		t.Error(err)
	}
	if kept && !slices.Equal(readAgain(t, r, p), got) {
		t.Errorf("at commit %d the texts are others", r.head.Seq)
	}
}
