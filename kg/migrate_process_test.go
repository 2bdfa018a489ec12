package kg_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trails/db/dbtest"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
)

// manyPeople are so many that a migration of them can be killed on its way.
func manyPeople() string {
	var b strings.Builder
	b.WriteString(peopleBefore)
	for i := range 400 {
		fmt.Fprintf(&b, `{"type":"Person","id":"n%d","data":{"name":"N%d","full":"First%d Last","size":%d,"born":"1990-02-01","nick":"from the cave %d","note":"n","street":"Main %d","town":"York"}}`+"\n", i, i, i, i, i, i)
	}
	return b.String()
}

// moveAll applies all migrations to the file of an argument, or takes all back, as a process
// of its own, and prints the number of each.
func moveAll(t *testing.T, arg string) {
	way, path, _ := strings.Cut(arg, " ")
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	fmt.Println("open")
	given := migrations(t, tenMigrations...)
	for {
		var done kg.Migrated
		switch way {
		case "there":
			if done, err = migrate(t, g, given); err == nil && done.Migration == nil {
				return
			}
		default:
			done, err = rollBack(t, g, kg.MigrationRollback{})
			if fault.Is(err, fault.Missing) {
				return
			}
			if fault.Is(err, fault.Conflict) && strings.Contains(err.Error(), "while this began") {
				continue // the other process took it back
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(done.Migration.Number)
	}
}

// statesOf are what a graph holds with none of the migrations, with one, and so on.
func statesOf(t *testing.T, data string) (states []string) {
	g := people(t, beforeMigrations, data)
	given := migrations(t, tenMigrations...)
	for range given {
		states = append(states, withoutTimes(export(t, g, load.NQuads)))
		if _, err := migrate(t, g, given); err != nil {
			t.Fatal(err)
		}
	}
	return append(states, withoutTimes(export(t, g, load.NQuads)))
}

// stateOf opens a file and returns how many migrations it has, and what it holds.
func stateOf(t *testing.T, path string) (applied int, state string) {
	t.Helper()
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	view(t, g, func(s *kg.Snapshot) error { applied = len(s.Applied()); return nil })
	if r, err := g.Verify(t.Context(), kg.VerifyOptions{}); err != nil || !r.OK() {
		t.Errorf("verify with %d applied: %v %v", applied, err, r.Problems)
	}
	return applied, withoutTimes(export(t, g, load.NQuads))
}

// numbersIn counts the migrations among the lines of a process.
func numbersIn(lines []string) (n int) {
	for _, l := range lines {
		if _, err := strconv.Atoi(l); err == nil {
			n++
		}
	}
	return n
}

// A process that applies migrations, or takes them back, is killed again and again: the file
// is always before one or after it, and has those that were acknowledged. The next process
// goes on from there.
func TestMigrationsOfAKilledProcess(t *testing.T) {
	testrun.Alone(t)
	if arg, ok := dbtest.Child(); ok {
		moveAll(t, arg)
		return
	}
	data := manyPeople()
	states := statesOf(t, data)
	g := people(t, beforeMigrations, data)
	path := g.Path()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	kills := 5
	if testing.Short() {
		kills = 3
	}
	for _, way := range []string{"there", "back"} {
		least := 0 // so many were acknowledged
		for i := range kills {
			child := dbtest.Start(t, "TestMigrationsOfAKilledProcess", way+" "+path)
			if said, ok := child.Line(); !ok || said != "open" {
				t.Fatalf("the child said %q", said)
			}
			if said, _ := child.Line(); numbersIn([]string{said}) == 0 {
				child.Wait() // none was left to make
				break
			}
			time.Sleep(time.Duration(i*i) * 5 * time.Millisecond) // it is at the next
			least += 1 + numbersIn(child.Kill())
			applied, state := stateOf(t, path)
			moved := applied
			if way == "back" {
				moved = len(states) - 1 - applied
			}
			t.Logf("%s: killed after %d, %d were acknowledged", way, moved, least)
			if moved < least || moved > least+i+1 {
				t.Fatalf("%s: %d were acknowledged, and %d are there", way, least, moved)
			}
			if state != states[applied] {
				t.Fatalf("%s, killed at %d: it is neither before a migration nor after it", way, applied)
			}
		}
		dbtest.Start(t, "TestMigrationsOfAKilledProcess", way+" "+path).Wait()
		want := 0
		if way == "there" {
			want = len(states) - 1
		}
		if applied, state := stateOf(t, path); applied != want || state != states[want] {
			t.Fatalf("%s: %d are applied in the end, or what is there is something else", way, applied)
		}
	}
}

// A process that is killed leaves what it had written of the write-ahead log. Of each
// migration, there and back, the log is cut in every transaction, at its first page, before
// its last and within its last, and behind it; whole runs cut it at every page. The file with
// what is left of the log is before the migration or after it, and never before again.
func TestMigrationsKilledAtEveryWrite(t *testing.T) {
	testrun.Alone(t)
	states := statesOf(t, peopleBefore)
	g := people(t, beforeMigrations, peopleBefore)
	path := g.Path()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	given := migrations(t, tenMigrations...)
	read := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	cutAt := newPath(t, t.TempDir())
	stateWith := func(file, log []byte) int {
		t.Helper()
		for name, content := range map[string][]byte{cutAt: file, cutAt + "-wal": log} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		applied, state := stateOf(t, cutAt)
		if state != states[applied] {
			t.Fatalf("with %d bytes of the log, %d are applied and it is neither before nor after", len(log), applied)
		}
		return applied
	}
	move := func(from, to int) {
		t.Helper()
		before := read(path)
		g, err := kg.Open(t.Context(), path, kg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if to > from {
			_, err = migrate(t, g, given)
		} else {
			_, err = rollBack(t, g, kg.MigrationRollback{})
		}
		if err != nil {
			t.Fatal(err)
		}
		log := read(path + "-wal")
		if !bytes.Equal(before, read(path)) {
			t.Fatalf("%d to %d: pages went from the log to the file, so it is not whole", from, to)
		}
		// The log is a header and frames, each a header and a page; the header of the last
		// frame of a transaction says how many pages the file has then
		// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
		const header, frameHeader = 32, 24
		frame := frameHeader + int(binary.BigEndian.Uint32(log[8:]))
		var cuts []int
		first := true
		for at := header; at+frame <= len(log); at += frame {
			last := binary.BigEndian.Uint32(log[at+4:]) != 0
			if first || last || !testing.Short() {
				cuts = append(cuts, at)
			}
			if last {
				cuts = append(cuts, at+frame/2, at+frame)
			}
			first = last
		}
		cuts = slices.Compact(cuts)
		reached := from
		for _, cut := range cuts {
			applied := stateWith(before, log[:cut])
			if applied != from && applied != to || reached == to && applied != to {
				t.Fatalf("%d to %d: killed after %d bytes of %d, there are %d after %d", from, to, cut, len(log), applied, reached)
			}
			reached = applied
		}
		if reached != to {
			t.Fatalf("%d to %d: the log ends at %d", from, to, reached)
		}
		t.Logf("%d to %d: %d pages, killed at %d places", from, to, len(log)/frame, len(cuts))
	}
	for n := range given {
		move(n, n+1)
	}
	for n := len(given); n > 0; n-- {
		move(n, n-1)
	}
}

// Two processes apply the same migrations at once, and take them back at once: each is made
// by one of them, and neither fails.
func TestMigrationsOfTwoProcesses(t *testing.T) {
	testrun.Alone(t)
	if arg, ok := dbtest.Child(); ok {
		moveAll(t, arg)
		return
	}
	states := statesOf(t, peopleBefore)
	g := people(t, beforeMigrations, peopleBefore)
	path := g.Path()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"there", "back"} {
		var children []*dbtest.Process
		for range 2 {
			children = append(children, dbtest.Start(t, "TestMigrationsOfTwoProcesses", way+" "+path))
		}
		made := map[string]int{}
		for _, c := range children {
			for said, ok := c.Line(); ok && said != "PASS"; said, ok = c.Line() {
				made[said]++
			}
			c.Wait()
		}
		for n := range len(states) - 1 {
			if number := fmt.Sprint(n + 1); made[number] != 1 {
				t.Errorf("%s: migration %s was made %d times", way, number, made[number])
			}
		}
		want := 0
		if way == "there" {
			want = len(states) - 1
		}
		if applied, state := stateOf(t, path); applied != want || state != states[want] {
			t.Errorf("%s: %d are applied in the end, or what is there is something else", way, applied)
		}
	}
}
