package trails_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// TestMain says in the end which suites and tools are not here, so that whoever runs the
// tests knows what they did not hold. Given a list of packages, the go command keeps to
// itself what a passing one says; the line then goes to the terminal, if there is one.
// `go test` in this directory alone, as in `make test`, shows it anywhere.
func TestMain(m *testing.M) {
	code := m.Run()
	if missing := absent(os.Getenv, "."); len(missing) > 0 {
		said := fmt.Sprintf("trails: not here, so that tests of them were skipped: %s\n", strings.Join(missing, "; "))
		fmt.Print(said)
		info, err := os.Stdout.Stat()
		if shown := err == nil && info.Mode()&os.ModeCharDevice != 0; !shown {
			if terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
				_, _ = terminal.WriteString(said) // a terminal that is gone needs no line
				_ = terminal.Close()
			}
		}
	}
	os.Exit(code)
}

// absent names what tests look for and skip without, and how each is had. Addresses are
// those of the tests, from the directory of the module.
func absent(getenv func(string) string, module string) (missing []string) {
	under := func(variable, fallback string, path ...string) string {
		dir := getenv(variable)
		if dir == "" {
			dir = filepath.Join(module, fallback)
		}
		return filepath.Join(append([]string{dir}, path...)...)
	}
	for _, part := range []struct{ what, path string }{
		{"the standards' suites (TRAILS_SUITES)", under("TRAILS_SUITES", "../shared/suites", "rdf-tests")},
		{"the MCP schemas (TRAILS_SUITES)", under("TRAILS_SUITES", "../shared/suites", "mcp-schemas")},
		{"real data (TRAILS_DATA)", under("TRAILS_DATA", "../shared/data", "attack", "attack.ndjson.gz")},
		{"the gateway's vectors (TRAILS_VECTORS)", under("TRAILS_VECTORS", "../shared/vectors", "tool_ids.json")},
		{"the MCP clients (make npm)", under("TRAILS_TOOLS", ".cache", "npm", "installed")},
	} {
		if _, err := os.Stat(part.path); err != nil {
			missing = append(missing, part.what)
		}
	}
	if !hasChromium(getenv("TRAILS_CHROMIUM")) {
		missing = append(missing, "Chromium (TRAILS_CHROMIUM)")
	}
	return missing
}

func hasChromium(named string) bool {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}

func TestAbsentSuitesAreNamed(t *testing.T) {
	testrun.Alone(t)
	dir := t.TempDir()
	env := map[string]string{"TRAILS_SUITES": dir, "TRAILS_DATA": dir, "TRAILS_VECTORS": dir, "TRAILS_TOOLS": dir, "TRAILS_CHROMIUM": filepath.Join(dir, "chromium")}
	getenv := func(name string) string { return env[name] }
	if got := absent(getenv, dir); len(got) != 6 {
		t.Errorf("of an empty directory %q are absent", got)
	}
	for _, path := range []string{"rdf-tests", "mcp-schemas", "attack/attack.ndjson.gz", "npm/installed", "tool_ids.json"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(env["TRAILS_CHROMIUM"], []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := absent(getenv, dir); len(got) != 0 {
		t.Errorf("%q are absent, and all is there", got)
	}
}
