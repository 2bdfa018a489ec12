package kg_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/load"
)

const (
	cancelNodes  = 9_000
	cancelBefore = "types:\n  Note:\n    iri: preserve\n    properties:\n      title: {type: string, required: true}\n      old: {type: string}\n"
	cancelAfter  = "types:\n  Note:\n    iri: preserve\n    properties:\n      title: {type: string, required: true, max_length: 100}\n      status: {type: string, required: true, default: open}\n"
)

// slowly are changes that take a while, on a graph that has notes already or has none.
var slowly = map[string]struct {
	hasNotes bool
	run      func(context.Context, *kg.Session, func(kg.Progress)) error
}{
	"NDJSON":  {false, loadNotes(load.NDJSON)},
	"N-Quads": {false, loadNotes(load.NQuads)},
	"a schema": {true, func(ctx context.Context, s *kg.Session, hear func(kg.Progress)) error {
		_, _, err := s.ApplySchema(ctx, kg.SchemaChange{Source: []byte(cancelAfter), AllowDataLoss: true, Progress: hear})
		return err
	}},
}

func loadNotes(format load.Format) func(context.Context, *kg.Session, func(kg.Progress)) error {
	return func(ctx context.Context, s *kg.Session, hear func(kg.Progress)) error {
		text := manyNotes(format)
		in := load.Input{Name: "data", Reader: strings.NewReader(text), Size: int64(len(text))}
		_, err := s.Load(ctx, kg.Load{Options: load.Options{Inputs: []load.Input{in}, Format: format}, Progress: hear})
		return err
	}
}

func manyNotes(format load.Format) string {
	var data strings.Builder
	for i := range cancelNodes {
		if format == load.NDJSON {
			fmt.Fprintf(&data, `{"type":"Note","id":"n%d","data":{"title":"T%d","old":"x"}}`+"\n", i, i)
			continue
		}
		node := fmt.Sprintf("<%sNote/n%d>", base, i)
		fmt.Fprintf(&data, "%s <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <%sNote> .\n%s <%stitle> \"T%d\" .\n", node, base, node, base, i)
	}
	return data.String()
}

// What long work reports grows, and never past its total. Cancelled at any report it
// stops before the next but one, and leaves nothing.
func TestLongWorkSaysHowFarItIsAndStopsWhenItIsCancelled(t *testing.T) {
	testrun.Alone(t)
	for name, work := range slowly {
		t.Run(name, func(t *testing.T) {
			open := func() *kg.Graph {
				g := newGraph(t, cancelBefore)
				if work.hasNotes {
					if err := loadNotes(load.NDJSON)(t.Context(), g.Session(ana), nil); err != nil {
						t.Fatal(err)
					}
				}
				return g
			}
			all := reportsUntil(t, open().Session(ana), work.run, 0)
			g := open()
			s, before := g.Session(ana), head(t, g)
			for at := 1; at <= all; at += max(1, all/cancellations()) {
				reportsUntil(t, s, work.run, at)
				if head(t, g).ID != before.ID {
					t.Fatalf("cancelled at report %d of %d, and committed", at, all)
				}
			}
			if err := work.run(t.Context(), s, nil); err != nil || head(t, g).ID == before.ID {
				t.Errorf("after all that it does not work: %v", err)
			}
			verify(t, g)
		})
	}
}

// cancellations is how often each work is cancelled.
func cancellations() int {
	if testing.Short() {
		return 1
	}
	return 4
}

// reportsUntil runs the work, cancels it at the report of this number, and returns how
// many there were; with 0 it is not cancelled.
func reportsUntil(t *testing.T, s *kg.Session, run func(context.Context, *kg.Session, func(kg.Progress)) error, at int) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last kg.Progress
	n := 0
	err := run(ctx, s, func(p kg.Progress) {
		if n++; n == at {
			cancel()
		}
		if p.Phase == last.Phase && p.Done <= last.Done || p.Total > 0 && p.Done > p.Total || p.Done <= 0 || p.Unit == "" {
			t.Errorf("after %+v comes %+v", last, p)
		}
		last = p
	})
	if at == 0 && (err != nil || n == 0) {
		t.Fatalf("%d reports, and %v", n, err)
	}
	if at > 0 && (!errors.Is(err, context.Canceled) || n > at+1) {
		t.Errorf("cancelled at report %d, and stopped after %d with %v", at, n, err)
	}
	return n
}
