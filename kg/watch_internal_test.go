package kg

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
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
