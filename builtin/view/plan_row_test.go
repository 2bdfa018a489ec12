package view_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/builtin/view"
	"trails/e2e/testrun"
	"trails/fault"
)

// A plan has the node of a mistake as data, and its reason does not say the node again.
func TestAPlanHasItsNodesAsData(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct {
		f    fault.FieldError
		want view.PlanNode
	}{
		{fault.FieldError{Node: "Task/a b:c", Message: "title is required"}, view.PlanNode{"Task/a b:c", "title is required"}},
		{fault.FieldError{Node: "Task/1", Message: "Task/1: title is required"}, view.PlanNode{"Task/1", "title is required"}},
		{fault.FieldError{Message: "line 2: there is no such property"}, view.PlanNode{"", "line 2: there is no such property"}},
	} {
		if got := view.PlanNodeOf(c.f); got != c.want {
			t.Errorf("%v is %q, want %q", c.f, got, c.want)
		}
	}
	row := view.PlanRow{Of: new("1-2"), Step: "drop type Task", Effect: "loses 2 statements", Nodes: []view.PlanNode{{"Task/1"}}}
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	if want := `["1-2","drop type Task","loses 2 statements",[["Task/1",""]]]`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	var back view.PlanRow
	if err := json.Unmarshal(text, &back); err != nil || cmp.Diff(row, back) != "" {
		t.Errorf("read again: %v\n%s", err, cmp.Diff(row, back))
	}
}
