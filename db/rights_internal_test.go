package db

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trails/db/history"
	"trails/db/leaf"
	"trails/rdf"
	"trails/sparql"
	"trails/text/fulltext"
)

// secretFile is a file with 200 nodes of a hidden type.
type secretFile struct {
	*testing.T
	*File
}

func newSecretFile(t *testing.T) secretFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hidden.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	s := secretFile{t, f}
	var quads []rdf.Quad
	for i := range 200 {
		node := fmt.Sprintf("urn:%03d", i)
		quads = append(quads, rdf.Quad{Subject: rdf.IRI(node), Predicate: rdf.Type, Object: rdf.IRI("urn:Secret")},
			withName(node, fmt.Sprint("payroll ", i)), owes(node))
	}
	s.write(append(quads, withName("urn:long", strings.Repeat("filling ", 40_000)))...) // brings all texts into the index
	return s
}

func owes(node string) rdf.Quad {
	return rdf.Quad{Subject: rdf.IRI(node), Predicate: rdf.IRI("urn:owes"), Object: rdf.IRI("urn:x")}
}

func pays(node string) rdf.Quad {
	return rdf.Quad{Subject: rdf.IRI(node), Predicate: rdf.IRI("urn:pays"), Object: rdf.IRI("urn:x")}
}

func withName(node, name string) rdf.Quad {
	return rdf.Quad{Subject: rdf.IRI(node), Predicate: rdf.IRI("urn:name"), Object: rdf.String(name)}
}

// write adds quads, which are sorted.
func (s secretFile) write(quads ...rdf.Quad) {
	s.Helper()
	w, err := s.Write(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	defer w.Close()
	for _, q := range quads {
		if _, err := w.Add(s.Context(), q); err != nil {
			s.Fatal(err)
		}
	}
	if _, err := w.Commit(s.Context(), CommitMeta{}, nil); err != nil {
		s.Fatal(err)
	}
}

// read opens a reader that may not see the type.
func (s secretFile) read() *Reader {
	s.Helper()
	r, err := s.Read(s.Context(), View{Rights: &Rights{Types: []rdf.IRI{"urn:Secret"}}})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { r.Close() })
	return r
}

// Every query of a reader, and of the next readers of this commit and of newer ones, goes on with the stretches that earlier
// ones found. What newer commits added is hidden or not for itself.
func TestReadersRememberStretches(t *testing.T) {
	f := newSecretFile(t)
	var open []rdf.Quad
	for i := range 2_000 {
		open = append(open, pays(fmt.Sprintf("urn:%04da", i)))
	}
	f.write(open...)
	find := func(r *Reader, scans Scans, predicate string, want int) { // SQL remembers what is hidden, scans what is not
		t.Helper()
		f.opts.Scans = scans
		q, err := sparql.Parse("SELECT DISTINCT ?s { ?s <"+predicate+"> ?o . ?s <"+predicate+"> ?p }", sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, "")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range r.Run(t.Context(), plan, Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != want {
			t.Errorf("%d solutions with %s, want %d", n, predicate, want)
		}
	}
	found := func(r *Reader) int64 { return r.conn.sight.stretches[leaf.POS].Bytes() }

	r := f.read()
	find(r, ScansNever, "urn:owes", 0)
	hidden := found(r)
	find(r, ScansAlways, "urn:pays", 2_000)
	both := found(r)
	if hidden == 0 || both <= hidden {
		t.Errorf("200 hidden statements take %d bytes of stretches, and with 2,000 others %d", hidden, both)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := found(f.read()); got != both {
		t.Errorf("the next reader begins with %d bytes of stretches, and %d were found", got, both)
	}
	f.write(pays("urn:100"), owes("urn:100a"), pays("urn:2000a"), rdf.Quad{Subject: rdf.IRI("urn:other"), Predicate: rdf.Type, Object: rdf.IRI("urn:Secret")}, pays("urn:other"))
	r = f.read()
	if got := found(r); got < both {
		t.Errorf("a reader of another commit begins with %d bytes of stretches, and %d were found", got, both)
	}
	for range 2 {
		find(r, ScansNever, "urn:owes", 1)
		find(r, ScansAlways, "urn:pays", 2_001)
		find(r, ScansAlways, "urn:owes", 1)
		find(r, ScansNever, "urn:pays", 2_001)
	}
	f.write(rdf.Quad{Subject: rdf.IRI("urn:0007a"), Predicate: rdf.Type, Object: rdf.IRI("urn:Secret")}) // it was decided otherwise
	r = f.read()
	if got := found(r); got != 0 {
		t.Errorf("behind a commit that hides a node that was seen, a reader begins with %d bytes of stretches", got)
	}
	find(r, ScansAlways, "urn:pays", 2_000)
}

// A text that only hidden nodes have is looked up by the first search of a commit. When another node has it, too, it is found.
func TestSearchesRememberWhichTextsMayBeSeen(t *testing.T) {
	f := newSecretFile(t)
	finds := func(r *Reader, want ...string) {
		t.Helper()
		query, err := fulltext.Parse("payroll")
		if err != nil {
			t.Fatal(err)
		}
		texts, err := r.FindTexts(t.Context(), TextSearch{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, matching := range []Matching{MatchAll, MatchAny} {
			_, err = texts.Texts(matching, func(hits []TextHit) (bool, error) {
				for _, h := range hits {
					got = append(got, string(h.Subject.(rdf.IRI)))
				}
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("found %v, want %v", got, want)
		}
	}
	decided := func(r *Reader) (known, seen int) {
		for id := range int64(1_000) {
			if unseen, is := r.conn.sight.texts.IsHidden(id); is && id > 0 {
				if known++; !unseen {
					seen++
				}
			}
		}
		return known, seen
	}
	before := f.read()
	finds(before)
	if known, seen := decided(f.read()); known != 200 || seen != 0 {
		t.Errorf("the next reader knows of %d texts, %d of which may be seen, want 200 and 0", known, seen)
	}
	finds(f.read())
	f.write(withName("urn:open", "payroll 7"))
	after := f.read()
	if known, seen := decided(after); known != 199 || seen != 0 {
		t.Errorf("a reader of a commit that says another text knows of %d texts, %d of which may be seen, want 199 and 0", known, seen)
	}
	finds(after, "urn:open")
	if known, seen := decided(after); known != 200 || seen != 1 {
		t.Errorf("%d texts were looked up, %d of which may be seen, want 200 and 1", known, seen)
	}
	finds(before)
}

// The newest commit that a reader sees is the newest of which it may see something, for the first reader of it and for the next.
func TestReadersRememberTheNewestCommit(t *testing.T) {
	f := newSecretFile(t)
	newest := func() history.Seq {
		t.Helper()
		first, next := f.read().Head(), f.read().Head()
		if first != next {
			t.Errorf("one reader sees %+v, the next one %+v", first, next)
		}
		return first.Seq
	}
	before := newest()
	f.write(pays("urn:open"))
	shown := newest()
	f.write(pays("urn:007"))
	if after := newest(); shown != before+1 || after != shown {
		t.Errorf("behind %d the reader sees %d, and %d behind a commit that is hidden", before, shown, after)
	}
}
