package kg_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"trails/db/dbtest"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
)

// benchSchema is what the generated entities keep: every kind of constraint that a
// write checks, references among them.
const benchSchema = `
types:
  Thing:
    label: name
    key: name
    iri: key
    properties:
      name: {type: string, required: true, pattern: '^thing \d+$'}
      note: {type: string, max_length: 200}
      rank: {type: integer, required: true, min_value: 0}
      day: {type: date}
      open: {type: boolean}
      score: {type: decimal, min_value: 0}
      likes: {class: Thing}
      follows: {class: Thing}
      blocks: {class: Thing}
`

// benchSizes are the quads of the files: small, and what the figures are stated for.
func benchSizes() []int {
	if testing.Short() {
		return []int{10_000, 100_000}
	}
	return []int{10_000, 1_000_000}
}

// generated returns n quads as N-Quads, ten of each entity: its type, six values and
// three links, to few of the others often and to most of them seldom.
func generated(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	popular := rand.NewZipf(random, 1.1, 10, uint64(n/10-1))
	var b bytes.Buffer
	for i := range n / 10 {
		s := fmt.Sprintf("<%sThing/thing%%20%d>", base, i)
		day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%3000).Format(time.DateOnly)
		fmt.Fprintf(&b, "%s <%s> <%sThing> .\n", s, string(rdf.Type), base)
		fmt.Fprintf(&b, "%s <%sname> \"thing %d\" .\n", s, base, i)
		fmt.Fprintf(&b, "%s <%snote> \"what is said of %d\" .\n", s, base, i)
		fmt.Fprintf(&b, "%s <%srank> \"%d\"^^<%s> .\n", s, base, random.IntN(1000), string(rdf.XSDInteger))
		fmt.Fprintf(&b, "%s <%sday> \"%s\"^^<%s> .\n", s, base, day, string(rdf.XSDDate))
		fmt.Fprintf(&b, "%s <%sopen> \"%t\"^^<%s> .\n", s, base, i%3 == 0, string(rdf.XSDBoolean))
		fmt.Fprintf(&b, "%s <%sscore> \"%d.5\"^^<%s> .\n", s, base, random.IntN(100), string(rdf.XSDDecimal))
		for _, link := range []string{"likes", "follows", "blocks"} {
			fmt.Fprintf(&b, "%s <%s%s> <%sThing/thing%%20%d> .\n", s, base, link, base, popular.Uint64())
		}
	}
	return b.Bytes()
}

// filled are files of some size, made once for all benchmarks of a run.
var filled sync.Map

// filledGraph opens a copy of a file with n generated quads.
func filledGraph(b *testing.B, n int) *kg.Graph { return filledFile(b, n, benchSchema, generated) }

// filledFile opens a copy of a file with so many quads under a schema.
func filledFile(b *testing.B, n int, schema string, quads func(int) []byte) *kg.Graph {
	b.Helper()
	key := fmt.Sprint(n, schema)
	data, ok := filled.Load(key)
	if !ok {
		path := newFile(b, schema)
		g, err := kg.Open(b.Context(), path, kg.Options{})
		if err != nil {
			b.Fatal(err)
		}
		loadQuads(b, g, quads(n))
		if err := g.Close(); err != nil {
			b.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		data = text
		filled.Store(key, data)
	}
	path := filepath.Join(b.TempDir(), "filled.db")
	if err := os.WriteFile(path, data.([]byte), 0o600); err != nil {
		b.Fatal(err)
	}
	g, err := kg.Open(b.Context(), path, kg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	return g
}

func loadQuads(b *testing.B, g *kg.Graph, text []byte) {
	b.Helper()
	_, err := g.Session(ana).Load(b.Context(), kg.Load{Options: load.Options{Format: load.NQuads, Inputs: []load.Input{{Name: "generated", Reader: bytes.NewReader(text)}}}})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCommit is one small validated write with its commit and its provenance:
// a new entity of ten quads that refers to three others.
func BenchmarkCommit(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprintf("at %d", n), func(b *testing.B) {
			g := filledGraph(b, n)
			s := g.Session(ana)
			random := rand.New(rand.NewPCG(3, 4))
			i := 0
			for b.Loop() {
				i++
				createThing(b, s, n+i, random.IntN(n/10))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

func createThing(b *testing.B, s *kg.Session, i, other int) {
	ref := fmt.Sprintf("Thing/thing %d", other)
	values := map[string]any{
		"name": fmt.Sprintf("thing %d", i), "note": fmt.Sprintf("new %d", i), "rank": json.Number(fmt.Sprint(i % 1000)), "day": "2026-01-02",
		"open": true, "score": json.Number("1.5"), "likes": ref, "follows": ref, "blocks": ref,
	}
	set := kg.ChangeSet{Message: "one more", Activity: kg.Activity{
		ID: fmt.Sprintf("0190f9b2-6b7c-7c3e-9f0a-%012d", i), Capability: "thing.create", Version: "1.0.0", Agent: "bench", Via: "bench",
		Started: time.Now(), Inputs: make([]byte, 32), Outcome: "ok", TraceID: "0190f9b26b7c7c3e9f0a000000000000",
	}}
	err := s.View(b.Context(), func(snap *kg.Snapshot) error {
		set.Schema = snap.Schema()
		e := change.CreateEntity(set.Schema, change.Entity{Type: set.Schema.Type("Thing"), Values: values})
		if len(e.Fields) > 0 {
			b.Fatal(e.Fields)
		}
		set.Edits = e.List
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	r, err := s.Commit(b.Context(), set)
	if err != nil {
		b.Fatal(err)
	}
	if r.AddedCount != 10 {
		b.Fatalf("%d quads were added", r.AddedCount)
	}
}

// generatedNDJSON returns the nodes that say what n generated quads say.
func generatedNDJSON(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	popular := rand.NewZipf(random, 1.1, 10, uint64(n/10-1))
	var text bytes.Buffer
	for i := range n / 10 {
		day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%3000).Format(time.DateOnly)
		fmt.Fprintf(&text, `{"type":"Thing","data":{"name":"thing %d","note":"what is said of %d","rank":%d,"day":"%s","open":%t,"score":%d.5`,
			i, i, random.IntN(1000), day, i%3 == 0, random.IntN(100))
		for _, link := range []string{"likes", "follows", "blocks"} {
			fmt.Fprintf(&text, `,"%s":"Thing/thing %d"`, link, popular.Uint64())
		}
		text.WriteString("}}\n")
	}
	return text.Bytes()
}

// BenchmarkLoadNDJSON loads nodes, validated, into a new file: generated ones and real data.
func BenchmarkLoadNDJSON(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		if n > 100_000 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkLoad(b, kg.CreateOptions{Base: base, Schema: []byte(benchSchema)}, load.Input{Name: "generated.ndjson"}, generatedNDJSON(n))
		})
	}
	b.Run("ATT&CK", benchmarkLoadAttack)
}

func benchmarkLoadAttack(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(dataDir(b), "attack", "attack.ndjson.gz"))
	if err != nil {
		b.Fatal(err)
	}
	schema, err := os.ReadFile("../testdata/attack/schema.yaml")
	if err != nil {
		b.Fatal(err)
	}
	benchmarkLoad(b, kg.CreateOptions{Schema: schema}, load.Input{Name: "attack.ndjson.gz"}, data)
}

// dataDir is where real data is; without it what needs it is skipped, but fails in CI.
func dataDir(b testing.TB) string {
	b.Helper()
	dir := os.Getenv("TRAILS_DATA")
	if dir == "" {
		dir = "../../shared/data"
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			b.Fatalf("no data: %v; set TRAILS_DATA", err)
		}
		b.Skipf("SKIPPED: no data in %s; set TRAILS_DATA", dir)
	}
	return dir
}

// BenchmarkLoadNQuads loads generated quads into a new file: as they are, and
// validated against a schema.
func BenchmarkLoadNQuads(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		if n > 100_000 && testing.Short() {
			continue
		}
		text, in := generated(n), load.Input{Name: "generated.nq"}
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkLoad(b, kg.CreateOptions{Base: base}, in, text) })
		b.Run(fmt.Sprintf("%d validated", n), func(b *testing.B) {
			benchmarkLoad(b, kg.CreateOptions{Base: base, Schema: []byte(benchSchema)}, in, text)
		})
	}
}

// benchmarkLoad reports quads a second of loading alone, by the clock and by the processors'
// time, and the file's bytes a quad.
func benchmarkLoad(b *testing.B, opts kg.CreateOptions, in load.Input, text []byte) {
	var quads, size int64
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		path := filepath.Join(b.TempDir(), "load.db")
		if err := kg.Create(b.Context(), path, opts); err != nil {
			b.Fatal(err)
		}
		g, err := kg.Open(b.Context(), path, kg.Options{})
		if err != nil {
			b.Fatal(err)
		}
		before := dbtest.ProcessorTime()
		b.StartTimer()
		in.Reader, in.Size = bytes.NewReader(text), int64(len(text))
		loaded, err := g.Session(ana).Load(b.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{in}}})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		cpu += dbtest.ProcessorTime() - before
		quads += loaded.AddedCount
		if err := g.Close(); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
		os.Remove(path)
		b.StartTimer()
	}
	b.ReportMetric(float64(quads)/b.Elapsed().Seconds(), "quads/s")
	b.ReportMetric(float64(quads)/cpu.Seconds(), "quads/cpu-s")
	b.ReportMetric(float64(size)/float64(quads), "B/quad")
}

// fastest is the shortest of the rounds of a benchmark, which says more than their mean where
// others use the machine.
type fastest struct {
	began time.Time
	least time.Duration
}

// quickest reports the shortest round when the benchmark ends.
func quickest(b *testing.B) *fastest {
	f := &fastest{least: time.Hour}
	b.Cleanup(func() { b.ReportMetric(float64(f.least.Microseconds())/1000, "least-ms") })
	return f
}

func (f *fastest) start() { f.began = time.Now() }
func (f *fastest) stop()  { f.least = min(f.least, time.Since(f.began)) }
