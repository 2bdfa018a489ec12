package db

import (
	"slices"
	"strings"
	"testing"
	"time"

	"trails/db/history"
	"trails/fault"
)

// Two ids may agree in all the digits that are told. Then, and only then, the whole ids are told.
func TestIDsThatAgreeInWhatIsToldAreToldWhole(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	id := func(first, last byte) (id history.CommitID) {
		id[0], id[1], id[31] = 0xab, first, last
		return id
	}
	one, two, other := id(1, 1), id(1, 2), id(2, 1)
	err := ambiguous("ab", []history.Commit{{ID: one, Time: at}, {ID: other, Time: at}, {ID: two, Time: at}})
	want := []string{one.Whole(), other.String(), two.Whole()}
	if got, _ := fault.Of(err).Details["candidates"].([]string); !slices.Equal(got, want) {
		t.Errorf("candidates %q, want %q", got, want)
	}
	if text := err.Error(); !strings.Contains(text, two.Whole()+" of 2026-01-02 03:04:05") || strings.Contains(text, " and more") {
		t.Error(text)
	}
	if err := ambiguous("ab", make([]history.Commit, likeCommits+1)); !strings.Contains(err.Error(), " and more") {
		t.Error(err)
	}
}
