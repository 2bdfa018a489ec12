package admin

import (
	"slices"
	"testing"

	"trails/builtin/view"
)

func TestCommitsOfLanesStandAboveTheirParents(t *testing.T) {
	row := func(id, parent, merged, time string) graphRow {
		return graphRow{Commit: view.Commit{ID: id, Parent: parent, Merged: merged, Time: time}}
	}
	for name, lanes := range map[string][][]graphRow{
		"a fraction without its last zero": {
			{row("4", "2", "3", "2026-11-30T01:00:00.2Z"), row("2", "0", "", "2026-11-30T01:00:00.123456Z"), row("0", "", "", "2026-11-30T01:00:00Z")},
			{row("3", "1", "", "2026-11-30T01:00:00.1235Z"), row("1", "0", "", "2026-11-30T01:00:00.12345Z")},
		},
		"one moment": {
			{row("4", "2", "3", "2026-11-30T01:00:00Z"), row("0", "", "", "2026-11-30T01:00:00Z")},
			{row("3", "1", "", "2026-11-30T01:00:00Z"), row("2", "1", "", "2026-11-30T01:00:00Z"), row("1", "0", "", "2026-11-30T01:00:00Z")},
		},
		"a clock that went back": {
			{row("4", "0", "3", "2026-11-30T00:00:00Z"), row("0", "", "", "2026-11-30T03:00:00Z")},
			{row("3", "2", "", "2026-11-30T01:00:00Z"), row("2", "1", "", "2026-11-30T01:00:00Z"), row("1", "0", "", "2026-11-30T02:00:00Z")},
		},
	} {
		var order []string
		for _, c := range newestFirst(lanes) {
			order = append(order, c.ID)
		}
		if want := []string{"4", "3", "2", "1", "0"}; !slices.Equal(order, want) {
			t.Errorf("%s: the order is %v", name, order)
		}
	}
}
