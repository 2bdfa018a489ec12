// Package dbtest holds what the tests of the SQLite file share: query plans, and
// children that are killed. It is for tests only, and knows nothing of package db.
package dbtest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

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

// Exec runs statements on the file at path over one connection, past package db: to
// break it.
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

// fresh is a file as create made it, once for all tests of a process.
var fresh struct {
	sync.Mutex
	data []byte
}

// Fresh makes a new file at path: create makes the first one of a process, which is copied from
// then on, because that is quicker. All callers create the same.
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

// Number returns the number that a query answers on the file at path, past package db.
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

// childVar tells a test that it runs as a child: its value is the test's argument.
const childVar = "TRAILS_DBTEST_CHILD"

// Child returns the argument that [Start] gave, and whether this process is a child.
func Child() (arg string, ok bool) { return os.LookupEnv(childVar) }

// Process is a child that runs one test of this test binary.
type Process struct {
	tb    testing.TB
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// Start runs the test called name in a child, which finds arg with [Child].
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

// Kill ends the child with SIGKILL and returns the lines that were still to be read.
func (p *Process) Kill() (rest []string) {
	_ = p.cmd.Process.Kill()
	for p.lines.Scan() {
		rest = append(rest, p.lines.Text())
	}
	_ = p.cmd.Wait()
	return rest
}

// Wait reads the child to its end, and fails the test when the child failed.
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
