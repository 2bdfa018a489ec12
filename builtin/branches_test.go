package builtin_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// ofCalls is what is of a call and not of what it does: the id of its activity, and the digest of its arguments.
var ofCalls = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|"inputs_sha256": "[0-9a-f]*"`)

// readsOn makes each read that takes a branch on one.
func readsOn(t *testing.T, e *invoketest.Engine, branch string) (reads []pastRead) {
	t.Helper()
	for _, d := range e.Callable(t) {
		if _, takes := d.InputShape.Field("branch"); !takes || len(pastReads[d.ID]) == 0 {
			continue
		}
		for _, args := range pastReads[d.ID] {
			told := toldOf(t, e, d.ID, withArgument(args, "branch", branch))
			told = ofCalls.ReplaceAllString(strings.ReplaceAll(told, branch, "main"), "CALL")
			reads = append(reads, pastRead{branch, d.ID, args, told})
		}
	}
	return reads
}

// What is written to a branch is read from it, by every read, as what is written to main of another file: the same
// answers, with the same ids of commits. And main is not touched by it, nor the branch by what main does.
func TestABranchIsReadAndWrittenAsMainIs(t *testing.T) {
	nothing := func(*invoketest.Engine, int) {}
	one, two := toldStory(t, nothing), toldStory(t, nothing)
	for _, e := range []*invoketest.Engine{one, two} {
		e.Must(t, "branches_create", `{"name": "one-of-three"}`)
	}
	before := readsOn(t, two, "main")
	readsOn(t, one, "main")
	readsOn(t, one, "main") // so that both clocks show the same
	same := func(what string, want, got []pastRead) {
		t.Helper()
		for i := range want {
			if diff := cmp.Diff(want[i].told, got[i].told); diff != "" {
				t.Errorf("%s: %s %s:\n%s", what, want[i].id, want[i].args, diff)
			}
		}
	}
	same("a branch without commits", before, readsOn(t, two, "one-of-three"))
	for _, write := range laterWrites {
		for e, args := range map[*invoketest.Engine]string{one: write[1], two: withArgument(write[1], "branch", "one-of-three")} {
			if _, err := e.Call(t.Context(), invoke.Call{Capability: write[0], Args: json.RawMessage(args), Principal: invoketest.Ana}); err != nil {
				t.Fatalf("%s %s: %v", write[0], args, err)
			}
		}
		same("after "+write[0]+" "+write[1], readsOn(t, one, "main"), readsOn(t, two, "one-of-three"))
	}
	same("main", before, readsOn(t, two, "main"))
	was := readsOn(t, two, "one-of-three")
	two.Must(t, "mutate", `{"update": "DELETE WHERE { ?s ?p ?o }", "allow_mass_change": true}`)
	two.Must(t, "schema_apply", `{"patch": "- rename_type: {Component: Part}", "allow_data_loss": true, "allow_broken_queries": true}`)
	same("after main lost all", was, readsOn(t, two, "one-of-three"))
	report, err := two.Graph().Verify(t.Context(), kg.VerifyOptions{})
	if err != nil || !report.OK() {
		t.Fatal(fmt.Sprint(report.Problems), err)
	}
}
