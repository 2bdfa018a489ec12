package view_test

import (
	"strings"
	"testing"

	"trails/builtin"
	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// offeredBefore offers what a provider had for another snapshot of the same schema.
type offeredBefore struct {
	invoke.Provider
	snapshot *kg.Snapshot
}

func (o offeredBefore) Offer(*kg.Snapshot) (invoke.Offer, error) { return o.Provider.Offer(o.snapshot) }

// An offer is kept for all snapshots under one schema, which may have it as another value:
// two first calls at a time read it twice. So resources hold on to no part of it.
func TestResourcesAnswerUnderAnotherValueOfTheSchema(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	same, err := kg.Open(t.Context(), e.Graph().Path(), kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer same.Close()
	snap, err := same.Session(invoketest.Ana).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	var providers []invoke.Provider
	for _, p := range builtin.Providers() {
		providers = append(providers, offeredBefore{p, snap})
	}
	later := invoketest.Open(t, e.Graph().Path(), invoke.Config{Providers: providers})
	for uri, want := range map[string]string{
		"trails://kg/Decision?limit=1": `"label"`,
		"trails://kg/Decision/1":       `"number"`,
	} {
		d, err := later.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana})
		if err != nil || !strings.Contains(string(d.Body), want) {
			t.Errorf("%s: got %s, error %v", uri, d.Body, err)
		}
	}
}
