package change

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// failing is a cursor that breaks after some records.
type failing struct {
	records [][]byte
	err     error
}

func (f *failing) next() ([]byte, error) {
	if len(f.records) == 0 {
		return nil, f.err
	}
	r := f.records[0]
	f.records = f.records[1:]
	return r, nil
}

func record(s string) []byte {
	return appendRecord(nil, Edit{Op: Assert, Quad: rdf.Quad{Subject: rdf.IRI("urn:" + s), Predicate: rdf.Label, Object: quad.String("o")}})
}

func TestAPassEndsAtTheFirstRecordThatCannotBeRead(t *testing.T) {
	broken := errors.New("the disk is gone")
	m := &merge{}
	for _, c := range []cursor{
		&failing{records: [][]byte{record("a"), record("c")}, err: io.EOF},
		&failing{records: [][]byte{record("b")}, err: broken},
	} {
		if err := m.push(c); err != nil {
			t.Fatal(err)
		}
	}
	g := grouping{merge: m}
	if _, err := g.next(); err != nil {
		t.Fatalf("the first group: %v", err)
	}
	if _, err := g.next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestARunThatLostItsEndIsNoShorterRun(t *testing.T) {
	whole := []byte{byte(len(record("a")))}
	whole = append(whole, record("a")...)
	for cut := 1; cut < len(whole); cut++ {
		path := filepath.Join(t.TempDir(), "run")
		if err := os.WriteFile(path, append(whole[:len(whole):len(whole)], whole[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r := &fileRun{file: f, size: int64(2 * len(whole))}
		c, err := r.open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.next(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: got %v", cut, err)
		}
		r.close()
	}
}
