package kg_test

import (
	"strings"
	"testing"

	"trails/fault"
	"trails/kg"
)

// Of two who approve a request at once the second is told what became of it, and not of a head that it never named.
func TestTheSecondWhoApprovesIsToldOfTheFirst(t *testing.T) {
	ctx, g := t.Context(), newGraph(t, "types: {Note: {open: true}}")
	s := g.Session(ana)
	tried := s.LatestHead(ctx).ID
	number, err := s.AskFor(ctx, "mutate", "{}", &tried, true, kg.Activity{})
	if err != nil {
		t.Fatal(err)
	}
	update := parseUpdate(t, "INSERT DATA { <urn:trails:t:n> a <urn:trails:t:Note> }")
	approve := kg.ChangeSet{Settles: number, IfCommit: &tried}
	if _, err := s.Update(ctx, update, approve, kg.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Update(ctx, update, approve, kg.UpdateOptions{})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "request 1 is done since ") {
		t.Errorf("the second is refused with %v", err)
	}
	_, err = s.Update(ctx, update, kg.ChangeSet{IfCommit: &tried}, kg.UpdateOptions{})
	if !fault.Is(err, fault.Precondition) {
		t.Errorf("without a request it is refused with %v", err)
	}
	if err := s.Decline(ctx, number, "", false, kg.Activity{}); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "request 1 is done since ") {
		t.Errorf("declined behind it, it answers %v", err)
	}
}
