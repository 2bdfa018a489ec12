// Package e2e_test holds the built binary to what it promises, from outside: the
// main job on real data over stdio and HTTP, many processes on one file, kills,
// broken files, and the MCP clients that people use. Nothing here knows the
// program's packages; it knows its commands and its wire.
package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// trailsBinary is the program under test.
var trailsBinary string

// patience is the longest wait before a test gives up. It is no expectation of speed.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "trails-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Programs of other users must be able to run it: see TestAReadOnlyFile.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := lookAtSources(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	trailsBinary = filepath.Join(dir, "trails")
	args := append([]string{"build"}, buildFlags...)
	build := exec.Command("go", append(args, "-o", trailsBinary, "../cmd/trails")...)
	build.Env = append(os.Environ(), buildEnv...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build ../cmd/trails:", err)
		return 1
	}
	return m.Run()
}

// lookAtSources lists the directories of the module. The go command then knows that these tests depend on them,
// and does not reuse an old result.
func lookAtSources() error {
	return filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		return err
	})
}

// output is what a command printed, and its exit code.
type output struct {
	stdout, stderr string
	code           int
}

// trails runs a command to its end.
func trails(t testing.TB, args ...string) output {
	t.Helper()
	return finish(t, command(t, args...))
}

// command prepares a command without the settings of this machine.
func command(t testing.TB, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, trailsBinary, args...)
	cmd.Env = environment()
	return cmd
}

// environment returns the environment without TRAILS_ variables, and with more.
func environment(more ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TRAILS_") {
			env = append(env, kv)
		}
	}
	return append(env, more...)
}

// finish runs a prepared command. A command that does not start fails the test; any exit code is returned.
func finish(t testing.TB, cmd *exec.Cmd) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", strings.Join(cmd.Args, " "), err)
	}
	return output{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// must runs a command that must succeed, and returns its output.
func must(t testing.TB, args ...string) string {
	t.Helper()
	out := trails(t, args...)
	if out.code != 0 {
		t.Fatalf("trails %s: exit %d\n%s%s", strings.Join(args, " "), out.code, out.stdout, out.stderr)
	}
	return out.stdout
}

// write writes a file in the temporary directory of the test and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// absent reports that something a test needs is not installed: it skips the test, or fails it in CI.
func absent(t testing.TB, format string, args ...any) {
	t.Helper()
	message := fmt.Sprintf(format, args...)
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip("SKIPPED: " + message)
}

// attackData returns the path of the real data.
func attackData(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TRAILS_DATA")
	if dir == "" {
		dir = "../../shared/data"
	}
	path, err := filepath.Abs(filepath.Join(dir, "attack", "attack.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		absent(t, "no real data: %v; set TRAILS_DATA", err)
	}
	return path
}
