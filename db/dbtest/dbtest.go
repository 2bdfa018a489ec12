// Package dbtest has helpers for tests of the SQLite file: query plans, and child processes that can be killed. It is
// for tests only, and knows nothing of package db.
package dbtest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Plan returns the query plan of a statement on the file at path, one step a line.
// No other connection of this process should be in a transaction of its own.
func Plan(tb testing.TB, path, sql string) string {
	tb.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	s, _, err := c.PrepareTransient("EXPLAIN QUERY PLAN " + sql)
	if err != nil {
		tb.Fatalf("%v\n%s", err, sql)
	}
	defer s.Finalize()
	var steps []string
	for {
		more, err := s.Step()
		if err != nil {
			tb.Fatalf("%v\n%s", err, sql)
		}
		if !more {
			return strings.Join(steps, "\n")
		}
		steps = append(steps, s.ColumnText(3))
	}
}

// Exec runs statements on the file at path over its own connection, without package db, to damage the file.
func Exec(tb testing.TB, path string, statements ...string) {
	tb.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	for _, sql := range statements {
		if err := sqlitex.ExecuteTransient(c, sql, nil); err != nil {
			tb.Fatalf("%v\n%s", err, sql)
		}
	}
}

// fresh is a new file as create made it, shared by all tests of a process.
var fresh struct {
	sync.Mutex
	data []byte
}

// Fresh makes a new file at path. The first time create makes it; later calls copy that file, which is faster. All
// callers must create the same.
func Fresh(path string, create func(path string) error) error {
	fresh.Lock()
	defer fresh.Unlock()
	if fresh.data != nil {
		return os.WriteFile(path, fresh.data, 0o600)
	}
	err := create(path)
	if err == nil {
		fresh.data, err = os.ReadFile(path)
	}
	return err
}

// Number returns the number that a query returns on the file at path, without package db.
func Number(tb testing.TB, path, sql string) (n int64) {
	tb.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	err = sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}})
	if err != nil {
		tb.Fatalf("%v\n%s", err, sql)
	}
	return n
}

// childVar is the environment variable that makes a test run as a child: its value is the test's argument.
const childVar = "TRAILS_DBTEST_CHILD"

// Child returns the argument of [Start], and whether this process is a child.
func Child() (arg string, ok bool) { return os.LookupEnv(childVar) }

// Process is a child that runs one test of this test binary.
type Process struct {
	tb    testing.TB
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// Start runs the test called name in a child process, which gets arg by [Child].
func Start(tb testing.TB, name, arg string) *Process {
	tb.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), childVar+"="+arg)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	p := &Process{tb: tb, cmd: cmd, lines: bufio.NewScanner(out)}
	tb.Cleanup(func() { _ = cmd.Process.Kill() })
	return p
}

// Line returns the child's next line of output, false at its end.
func (p *Process) Line() (string, bool) {
	ok := p.lines.Scan()
	return p.lines.Text(), ok
}

// Kill ends the child with SIGKILL and returns the remaining lines.
func (p *Process) Kill() (rest []string) {
	_ = p.cmd.Process.Kill()
	for p.lines.Scan() {
		rest = append(rest, p.lines.Text())
	}
	_ = p.cmd.Wait()
	return rest
}

// KillAfter reads the child's output up to a line, and kills the child when it has gone on for a while. It reports whether
// the child ended by itself before that; the test ends if it failed.
func (p *Process) KillAfter(line string, while time.Duration) (ended bool) {
	p.tb.Helper()
	said, more := p.Line()
	for more && said != line {
		said, more = p.Line()
	}
	if more {
		killer := time.AfterFunc(while, func() { _ = p.cmd.Process.Kill() })
		for p.lines.Scan() { // to its end
		}
		if !killer.Stop() {
			_ = p.cmd.Wait()
			return false
		}
	}
	if p.Wait(); p.tb.Failed() {
		p.tb.FailNow()
	}
	return true
}

// Wait reads the child's output to its end, and fails the test if the child failed.
func (p *Process) Wait() {
	p.tb.Helper()
	var out []string
	for p.lines.Scan() {
		out = append(out, p.lines.Text())
	}
	if err := p.cmd.Wait(); err != nil {
		p.tb.Errorf("child: %v\n%s", err, strings.Join(out, "\n"))
	}
}
