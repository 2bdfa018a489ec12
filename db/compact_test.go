package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"trails/db"
	"trails/db/dbtest"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/rdf"
)

// leaveRoom makes pages of the file free: a branch is written, deleted and collected.
func leaveRoom(t *testing.T, f *db.File, name string, head history.Commit) {
	t.Helper()
	ctx := t.Context()
	do := func(change func(*db.Writer) error) {
		t.Helper()
		w, err := f.Write(ctx)
		must(t, err)
		must(t, errors.Join(change(w), w.Keep(ctx)))
	}
	do(func(w *db.Writer) error { return w.AddBranch(ctx, name, head) })
	for i := range 3 {
		var add []rdf.Quad
		for j := range 2000 {
			add = append(add, q(fmt.Sprint(name, "-", i, "-", j), "p", iri("new")))
		}
		_, err := writeOn(ctx, f, name, nil, add, nil)
		must(t, err)
	}
	do(func(w *db.Writer) error { return w.RemoveBranch(ctx, name) })
	do(func(w *db.Writer) error {
		_, err := w.Collect(ctx, time.Now().AddDate(100, 0, 0), nil)
		return err
	})
}

func epochOf(t *testing.T, f *db.File) string {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	must(t, err)
	defer r.Close()
	return r.Epoch()
}

func sizeOfFile(t *testing.T, f *db.File) int64 {
	t.Helper()
	info, err := os.Stat(f.Path())
	must(t, err)
	return info.Size()
}

// A file that is open here is compacted by somebody else: it is smaller and holds the same, for a reader from before as for
// those after it, and writes go on.
func TestACompactedFileHoldsTheSame(t *testing.T) {
	f := create(t)
	head := write(t, f, entities(3000), nil)
	leaveRoom(t, f, "side", head)
	was, epoch := state(t, f), epochOf(t, f)

	tried, err := db.Compact(t.Context(), f.Path(), db.CompactOptions{DryRun: true})
	must(t, err)
	if tried.After >= tried.Before || epochOf(t, f) != epoch {
		t.Errorf("a dry run says %+v", tried)
	}
	old, err := f.Read(t.Context(), db.View{})
	must(t, err)
	done, err := db.Compact(t.Context(), f.Path(), db.CompactOptions{Activity: &db.Activity{ID: "c", Capability: "compact", Outcome: "ok"}})
	must(t, err)
	if !done.Waits || done.Before != tried.Before || done.After < tried.After || done.After >= done.Before {
		t.Errorf("%+v, with a reader from before; the dry run said %+v", done, tried)
	}
	if got := lines(collect(t, old.Match(t.Context(), rdf.Quad{}))); got != was {
		t.Error("a reader from before does not keep its state")
	}
	must(t, old.Close())
	if got := state(t, f); got != was {
		t.Error("it holds something else")
	}
	write(t, f, named("after", 1), nil)
	now, err := f.Read(t.Context(), db.View{})
	must(t, err)
	made, err := now.Activities(t.Context(), db.ActivityFilter{Capability: "compact"}, 2)
	if err != nil || len(made) != 1 || now.Epoch() == epoch || now.Head().Seq != head.Seq+1 {
		t.Errorf("activities %v, error %v, head %+v", made, err, now.Head())
	}
	must(t, now.Close())
	sane(t, f)

	again, err := db.Compact(t.Context(), f.Path(), db.CompactOptions{})
	must(t, err)
	if again.Waits || sizeOfFile(t, f) > done.After+64<<10 {
		t.Errorf("%+v, and the file has %d bytes", again, sizeOfFile(t, f))
	}
	sane(t, f)
}

// What is written while a file is copied is not lost: the copy is made again, the last time while others wait to write.
func TestWhatIsWrittenDuringACompactionStays(t *testing.T) {
	f := create(t)
	head := write(t, f, entities(3000), nil)
	for _, times := range []int{1, 2, 3} {
		leaveRoom(t, f, fmt.Sprint("side-", times), head)
		copied, waited := 0, make(chan error, 1)
		done, err := db.Compact(t.Context(), f.Path(), db.CompactOptions{Progress: func(phase string, n, _ int64) {
			if phase != "rewrite" || n != 0 {
				return
			}
			copied++
			last := named(fmt.Sprint("meanwhile-", times), copied)
			switch {
			case copied == 3:
				go func() {
					_, err := tryWrite(t.Context(), f, last, nil)
					waited <- err
				}()
			case copied <= times:
				write(t, f, last, nil)
			}
		}})
		if want := min(times+1, 3); err != nil || done.After >= done.Before || copied != want {
			t.Errorf("written %d times meanwhile: copied %d times, %+v, %v", times, copied, done, err)
		}
		if copied == 3 {
			must(t, <-waited)
		}
		for i := range max(times, copied/3*3) {
			found, err := read(t, f).Exists(t.Context(), named(fmt.Sprint("meanwhile-", times), i+1)[0].Subject)
			if err != nil || !found {
				t.Errorf("of the writes meanwhile number %d is lost: %v", i+1, err)
			}
		}
		sane(t, f)
	}
}

// compactAndSay is a process that compacts, and says when it has rewritten the copy.
func compactAndSay(path string) {
	said := false
	_, err := db.Compact(context.Background(), path, db.CompactOptions{Progress: func(phase string, _, _ int64) {
		if phase == "verify" && !said {
			said = true
			fmt.Println("now")
		}
	}})
	fmt.Println("done", err)
}

// A compaction that is killed leaves the file large or small, and all that it holds.
func TestACompactionIsKilledInTheMiddle(t *testing.T) {
	testrun.Alone(t)
	if path, ok := dbtest.Child(); ok {
		compactAndSay(path)
		return
	}
	random := testrun.Random(t)
	f := create(t)
	head := write(t, f, entities(3000), nil)
	outcomes := map[bool]int{}
	for round := range 5 {
		leaveRoom(t, f, fmt.Sprint("side-", round), head)
		was, epoch := state(t, f), epochOf(t, f)
		dbtest.Start(t, t.Name(), f.Path()).KillAfter("now", time.Duration(random.IntN(300))*time.Millisecond)
		if got := state(t, f); got != was {
			t.Fatalf("round %d: it holds something else", round)
		}
		outcomes[epochOf(t, f) != epoch]++
		write(t, f, named(fmt.Sprint("after-", round), 0), nil)
		sane(t, f)
	}
	t.Logf("compacted or not: %v", outcomes)
}
