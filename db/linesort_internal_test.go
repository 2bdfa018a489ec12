package db

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLineSortSortsMoreThanFitsInMemory(t *testing.T) {
	s := &lineSort{dir: t.TempDir()}
	defer s.close()
	random := rand.New(rand.NewPCG(1, 2))
	var want []string
	pad := bytes.Repeat([]byte("x"), 100<<10)
	for range 1000 {
		line := fmt.Appendf(nil, "%08x%s", random.Uint32(), pad[:random.IntN(len(pad))])
		want = append(want, string(line))
		if err := s.add(line); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) == 0 {
		t.Fatal("nothing went to disk")
	}
	if err := s.compact(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	i := 0
	err := s.each(func(line []byte) error {
		if string(line) != want[i] {
			t.Fatalf("line %d differs", i)
		}
		i++
		return nil
	})
	if err != nil || i != len(want) {
		t.Errorf("%d lines, error %v", i, err)
	}
}
