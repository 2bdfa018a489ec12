package db_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"trails/db"
	"trails/db/dbtest"
	"trails/rdf"
)

// BenchmarkNear is one search of 100,000 vectors of 384 numbers.
func BenchmarkNear(b *testing.B) {
	const texts, length = 100_000, 384
	f := create(b)
	var quads []rdf.Quad
	for i := range texts {
		quads = append(quads, noted(fmt.Sprintf("n%06d", i), fmt.Sprintf("text %d", i))[:2]...)
	}
	write(b, f, quads, nil)
	now := time.Unix(1000, 0)
	if _, err := f.ClaimVectors(b.Context(), "one", db.VectorModel{Model: "m"}, now, now); err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v := make([]float32, length)
		for i := range v {
			v[i] = float32(random.NormFloat64()) / 19.6
		}
		return v
	}
	var list []db.TextVector
	for i := range texts {
		list = append(list, db.TextVector{Text: rdf.Literal(fmt.Sprintf("text %d", i), ""), Numbers: vector()})
	}
	if err := f.KeepVectors(b.Context(), "one", now, list); err != nil {
		b.Fatal(err)
	}
	r, err := f.Read(b.Context(), db.View{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	asked := vector()
	b.ReportAllocs()
	began := dbtest.ProcessorTime()
	for b.Loop() {
		n := 0
		_, err := r.Near(b.Context(), asked, nil, func(hits []db.NearHit) (bool, error) {
			n += len(hits)
			return n < 100, nil
		})
		if err != nil || n < 100 {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64((dbtest.ProcessorTime()-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(dbtest.Number(b, f.Path(), "SELECT sum(pgsize) FROM dbstat WHERE name = 'vectors'"))/texts, "file-B/vector")
}
