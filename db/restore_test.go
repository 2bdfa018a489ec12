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
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

// named is a statement whose terms are in no other one: after a restore their ids are
// given to others.
func named(who string, n int) []rdf.Quad {
	return []rdf.Quad{q(fmt.Sprintf("%s-%d", who, n), "name-"+who, rdf.String(fmt.Sprintf("%s number %d", who, n)))}
}

func backup(t *testing.T, f *db.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	must(t, f.Backup(t.Context(), path, db.BackupOptions{}))
	return path
}

// A file that is open here, and whose terms, counts and texts are remembered, is restored
// by somebody else: the next transaction sees the backup, and nothing of the old state is
// taken for the new one, although commits and terms have the same numbers.
func TestARestoreIsSeenByThoseWhoHaveTheFileOpen(t *testing.T) {
	f := create(t)
	write(t, f, named("kept", 0), nil)
	from, kept := backup(t, f), state(t, f)
	first := read(t, f).Epoch()
	for i := range 30 {
		write(t, f, named("lost", i), nil)
	}
	lost := state(t, f)
	old := read(t, f)
	before, save := old.Head(), filepath.Join(t.TempDir(), "saved.db")
	done, err := db.Restore(t.Context(), f.Path(), from, db.RestoreOptions{Save: save, Activity: &db.Activity{ID: "r", Capability: "restore", Outcome: "ok"}})
	must(t, err)
	if done.Before.ID != before.ID || done.After.Seq != 1 {
		t.Errorf("it says %+v", done)
	}
	if got := state(t, f); got != kept {
		t.Errorf("after the restore:\n%s", got)
	}
	if got := lines(collect(t, old.Match(t.Context(), rdf.Quad{}))); got != lost || old.Epoch() != first {
		t.Error("a reader that was open before does not keep its state")
	}
	for i := range 30 {
		write(t, f, named("new", i), nil)
	}
	now := read(t, f)
	if now.Epoch() == first || now.Head().Seq != 31 || now.Head().ID == before.ID {
		t.Errorf("the head is %+v, the epoch %x", now.Head(), now.Epoch())
	}
	other := open(t, f.Path())
	if here, there := state(t, f), state(t, other); here != there || strings.Contains(here, "lost") || strings.Count(here, "number") != 31 {
		t.Errorf("here:\n%s\nelsewhere:\n%s", here, there)
	}
	for i := range 30 {
		if found, err := now.Exists(t.Context(), named("lost", i)[0].Subject); found || err != nil {
			t.Errorf("lost-%d is there: %t, error %v", i, found, err)
		}
	}
	made, err := now.Activities(t.Context(), db.ActivityFilter{Capability: "restore"}, 2)
	if err != nil || len(made) != 1 {
		t.Errorf("the restore is recorded as %v, error %v", made, err)
	}
	sane(t, f)
	saved := open(t, save)
	if got := state(t, saved); got != lost {
		t.Error("what was replaced is not what was saved")
	}
	sane(t, saved)
}

func TestARestoreThatIsRefusedChangesNothing(t *testing.T) {
	testrun.Alone(t)
	f := create(t)
	write(t, f, entities(2000), nil)
	from := backup(t, f)
	write(t, f, one(1), nil)
	want := state(t, f)
	patch := func(offset int64) string {
		text, err := os.ReadFile(from)
		must(t, err)
		for i := range text[offset:] {
			text[offset+int64(i)] ^= 0x55
		}
		path := filepath.Join(t.TempDir(), "patched.db")
		must(t, os.WriteFile(path, text, 0o600))
		return path
	}
	other := filepath.Join(t.TempDir(), "other.db")
	must(t, db.Create(t.Context(), other, db.CreateOptions{Base: "urn:other:"}))
	taken := filepath.Join(t.TempDir(), "taken")
	must(t, os.WriteFile(taken, nil, 0o600))
	no := errors.New("no")
	for name, c := range map[string]struct {
		backup  string
		options db.RestoreOptions
		kind    fault.Kind
		says    string
	}{
		"a backup that is none":         {backup: taken, kind: fault.Unusable, says: "is empty"},
		"a backup that is not there":    {backup: taken + "x", kind: fault.Missing, says: "give the path of a backup"},
		"a damaged backup":              {backup: patch(200 << 10), kind: fault.Unusable, says: "nothing was changed"},
		"a backup of another file":      {backup: other, kind: fault.Conflict, says: "another file"},
		"the file itself":               {backup: f.Path(), kind: fault.InvalidArguments, says: "no backup"},
		"a place to save that is taken": {backup: from, options: db.RestoreOptions{Save: taken}, kind: fault.Conflict, says: "exists already"},
		"somebody who is asked says no": {backup: from, options: db.RestoreOptions{Confirm: func(db.Restored) error { return no }}, kind: fault.Internal},
		"a directory":                   {backup: t.TempDir(), kind: fault.Unusable},
	} {
		_, err := db.Restore(t.Context(), f.Path(), c.backup, c.options)
		if !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v", name, err)
		}
		if state(t, f) != want {
			t.Errorf("%s changed something", name)
		}
	}
	left, err := os.ReadDir(filepath.Dir(f.Path()))
	must(t, err)
	for _, entry := range left {
		if strings.HasPrefix(entry.Name(), ".trails") {
			t.Errorf("%s is left", entry.Name())
		}
	}
	sane(t, f)
}

func TestARestoreMakesAFileThatIsGone(t *testing.T) {
	f := create(t)
	write(t, f, entities(500), nil)
	from, want := backup(t, f), state(t, f)
	path := f.Path()
	must(t, f.Close())
	must(t, os.Remove(path))
	must(t, os.Chmod(from, 0o400))
	done, err := db.Restore(t.Context(), path, from, db.RestoreOptions{})
	must(t, err)
	again := open(t, path)
	if got := state(t, again); got != want || !done.Before.ID.IsZero() {
		t.Errorf("%+v", done)
	}
	sane(t, again)
}

// restoreAndSay is a process that restores, and says when it begins to write.
func restoreAndSay(arg string) {
	path, from, _ := strings.Cut(arg, "\n")
	_, err := db.Restore(context.Background(), path, from, db.RestoreOptions{Unverified: true, Confirm: func(db.Restored) error {
		fmt.Println("now")
		return nil
	}})
	fmt.Println("done", err)
}

// A restore that is killed leaves the old state or the new one, and a server that writes
// meanwhile loses nothing of what it acknowledged in the state that is left.
func TestARestoreIsKilledInTheMiddle(t *testing.T) {
	testrun.Alone(t)
	if arg, ok := dbtest.Child(); ok {
		restoreAndSay(arg)
		return
	}
	random := testrun.Random(t)
	f := create(t)
	write(t, f, entities(5000), nil)
	from, kept := backup(t, f), state(t, f)
	outcomes := map[string]int{}
	for round := range 5 {
		write(t, f, named(fmt.Sprint("round-", round), 0), nil)
		old := state(t, f)
		dbtest.Start(t, t.Name(), f.Path()+"\n"+from).KillAfter("now", time.Duration(random.IntN(30))*time.Millisecond)
		switch state(t, f) {
		case old:
			outcomes["old"]++
		case kept:
			outcomes["new"]++
		default:
			t.Fatalf("round %d: it is neither the old state nor the new one", round)
		}
		write(t, f, named(fmt.Sprint("after-", round), 0), nil)
		sane(t, f)
	}
	t.Logf("the state that was left: %v", outcomes)
}
