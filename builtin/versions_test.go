package builtin_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"trails/builtin"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

type told struct {
	ID       string
	Version  *string
	Versions []struct {
		Version, Part, Author, Program string
		Commit                         *string
		Changes                        []struct{ Field, What, Part string }
	}
}

func versionsOf(t *testing.T, e *invoketest.Engine, id string) (h told) {
	t.Helper()
	answer, err := json.Marshal(e.Must(t, "capability_history", `{"id":"`+id+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, &h); err != nil {
		t.Fatal(err)
	}
	return h
}

// The versions of a typed tool say what a change of the schema was, by whom, and stay when it
// is gone.
func TestTheVersionsOfACapabilityAreTold(t *testing.T) {
	e := invoketest.New(t, "types: {Note: {properties: {title: string}}}", invoke.Config{})
	e.Must(t, "snapshot", "{}")
	for _, patch := range []string{"add_property: {Note.done: boolean}", "alter_property: {Note.title: {required: true}}"} {
		e.Must(t, "schema_apply", `{"patch":"- `+patch+`"}`)
		e.Must(t, "snapshot", "{}") // whoever calls makes the catalog
	}
	h := versionsOf(t, e, "note.create")
	for begun := time.Now(); len(h.Versions) < 3 && time.Since(begun) < 2*time.Minute; h = versionsOf(t, e, "note.create") {
		time.Sleep(10 * time.Millisecond) // they are kept beside calls
	}
	if h.Version == nil || len(h.Versions) != 3 || *h.Version != h.Versions[0].Version {
		t.Fatalf("%+v", h)
	}
	var parts, bases []string
	for _, v := range h.Versions {
		parts, bases = append(parts, v.Part), append(bases, capability.Base(v.Version))
		if v.Author == "" || v.Commit == nil {
			t.Errorf("%+v", v)
		}
	}
	if !slices.Equal(parts, []string{"major", "minor", ""}) || !slices.Equal(bases, []string{"2.0.0", "1.1.0", "1.0.0"}) {
		t.Errorf("%v %v", parts, bases)
	}
	e.Must(t, "schema_apply", `{"patch":"- drop_type: Note"}`)
	if h := versionsOf(t, e, "note.create"); h.Version != nil || len(h.Versions) != 3 {
		t.Errorf("gone: %+v", h)
	}
	if _, err := e.Do(t, "capability_history", `{"id":"serch"}`); !fault.Is(err, fault.Missing) {
		t.Errorf("an unknown one: %v", err)
	}
}

// A call by an id that was replaced works, by name and by tool name, and says the new one.
func TestACallByAnIdThatWasReplacedSaysTheNewOne(t *testing.T) {
	one := invoke.Define(capability.Descriptor{ID: "find.it", Description: "Find it.", Deprecates: []string{"look.it"}},
		func(context.Context, *invoke.Request, struct{}) (struct {
			Found bool `json:"found"`
		}, error) {
			return struct {
				Found bool `json:"found"`
			}{true}, nil
		})
	e := invoketest.New(t, "types: {}", invoke.Config{Providers: append(builtin.Providers(), invoke.Fixed(invoke.Offer{Capabilities: []invoke.Capability{one}}))})
	for name, want := range map[string]string{
		"find.it": `{"found":true}`, "find_it": `{"found":true}`,
		"look.it": `{"warnings":["look.it is replaced by find.it; call that"],"found":true}`,
		"look_it": `{"warnings":["look_it is replaced by find.it; call that"],"found":true}`,
	} {
		res, err := e.Call(t.Context(), invoke.Call{Capability: name, Principal: invoketest.Ana})
		if err != nil || string(res.Structured) != want {
			t.Errorf("%s answered %s, error %v", name, res.Structured, err)
		}
	}
}
