package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trails/db/dbtest"
	"trails/e2e/testrun"
)

// A file with what no format has is refused by name; four commands read it and say what it has,
// and the way out that they name leads out.
func TestACommandSaysWhatAFileHas(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct {
		name, sql string
		fixed     bool // by doctor --fix
	}{
		{"trigger t on live", "CREATE TRIGGER t BEFORE INSERT ON live BEGIN SELECT RAISE(IGNORE); END", true},
		{"table live with the generated column x", "ALTER TABLE live ADD COLUMN x INTEGER AS (s + 1)", false},
	} {
		file := newNotes(t)
		dir := filepath.Dir(file)
		dbtest.Exec(t, file, c.sql)
		for _, one := range []struct {
			args string
			code int
		}{
			{"serve FILE --addr 127.0.0.1:0", 1},
			{"mcp FILE", 1},
			{"list FILE Note", 1},
			{"restore DIR/other FILE --yes", 1},
			{"compact FILE", 1},
			{"verify FILE", 1},
			{"doctor FILE", 6},
			{"backup FILE DIR/copy", 0},
			{"verify DIR/copy", 1},
			{"export FILE --output DIR/data.nq", 0},
			{"init DIR/new --from DIR/data.nq --base https://notes.example/", 0},
			{"verify DIR/new", 0},
			{"doctor FILE --fix --dry-run", 6},
			{"doctor FILE --fix", map[bool]int{true: 0, false: 6}[c.fixed]},
			{"verify FILE", map[bool]int{true: 0, false: 1}[c.fixed]},
		} {
			cmd := exec.Command("trails", strings.Fields(strings.NewReplacer("FILE", file, "DIR", dir).Replace(one.args))...)
			out, _ := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != one.code {
				t.Errorf("%s: %s exits with %d, want %d: %s", c.name, one.args, got, one.code, out)
			}
			if one.code != 0 && !strings.Contains(string(out), c.name) {
				t.Errorf("%s: %s does not name it: %s", c.name, one.args, out)
			}
		}
	}
}
