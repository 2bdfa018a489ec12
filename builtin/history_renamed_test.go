package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/invoke"
	"trails/invoke/invoketest"
)

// The history of a node says of a renamed property that it has another name, later when that
// has another name itself, and the commit says it, too.
func TestHistoryTellsARenameAsOne(t *testing.T) {
	e := invoketest.New(t, withStatus, invoke.Config{})
	e.Must(t, "note.create", `{"id": "a", "title": "T", "status": "open"}`)
	e.Must(t, "schema_apply", `{"patch": "- rename_property: {Note.status: state}"}`)
	e.Must(t, "schema_apply", `{"patch": "- rename_property: {Note.state: phase}"}`)
	e.Must(t, "note.update", `{"id": "a", "title": "U", "phase": null}`)
	of := fmt.Sprint(e.Must(t, "history", `{"id": "Note/a"}`)["rows"])
	for _, want := range []string{"status is state now", "state is phase now", `phase - "open"`} {
		if !strings.Contains(of, want) {
			t.Errorf("the history has no %q: %s", want, of)
		}
	}
	if strings.Contains(of, `status - "open"`) || strings.Contains(of, `state + "open"`) {
		t.Errorf("a rename is a loss: %s", of)
	}
	all := fmt.Sprint(e.Must(t, "history", `{}`)["rows"])
	if !strings.Contains(all, "Renamed status of Note to state") {
		t.Errorf("the commit does not say it: %s", all)
	}
}

// What no list of tools has and answers or documents name is found by browsing.
func TestDefinitionsAreFoundByBrowsing(t *testing.T) {
	e := invoketest.New(t, withStatus, invoke.Config{})
	for request, want := range map[string]string{
		"definitions_diff":                     "definitions_diff",
		"compare the definitions of two files": "definitions_diff",
		"what differs between two schemas":     "definitions_diff",
		"get the schema and stored queries":    "definitions_get",
		"list the versions of a capability":    "capability_history",
	} {
		if found := fmt.Sprint(e.Must(t, "tool_browse", `{"query": "`+request+`"}`)); !strings.Contains(found, want) {
			t.Errorf("%q finds no %s", request, want)
		}
	}
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Listed {
		if d.ID == "definitions_diff" {
			t.Error("it is listed, too")
		}
	}
}
