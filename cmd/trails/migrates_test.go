package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of an older format is migrated by the first command that opens it, which says so; what it prints is that of
// any file.
func TestAFileOfAnOlderFormatIsMigratedAloud(t *testing.T) {
	text, err := os.ReadFile("../../testdata/files/format-9.db")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "old.trails")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	for range 2 {
		var out, errs strings.Builder
		if code := run([]string{"query", file, "ASK { ?s ?p ?o }"}, strings.NewReader(""), &out, &errs, nil); code != exitDone || strings.TrimSpace(out.String()) != "true" {
			t.Errorf("%d, %s%s", code, out.String(), errs.String())
		}
		said = append(said, errs.String())
	}
	if !strings.Contains(said[0], file+" is migrated from format 9 to ") || said[1] != "" {
		t.Errorf("the commands say %q", said)
	}
}
