package extsort

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func add(t *testing.T, s *Sorter, record []byte) {
	t.Helper()
	if err := s.Add(func(dst []byte) []byte { return append(dst, record...) }); err != nil {
		t.Fatal(err)
	}
}

func all(t *testing.T, s *Sorter) []string {
	t.Helper()
	c, err := s.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for record, ok := c.Peek(); ok; record, ok = c.Peek() {
		got = append(got, string(record))
		if err := c.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

func TestMoreThanFitsInMemoryIsSorted(t *testing.T) {
	for _, chunk := range []int{1, 64 << 10, 0} {
		s := &Sorter{Dir: t.TempDir(), ChunkBytes: chunk}
		random := rand.New(rand.NewPCG(1, 2))
		var want []string
		pad := bytes.Repeat([]byte("x"), 10<<10)
		for i := range 1000 {
			record := fmt.Appendf(nil, "%08x%s", random.Uint32()>>(i%4*8), pad[:random.IntN(len(pad))]) // many begin alike
			want = append(want, string(record))
			add(t, s, record)
		}
		slices.Sort(want)
		for pass := range 2 {
			if got := all(t, s); !slices.Equal(got, want) {
				t.Errorf("chunks of %d bytes, pass %d: %d records differ from %d", chunk, pass, len(got), len(want))
			}
		}
		if onDisk := len(s.runs) > keptChunks; onDisk != (chunk != 0) {
			t.Errorf("chunks of %d bytes: %d runs", chunk, len(s.runs))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEqualKeysKeepTheOrderOfTheInput(t *testing.T) {
	s := &Sorter{Dir: t.TempDir(), ChunkBytes: 1, Key: func(record []byte) []byte { return record[:1] }}
	defer s.Close()
	var want []string
	for i := range 200 {
		record := fmt.Sprintf("k%03d", i)
		want = append(want, record)
		add(t, s, []byte(record))
	}
	if got := all(t, s); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// failing is a source that breaks after some records.
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
func (f *failing) open() source { return f }
func (f *failing) close() error { return nil }

func TestAPassEndsAtTheFirstRecordThatCannotBeRead(t *testing.T) {
	broken := errors.New("the disk is gone")
	s := &Sorter{}
	c, err := s.merge([]run{
		&failing{records: [][]byte{[]byte("a"), []byte("c")}, err: io.EOF},
		&failing{records: [][]byte{[]byte("b")}, err: broken},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Advance(); err != nil {
		t.Fatalf("behind the first record: %v", err)
	}
	if err := c.Advance(); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestARunThatLostItsEndIsNoShorterRun(t *testing.T) {
	whole := append([]byte{0, 7}, "record!"...)
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
		c := r.open()
		if _, err := c.next(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: got %v", cut, err)
		}
		r.close()
	}
}
