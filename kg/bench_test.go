package kg_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"trails/kg"
	"trails/kg/change"
)

// The references in raw SQL through the same driver stand in db's benchmarks, which
// `make bench` runs beside these.

const benchSchema = `
types:
  Thing:
    label: title
    key: code
    iri: key
    properties:
      code: {type: string, required: true, pattern: '^c\d+$'}
      title: {type: string, required: true, min_length: 2}
      status: {type: string, one_of: [open, closed]}
      score: {type: integer, min_value: 0}
      active: {type: boolean}
      when: {type: date}
      tag: {type: string, many: true}
      near: {class: Thing, many: true}
`

// benchSizes are the quads that are there before a benchmark begins.
func benchSizes() []int {
	if testing.Short() {
		return []int{10_000}
	}
	return []int{10_000, 1_000_000}
}

// things are n nodes of ten quads each as NDJSON.
func things(n int) io.Reader {
	var text bytes.Buffer
	for i := range n {
		fmt.Fprintf(&text, `{"type":"Thing","data":{"code":"c%d","title":"thing %d","status":"open","score":%d,"active":true,"when":"2024-01-%02d","tag":["a%d","b%d"],"near":["Thing/c%d"]}}`+"\n",
			i, i, i, i%28+1, i%50, i%70, i/2)
	}
	return &text
}

// BenchmarkCommit makes one small validated commit with its provenance at a time,
// in files of two sizes: its cost follows the change, not the graph.
func BenchmarkCommit(b *testing.B) {
	for _, quads := range benchSizes() {
		b.Run(strconv.Itoa(quads), func(b *testing.B) {
			g := benchGraph(b, benchSchema)
			if _, err := g.Session(ana).Load(b.Context(), kg.Load{Inputs: []kg.Input{{Name: "things.ndjson", Reader: things(quads / 10)}}}); err != nil {
				b.Fatal(err)
			}
			next := quads
			for b.Loop() {
				next++
				addThing(b, g, next)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

func benchGraph(b *testing.B, schema string) *kg.Graph {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.db")
	if err := kg.Create(b.Context(), path, kg.CreateOptions{Schema: []byte(schema), By: ana}); err != nil {
		b.Fatal(err)
	}
	g, err := kg.Open(b.Context(), path, kg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	return g
}

func addThing(b *testing.B, g *kg.Graph, i int) {
	session := g.Session(ana)
	var edits []change.Edit
	err := session.View(b.Context(), func(s *kg.Snapshot) error {
		e := kg.CreateEntity(s.Schema(), kg.Entity{Type: s.Schema().Type("Thing"), Values: map[string]any{
			"code": "c" + strconv.Itoa(i), "title": "a new thing", "status": "open", "active": true,
			"when": "2024-02-01", "tag": []any{"a1", "b1"}, "near": []any{"Thing/c1"},
		}})
		edits = e.List
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := session.Commit(b.Context(), kg.ChangeSet{Edits: edits, Activity: kg.Activity{Capability: "thing.create", Via: "go"}}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLoadNDJSON loads the real data, every node validated, into a new file.
func BenchmarkLoadNDJSON(b *testing.B) {
	dir := os.Getenv("TRAILS_DATA")
	if dir == "" {
		dir = "../../shared/data"
	}
	data, err := os.ReadFile(filepath.Join(dir, "attack", "attack.ndjson.gz"))
	if err != nil {
		b.Skip("SKIPPED: the real data is not here; say where with TRAILS_DATA:", err)
	}
	schema, err := os.ReadFile("../testdata/attack/schema.yaml")
	if err != nil {
		b.Fatal(err)
	}
	benchLoad(b, string(schema), func() kg.Input { return kg.Input{Name: "attack.ndjson.gz", Reader: bytes.NewReader(data)} })
}

// BenchmarkLoadNQuads loads text into a new file without a schema: ten quads an
// entity, links that prefer old entities, literals of several types.
func BenchmarkLoadNQuads(b *testing.B) {
	for _, quads := range benchSizes() {
		text := nquads(quads)
		b.Run(strconv.Itoa(quads), func(b *testing.B) {
			benchLoad(b, "", func() kg.Input { return kg.Input{Name: "bench.nq", Reader: bytes.NewReader(text)} })
		})
	}
}

func benchLoad(b *testing.B, schema string, input func() kg.Input) {
	var quads, bytesPerQuad float64
	for b.Loop() {
		b.StopTimer()
		g := benchGraph(b, schema)
		b.StartTimer()
		done, err := g.Session(ana).Load(b.Context(), kg.Load{Inputs: []kg.Input{input()}})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		quads = float64(done.AddedCount)
		g.Close()
		info, err := os.Stat(g.Path())
		if err != nil {
			b.Fatal(err)
		}
		bytesPerQuad = float64(info.Size()) / quads
		b.StartTimer()
	}
	b.ReportMetric(quads*float64(b.N)/b.Elapsed().Seconds(), "quads/s")
	b.ReportMetric(bytesPerQuad, "B/quad")
}

func nquads(n int) []byte {
	const ns, xsd = "http://example.org/", "http://www.w3.org/2001/XMLSchema#"
	var text bytes.Buffer
	random := rand.New(rand.NewPCG(7, 7))
	say := func(i int, p, o string) { fmt.Fprintf(&text, "<%se/%d> <%sns/%s> %s .\n", ns, i, ns, p, o) }
	for i := range n / 10 {
		say(i, "kind", fmt.Sprintf("<%sns/Kind%d>", ns, random.IntN(10)))
		say(i, "name", fmt.Sprintf(`"entity number %d"`, i))
		say(i, "status", fmt.Sprintf(`"status %d"`, random.IntN(4)))
		say(i, "score", fmt.Sprintf(`"%d"^^<%sinteger>`, random.IntN(100_000), xsd))
		say(i, "date", fmt.Sprintf(`"20%02d-%02d-%02d"^^<%sdate>`, random.IntN(26), random.IntN(12)+1, random.IntN(28)+1, xsd))
		say(i, "active", fmt.Sprintf(`"%t"^^<%sboolean>`, random.IntN(2) == 0, xsd))
		for link := range 4 {
			f := random.Float64()
			say(i, "link"+strconv.Itoa(link), fmt.Sprintf("<%se/%d>", ns, int(f*f*f*float64(n/10))))
		}
	}
	return text.Bytes()
}
