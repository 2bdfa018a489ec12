package rdfio_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares got with a file; -rewrite, which datadriven declares, accepts it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
