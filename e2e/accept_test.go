//go:build linux

package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// At a terminal gateway accept shows the quoted texts of the server and asks. Only a yes accepts, and only what
// was shown.
func TestAcceptAsksAtATerminal(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	file, other, home := notesFile(t), notesFile(t), t.TempDir()
	here := func(args ...string) output {
		t.Helper()
		cmd := command(t, args...)
		cmd.Env = environment("HOME="+home, "XDG_CONFIG_HOME=")
		return finish(t, cmd)
	}
	if out := here("gateway", "add", file, "other", "--pin", "--include", "get", "--include", "search", "--stdio", trailsBinary, "--", "mcp", other); out.code != 0 {
		t.Fatalf("%+v", out)
	}
	for _, c := range []struct {
		answer, says string
		code, left   int // what is not accepted after it
	}{
		{"\n", "nothing was accepted of other", 4, 2},
		{"no\n", "nothing was accepted of other", 4, 2},
		{"\x04", "nothing was accepted of other", 4, 2}, // the end of the input
		{"Yes\n", "commit ", 0, 0},
		{"", "all is as it was accepted, 2 things", 0, 0}, // nobody is asked
	} {
		keyboard, terminal := openTerminal(t)
		if _, err := keyboard.WriteString(c.answer); err != nil {
			t.Fatal(err)
		}
		cmd := command(t, "gateway", "accept", file, "other")
		cmd.Env, cmd.Stdin = environment("HOME="+home, "XDG_CONFIG_HOME="), terminal
		out := finish(t, cmd)
		asks := c.answer != ""
		if out.code != c.code || !strings.Contains(out.stdout+out.stderr, c.says) || strings.Contains(out.stderr, "Accept 2 changes of other? [y/N]") != asks {
			t.Errorf("answered %q: %+v", c.answer, out)
		}
		if shown := strings.Count(out.stdout, "tool get  new\n"); (shown == 1) != asks || asks && !strings.Contains(out.stdout, `    + /description "`) {
			t.Errorf("answered %q, it has shown %q", c.answer, out.stdout)
		}
		if left := strings.Count(here("gateway", "refresh", file, "other").stdout, "  new\n"); left != c.left {
			t.Errorf("answered %q: %d are left, want %d", c.answer, left, c.left)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".config", "trails", "*")); len(left) != 1 {
		t.Errorf("kept %v", left)
	}
}
