package db

import (
	"fmt"
	"testing"
	"time"

	"trails/rdf"
	"trails/sparql"
)

// The queries of ten patterns that [BenchmarkCompile] makes ready.
var tenPatterns = map[string]string{
	"chain": `SELECT ?a ?j { ?a :a <urn:test:500> . ?a :b ?b . ?b :c ?c . ?c :d ?d . ?d :e ?e . ?e :f ?f . ?f :g ?g . ?g :h ?h . ?h :i ?i . ?i :j ?j }`,
	"star":  `SELECT * { ?s :a ?a ; :b ?b ; :c ?c ; :d ?d ; :e ?e ; :f ?f ; :g ?g ; :h ?h ; :i ?i ; :j <urn:test:500> }`,
}

// BenchmarkCompile makes queries ready, from the text to the prepared statement: first
// when nothing is known of the file, then in a new shape, then again.
func BenchmarkCompile(b *testing.B) {
	f := tenProperties(b)
	for name, text := range tenPatterns {
		text = "PREFIX : <urn:test:>\n" + text
		var texts sparql.Texts
		b.Run(name+"/first", func(b *testing.B) {
			for b.Loop() {
				f.caches.Store(newCaches(f.caches.Load().epoch))
				compile(b, f, &sparql.Texts{}, text, true)
			}
		})
		b.Run(name+"/shape", func(b *testing.B) {
			for b.Loop() {
				f.caches.Load().plans = newPlans()
				compile(b, f, &sparql.Texts{}, text, true)
			}
		})
		b.Run(name+"/again", func(b *testing.B) {
			for b.Loop() {
				compile(b, f, &texts, text, false)
			}
		})
	}
}

func compile(b *testing.B, f *File, texts *sparql.Texts, text string, anew bool) {
	r, err := f.Read(b.Context(), View{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if err := r.conn.answerQuestions(); err != nil {
		b.Fatal(err)
	}
	q, err := texts.Parse(text, sparql.Options{}, "")
	if err != nil {
		b.Fatal(err)
	}
	plan, err := r.Plan(b.Context(), q.Op, q.Vars, q.Dataset, q.Base)
	if err != nil {
		b.Fatal(err)
	}
	if anew {
		s, _, err := r.conn.PrepareTransient(plan.SQL)
		if err != nil {
			b.Fatal(err)
		}
		s.Finalize()
		return
	}
	s, err := r.conn.TakeQuery(plan.SQL)
	if err != nil {
		b.Fatal(err)
	}
	s.Release()
}

// tenProperties is a file of ten thousand subjects with ten properties.
func tenProperties(b *testing.B) *File {
	b.Helper()
	f := emptyFile(b)
	w, err := f.Write(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	node := func(i int) rdf.IRI { return rdf.IRI(fmt.Sprintf("urn:test:%d", 1000+i)) }
	for i := range 9000 {
		for _, p := range "abcdefghij" {
			q := rdf.Quad{Subject: node(i), Predicate: rdf.IRI("urn:test:" + string(p)), Object: node((i*7919 + 13*int(p)) % 9000)}
			if _, err := w.Add(b.Context(), q); err != nil {
				b.Fatal(err)
			}
		}
	}
	if _, err := w.Commit(b.Context(), CommitMeta{Time: time.Unix(0, 0)}, nil); err != nil {
		b.Fatal(err)
	}
	return f
}
