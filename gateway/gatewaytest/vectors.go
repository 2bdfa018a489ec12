// Package gatewaytest reads the test vectors of the gateway: ids, catalogs of tools with queries whose right answers
// are known, and a recorded session.
package gatewaytest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Read decodes the vectors with a name, from TRAILS_VECTORS or from the directory beside the repository.
// Without them the test is skipped; with CI=true it fails.
func Read(t testing.TB, name string, into any) {
	t.Helper()
	dir := os.Getenv("TRAILS_VECTORS")
	if dir == "" {
		dir = filepath.Join(repository(t), "..", "shared", "vectors")
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	switch {
	case os.IsNotExist(err) && os.Getenv("CI") != "true":
		t.Skipf("SKIPPED: NO VECTORS at %s; set TRAILS_VECTORS to hold the gateway against them", dir)
	case err != nil:
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("the test is not in the repository")
		}
		dir = filepath.Dir(dir)
	}
}
