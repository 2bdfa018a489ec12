package e2e_test

import (
	"os/exec"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// The tour of the README is what a new user sees first.
func TestTheTour(t *testing.T) {
	testrun.Alone(t)
	cmd := exec.CommandContext(t.Context(), "go", "run", "../example/tour", "-trails", trailsBinary, "-dir", t.TempDir())
	cmd.Env = environment()
	out := finish(t, cmd)
	if out.code != 0 {
		t.Fatalf("exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	for _, want := range []string{
		"validation failed on 2 fields", "code (pattern)", "priority (max_value)",
		"urn:trails:example:Requirement/R-013", "requirement.create",
	} {
		if !strings.Contains(out.stdout, want) {
			t.Errorf("the tour does not show %q:\n%s", want, out.stdout)
		}
	}
}
