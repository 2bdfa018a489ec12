package plan_test

import (
	"strings"
	"testing"
	"time"

	"trails/db/plan"
	"trails/sparql"
)

// A plan of many operators, and an operator of a long text, are cut and say so.
func TestLongPlansAreCut(t *testing.T) {
	long := sparql.Table{}
	for range 100 {
		long.Vars = append(long.Vars, "variable")
	}
	root := &plan.Node{ID: 1, Kind: plan.Union, Rows: -1}
	for i := range 70 {
		root.Children = append(root.Children, &plan.Node{ID: i + 2, Kind: plan.Values, Of: long})
	}
	lines, left := plan.Lines(root, plan.Run{}, nil)
	if len(lines) != 60 || left != 11 {
		t.Errorf("%d lines, and %d more", len(lines), left)
	}
	if text := lines[1].Operator; len([]rune(text)) != 100 || !strings.HasSuffix(text, "…") {
		t.Errorf("the operator is shown as %s", text)
	}
}

// What was not counted follows from the operands only where it must.
func TestRowsThatFollow(t *testing.T) {
	side := func(id int) *plan.Node { return &plan.Node{ID: id, Kind: plan.Pattern} }
	union := &plan.Node{ID: 3, Kind: plan.Union, Children: []*plan.Node{side(4), side(5)}}
	filter := &plan.Node{ID: 2, Kind: plan.Filter, Children: []*plan.Node{union}}
	root := &plan.Node{ID: 1, Kind: plan.OrderBy, Children: []*plan.Node{filter}}
	run := plan.Run{4: {Rows: 2}, 5: {Rows: 3}}
	for node, want := range map[*plan.Node]int64{root: -1, filter: -1, union: 5} {
		got := int64(-1)
		if c, ok := run.Of(node); ok {
			got = c.Rows
		}
		if got != want {
			t.Errorf("the %s has %d rows, want %d", node.Kind, got, want)
		}
	}
	run.Solutions(root, 4)
	if c, ok := run.Of(filter); !ok || c.Rows != 4 {
		t.Errorf("below an ORDER BY of 4 solutions the filter has %d rows, known %t", c.Rows, ok)
	}
}

// Where there was a choice, an operator says what was estimated, and why the faster scan was not taken.
func TestChoicesAreShown(t *testing.T) {
	estimated := func(scan time.Duration, against string) *plan.Choice {
		return &plan.Choice{SQL: 12_345 * time.Microsecond, Scan: scan, Against: against}
	}
	for want, n := range map[string]*plan.Node{
		"sql":                       {Emitter: plan.SQL},
		"scan ~0.12 ms, sql ~12 ms": {Emitter: plan.Scan, Choice: estimated(123*time.Microsecond, "")},
		"sql ~12 ms, scan ~20 ms":   {Emitter: plan.SQL, Choice: estimated(20*time.Millisecond, "")},
		"sql ~12 ms, scan ~9.9 ms but saves little": {Emitter: plan.SQL, Choice: estimated(9900*time.Microsecond, "saves little")},
	} {
		if lines, _ := plan.Lines(n, plan.Run{}, nil); lines[0].Emitter != want {
			t.Errorf("got %q, want %q", lines[0].Emitter, want)
		}
	}
}
