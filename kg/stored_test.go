package kg_test

import (
	"sync"
	"testing"

	"trails/fault"
	"trails/kg"
)

// storeAtOnce has two graphs that are opened on one file store one query each, at once, and
// returns what became of each.
func storeAtOnce(t *testing.T, at *kg.CommitID, texts ...kg.QueryText) (graphs []*kg.Graph, results []kg.Result, errs []error) {
	t.Helper()
	path := people(t, beforeMigrations, peopleBefore).Path()
	results, errs = make([]kg.Result, len(texts)), make([]error, len(texts))
	for range texts {
		g, err := kg.Open(t.Context(), path, kg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close() })
		graphs = append(graphs, g)
	}
	set := kg.ChangeSet{}
	if at != nil {
		view(t, graphs[0], func(s *kg.Snapshot) error {
			*at = s.Head().ID
			return nil
		})
		set.IfCommit = at
	}
	var both sync.WaitGroup
	for i, text := range texts {
		both.Go(func() {
			_, results[i], errs[i] = graphs[i].Session(ana).ChangeQueries(t.Context(), kg.QueryChange{Add: []kg.QueryText{text}, Set: set})
		})
	}
	both.Wait()
	return graphs, results, errs
}

// winner returns which of two had no error, and checks that the other was refused.
func winner(t *testing.T, errs []error, refused fault.Kind) int {
	t.Helper()
	won := 0
	if errs[0] != nil {
		won = 1
	}
	if errs[won] != nil || !fault.Is(errs[1-won], refused) {
		t.Fatalf("of two that store at once one wins and the other is refused: %v and %v", errs[0], errs[1])
	}
	return won
}

var storedAtOnce = []kg.QueryText{
	{Name: "named", Text: "SELECT ?p { ?p :name ?n }"},
	{Name: "named", Text: "SELECT ?p ?n { ?p :name ?n }"},
}

// Of two processes that save a query on the same commit, one wins; the other is told that the
// head moved, and both see the query of the first.
func TestOneOfTwoStoresAQueryOnACommit(t *testing.T) {
	var head kg.CommitID
	graphs, results, errs := storeAtOnce(t, &head, storedAtOnce...)
	won := winner(t, errs, fault.Precondition)
	for _, g := range graphs {
		view(t, g, func(s *kg.Snapshot) error {
			if kept := s.Stored(); len(kept) != 1 || kept[0].Text != storedAtOnce[won].Text || s.Head().ID != results[won].After.ID {
				t.Errorf("stored are %+v", kept)
			}
			return nil
		})
	}
}

// Without a condition both save it, one after the other, and the history has both texts.
func TestTwoStoreAQueryAtOnce(t *testing.T) {
	graphs, results, errs := storeAtOnce(t, nil, storedAtOnce...)
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	last := 0
	if results[1].Before.ID == results[0].After.ID {
		last = 1
	} else if results[0].Before.ID != results[1].After.ID {
		t.Fatalf("neither came after the other: %+v", results)
	}
	if len(results[last].Removed) == 0 {
		t.Error("the later one replaced nothing")
	}
	for _, g := range graphs {
		view(t, g, func(s *kg.Snapshot) error {
			if kept := s.Stored(); len(kept) != 1 || kept[0].Text != storedAtOnce[last].Text {
				t.Errorf("stored are %+v", kept)
			}
			return nil
		})
	}
}

// Two ids that come to one name of a tool are not stored both.
func TestOneOfTwoStoresAToolName(t *testing.T) {
	texts := []kg.QueryText{{Name: "by_name", Text: storedAtOnce[0].Text}, {Name: "by.name", Text: storedAtOnce[1].Text}}
	graphs, _, errs := storeAtOnce(t, nil, texts...)
	won := winner(t, errs, fault.InvalidData)
	view(t, graphs[1-won], func(s *kg.Snapshot) error {
		if kept := s.Stored(); len(kept) != 1 || kept[0].ID != texts[won].Name {
			t.Errorf("stored are %+v", kept)
		}
		return nil
	})
}
