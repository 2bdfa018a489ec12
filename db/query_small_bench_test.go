package db_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"trails/db"
	"trails/kg/rdf"
)

// smallShapes are queries whose own work is less than what is done for every query.
var smallShapes = []string{"point", "chain3", "top"}

// BenchmarkSmallQuery is [BenchmarkQuery] with data that is made in no time.
func BenchmarkSmallQuery(b *testing.B) {
	path := filepath.Join(b.TempDir(), "query.db")
	if err := db.Create(b.Context(), path, db.CreateOptions{}); err != nil {
		b.Fatal(err)
	}
	f, err := db.Open(b.Context(), path, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	load(b, f, sorted(smallQuads()))
	for _, s := range queryShapes {
		for _, name := range smallShapes {
			if s.name == name {
				b.Run(s.name+"/trails", func(b *testing.B) { benchQuery(b, f, s.query) })
				b.Run(s.name+"/sql", func(b *testing.B) { benchSQL(b, path, s.sql) })
			}
		}
	}
}

func smallQuads() (quads []rdf.Quad) {
	for i := range 10_000 {
		s := iri(fmt.Sprintf("Thing/%08d", i))
		add := func(p string, o rdf.Term) { quads = append(quads, rdf.Quad{Subject: s, Predicate: iri(p), Object: o}) }
		add("born", rdf.Literal(fmt.Sprintf("%04d-%02d-%02d", 1900+i%100, 1+i%12, 1+i%28), rdf.XSDDate))
		add("likes", iri(fmt.Sprintf("Thing/%08d", (i*7919+13)%10_000)))
		add("likes", iri(fmt.Sprintf("Thing/%08d", (i*104729+1)%10_000)))
		add("name", rdf.Literal(fmt.Sprintf("thing number %d", i), ""))
		add("size", rdf.Literal(fmt.Sprint(i), rdf.XSDInteger))
	}
	return quads
}
