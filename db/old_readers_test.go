package db_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// longLog is a bound on the log that a few hundred commits reach.
const longLog = 1 << 20

// Readers of one process, old or in the middle of something, while another one commits to a long
// log: all give way but the one that is to outlast them.
func TestOldReadersGiveWayToWritersOfALongLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "way.db")
	var quads []rdf.Quad
	for i := range 1000 {
		quads = append(quads, q(fmt.Sprintf("s%04d", i), "v", rdf.Literal(fmt.Sprint(i), rdf.XSDInteger)))
	}
	first, err := fileOf(t.Context(), path, quads)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	open := func(o db.Options) *db.File {
		o.LongLog = longLog
		f, err := db.Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	writing, bySQL, byScans := open(db.Options{}), open(db.Options{Scans: db.ScansNever}), open(db.Options{Scans: db.ScansAlways})
	lasting := read(t, bySQL)
	lasting.Outlast()
	head := lasting.Head()

	type outcome struct {
		name string
		err  error
	}
	ended := make(chan outcome)
	begun := 0
	begin := func(name string, r *db.Reader, reads func(r *db.Reader) error) {
		begun++
		go func() { ended <- outcome{name, reads(r)} }()
	}
	query := func(text string) func(r *db.Reader) error {
		return func(r *db.Reader) error {
			parsed, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
			if err != nil {
				return err
			}
			plan, err := r.Plan(t.Context(), parsed.Op, parsed.Vars, parsed.Dataset, "")
			if err != nil {
				return err
			}
			_, err = run(r.Run(t.Context(), plan, db.Limits{Bytes: 1 << 40}))
			return err
		}
	}
	if !testing.Short() {
		begin("rows before the first one", read(t, bySQL), query("SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y . ?c :v ?z FILTER (?x + ?y != ?z + 0.5) }"))
		begin("a scan", read(t, byScans), query("SELECT (COUNT(DISTINCT ?x) AS ?n) { ?a :v ?x . ?b :v ?y . ?c :v ?z }"))
	}
	begin("statements, again and again", read(t, bySQL), func(r *db.Reader) error {
		for {
			for _, err := range r.Match(t.Context(), rdf.Quad{}) {
				if err != nil {
					return err
				}
			}
		}
	})
	begin("an idle reader", read(t, bySQL), func(r *db.Reader) error {
		for {
			if err := query("SELECT * { :s0007 :v ?x }")(r); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	for n := 0; begun > 0; n++ {
		write(t, writing, []rdf.Quad{q(fmt.Sprintf("n%d", n), "w", rdf.String("x"))}, nil)
		select {
		case o := <-ended:
			begun--
			if !db.GaveWay(o.err) || !fault.Is(o.err, fault.Busy) {
				t.Errorf("%s: %v, want that the reader gave way", o.name, o.err)
			}
		case <-time.After(time.Millisecond):
		}
	}
	if n := len(collect(t, lasting.Match(t.Context(), rdf.Quad{}))); n != len(quads) || lasting.Head() != head {
		t.Errorf("what is to outlast them reads %d statements", n)
	}
}
