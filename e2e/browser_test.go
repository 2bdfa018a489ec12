package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trails/example"
)

// chromium is the browser: of TRAILS_CHROMIUM, or the first that is installed.
func chromium(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if name := os.Getenv("TRAILS_CHROMIUM"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	absent(t, "no Chromium; install it, or set TRAILS_CHROMIUM to its path")
	return ""
}

// TestThePagesInABrowser walks through the pages as a person would: see
// client/browser.mjs for what it looks at. TRAILS_SHOTS keeps its pictures.
func TestThePagesInABrowser(t *testing.T) {
	t.Parallel()
	tools, browser := toolsOfNode(t), chromium(t)
	for _, name := range []string{"playwright-core", "axe-core"} {
		if _, err := os.Stat(filepath.Join(tools.modules, "node_modules", name)); err != nil {
			absent(t, "no driver of a browser: %v; install it with: make npm", err)
		}
	}
	const token = "sesame"
	shots := os.Getenv("TRAILS_SHOTS")
	if shots == "" {
		shots = t.TempDir()
	}
	file := filepath.Join(t.TempDir(), "example.trails")
	must(t, "init", file, "--schema", write(t, "example.yaml", string(example.Schema)))
	must(t, "load", file, write(t, "example.ndjson", string(example.Data)))
	open, guarded := openWeb(t, file), openWeb(t, file, "TRAILS_MCP_TOKEN="+token)
	out := tools.run(t, "client/browser.mjs", tools.modules, browser, trailsBinary, file, open.base, guarded.base, token, shots)
	if out.code != 0 || !strings.Contains(out.stdout, "checks passed") {
		t.Fatalf("exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	t.Log(out.stdout)
	must(t, "verify", file)
}
