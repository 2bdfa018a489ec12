package db_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/db/dbtest"
	"trails/db/history"
	"trails/fault"
	"trails/rdf"
)

const (
	bodyOf  = rdf.IRI("urn:x:body")
	titleOf = rdf.IRI("urn:x:title")
)

var embeddedBodies = []db.EmbeddedProperty{{Property: bodyOf, Classes: []rdf.IRI{"urn:x:Note"}}}

// noted are the quads of a note with a body.
func noted(id, body string) []rdf.Quad {
	s := rdf.IRI("urn:x:" + id)
	return []rdf.Quad{
		{Subject: s, Predicate: rdf.Type, Object: rdf.IRI("urn:x:Note")}, {Subject: s, Predicate: bodyOf, Object: rdf.Literal(body, "")},
		{Subject: s, Predicate: titleOf, Object: rdf.Literal("title of "+id, "")},
	}
}

func workOf(t *testing.T, f *db.File) db.VectorWork {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := r.VectorWork(t.Context(), embeddedBodies, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// countOf is how many vectors there are, and how many texts were refused.
func countOf(t *testing.T, f *db.File) (vectors, refused int64) {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	vectors, refused, err = r.CountVectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return vectors, refused
}

// nearTo are the nearest subjects to a vector.
func nearTo(t *testing.T, f *db.File, v []float32) (list []string) {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = r.Near(t.Context(), v, nil, func(hits []db.NearHit) (bool, error) {
		for _, h := range hits {
			list = append(list, fmt.Sprintf("%v %.2f", h.Subject, h.Similarity))
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// refusedOf are the texts that were refused, with their subjects and reasons.
func refusedOf(t *testing.T, f *db.File) (list []string) {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	left, err := r.RefusedTexts(t.Context(), func(texts []db.RefusedText) (bool, error) {
		for _, text := range texts {
			list = append(list, fmt.Sprintf("%v %v %v: %s", text.Subject, text.Property, text.Text, text.Reason))
		}
		return true, nil
	})
	if err != nil || left {
		t.Fatal(err, left)
	}
	return list
}

func TestManyRefusedTextsAreListedInPart(t *testing.T) {
	f := create(t)
	var quads []rdf.Quad
	var refused []db.TextVector
	for i := range 2_001 {
		body := fmt.Sprint("body ", i)
		quads, refused = append(quads, noted(fmt.Sprint(i), body)...), append(refused, db.TextVector{Text: rdf.Literal(body, ""), Refusal: body})
	}
	write(t, f, quads, nil)
	now := time.Unix(1000, 0)
	if _, err := f.ClaimVectors(t.Context(), "one", db.VectorModel{Model: "m"}, now, now); err != nil {
		t.Fatal(err)
	}
	if err := f.KeepVectors(t.Context(), "one", now, refused); err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for most, left := range map[int]bool{1: true, 2_001: true} {
		n := 0
		got, err := r.RefusedTexts(t.Context(), func(texts []db.RefusedText) (bool, error) {
			for _, text := range texts {
				if n++; text.Reason != rdf.Lexical(text.Text) {
					t.Errorf("%v: %s", text.Text, text.Reason)
				}
			}
			return n < most, nil
		})
		if err != nil || got != left || n > 2_000 || n < min(most, 2_000) {
			t.Errorf("of %d texts %d are passed, others: %t, %v", most, n, got, err)
		}
	}
}

func TestVectorsAreKeptAndFoundByNearness(t *testing.T) {
	f := create(t)
	model := db.VectorModel{URL: "http://e/", Model: "m"}
	now := time.Unix(1000, 0)
	write(t, f, slices.Concat(noted("a", "cat"), noted("b", "car"), noted("c", "rain")), nil)
	if w := workOf(t, f); w.Pending != 3 || len(w.Texts) != 3 || w.Stale != 0 {
		t.Fatalf("%+v", w)
	}
	claim := func(owner string, model db.VectorModel, at time.Time) bool {
		t.Helper()
		ok, err := f.ClaimVectors(t.Context(), owner, model, at, at.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !claim("one", model, now) || claim("two", model, now.Add(time.Second)) || !claim("one", model, now) {
		t.Error("a claim is not that of one process")
	}
	keep := func(owner string, list ...db.TextVector) error {
		return f.KeepVectors(t.Context(), owner, now.Add(time.Minute), list)
	}
	vector := func(text string, numbers ...float32) db.TextVector {
		return db.TextVector{Text: rdf.Literal(text, ""), Numbers: numbers}
	}
	if err := keep("two", vector("cat", 1, 0)); !fault.Is(err, fault.Conflict) {
		t.Errorf("vectors without the claim: %v", err)
	}
	half := float32(math.Sqrt(0.5))
	if err := keep("one", vector("cat", 1, 0), vector("car", 0, 1), vector("rain", half, half), vector("nobody says it", 1, 0)); err != nil {
		t.Fatal(err)
	}
	if got := nearTo(t, f, []float32{1, 0}); !slices.Equal(got, []string{"<urn:x:a> 1.00", "<urn:x:c> 0.71"}) {
		t.Errorf("near are %q", got)
	}
	if got := nearTo(t, f, []float32{1, 0, 0}); got != nil {
		t.Errorf("by a vector of another length near are %q", got)
	}
	if w := workOf(t, f); w.Pending != 0 || w.Stale != 0 {
		t.Errorf("%+v", w)
	}
	if report := verify(t, f); !report.OK() {
		t.Error(report.Problems)
	}
	// A text that is gone is no hit, and its vector is removed.
	write(t, f, noted("d", "bus"), []rdf.Quad{noted("a", "cat")[1]})
	if got := nearTo(t, f, []float32{1, 0}); !slices.Equal(got, []string{"<urn:x:c> 0.71"}) {
		t.Errorf("after a change near are %q", got)
	}
	w := workOf(t, f)
	if w.Pending != 1 || w.Stale != 1 || w.Texts[0] != rdf.Literal("bus", "") {
		t.Errorf("%+v", w)
	}
	if err := f.NoteVectors(t.Context(), "one", w, "it is down"); err != nil {
		t.Fatal(err)
	}
	if w := workOf(t, f); w.Pending != 1 || w.Stale != 0 {
		t.Errorf("%+v", w)
	}
	// A text that was refused is neither missing nor found nor a vector.
	refused := []db.TextVector{{Text: rdf.Literal("bus", ""), Refusal: "no"}} // as long as a vector
	if err := f.KeepVectors(t.Context(), "one", now.Add(time.Minute), refused); err != nil {
		t.Fatal(err)
	}
	if w := workOf(t, f); w.Pending != 0 || w.Stale != 0 {
		t.Errorf("with a text that was refused %+v", w)
	}
	if vectors, refused := countOf(t, f); vectors != 2 || refused != 1 {
		t.Errorf("there are %d vectors, and %d texts were refused", vectors, refused)
	}
	if got := nearTo(t, f, []float32{1, 0}); !slices.Equal(got, []string{"<urn:x:c> 0.71"}) {
		t.Errorf("with a text that was refused near are %q", got)
	}
	if got := refusedOf(t, f); !slices.Equal(got, []string{`<urn:x:d> <urn:x:body> "bus": no`}) {
		t.Errorf("refused are %q", got)
	}
	if report := verify(t, f); !report.OK() {
		t.Error(report.Problems)
	}
	// Another length is another model, and so is another name: never a mix.
	if err := keep("one", vector("bus", 0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if w := workOf(t, f); w.Pending != 2 || w.Stale != 0 {
		t.Errorf("with another length %+v", w)
	}
	if claim("two", model, now.Add(2*time.Minute)) != true {
		t.Error("a claim that has ended is kept")
	}
	if err := keep("one", vector("car", 0, 0, 1)); !fault.Is(err, fault.Conflict) {
		t.Errorf("vectors after the claim: %v", err)
	}
	if !claim("two", db.VectorModel{URL: "http://e/", Model: "n"}, now) {
		t.Error("no claim")
	}
	if w := workOf(t, f); w.Pending != 3 {
		t.Errorf("with another model %+v", w)
	}
	// What was refused, and nothing else, is asked again once that is forgotten.
	if err := f.KeepVectors(t.Context(), "two", now.Add(time.Minute), append(refused, vector("car", 1, 0))); err != nil {
		t.Fatal(err)
	}
	if n, err := f.ForgetRefusals(t.Context()); err != nil || n != 1 {
		t.Errorf("%d refusals are forgotten: %v", n, err)
	}
	if w := workOf(t, f); w.Pending != 2 || refusedOf(t, f) != nil {
		t.Errorf("after refusals are forgotten %+v, %q", w, refusedOf(t, f))
	}
	if n, err := f.ForgetRefusals(t.Context()); err != nil || n != 0 {
		t.Errorf("%d refusals are forgotten twice: %v", n, err)
	}
	// So it is after all is dropped.
	if err := f.KeepVectors(t.Context(), "two", now.Add(time.Minute), append(refused, vector("car", 1, 0))); err != nil {
		t.Fatal(err)
	}
	if n, err := f.DropVectors(t.Context()); err != nil || n != 1 {
		t.Errorf("%d vectors are dropped: %v", n, err)
	}
	if w := workOf(t, f); w.Pending != 3 {
		t.Errorf("after all is dropped %+v", w)
	}
}

func TestTextsAreComparedIfACommitTouchedOne(t *testing.T) {
	f := create(t)
	about := func(id string) rdf.IRI { return rdf.IRI("urn:x:" + id) }
	write(t, f, slices.Concat(noted("a", "cat"), noted("b", "car"), []rdf.Quad{{Subject: about("c"), Predicate: bodyOf, Object: rdf.Literal("of no note", "")}}), nil)
	many := make([]rdf.Quad, 5_000)
	for i := range many {
		many[i] = rdf.Quad{Subject: about(fmt.Sprint("many", i)), Predicate: titleOf, Object: rdf.Literal("t", "")}
	}
	for _, c := range []struct {
		name        string
		add, remove []rdf.Quad
		read        int64
	}{
		{"another property", []rdf.Quad{{Subject: about("a"), Predicate: titleOf, Object: rdf.Literal("cat", "")}}, nil, 0},
		{"another type", []rdf.Quad{{Subject: about("a"), Predicate: rdf.Type, Object: about("Other")}}, nil, 0},
		{"the property in a named graph", []rdf.Quad{{Subject: about("a"), Predicate: bodyOf, Object: rdf.Literal("dog", ""), Label: about("graph")}}, nil, 0},
		{"a new text", noted("d", "dog"), nil, 3},
		{"a text that is gone", nil, []rdf.Quad{noted("a", "cat")[1]}, 2},
		{"a node that becomes a note", []rdf.Quad{{Subject: about("c"), Predicate: rdf.Type, Object: about("Note")}}, nil, 3},
		{"a node that is no note any more", nil, []rdf.Quad{noted("b", "car")[0]}, 2},
		{"5,000 changes", many, nil, 2},
	} {
		since := workOf(t, f).Seq()
		write(t, f, c.add, c.remove)
		for _, from := range []struct {
			since history.Seq
			read  int64
		}{{since, c.read}, {0, workOf(t, f).Read}, {workOf(t, f).Seq(), 0}, {workOf(t, f).Seq() + 1, workOf(t, f).Read}} {
			r, err := f.Read(t.Context(), db.View{})
			if err != nil {
				t.Fatal(err)
			}
			if w, err := r.VectorWork(t.Context(), embeddedBodies, from.since); err != nil || w.Read != from.read || w.Seq() != since+1 {
				t.Errorf("%s since %d: %+v, of which %d should be read: %v", c.name, from.since, w, from.read, err)
			}
			r.Close()
		}
	}
}

func TestVerifyFindsVectorsThatWereChanged(t *testing.T) {
	for _, change := range []string{"UPDATE vectors SET numbers = x'0102'", "UPDATE vectors SET numbers = x'01'", "UPDATE vectors SET numbers = x'', scale = 0", "UPDATE vectors SET term = 1"} {
		f := create(t)
		write(t, f, noted("a", "cat"), nil)
		now := time.Unix(1000, 0)
		if _, err := f.ClaimVectors(t.Context(), "one", db.VectorModel{Model: "m"}, now, now); err != nil {
			t.Fatal(err)
		}
		if err := f.KeepVectors(t.Context(), "one", now, []db.TextVector{{Text: rdf.Literal("cat", ""), Numbers: []float32{1, 0}}}); err != nil {
			t.Fatal(err)
		}
		f.Close()
		dbtest.Exec(t, f.Path(), change)
		if report := verify(t, open(t, f.Path())); len(report.Problems) != 1 || !strings.HasPrefix(report.Problems[0], "vectors: ") {
			t.Errorf("after %s: %q", change, report.Problems)
		}
	}
}
