package db_test

import (
	"slices"
	"testing"

	"trails/auth/policy"
	"trails/db"
)

// The names of agents select the activities that policy.AuthoredBy says.
func TestActivitiesAreSelectedByTheNamesOfAuthors(t *testing.T) {
	f := create(t)
	agents := []string{
		"ana", "ana via claude", "ana via claude 2.1", "ana via claude v2", "ana via claude/8", "ana via claude desktop", "ana via claude-code",
		"ana via claude ", "ana via cl*ude 2", "anabel", "ana 2", "oidc:4@x via y", "",
	}
	for _, agent := range agents {
		if err := f.Record(t.Context(), []db.Activity{{ID: agent, Agent: agent, Started: epoch, Ended: epoch}}); err != nil {
			t.Fatal(err)
		}
	}
	r := read(t, f)
	for _, name := range append(agents[:len(agents)-1:len(agents)-1], "ana via cl?ude", "an") {
		var want, got []string
		for _, agent := range agents {
			if policy.AuthoredBy(agent, name) {
				want = append(want, agent)
			}
		}
		found, err := r.Activities(t.Context(), db.ActivityFilter{Agent: name}, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range slices.Backward(found) {
			got = append(got, a.Agent)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q selects %q, want %q", name, got, want)
		}
	}
}
