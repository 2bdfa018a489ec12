package invoke

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/kg"
	"trails/policy"
)

// locked is a graph whose file another process is writing to until release is called.
func locked(t *testing.T) (g *kg.Graph, release func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := kg.Open(t.Context(), path, kg.Options{})
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
	return newRecorder(g, slog.New(slog.NewTextHandler(log, nil))), log
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
	if err := r.close(t.Context()); err != nil {
		t.Fatal(err)
	}
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
	if len(r.waiting) != keepAtMost {
		t.Errorf("%d wait", len(r.waiting))
	}
	release()
	if err := r.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := recorded(t, g)
	if len(got) != keepAtMost || got[len(got)-1] != "00150" || got[0] != "10149" {
		t.Errorf("%d were recorded, from %s to %s", len(got), got[len(got)-1], got[0])
	}
	if text := log.String(); !strings.Contains(text, "dropped=100") || !strings.Contains(text, "dropped=50") {
		t.Errorf("the log says %s", text)
	}
}

func TestClosingGivesUpOnALockedFileAndSaysSo(t *testing.T) {
	g, _ := locked(t)
	r, log := newTestRecorder(g)
	r.add(activity(1))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := r.close(ctx); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	if got := recorded(t, g); len(got) != 0 {
		t.Errorf("recorded %v", got)
	}
	if log.Len() == 0 {
		t.Error("the log says nothing")
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
