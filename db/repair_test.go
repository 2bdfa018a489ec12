package db_test

import (
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/db/dbtest"
	"trails/e2e/testrun"
)

// What follows from the rest of a file is put right, and nothing else.
func TestMendPutsRightWhatFollowsFromTheRest(t *testing.T) {
	testrun.Alone(t)
	const text = `{"id":"find","version":""}`
	texts := map[string]string{"find@1.0.0": text}
	for _, c := range []struct {
		what, harm, done string
		sound            bool
	}{
		{"nothing", "SELECT 1", "", true},
		{"a descriptor", "UPDATE descriptors SET descriptor = '{}'", "the descriptor of capability find, version 1.0.0", true},
		{"the index of words", "INSERT INTO words (words) VALUES ('delete-all')", "the indexes of all tables, and the index of words", true},
		{"how far the index of words is", "UPDATE words_until SET term = 0", "the indexes of all tables, and the index of words", true},
		{"who wrote a descriptor", "UPDATE descriptors SET program = 'another'", "", false},
		{"data", "DELETE FROM live WHERE s = (SELECT max(s) FROM live)", "the indexes of all tables, and the index of words", false},
	} {
		f := create(t)
		write(t, f, longEntities(500), nil)
		err := f.AddCapabilityVersions(t.Context(), func(*db.Reader) ([]db.CapabilityVersion, error) {
			return []db.CapabilityVersion{{Capability: "find", Version: "1.0.0", Descriptor: text, At: time.Unix(1, 0), Program: "test"}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		path := f.Path()
		f.Close()
		dbtest.Exec(t, path, c.harm)
		f = open(t, path)
		would, err := f.Mend(t.Context(), texts, true)
		if err != nil {
			t.Fatal(err)
		}
		report, err := f.Verify(t.Context(), db.VerifyOptions{})
		if err != nil || report.OK() != (c.what == "nothing") {
			t.Errorf("%s: after a dry run %+v, error %v", c.what, report, err)
		}
		done, err := f.Mend(t.Context(), texts, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(done, ", "); got != c.done || strings.Join(would, ", ") != c.done {
			t.Errorf("%s: did %q, would do %q, want %q", c.what, got, would, c.done)
		}
		if report, err = f.Verify(t.Context(), db.VerifyOptions{}); err != nil || report.OK() != c.sound {
			t.Errorf("%s: afterwards %+v, error %v", c.what, report.Problems, err)
		}
	}
}
