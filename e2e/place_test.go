//go:build linux

package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"trails/e2e/testrun"
)

// shuffled counts the rounds of shuffleFile, and acknowledged and refused writes.
type shuffled struct{ rounds, acknowledged, refused int }

// A file is moved, deleted, replaced and linked while a server writes to it.
func TestAFileThatIsMovedUnderAServer(t *testing.T) {
	t.Parallel()
	did := shuffleFile(t, shuffles)
	t.Logf("%d rounds, %d writes acknowledged, %d refused", did.rounds, did.acknowledged, did.refused)
}

// shuffleFile moves, deletes, replaces and links a file under a server, by turns. Every acknowledged write must
// be in the file that was open at that time. A write that begins after the file has gone must be refused, with
// the reason. The file that takes its place must stay intact.
func shuffleFile(t *testing.T, rounds int) (did shuffled) {
	t.Helper()
	file := notesFile(t)
	dir := filepath.Dir(file)
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	var kept []string // what is in the file
	var server *web
	for round := range rounds {
		if server == nil {
			server = openWeb(t, file)
		}
		aside, backup := filepath.Join(dir, "aside.db"), filepath.Join(dir, "backup.db")
		var all acknowledged
		attempts := newAttempts(server, round, &all)
		attempts.until(t, 3)
		kind := []string{"moved", "linked", "replaced", "deleted"}[round%4]
		switch kind {
		case "moved":
			rename(file, aside)
		case "linked":
			if err := os.Link(file, aside); err != nil {
				t.Fatal(err)
			}
		case "replaced", "deleted":
			must(t, "backup", file, backup)
			attempts.until(t, 3)
			if kind == "replaced" { // the old one stays, to be looked at
				rename(file, aside)
				rename(backup, file)
			} else if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		refusal := attempts.end(t)
		did.refused++
		did.acknowledged += len(all.all())
		says := map[string]string{"moved": "was moved", "linked": "2 names", "replaced": "was replaced", "deleted": "was deleted"}[kind]
		if kind == "replaced" {
			says = "was " // between the two moves it was moved
		}
		if !strings.Contains(refusal.Error(), says) {
			t.Errorf("round %d: the file was %s, and the server says %v", round, kind, refusal)
		}
		if code, body, err := server.do("GET", "/ready", nil, nil); code != http.StatusServiceUnavailable || !strings.Contains(string(body), says) {
			t.Errorf("round %d: /ready says %d %s, error %v", round, code, body, err)
		}
		switch kind {
		case "moved":
			rename(aside, file)
			kept = append(kept, all.all()...)
		case "linked":
			if err := os.Remove(aside); err != nil {
				t.Fatal(err)
			}
			kept = append(kept, all.all()...)
		case "replaced":
			if out := trails(t, "stats", file); out.code != 1 || !strings.Contains(out.stderr, "another process still has that one open") {
				t.Errorf("round %d: beside the old server: exit %d, %s", round, out.code, out.stderr)
			}
			if round%8 == 2 {
				server.kill() // its log stays
				if out := trails(t, "stats", file); out.code == 1 && strings.Contains(out.stderr, "is the log of another file") {
					rename(file+"-wal", aside+"-wal")
				}
			} else {
				_ = server.stop() // it says that its last activities have no file
			}
			server = nil
			wantNotes(t, aside, append(all.all(), kept...))
			must(t, "verify", aside)
			for _, name := range []string{aside, aside + "-wal", aside + "-shm"} {
				_ = os.Remove(name) // those that are there
			}
			kept = codesIn(t, file)
		case "deleted":
			_ = server.stop() // it says that its last activities have no file
			server = nil
			must(t, "restore", file, backup)
			if err := os.Remove(backup); err != nil {
				t.Fatal(err)
			}
			kept = codesIn(t, file)
		}
		wantNotes(t, file, kept)
		must(t, "verify", file)
		if server != nil {
			code := fmt.Sprintf("again-%d", round)
			if _, err := put(server, "note_create", note(code)); err != nil {
				t.Errorf("round %d: after it came back: %v", round, err)
			}
			kept = append(kept, code)
		}
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
		did.rounds++
	}
	return did
}

// codesIn returns the codes of the notes in a file.
func codesIn(t *testing.T, file string) (codes []string) {
	t.Helper()
	for code := range notes(t, file) {
		codes = append(codes, code)
	}
	return codes
}

// attempts are writes of one caller, one after another, up to the first refusal.
type attempts struct {
	mu    sync.Mutex
	made  int
	began time.Time // the last one that was acknowledged
	done  chan struct{}
	err   error
}

func newAttempts(d door, round int, all *acknowledged) *attempts {
	a := &attempts{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for n := 0; ; n++ {
			code, began := fmt.Sprintf("r%d-%d", round, n), time.Now()
			if _, a.err = put(d, "note_create", note(code)); a.err != nil {
				return
			}
			all.add(code)
			a.mu.Lock()
			a.made, a.began = a.made+1, began
			a.mu.Unlock()
		}
	}()
	return a
}

// until waits for more acknowledged writes.
func (a *attempts) until(t *testing.T, more int) {
	t.Helper()
	count := func() int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.made
	}
	for want := count() + more; count() < want; time.Sleep(time.Millisecond) {
		select {
		case <-a.done:
			t.Fatalf("a write fails before anything was done: %v", a.err)
		default:
		}
	}
}

// end waits for the refusal and returns it. The caller has already changed the file, so no write that begins
// from now on may be acknowledged.
func (a *attempts) end(t *testing.T) error {
	t.Helper()
	gone := time.Now()
	select {
	case <-a.done:
	case <-time.After(patience):
		t.Fatal("the server goes on writing to a file that is not there")
	}
	if a.began.After(gone) {
		t.Errorf("a write that began %v after the file had gone is acknowledged", a.began.Sub(gone))
	}
	if errors.Is(a.err, errGone) {
		t.Fatal("the server is gone")
	}
	return a.err
}

// Two servers read and write while a third process restores a backup. Afterwards there are: the notes of the
// backup, the notes that were acknowledged after it, and the replaced notes in the copy that restore keeps, and
// nothing is in the wrong place.
func TestARestoreUnderRunningServers(t *testing.T) {
	t.Parallel()
	file := notesFile(t)
	backup, saved := filepath.Join(t.TempDir(), "backup.db"), filepath.Join(t.TempDir(), "saved.db")
	doors := []door{openWeb(t, file), openStdio(t, file)}
	for i := range 20 {
		if _, err := put(doors[i%2], "note_create", note(fmt.Sprintf("kept-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "backup", file, backup)
	for round := range restores {
		var work sync.WaitGroup
		var before, after acknowledged
		restored, stop := make(chan struct{}), make(chan struct{})
		isOver := func(ch chan struct{}) bool {
			select {
			case <-ch:
				return true
			default:
				return false
			}
		}
		for i, d := range doors {
			work.Go(func() {
				for n := 0; !isOver(stop); n++ {
					code, late := fmt.Sprintf("r%d-d%d-%d", round, i, n), isOver(restored)
					if _, err := put(d, "note_create", note(code)); err != nil {
						t.Errorf("%s: %v", code, err)
						return
					}
					if late {
						after.add(code)
						if text, err := read(doors[1-i], "trails://kg/Note/"+code); err != nil || !strings.Contains(text, "Note "+code) {
							t.Errorf("%s is read as %s, error %v", code, text, err)
						}
					} else {
						before.add(code)
					}
					kept := fmt.Sprintf("kept-%d", n%20)
					if text, err := read(d, "trails://kg/Note/"+kept); err != nil || !strings.Contains(text, "Note "+kept) {
						t.Errorf("%s is read as %s, error %v", kept, text, err)
					}
				}
			})
		}
		for len(before.all()) < 10 && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		old := before.all()
		must(t, "restore", file, backup, "--yes", "--save", saved)
		close(restored)
		for len(after.all()) < 20 && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		close(stop)
		work.Wait()
		wantNotes(t, saved, old)
		wantNotes(t, file, append(after.all(), "kept-0", "kept-19"))
		for _, code := range old {
			if notes(t, file)[code] != 0 {
				t.Errorf("%s is there after the restore", code)
				break
			}
		}
		must(t, "verify", file)
		must(t, "verify", saved)
		if err := os.Remove(saved); err != nil {
			t.Fatal(err)
		}
	}
}

// The command names what it needs, does not ask without a terminal, and prints JSON on request.
func TestTheRestoreCommand(t *testing.T) {
	t.Parallel()
	testrun.Alone(t)
	file := notesFile(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	must(t, "backup", file, backup)
	must(t, "load", file, write(t, "n.ndjson", noteLine("lost")))
	if out := trails(t, "restore", file, backup); out.code != 4 || !strings.Contains(out.stderr, "--yes") {
		t.Errorf("without --yes: exit %d, %s", out.code, out.stderr)
	}
	wantNotes(t, file, []string{"lost"})
	if out := trails(t, "restore", file); out.code != 2 {
		t.Errorf("without BACKUP: exit %d", out.code)
	}
	text := must(t, "restore", file, backup, "--yes", "-o", "json")
	if !strings.Contains(text, `"saved":"`+file+".before-restore-") || len(notes(t, file)) != 0 {
		t.Errorf("got %s and %v", text, notes(t, file))
	}
	must(t, "restore", file, backup, "--yes", "--discard", "--no-verify")
	if left, _ := filepath.Glob(file + ".before-restore-*"); len(left) != 1 {
		t.Errorf("kept %v", left)
	}
}

// At a terminal restore asks, and does nothing without a yes.
func TestRestoreAsksAtATerminal(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	file := notesFile(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	must(t, "backup", file, backup)
	must(t, "load", file, write(t, "n.ndjson", noteLine("lost")))
	for _, c := range []struct {
		answer, says string
		code         int
	}{
		{"\n", "was left as it is", 4},
		{"no\n", "was left as it is", 4},
		{"\x04", "was left as it is", 4}, // the end of the input
		{"Yes\n", "restored " + file, 0},
	} {
		keyboard, terminal := openTerminal(t)
		if _, err := keyboard.WriteString(c.answer); err != nil {
			t.Fatal(err)
		}
		cmd := command(t, "restore", file, backup)
		cmd.Stdin = terminal
		out := finish(t, cmd)
		if asked := "Replace " + file + "? [y/N]"; out.code != c.code || !strings.Contains(out.stderr, asked) || !strings.Contains(out.stderr+out.stdout, c.says) {
			t.Errorf("answered %q: %+v", c.answer, out)
		}
		if lost := len(notes(t, file)) == 0; lost != (c.code == 0) {
			t.Errorf("answered %q: replaced is %t", c.answer, lost)
		}
	}
}

// openTerminal returns the two ends of a pseudo-terminal: keyboard is the end of the person, terminal that of
// the program.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	var number, unlocked int32
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlocked} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, keyboard.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}
