package kg_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/db/dbtest"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
)

// The index of words has strings, and no literal of another datatype that is kept as a text.
// So what the index costs is told by the same texts under two datatypes.
const (
	indexedText   = string(rdf.XSDString)
	unindexedText = "http://www.w3.org/2001/XMLSchema#STRING"
)

// BenchmarkWordsOfLoad loads the texts of ATT&CK in 100,000 statements, with the index of words
// and without, by turns. No schema is checked, so that the index is as large a part of the
// load as it can be. The ratios are of the quickest rounds and of the medians.
func BenchmarkWordsOfLoad(b *testing.B) {
	with, without := attackQuads(b, 100_000)
	var took [2]rounds
	round := 0
	for b.Loop() {
		for i := range took {
			which := (i + round) % 2
			path := filepath.Join(b.TempDir(), "words.db")
			if err := kg.Create(b.Context(), path, kg.CreateOptions{Base: base}); err != nil {
				b.Fatal(err)
			}
			g, err := kg.Open(b.Context(), path, kg.Options{})
			if err != nil {
				b.Fatal(err)
			}
			start := now()
			loadQuads(b, g, [][]byte{without, with}[which])
			took[which].since(start)
			g.Close()
		}
		round++
	}
	reportBeside(b, took)
}

// BenchmarkWordsOfWrite makes small writes into the same data, in rounds of 2,000, so that each
// has its share of what is added to the index for many writes together: a node with a type,
// a name, a sentence, three values and a link.
func BenchmarkWordsOfWrite(b *testing.B) {
	with, without := attackQuads(b, 100_000)
	var sessions [2]*kg.Session
	for i, text := range [][]byte{without, with} {
		path := filepath.Join(b.TempDir(), fmt.Sprint("words", i, ".db"))
		if err := kg.Create(b.Context(), path, kg.CreateOptions{Base: base}); err != nil {
			b.Fatal(err)
		}
		g := open(b, path)
		loadQuads(b, g, text)
		sessions[i] = g.Session(ana)
	}
	vocabulary := slices.Sorted(func(yield func(string) bool) {
		for line := range bytes.Lines(with) {
			if _, text, found := bytes.Cut(line, []byte(`"`)); found && !yield(string(bytes.Fields(text)[0])) {
				return
			}
		}
	})
	random := rand.New(rand.NewPCG(8, 9))
	words := func(n int) string {
		text := make([]string, n)
		for i := range text {
			text[i] = vocabulary[random.IntN(len(vocabulary))]
		}
		return strings.Join(text, " ")
	}
	const writes = 2_000
	var took [2]rounds
	n := 0
	for b.Loop() {
		var texts [writes][2]string
		for i := range texts {
			texts[i] = [2]string{words(3), words(20)}
		}
		for i := range took {
			which := (i + n) % 2
			start := now()
			for j, text := range texts {
				writeNote(b, sessions[which], n*writes+j, text, rdf.IRI([]string{unindexedText, indexedText}[which]))
			}
			took[which].since(start)
		}
		n++
	}
	reportBeside(b, took)
}

// writeNote is one small write.
func writeNote(b *testing.B, s *kg.Session, i int, texts [2]string, datatype rdf.IRI) {
	b.Helper()
	node := rdf.IRI(fmt.Sprintf("%sNote/%d", base, i))
	set := kg.ChangeSet{Message: "a note"}
	for p, o := range map[string]rdf.Term{
		"name": rdf.Literal(fmt.Sprint(texts[0], i), datatype), "text": rdf.Literal(fmt.Sprint(texts[1], i), datatype),
		"rank": rdf.Literal(fmt.Sprint(i%1000), rdf.XSDInteger), "day": rdf.Literal("2026-01-02", rdf.XSDDate), "open": rdf.Literal("true", rdf.XSDBoolean),
		"about": rdf.IRI(fmt.Sprintf("%sNote/%d", base, i/2)),
	} {
		set.Edits = append(set.Edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: rdf.IRI(base + p), Object: o}})
	}
	set.Edits = append(set.Edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: rdf.Type, Object: rdf.IRI(base + "Note")}})
	if _, err := s.Commit(b.Context(), set); err != nil {
		b.Fatal(err)
	}
}

// rounds are times by the clock and by the processor.
type rounds struct{ clock, processor []time.Duration }

type moment struct {
	clock     time.Time
	processor time.Duration
}

func now() moment { return moment{time.Now(), dbtest.ProcessorTime()} }

func (r *rounds) since(m moment) {
	r.clock = append(r.clock, time.Since(m.clock))
	r.processor = append(r.processor, dbtest.ProcessorTime()-m.processor)
}

// reportBeside reports what took[1] is by took[0]: the quickest rounds, and the medians.
func reportBeside(b *testing.B, took [2]rounds) {
	least := func(list []time.Duration) float64 { return float64(slices.Min(list).Microseconds()) / 1000 }
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds()) / 1000
	}
	b.ReportMetric(least(took[0].clock), "without-ms")
	b.ReportMetric(least(took[1].clock), "with-ms")
	for name, of := range map[string]func([]time.Duration) float64{"ratio": least, "median-ratio": median} {
		b.ReportMetric(of(took[1].clock)/of(took[0].clock), name)
		b.ReportMetric(of(took[1].processor)/of(took[0].processor), "cpu-"+name)
	}
}

// attackQuads is the real data over and over, n statements of it as N-Quads, with its texts
// under each of the two datatypes. The nodes and texts of each copy are others.
func attackQuads(b *testing.B, n int) (with, without []byte) {
	var once bytes.Buffer
	view(b, attackGraph(b), func(s *kg.Snapshot) error {
		_, err := s.Export(b.Context(), &once, load.NQuads, nil)
		return err
	})
	var all [2]bytes.Buffer
	for copies := 0; n > 0; copies++ {
		for line := range strings.Lines(once.String()) {
			fields := strings.SplitN(strings.TrimSuffix(line, " .\n"), " ", 3)
			if len(fields) < 3 || strings.HasSuffix(fields[2], "schema>") {
				continue
			}
			for i, field := range fields {
				if end, isNode := strings.CutSuffix(field, ">"); isNode && strings.HasPrefix(field, "<") && i != 1 && !strings.Contains(fields[1], "#type") {
					fields[i] = fmt.Sprintf("%s-%d>", end, copies)
				}
			}
			text, isText := strings.CutSuffix(fields[2], `"`)
			for i, datatype := range []string{unindexedText, indexedText} {
				object := fields[2]
				if isText {
					object = fmt.Sprintf(`%s %d"^^<%s>`, text, copies, datatype)
				}
				fmt.Fprintln(&all[i], fields[0], fields[1], object, ".")
			}
			if n--; n == 0 {
				break
			}
		}
	}
	return all[1].Bytes(), all[0].Bytes()
}
