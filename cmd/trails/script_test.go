//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"trails/e2e/testrun"
	"trails/gateway/artifact"
	"trails/kg"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"trails": main})
}

// TestScripts runs the transcripts in testdata/script against the real command, one
// process a call. Beside testscript's own commands they have those of scriptCommands.
func TestScripts(t *testing.T) {
	testrun.Alone(t)
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/script",
		Setup: giveNotes,
		Cmds:  scriptCommands,
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	})
}

// giveNotes puts the schema and data that most scripts use into their directory.
func giveNotes(env *testscript.Env) error {
	files, err := filepath.Glob("testdata/notes/*")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(f)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exits":     exits,
	"poke":      poke,
	"overwrite": overwrite,
	"trim":      trim,
	"capture":   capture,
	"nobody":    nobody,
	"many":      many,
	"limited":   limited,
	"keep":      keepResult,
	"refusing":  refusing,
}

// refusing NAME WORD sets NAME to the address of an endpoint of embeddings that refuses texts with the word, while it is
// not in the file of that name.
func refusing(ts *testscript.TestScript, _ bool, args []string) {
	taken := ts.MkAbs(args[1])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, "no JSON", http.StatusInternalServerError)
			return
		}
		_, err := os.Stat(taken)
		if err != nil && strings.Contains(strings.Join(asked.Input, " "), args[1]) {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		data := make([]map[string]any, len(asked.Input))
		for i := range data {
			data[i] = map[string]any{"index": i, "embedding": []int{1, i}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// keepResult FILE HANDLE RESULT keeps the bytes of a file as a result of a tool.
func keepResult(ts *testscript.TestScript, _ bool, args []string) {
	g, err := kg.Open(context.Background(), ts.MkAbs(args[0]), kg.Options{})
	ts.Check(err)
	result := artifact.Artifact{Ref: artifact.Ref{Handle: args[1], MediaType: "text/plain"}, Data: []byte(ts.ReadFile(args[2]))}
	ts.Check(g.Session(me()).KeepArtifacts(context.Background(), "files.read", []artifact.Artifact{result}))
	ts.Check(g.Close())
}

// exits CODE COMMAND... runs a command that must end with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// poke FILE OFFSET BYTE... overwrites bytes of a file.
func poke(ts *testscript.TestScript, _ bool, args []string) {
	offset, err := strconv.ParseInt(args[1], 0, 64)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	for i, arg := range args[2:] {
		b, err := strconv.ParseUint(arg, 0, 8)
		ts.Check(err)
		_, err = f.WriteAt([]byte{byte(b)}, offset+int64(i))
		ts.Check(err)
	}
	ts.Check(f.Close())
}

// overwrite FILE OLD NEW writes one text over another of the same length, wherever it stands.
func overwrite(ts *testscript.TestScript, _ bool, args []string) {
	data, old := ts.ReadFile(args[0]), args[1]
	if len(old) != len(args[2]) || !strings.Contains(data, old) {
		ts.Fatalf("%s cannot be written over %s in %s", args[2], old, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(data, old, args[2])), 0o644))
}

// trim FILE SIZE cuts a file short.
func trim(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[1], 0, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// capture NAME PATTERN sets a variable to the first group of a pattern in stdout.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("no %s in stdout", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// nobodyID is the user that owns nothing.
const nobodyID = 65534

// nobody CODE COMMAND... is exits, as a user that owns nothing; only root can.
func nobody(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(openTo(ts, args[1]), args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodyID, Gid: nobodyID}}
	out, err := cmd.CombinedOutput()
	ts.Logf("%s", out)
	ts.Check(os.WriteFile(ts.MkAbs("nobody.out"), out, 0o600))
	if got := cmd.ProcessState.ExitCode(); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d (%v), want %s", got, err, args[0])
	}
}

// openTo copies a program to where everybody may run it, and opens the way there.
func openTo(ts *testscript.TestScript, program string) string {
	path, err := exec.LookPath(program)
	ts.Check(err)
	dir := ts.MkAbs(".")
	for d := dir; d != filepath.Dir(d) && d != os.TempDir(); d = filepath.Dir(d) {
		ts.Check(os.Chmod(d, 0o755))
	}
	copied := filepath.Join(dir, program)
	// By another process: a file that this one had open for writing could be busy
	// in a child that a parallel test starts meanwhile.
	ts.Check(exec.Command("cp", path, copied).Run())
	return copied
}

// many FILE N writes N nodes as NDJSON.
func many(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"type\":\"Note\",\"id\":\"m%d\",\"data\":{\"title\":\"Note number %d of many\"}}\n", i, i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

// limited CODE BLOCKS COMMAND... is exits, with files no larger than blocks of 512 bytes.
func limited(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, append([]string{args[0], "sh", "-c", `ulimit -f "$0" && exec "$@"`}, args[1:]...))
}
