package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/db/dbtest"
	"trails/fault"
	"trails/rdf"
)

// one is a statement of its own.
func one(n int) []rdf.Quad {
	return []rdf.Quad{q(fmt.Sprintf("n%06d", n), "name", rdf.String("a name"))}
}

// doors are the ways into an open file.
func doors(f *db.File) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"a read": func(ctx context.Context) error {
			r, err := f.Read(ctx, db.View{})
			if err == nil {
				err = r.Close()
			}
			return err
		},
		"a write": func(ctx context.Context) error {
			w, err := f.Write(ctx)
			if err == nil {
				err = w.Close()
			}
			return err
		},
		"a record":    func(ctx context.Context) error { return f.Record(ctx, []db.Activity{{ID: "a"}}) },
		"being ready": f.Ready,
	}
}

func wantRefused(t *testing.T, what string, err error, says string) {
	t.Helper()
	if !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: got %v, want it refused because the file %s", what, err, says)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sane(t *testing.T, f *db.File) {
	t.Helper()
	report, err := f.Verify(t.Context(), db.VerifyOptions{})
	if err != nil || !report.OK() {
		t.Errorf("verify: %v, error %v", report.Problems, err)
	}
}

// A file whose path does not lead to it is neither read nor written, whichever door it is
// and however far a write has come; when it comes back, so does everything else.
func TestNothingIsAcknowledgedForAFileThatIsNotThere(t *testing.T) {
	for says, away := range map[string]func(t *testing.T, path string){
		"was moved":   func(t *testing.T, path string) { must(t, os.Rename(path, path+".away")) },
		"was deleted": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"was replaced": func(t *testing.T, path string) {
			must(t, os.Rename(path, path+".away"))
			must(t, db.Create(t.Context(), path+".new", db.CreateOptions{}))
			must(t, os.Rename(path+".new", path))
		},
	} {
		t.Run(says, func(t *testing.T) {
			f := create(t)
			path := f.Path()
			write(t, f, one(0), nil)
			open, err := f.Write(t.Context())
			must(t, err)
			must(t, apply(t.Context(), open, one(1), nil))
			away(t, path)
			_, err = open.Commit(t.Context(), db.CommitMeta{}, nil)
			wantRefused(t, "a write that had begun", err, says)
			for range 3 {
				for name, door := range doors(f) {
					wantRefused(t, name, door(t.Context()), says)
				}
			}
			if says == "was deleted" {
				return
			}
			must(t, os.Rename(path+".away", path))
			write(t, f, one(2), nil)
			if got, want := state(t, f), lines(append(one(0), one(2)...)); got != want {
				t.Errorf("after it came back: got %s, want %s", got, want)
			}
			sane(t, f)
		})
	}
}

// What was acknowledged before a file was moved is in the moved file, although its log
// stayed behind.
func TestAMovedFileIsWholeWithoutItsLog(t *testing.T) {
	for _, notices := range []bool{true, false} {
		f := create(t)
		for i := range 20 {
			write(t, f, one(i), nil)
		}
		want := state(t, f)
		moved := filepath.Join(t.TempDir(), "moved.db")
		must(t, os.Rename(f.Path(), moved))
		if notices {
			wantRefused(t, "a write", doors(f)["a write"](t.Context()), "was moved")
		}
		must(t, f.Close())
		again := open(t, moved)
		if got := state(t, again); got != want {
			t.Errorf("noticed %t: got %s, want %s", notices, got, want)
		}
		sane(t, again)
	}
}

// writeUntilKilled is a process that writes to the file that it is given, says so after
// each write, and stays when the writes are done.
func writeUntilKilled(path string) {
	f, err := db.Open(context.Background(), path, db.Options{})
	for i := 0; err == nil && i < 20; i++ {
		if _, err = tryWrite(context.Background(), f, one(1000+i), nil); err == nil {
			fmt.Println("wrote")
		}
	}
	fmt.Println("done", err)
	time.Sleep(time.Minute)
}

// A backup is moved to the name of a file that is in use, or was when its process was
// killed: the log that is there belongs to the old file, and does no harm to the backup.
func TestAReplacedFileIsNotHarmedByTheOldLog(t *testing.T) {
	if path, ok := dbtest.Child(); ok {
		writeUntilKilled(path)
		return
	}
	path, backup := filepath.Join(t.TempDir(), "live.db"), filepath.Join(t.TempDir(), "backup.db")
	must(t, db.Create(t.Context(), path, db.CreateOptions{}))
	f, err := db.Open(t.Context(), path, db.Options{})
	must(t, err)
	write(t, f, entities(1000), nil)
	must(t, f.Backup(t.Context(), backup, db.BackupOptions{}))
	want := state(t, f)
	must(t, f.Close())
	other := dbtest.Start(t, t.Name(), path)
	for line := ""; !strings.HasPrefix(line, "done"); {
		line, _ = other.Line()
	}
	before, err := os.ReadFile(backup)
	must(t, err)
	must(t, os.Rename(backup, path))
	_, err = db.Open(t.Context(), path, db.Options{})
	wantRefused(t, "opening while the old file is in use", err, "another process still has that one open")
	other.Kill()
	_, err = db.Open(t.Context(), path, db.Options{})
	wantRefused(t, "opening beside the old log", err, "is the log of another file")
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the backup was changed, error %v", err)
	}
	must(t, os.Rename(path+"-wal", path+"-wal.old"))
	again := open(t, path)
	if got := state(t, again); got != want {
		t.Error("the backup says something else")
	}
	sane(t, again)
}

// A process that closes the old file, having noticed or not, leaves nothing behind that
// harms the new one, nor takes away what belongs to it.
func TestClosingAReplacedFileLeavesTheNewOneAlone(t *testing.T) {
	for _, notices := range []bool{true, false} {
		f := create(t)
		path, backup := f.Path(), filepath.Join(t.TempDir(), "backup.db")
		write(t, f, entities(1000), nil)
		must(t, f.Backup(t.Context(), backup, db.BackupOptions{}))
		want := state(t, f)
		write(t, f, one(1), nil)
		must(t, os.Rename(backup, path))
		if notices {
			wantRefused(t, "a write", doors(f)["a write"](t.Context()), "was replaced")
		}
		_, err := db.Open(t.Context(), path, db.Options{})
		wantRefused(t, "a second opening in this process", err, "another file")
		must(t, f.Close())
		again := open(t, path)
		if got := state(t, again); got != want {
			t.Errorf("noticed %t: the new file says something else", notices)
		}
		write(t, again, one(2), nil)
		sane(t, again)
	}
}

// A copy beside the log of the file that it was copied from says what that file says, or
// is refused; it is never a mixture.
func TestACopyBesideALogIsWholeOrRefused(t *testing.T) {
	f := create(t)
	dir := t.TempDir()
	copyOf := func(from, to string) {
		text, err := os.ReadFile(from)
		must(t, err)
		must(t, os.WriteFile(to, text, 0o600))
	}
	write(t, f, entities(500), nil)
	old := filepath.Join(dir, "old.db")
	must(t, f.Backup(t.Context(), old, db.BackupOptions{}))
	write(t, f, one(1), nil)
	recent := filepath.Join(dir, "recent.db")
	copyOf(f.Path(), recent)
	copyOf(f.Path()+"-wal", recent+"-wal")
	again := open(t, recent)
	if got, want := state(t, again), state(t, f); got != want {
		t.Error("a file and its log, copied together, say something else")
	}
	sane(t, again)
	// The log starts over, from a state that the backup does not have.
	must(t, f.Close())
	f = open(t, f.Path())
	write(t, f, one(2), nil)
	copyOf(f.Path()+"-wal", old+"-wal")
	_, err := db.Open(t.Context(), old, db.Options{})
	wantRefused(t, "an older copy", err, "is the log of another file")
	_, err = os.Stat(old + "-wal")
	must(t, err)
	must(t, os.Remove(old))
	if err := db.Create(t.Context(), old, db.CreateOptions{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a new file beside a log: %v", err)
	}
}

func TestAFileWithTwoNamesIsRefused(t *testing.T) {
	f := create(t)
	path, other := f.Path(), f.Path()+".link"
	must(t, os.Link(path, other))
	for name, door := range doors(f) {
		if err := door(t.Context()); name == "a read" {
			must(t, err)
		} else {
			wantRefused(t, name+" after a link was made", err, "2 names")
		}
	}
	_, err := db.Open(t.Context(), other, db.Options{})
	wantRefused(t, "the other name here", err, "is open here already")
	must(t, os.Remove(other))
	write(t, f, one(1), nil)
	must(t, f.Close())
	must(t, os.Link(path, other))
	for _, name := range []string{path, other} {
		_, err := db.Open(t.Context(), name, db.Options{})
		wantRefused(t, name, err, "2 names")
	}
	must(t, os.Remove(path))
	if got := state(t, open(t, other)); got != lines(one(1)) {
		t.Errorf("got %s", got)
	}
}

// writeThrough is a process that writes twenty times by the name that it is given.
func writeThrough(t *testing.T, arg string) {
	path, first, _ := strings.Cut(arg, " ")
	f := open(t, path)
	from := map[string]int{"a": 0, "b": 100}[first]
	for i := range 20 {
		write(t, f, one(from+i), nil)
	}
}

// Two processes write to one file by two symbolic links, 40 times, and nothing is lost.
func TestSymbolicLinksLeadToOneLog(t *testing.T) {
	if arg, ok := dbtest.Child(); ok {
		writeThrough(t, arg)
		return
	}
	f := create(t)
	dir := t.TempDir()
	links := []string{filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")}
	for _, link := range links {
		must(t, os.Symlink(f.Path(), link))
	}
	var writers []*dbtest.Process
	for i, link := range links {
		writers = append(writers, dbtest.Start(t, t.Name(), link+" "+string(rune('a'+i))))
	}
	for _, w := range writers {
		w.Wait()
	}
	r := read(t, f)
	if got := r.Head().Quads; got != 40 {
		t.Errorf("%d of 40 writes are there", got)
	}
	by := open(t, links[0])
	if by.Path() != f.Path() {
		t.Errorf("the link is opened as %s", by.Path())
	}
	must(t, os.Remove(links[0]))
	must(t, db.Create(t.Context(), links[0], db.CreateOptions{}))
	wantRefused(t, "a link that leads elsewhere", doors(by)["a write"](t.Context()), "was replaced")
	write(t, f, one(500), nil)
	sane(t, f)
}

// A log is known to be that of its file when so many branches are in the file that the row of main is on another page
// than before, whatever part of the log was copied into the file; and a log of another file is refused then, too.
func TestALogIsKnownHoweverManyBranchesThereAre(t *testing.T) {
	f := create(t)
	write(t, f, []rdf.Quad{q("a", "p", iri("o"))}, nil)
	head := f.LatestHead(t.Context(), nil)
	early := content(t, f.Path())
	opens := func(file []byte) error {
		t.Helper()
		path := filepath.Join(t.TempDir(), "copy.db")
		putFile(t, path, file)
		putFile(t, path+"-wal", content(t, f.Path()+"-wal"))
		other, err := db.Open(t.Context(), path, db.Options{})
		if err == nil {
			other.Close()
		}
		return err
	}
	for i := range 300 {
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.AddBranch(t.Context(), fmt.Sprint("a-branch-with-quite-a-long-name-", i), head), w.Keep(t.Context())); err != nil {
			t.Fatal(err)
		}
		if i%75 != 74 {
			continue
		}
		if err := opens(content(t, f.Path())); err != nil {
			t.Fatalf("%d branches: %v", i+1, err)
		}
		dbtest.Exec(t, f.Path(), "PRAGMA wal_checkpoint(PASSIVE)")
		if err := opens(content(t, f.Path())); err != nil {
			t.Fatalf("%d branches, after a checkpoint: %v", i+1, err)
		}
	}
	late := content(t, f.Path())
	write(t, f, []rdf.Quad{q("b", "p", iri("o"))}, nil)
	if err := opens(late); err != nil {
		t.Error(err)
	}
	wantRefused(t, "an early copy", opens(early), "is the log of another file")
}
