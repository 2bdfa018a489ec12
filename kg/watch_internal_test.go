package kg

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAWatcherOutlivesAPanicAndMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		g := &Graph{log: slog.New(slog.NewTextHandler(&log, nil))}
		looks := int64(0)
		g.bell.version = func(context.Context) (int64, error) { looks++; return looks, nil } // it always changes
		ctx, cancel := context.WithCancel(t.Context())
		w := &watching{graph: g, out: make(chan Moved, 1), woken: g.bell.listen()}
		asked := 0
		w.read = func(context.Context) (branchHead, error) {
			if asked++; asked < 3 {
				panic("a bug")
			}
			return branchHead{commit: Commit{Seq: 1, ID: CommitID{1}}}, nil
		}
		go w.run(ctx)
		if m := <-w.out; m.Head.Seq != 1 {
			t.Errorf("got %+v", m)
		}
		cancel()
		synctest.Wait()
		if n := strings.Count(log.String(), "a bug"); n != 2 || !strings.Contains(log.String(), "watch_internal_test.go") {
			t.Errorf("the log has the panic %d times: %s", n, log.String())
		}
	})
}

// A commit does not wait for a listener that is being added, and each change after it was added wakes it.
func TestAListenerIsAddedWhileOthersCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bell
		var version, looks atomic.Int64
		b.version = func(context.Context) (int64, error) {
			if looks.Add(1) == 1 { // by listen, beside which nobody else takes the lock
				if b.mu.TryLock() {
					b.mu.Unlock()
				} else {
					t.Error("the file is read while commits wait for the lock")
				}
			}
			return version.Load(), nil
		}
		for n := range 20 {
			woken := b.listen()
			version.Add(1)
			select {
			case <-woken:
			case <-time.After(2 * watchInterval):
				t.Errorf("listener %d is not woken", n)
			}
			b.forget(woken)
		}
	})
}
