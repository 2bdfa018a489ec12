package invoke

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/kg"
)

// locked is a graph whose file another process is writing to until release is called.
func locked(t *testing.T) (g *kg.Graph, release func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := kg.Open(t.Context(), path, kg.Options{LockWait: time.Hour}) // who waits for the lock does not end
	if err != nil {
		t.Fatal(err)
	}
	other, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := other.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); other.Close(); g.Close() })
	return g, func() { w.Close() }
}

func newTestRecorder(g *kg.Graph) (*recorder, *bytes.Buffer) {
	log := new(bytes.Buffer)
	return newRecorder(g, slog.New(slog.NewTextHandler(log, nil)), func(context.Context) {}), log
}

func activity(i int) kg.Activity {
	return kg.Activity{ID: fmt.Sprintf("%05d", i), Capability: "health", Outcome: "ok", Started: time.Unix(1, 0)}
}

// recorded are the ids of the activities in the file, newest first.
func recorded(t *testing.T, g *kg.Graph) []string {
	t.Helper()
	var ids []string
	err := g.Session(policy.Principal{}).View(t.Context(), func(s *kg.Snapshot) error {
		list, err := s.Activities(t.Context(), kg.ActivityFilter{}, 1_000_000)
		for _, a := range list {
			ids = append(ids, a.ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// closed ends the recorder of a file that nobody writes, and takes in what it has set aside: on a busy machine, the short
// wait for the file can be over before it begins.
func closed(t *testing.T, g *kg.Graph, r *recorder) {
	t.Helper()
	err := r.close(t.Context())
	for err == nil || fault.Is(err, fault.TimedOut) {
		if err = g.Record(t.Context(), nil); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func TestWhileTheFileIsLockedActivitiesWaitInOrder(t *testing.T) {
	g, release := locked(t)
	r, _ := newTestRecorder(g)
	for i := range 3 * flushAt {
		r.add(activity(i))
		if i%flushAt == 0 {
			if err := r.flush(t.Context()); err == nil {
				t.Fatal("the file is not locked")
			}
		}
	}
	release()
	closed(t, g, r)
	got := recorded(t, g)
	if len(got) != 3*flushAt || got[0] != fmt.Sprintf("%05d", 3*flushAt-1) || got[len(got)-1] != "00000" {
		t.Errorf("%d were recorded, from %s to %s", len(got), got[len(got)-1], got[0])
	}
}

func TestWhatWaitsIsBoundedAndTheOldestGo(t *testing.T) {
	g, release := locked(t)
	r, log := newTestRecorder(g)
	r.stop() // the recorder's own flushes would race with the count of what waits
	<-r.done
	for i := range keepAtMost + 100 {
		r.add(activity(i))
	}
	if err := r.flush(t.Context()); err == nil {
		t.Fatal("the file is not locked")
	}
	for i := range 50 {
		r.add(activity(keepAtMost + 100 + i))
	}
	if r.length() != keepAtMost {
		t.Errorf("%d wait", r.length())
	}
	release()
	closed(t, g, r)
	got := recorded(t, g)
	if len(got) != keepAtMost || got[len(got)-1] != "00150" || got[0] != "10149" {
		t.Errorf("%d were recorded, from %s to %s", len(got), got[len(got)-1], got[0])
	}
	if text := log.String(); !strings.Contains(text, "dropped=100") || !strings.Contains(text, "dropped=50") {
		t.Errorf("the log says %s", text)
	}
}

// A process that ends does not wait for somebody else's write: what it has to record
// stays beside the file, and the next process takes it in, once.
func TestClosingBesideALongWriteLosesNothingAndDoesNotWait(t *testing.T) {
	g, release := locked(t)
	first, _ := newTestRecorder(g)
	for i := range 300 {
		first.add(activity(i))
	}
	if err := first.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := recorded(t, g); len(got) != 0 {
		t.Errorf("recorded %d, and the file is locked", len(got))
	}
	release()
	for range 2 {
		next, _ := newTestRecorder(g)
		closed(t, g, next)
	}
	got := recorded(t, g)
	if len(got) != 300 || got[0] != "00299" || got[299] != "00000" {
		t.Errorf("%d were recorded", len(got))
	}
}

func TestWhatCannotBeSetAsideIsSaid(t *testing.T) {
	g, _ := locked(t)
	if err := os.WriteFile(g.Path()+"-activities", []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, log := newTestRecorder(g)
	r.add(activity(1))
	if err := r.close(t.Context()); err == nil || !strings.Contains(err.Error(), "provenance of 1 calls") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(log.String(), "provenance was lost") {
		t.Errorf("the log says %s", log)
	}
}

func TestAFloodOfReadsPushesOutNoRefusal(t *testing.T) {
	g, release := locked(t)
	r, _ := newTestRecorder(g)
	r.stop()
	<-r.done
	refused := activity(0)
	refused.Outcome = "denied"
	r.add(refused)
	for i := range 3 * keepAtMost {
		r.add(activity(1 + i))
	}
	release()
	closed(t, g, r)
	got := recorded(t, g)
	if len(got) != keepAtMost+1 || got[keepAtMost] != "00000" {
		t.Errorf("%d were recorded, from %s on", len(got), got[len(got)-1])
	}
}

func TestActivitiesAreWrittenUnasked(t *testing.T) {
	g, release := locked(t)
	release()
	r, _ := newTestRecorder(g)
	for i := range flushAt {
		r.add(activity(i))
	}
	for len(recorded(t, g)) < flushAt { // this ends, or the test does
		time.Sleep(time.Millisecond)
	}
	if err := r.close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestARecorderOutlivesAPanicAndLosesNothing(t *testing.T) {
	r, log := newTestRecorder(nil) // a graph that is nil panics
	for range 3 {
		for i := range flushAt {
			r.add(activity(i))
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.stop()
	<-r.done
	if n := r.length(); n != 3*flushAt {
		t.Errorf("%d activities wait, want %d", n, 3*flushAt)
	}
	if said := log.String(); strings.Count(said, "panic: ") < 2 || !strings.Contains(said, "provenance.go") {
		t.Errorf("the log has no stack of each: %s", said)
	}
	kept := 0
	err := r.pass(t.Context(), func(_ context.Context, batch []kg.Activity) error { kept = len(batch); return nil })
	if err != nil || kept != 3*flushAt {
		t.Errorf("after that %d were kept, %v", kept, err)
	}
}

func TestAFollowerOutlivesAPanicAndTellsAllTheSame(t *testing.T) {
	g, release := locked(t)
	release()
	log := new(bytes.Buffer)
	f := newFollower(g.Session(policy.Principal{}), newCatalogs(nil), slog.New(slog.NewTextHandler(log, nil)))
	asked := 0
	f.touched = func(context.Context, kg.Moved) (kg.Touched, error) {
		if asked++; asked < 3 {
			panic("a bug")
		}
		return kg.Touched{}, nil
	}
	w := &watcher{out: make(chan Change, 1)}
	f.watchers[w] = struct{}{}
	moves := make(chan kg.Moved, 1)
	moves <- kg.Moved{Head: kg.Commit{Seq: 1, ID: kg.CommitID{1}}}
	close(moves)
	f.follow(t.Context(), moves)
	if c := <-w.out; c.Head != (kg.CommitID{1}).String() {
		t.Errorf("got %+v", c)
	}
	if !strings.Contains(log.String(), "a bug") || !strings.Contains(log.String(), "recorder_internal_test.go") {
		t.Errorf("the log has no stack: %s", log)
	}
}
