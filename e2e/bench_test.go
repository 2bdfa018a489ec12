package e2e_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// benchSchema types the entities of benchFile.
const benchSchema = `
base: "http://example.org/"
types:
  Entity:
    label: name
    iri: preserve
    properties:
      name: {type: string, required: true}
      status: {type: string, one_of: [open, closed, draft, done]}
      score: {type: integer}
      near: {class: Entity, many: true}
`

// benchFile makes a file of about a million quads, ten for each entity. Half of them are references, mostly to
// old entities.
func benchFile(b *testing.B) string {
	b.Helper()
	entities := 100_000
	if testing.Short() {
		entities = 1_000
	}
	file := filepath.Join(b.TempDir(), "bench.db")
	must(b, "init", file, "--schema", write(b, "bench.yaml", benchSchema))
	must(b, "load", file, write(b, "bench.ndjson", benchData(entities)))
	return file
}

func benchData(entities int) string {
	var text bytes.Buffer
	random := rand.New(rand.NewPCG(1, 2))
	for i := range entities {
		fmt.Fprintf(&text, `{"type":"Entity","id":"e%d","data":{"name":"entity number %d","status":"open","score":%d,"near":[`, i, i, i%1000)
		for j := range 6 {
			if j > 0 {
				text.WriteByte(',')
			}
			f := random.Float64()
			fmt.Fprintf(&text, `"e%d"`, int(f*f*float64(max(i, 1))))
		}
		text.WriteString("]}}\n")
	}
	return text.String()
}

// BenchmarkStart measures from the start of a process on a large file to its first answer from the graph.
func BenchmarkStart(b *testing.B) {
	file := benchFile(b)
	for b.Loop() {
		s := openStdio(b, file)
		if _, err := tool(s, "snapshot", map[string]any{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkResident measures the memory of a server on a large file after reads from everywhere in it and some
// writes.
func BenchmarkResident(b *testing.B) {
	file := benchFile(b)
	for b.Loop() {
		w := openWeb(b, file)
		for i := range 2000 {
			if _, err := read(w, "trails://kg/Entity/e"+strconv.Itoa(i*41%1000)); err != nil {
				b.Fatal(err)
			}
			if i%20 > 0 {
				continue
			}
			if _, err := read(w, "trails://kg/Entity?limit=1000&offset="+strconv.Itoa(i)); err != nil {
				b.Fatal(err)
			}
			if _, err := put(w, "entity_update", map[string]any{"id": "e" + strconv.Itoa(i), "score": i}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(residentMB(b, w.cmd.Process.Pid), "MB-resident")
		if err := w.stop(); err != nil {
			b.Fatal(err)
		}
	}
}

// residentMB returns the resident memory of a process, where the system tells it.
func residentMB(b testing.TB, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("resident memory is read from /proc:", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var kib float64
		if n, _ := fmt.Sscanf(lines.Text(), "VmRSS: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
