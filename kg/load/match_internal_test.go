package load

import (
	"strings"
	"testing"

	"trails/kg/change"
	"trails/schema"
)

// TestRowsThatWaitAreBounded has rows with references that lead to no row yet: so many, or so large ones, that no more are held.
func TestRowsThatWaitAreBounded(t *testing.T) {
	s, err := schema.ParseYAML([]byte("types: {T: {properties: {of: {class: T}}}}"), "urn:t:")
	if err != nil {
		t.Fatal(err)
	}
	w := tableRow{n: change.Entity{Type: s.Type("T"), ID: "a", Values: map[string]any{"of": "b"}}}
	quarter := []string{strings.Repeat("x", maxWaitingBytes/4)}
	r := reader{schema: s}
	r.unfound = true
	for range 4 {
		if !r.await(w, quarter, nil) {
			t.Fatal("a row that can be held does not wait")
		}
	}
	if r.await(w, []string{"x"}, nil) || !r.tooMany || len(r.waiting) != 4 {
		t.Errorf("%d rows of %d bytes are held, too many: %t", len(r.waiting), r.held, r.tooMany)
	}
	small := reader{schema: s}
	small.unfound, small.waiting = true, make([]func() error, maxWaiting)
	if small.await(w, nil, nil) || !small.tooMany {
		t.Error("a row more than may wait does so")
	}
}
