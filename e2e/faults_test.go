//go:build linux

package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/e2e/testrun"
)

// commands returns commands that read or write a file.
func commands(t testing.TB, file string) [][]string {
	data := write(t, "one.ndjson", noteLine("one"))
	return [][]string{
		{"log", file},
		{"stats", file},
		{"verify", file},
		{"export", file},
		{"load", file, data},
		{"mcp", file},
		{"serve", file, "--addr", "127.0.0.1:0"},
	}
}

// wantOneLine checks that a command failed with one line on stderr that contains a text.
func wantOneLine(t testing.TB, args []string, out output, mentions string) {
	t.Helper()
	line := strings.TrimRight(out.stderr, "\n")
	if out.code == 0 || line == "" || strings.Contains(line, "\n") {
		t.Errorf("trails %s: exit %d, stderr %q; want a failure in one line", strings.Join(args, " "), out.code, out.stderr)
	}
	if !strings.Contains(line, mentions) || strings.Contains(line, "internal error") {
		t.Errorf("trails %s says %q; want it to mention %q", args[0], line, mentions)
	}
}

func TestABrokenFileIsRefusedAndLeftAlone(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct {
		name, mentions string
		damage         func(t testing.TB, content []byte) []byte
	}{
		{"not SQLite", "not a trails file", func(testing.TB, []byte) []byte { return []byte(strings.Repeat("some text, no database\n", 20)) }},
		{"empty", "empty", func(testing.TB, []byte) []byte { return nil }},
		{"truncated", "truncated", func(_ testing.TB, b []byte) []byte { return b[:len(b)/2] }},
		{"truncated within the header", "not a trails file", func(_ testing.TB, b []byte) []byte { return b[:50] }},
		{"from a newer format", "newer", func(_ testing.TB, b []byte) []byte { binary.BigEndian.PutUint32(b[60:], 9999); return b }},
		{"of another application", "another application", func(_ testing.TB, b []byte) []byte { binary.BigEndian.PutUint32(b[68:], 7); return b }},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := notesFile(t)
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			damaged := c.damage(t, content)
			if err := os.WriteFile(file, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			for _, args := range commands(t, file) {
				wantOneLine(t, args, trails(t, args...), c.mentions)
			}
			after, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(after, damaged) {
				t.Errorf("the refused file was changed (%v)", err)
			}
			wantAlone(t, file)
		})
	}
}

// wantAlone checks that there is no other file in the directory.
func wantAlone(t testing.TB, file string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(file) {
			t.Errorf("%s was left beside the file", e.Name())
		}
	}
}

func TestADamagedPageIsFound(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	must(t, "load", file, write(t, "many.ndjson", strings.Join(linesOf(codesOf("n", 500)), "\n")))
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(content) / 2; i < len(content)/2+4096; i++ {
		content[i] ^= 0x5a
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if out := trails(t, "verify", file); out.code == 0 || strings.Contains(out.stdout+out.stderr, "internal error") {
		t.Errorf("verify finds nothing in a damaged file: %+v", out)
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	testrun.Alone(t)
	file := filepath.Join(t.TempDir(), "none.db")
	for _, args := range commands(t, file) {
		wantOneLine(t, args, trails(t, args...), "trails init")
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error("a command that found no file made one")
	}
	made := notesFile(t)
	wantOneLine(t, []string{"init"}, trails(t, "init", made), "exists")
}

// nobody is the id of a user without rights. Root may do too much for these tests.
const nobody = 65534

func TestAReadOnlyFile(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	dir := filepath.Dir(file)
	data := write(t, "one.ndjson", noteLine("one"))
	for _, path := range []string{dir, filepath.Dir(dir), filepath.Dir(data), filepath.Dir(filepath.Dir(data))} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o755) })
	}
	args := []string{"load", file, data}
	cmd := command(t, args...)
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	wantOneLine(t, args, finish(t, cmd), "writable")
}

func TestAFileThatAnotherProcessHolds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits a minute for the lock")
	}
	file := notesFile(t)
	holder, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if err := sqlitex.ExecuteTransient(holder, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	must(t, "log", file) // reading goes on
	args := []string{"load", file, write(t, "one.ndjson", noteLine("one"))}
	wantOneLine(t, args, trails(t, args...), "another process is writing")
	if err := sqlitex.ExecuteTransient(holder, "ROLLBACK", nil); err != nil {
		t.Fatal(err)
	}
	must(t, args...)
}

// A command that reads does not wait for a long write of another process. The next command records it.
func TestAReadDoesNotWaitForAnotherProcessAndIsRecorded(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	file := notesFile(t)
	holder, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { holder.Close() })
	if err := sqlitex.ExecuteTransient(holder, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	const reads = 3
	for range reads {
		began := time.Now()
		must(t, "log", file)
		if took := time.Since(began); took > 50*time.Second { // of the minute that a wait for the lock takes
			t.Errorf("a read took %s", took)
		}
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, "stats", file)
	prov := must(t, "query", file, "SELECT (COUNT(*) AS ?n) { GRAPH <urn:trails:graph:prov> { ?a <urn:trails:ns#capability> 'commits_find' } }", "-o", "csv")
	if !strings.Contains(prov, fmt.Sprint(reads)) {
		t.Errorf("provenance has %s reads, want %d", prov, reads)
	}
	wantAlone(t, file)
}

func TestAFullDisk(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	disk := smallDisk(t, 2<<20)
	file := filepath.Join(disk, "notes.db")
	must(t, "init", file, "--schema", write(t, "notes.yaml", notesSchema))
	must(t, "load", file, write(t, "few.ndjson", noteLine("few")))
	many := write(t, "many.ndjson", strings.Join(linesOf(codesOf("many", 6000)), "\n"))
	args := []string{"load", file, many}
	wantOneLine(t, args, trails(t, args...), "full")

	d, web := openStdio(t, file), openWeb(t, file)
	if status, body, err := web.do("GET", "/ready", nil, nil); status != 200 {
		t.Errorf("/ready before the disk is full: %d %s, error %v", status, body, err)
	}
	var all acknowledged
	all.add("few")
	for n := 0; ; n++ {
		code := fmt.Sprintf("drop-%d", n)
		if _, err := put(d, "note_create", note(code)); err != nil {
			break // the disk is full; the server lives
		}
		all.add(code)
		if n == 50000 {
			t.Fatal("the disk never filled")
		}
	}
	if _, err := d.call("ping", map[string]any{}); err != nil {
		t.Errorf("the server went with the disk: %v", err)
	}
	if status, body, err := web.do("GET", "/ready", nil, nil); status != 503 || !bytes.Contains(body, []byte("the disk is full")) {
		t.Errorf("/ready on a full disk: %d %s, error %v", status, body, err)
	}
	if out := trails(t, "doctor", file); out.code != 1 || !strings.Contains(out.stdout, "free some space") || !strings.Contains(out.stdout, "the disk is full") {
		t.Errorf("the doctor on a full disk: %+v", out)
	}
	// What was asked is answered, though nobody can write down that it was.
	for _, args := range [][]string{{"verify", file}, {"log", file}, {"stats", file}, {"query", file, "ASK { ?s ?p ?o }"}} {
		if out := trails(t, args...); out.code != 0 || out.stdout == "" {
			t.Errorf("%s on a full disk: %+v", args[0], out)
		}
	}
	wantNotes(t, file, all.codes) // by an export
	for _, uri := range []string{"trails://doctor", "trails://branches", "trails://prov/latest"} {
		if _, err := d.call("resources/read", map[string]any{"uri": uri}); err != nil {
			t.Errorf("%s on a full disk: %v", uri, err)
		}
	}
	d.kill()
	web.kill()
	if out := trails(t, "verify", file); out.code != 0 {
		t.Errorf("verify after the disk was full: %+v", out)
	}
	wantNotes(t, file, all.codes)
}

// A disk that becomes read-only under a server is one that another mount hides: a file that
// is open for writing keeps its own mount from being changed.
func TestADiskThatBecomesReadOnly(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	disk := smallDisk(t, 4<<20)
	file := filepath.Join(disk, "notes.db")
	must(t, "init", file, "--schema", write(t, "notes.yaml", notesSchema))
	must(t, "load", file, write(t, "one.ndjson", noteLine("one")))
	web := openWeb(t, file)
	ready := func(when string, want int, says string) {
		t.Helper()
		status, body, err := web.do("GET", "/ready", nil, nil)
		if status != want || !bytes.Contains(body, []byte(says)) {
			t.Errorf("/ready %s: %d %s, error %v", when, status, body, err)
		}
	}
	ready("before", 200, "")
	err := errors.Join(syscall.Mount(disk, disk, "", syscall.MS_BIND, ""), syscall.Mount("", disk, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	if err != nil {
		t.Fatal(err)
	}
	ready("on a disk that is read-only", 503, "read-only")
	if status, body, err := web.do("GET", "/health", nil, nil); status != 200 {
		t.Errorf("/health: %d %s, error %v", status, body, err)
	}
	if status, body, err := web.do("GET", "/kg/Note", nil, nil); status != 200 || !bytes.Contains(body, []byte("one")) {
		t.Errorf("a read: %d %s, error %v", status, body, err)
	}
	args := []string{"load", file, write(t, "two.ndjson", noteLine("two"))}
	wantOneLine(t, args, trails(t, args...), "writable")
	wantOneLine(t, []string{"doctor"}, trails(t, "doctor", file), "read-only")
	if err := syscall.Unmount(disk, 0); err != nil {
		t.Fatal(err)
	}
	ready("after", 200, "")
	must(t, args...)
	wantNotes(t, file, []string{"one", "two"})
}

// smallDisk mounts a file system of size bytes and returns its path.
func smallDisk(t testing.TB, size int) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
	if err != nil {
		t.Skipf("SKIPPED: a small disk needs the right to mount: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// ofTheMachine matches text that remote callers must not see: paths, and words of SQLite, the operating system
// and libraries.
var ofTheMachine = regexp.MustCompile(`(?i)sqlite|disk image|SQL logic|prepare:|pragma|no such file|not a directory|permission denied|no space left|dial (tcp|udp)|exec format|fork/exec|\b(open|stat|mkdir|write) /|goroutine`)

// wantNothingOfTheMachine checks an answer to a caller for such text.
func wantNothingOfTheMachine(t testing.TB, answer, dir string) {
	t.Helper()
	if found := ofTheMachine.FindString(answer); found != "" || strings.Contains(answer, dir) {
		t.Errorf("a caller is told of the machine (%q): %s", found, answer)
	}
}

// If something on the machine fails, the caller is told what that means for the call, and the log has the
// cause.
func TestAnswersTellNothingOfTheMachine(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	overwrite := func(file string) error {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for i := 8192; i < len(content); i++ {
			content[i] ^= 0x5a
		}
		return os.WriteFile(file, content, 0o600)
	}
	coalesce := "SELECT (COALESCE(" + strings.Repeat("?x, ", 1100) + "1) AS ?v) {}"
	for name, c := range map[string]struct {
		breaks func(file string) error
		query  string
		logged string
	}{
		"too complex": {func(string) error { return nil }, coalesce, "too many arguments"},
		"moved":       {func(file string) error { return os.Rename(file, file+".aside") }, "", "was moved while"},
		"deleted":     {os.Remove, "", "was deleted while"},
		"replaced": {func(file string) error {
			return errors.Join(os.Rename(filepath.Dir(file), filepath.Dir(file)+"-aside"), os.WriteFile(filepath.Dir(file), nil, 0o600))
		}, "", "not a directory"},
		"damaged": {overwrite, "", "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := notesFile(t)
			dir := filepath.Join(t.TempDir(), "graphs")
			file := filepath.Join(dir, "notes.db")
			if err := errors.Join(os.Mkdir(dir, 0o700), os.Rename(made, file)); err != nil {
				t.Fatal(err)
			}
			must(t, "load", file, write(t, "many.ndjson", strings.Join(linesOf(codesOf("many", 2000)), "\n")))
			broken := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(broken, []byte("\x7fELF is no program"), 0o700); err != nil { //nolint:gosec // it is to be run
				t.Fatal(err)
			}
			must(t, "gateway", "add", file, "gone", "--elsewhere", "--stdio", filepath.Join(dir, "no-such-program"))
			must(t, "gateway", "add", file, "broken", "--elsewhere", "--stdio", broken)
			env := []string{"TRAILS_TRUST_UPSTREAMS=gone,broken", "TRAILS_LOG=info"}
			agent, web := openStdio(t, file, env...), openWeb(t, file, env...)
			tell := func(door, answer string) {
				wantNothingOfTheMachine(t, answer, dir)
				wantNothingOfTheMachine(t, answer, filepath.Dir(broken))
				if answer == "" {
					t.Errorf("%s tells nothing", door)
				}
			}
			for _, d := range []door{agent, web} {
				result, err := d.call("tools/call", map[string]any{"name": "tool_browse", "arguments": map[string]any{"query": "note"}})
				tell("tool_browse", fmt.Sprintf("%s %v", result, err))
				if !strings.Contains(string(result), "does not run") || !strings.Contains(string(result), "not a program of this machine") {
					t.Errorf("programs that cannot be started are not told of: %s", result)
				}
			}
			if err := c.breaks(file); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if info, err := os.Stat(dir); err == nil && !info.IsDir() {
					os.Remove(dir)
				}
			})
			query := cmp.Or(c.query, "SELECT ?o WHERE { ?s ?p ?o } ORDER BY ?o LIMIT 10")
			calls := map[string]map[string]any{
				"query": {"query": query}, "note_create": note("new"), "doctor": {"deep": true}, "trails_meta_doctor_run": {"deep": true}, "commits_list": {},
				"load": {"format": "ndjson", "file": filepath.Join(dir, "none.ndjson")}, "mutate": {"update": "LOAD <file://" + dir + "/none.ttl>"},
			}
			for tool, args := range calls {
				for _, d := range []door{agent, web} {
					result, err := d.call("tools/call", map[string]any{"name": tool, "arguments": args})
					if tool == "load" || tool == "mutate" { // what was given may be said again
						result, err = bytes.ReplaceAll(result, []byte(dir), nil), errors.New(strings.ReplaceAll(fmt.Sprint(err), dir, ""))
					}
					tell(tool, fmt.Sprintf("%s %v", result, err))
				}
			}
			text, err := json.Marshal(map[string]string{"query": query})
			if err != nil {
				t.Fatal(err)
			}
			_, body, err := web.post("/invoke/query", text, nil)
			tell("/invoke/query", fmt.Sprintf("%s %v", body, err))
			for _, path := range []string{"/ready", "/health", "/kg/Note", "/kg/Note/many-1", "/commits", "/prov", "/admin", "/admin/types/Note", "/sparql?query=" + url.QueryEscape("SELECT * { ?s ?p ?o } LIMIT 100")} {
				_, body, err := web.do("GET", path, nil, nil)
				tell(path, fmt.Sprintf("%s %v", body, err))
			}
			for _, uri := range []string{"trails://doctor", "trails://stats", "trails://kg/Note"} {
				result, err := agent.call("resources/read", map[string]any{"uri": uri})
				tell(uri, fmt.Sprintf("%s %v", result, err))
			}
			agent.kill()
			web.kill()
			for _, log := range []string{agent.stderr.String(), web.stderr.String()} {
				for _, want := range []string{c.logged, "exec format error", dir + "/no-such-program"} {
					if !strings.Contains(log, want) {
						t.Errorf("the log has nothing of %s: %s", want, log)
					}
				}
			}
		})
	}
}

func TestAServerSurvivesNonsense(t *testing.T) {
	file := notesFile(t)
	d := openStdio(t, file)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":`, `[]`, `"text"`, `{"jsonrpc":"2.0","id":7,"method":"no/such"}`, "\xff\xfe",
		strings.Repeat("[", 5000), `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"note_create","arguments":"text"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"note_create","arguments":{"code":7,"nonsense":true}}}   `,
	} {
		if err := d.raw(line); err != nil {
			t.Fatalf("the server is gone before %.60q: %v", line, err)
		}
	}
	if _, err := put(d, "note_create", note("after")); err != nil {
		t.Errorf("after nonsense: %v", err)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	wantNotes(t, file, []string{"after"})
}

func TestATokenGatesEverything(t *testing.T) {
	testrun.Alone(t)
	file := writableFile(t)
	d := startStdio(t, file, "TRAILS_MCP_TOKEN=sesame")
	for _, params := range []map[string]any{
		{},
		{"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}}},
	} {
		if _, err := d.call("tools/list", params); err == nil {
			t.Errorf("tools/list with %v works without the token", params)
		}
	}
	hello := greeting(t.Name())
	if _, err := d.call("initialize", hello); err == nil {
		t.Error("initialize works without the token")
	} else if e := refusal(t, err, -32001); e.Message != "Authentication failed" {
		t.Errorf("got %v", e)
	}
	hello["clientInfo"].(map[string]any)["authorization"] = map[string]any{"bearer": "sesame"}
	d = startStdio(t, file, "TRAILS_MCP_TOKEN=sesame")
	if _, err := d.call("initialize", hello); err != nil {
		t.Errorf("initialize with the token: %v", err)
	}
	if err := d.notify("notifications/initialized"); err != nil {
		t.Fatal(err)
	}
	if _, err := put(d, "note_create", note("open")); err != nil {
		t.Errorf("with the token: %v", err)
	}

	w := openWeb(t, file, "TRAILS_MCP_TOKEN=sesame")
	if _, err := w.call("tools/list", map[string]any{}); err != nil {
		t.Errorf("over HTTP with the token: %v", err)
	}
	w.token = "wrong"
	if status, _, err := w.post("/mcp", request(1, "tools/list", map[string]any{}), nil); err != nil || status != 401 {
		t.Errorf("a wrong token gets %d %v, want 401", status, err)
	}
}

func TestServeStaysOnLoopback(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	args := []string{"serve", file, "--addr", "0.0.0.0:0"}
	wantOneLine(t, args, trails(t, args...), "loopback")
}

func TestStdinOfACommandMayEnd(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := command(t, "mcp", file)
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		string(request(1, "initialize", greeting("pipe"))),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		string(request(2, "tools/call", map[string]any{"name": "note_create", "arguments": note("piped")})),
		string(request(3, "tools/list", map[string]any{})),
	}, "\n") + "\n")
	out := finish(t, cmd)
	if ctx.Err() != nil || out.code != 0 {
		t.Fatalf("exit %d, %v\n%s", out.code, ctx.Err(), out.stderr)
	}
	for id := 1; id <= 3; id++ {
		if !strings.Contains(out.stdout, fmt.Sprintf(`"id":%d`, id)) {
			t.Errorf("request %d has no answer:\n%.1000s", id, out.stdout)
		}
	}
	wantNotes(t, file, []string{"piped"})
}
