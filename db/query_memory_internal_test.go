package db

import (
	"sync/atomic"
	"testing"

	"trails/fault"
)

// TestQueriesShareAMemory: a query is stopped by its own limit, and a large one by what
// the others hold; a small one is not, and what has ended counts no more.
func TestQueriesShareAMemory(t *testing.T) {
	r := &Reader{file: &File{held: new(atomic.Int64)}}
	var others []*Memory
	for range sharedBytes / DefaultQueryBytes {
		m := r.Memory(Limits{})
		if err := m.Grow(DefaultQueryBytes); err != nil {
			t.Fatal(err)
		}
		others = append(others, m)
	}
	if err := others[0].Grow(1); !fault.Is(err, fault.TooLarge) {
		t.Errorf("past its own limit: %v", err)
	}
	m := r.Memory(Limits{})
	if err := m.Grow(smallBytes); err != nil {
		t.Errorf("a small one: %v", err)
	}
	if err := m.Grow(1); !fault.Is(err, fault.Exhausted) {
		t.Errorf("a large one beside the others: %v", err)
	}
	others[0].Release()
	if err := m.Grow(1); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
	for _, m := range append(others, m) {
		m.Release()
	}
	if held := r.file.held.Load(); held != 0 {
		t.Errorf("%d bytes are held by nobody", held)
	}
}
