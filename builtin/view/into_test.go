package view_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trails/builtin/view"
	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// TestAnAnswerAsAValueSaysWhatItsJSONSays holds for every view that pages take as a value: it says
// what the JSON of the same call says, and the call leaves the same record.
func TestAnAnswerAsAValueSaysWhatItsJSONSays(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for _, c := range []struct {
		capability, args string
		into             any
	}{
		{"entities_list", `{"type":"Requirement","facets":true,"whole":true}`, new(view.Table)},
		{"entity_get", `{"type":"Decision","id":"4"}`, new(view.Entity)},
		{"entity_history", `{"type":"Decision","id":"4"}`, new(view.History)},
		{"entity_graph", `{"type":"Decision","id":"4","depth":2}`, new(view.Graph)},
		{"commit_view", `{"id":"head"}`, new(view.CommitPage)},
		{"capability_history", `{"id":"health"}`, new(view.CapabilityHistory)},
	} {
		call := invoke.Call{Capability: c.capability, Args: json.RawMessage(c.args), Principal: invoketest.Ana, Via: "admin", Whole: true}
		asked, err := e.Call(t.Context(), call)
		if err != nil {
			t.Fatalf("%s: %v", c.capability, err)
		}
		want := reflect.New(reflect.TypeOf(c.into).Elem()).Interface()
		if err := json.Unmarshal(asked.Structured, want); err != nil {
			t.Fatal(err)
		}
		call.Into = c.into
		got, err := e.Call(t.Context(), call)
		if err != nil || got.Structured != nil || got.Head != asked.Head {
			t.Errorf("%s: got JSON %s at %q, %v; want a value at %q", c.capability, got.Structured, got.Head, err, asked.Head)
		}
		if diff := cmp.Diff(want, c.into, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-JSON +value):\n%s", c.capability, diff)
		}
		if _, err := e.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: invoketest.Ana}); err != nil { // writes them down
			t.Fatal(err)
		}
		err = e.Graph().Session(invoketest.Ana).View(t.Context(), func(s *kg.Snapshot) error {
			all, err := s.Activities(t.Context(), kg.ActivityFilter{}, 10)
			var both []kg.Activity
			for _, a := range all {
				if a.Capability == c.capability {
					both = append(both, a)
				}
			}
			if len(both) != 2 {
				t.Fatalf("%s: %d activities, want 2", c.capability, len(both))
			}
			if diff := cmp.Diff(both[0], both[1], cmpopts.IgnoreFields(kg.Activity{}, "Seq", "ID", "Started", "Ended", "TraceID", "CostMicros")); diff != "" {
				t.Errorf("%s: the records differ:\n%s", c.capability, diff)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnAnswerWithABoundOrOfAnotherTypeStaysJSON holds for what takes no answer as it is.
func TestAnAnswerWithABoundOrOfAnotherTypeStaysJSON(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for name, c := range map[string]struct {
		capability, args string
		into             any
	}{
		"another type": {"entities_list", `{"type":"Requirement"}`, new(view.Entity)},
		"a bound":      {"capability_history", `{"id":"health","max_chars":2000}`, new(view.CapabilityHistory)},
		"no pointer":   {"health", `{}`, view.Table{}},
		"nothing":      {"health", `{}`, nil},
	} {
		call := invoke.Call{Capability: c.capability, Args: json.RawMessage(c.args), Principal: invoketest.Ana, Whole: true, Into: c.into}
		res, err := e.Call(t.Context(), call)
		if err != nil || len(res.Structured) == 0 {
			t.Errorf("%s: got %s, %v, want JSON", name, res.Structured, err)
		}
		if c.into != nil && !reflect.Indirect(reflect.ValueOf(c.into)).IsZero() {
			t.Errorf("%s: something was put into %T", name, c.into)
		}
	}
}
