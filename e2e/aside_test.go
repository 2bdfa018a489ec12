package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// asideStory counts commands that read beside a writer: those that ended, those that were killed, and the
// milliseconds of the slowest.
type asideStory struct{ ended, killed, slowest int64 }

// readBesideAWriter runs commands that read, four at a time, while another process repeatedly holds the lock
// for longer than they wait. Every third command is killed at a random moment: while it reads, while it writes
// its record to a file beside, or while it takes in such files.
func readBesideAWriter(t *testing.T, file string, reads int) asideStory {
	t.Helper()
	holder, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	holder.SetBusyTimeout(time.Minute)
	ctx, stop := context.WithCancel(t.Context())
	var holding, work sync.WaitGroup
	holding.Go(func() {
		for ctx.Err() == nil {
			if err := sqlitex.ExecuteTransient(holder, "BEGIN IMMEDIATE", nil); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Duration(200+rand.IntN(800)) * time.Millisecond)
			if err := sqlitex.ExecuteTransient(holder, "ROLLBACK", nil); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		}
	})
	var story asideStory
	var next atomic.Int64
	for range 4 {
		work.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(reads) {
					return
				}
				began := time.Now()
				cmd := command(t, "log", file)
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				if n%3 == 0 {
					time.AfterFunc(time.Duration(rand.IntN(500))*time.Millisecond, func() { _ = cmd.Process.Kill() }) // it may have ended
				}
				if err := cmd.Wait(); err != nil {
					atomic.AddInt64(&story.killed, 1)
					continue
				}
				atomic.AddInt64(&story.ended, 1)
				took := time.Since(began).Milliseconds()
				for slowest := atomic.LoadInt64(&story.slowest); took > slowest && !atomic.CompareAndSwapInt64(&story.slowest, slowest, took); {
					slowest = atomic.LoadInt64(&story.slowest)
				}
			}
		})
	}
	work.Wait()
	stop()
	holding.Wait()
	return story
}

// wantReads checks that each read that ended is recorded exactly once, and that no file is left beside the
// graph. A killed read may be recorded or not.
func wantReads(t *testing.T, file string, story asideStory) {
	t.Helper()
	for range 20 { // one process takes in a hundred files
		must(t, "stats", file)
		if names, _ := filepath.Glob(file + "-activities/*.ndjson"); len(names) == 0 {
			break
		}
	}
	count := func(what string) (n int64) {
		text := must(t, "query", file, "SELECT ("+what+" AS ?n) { GRAPH <urn:trails:graph:prov> { ?a <urn:trails:ns#capability> 'commits_find' ; <urn:trails:ns#inputsDigest> ?d } }", "-o", "csv")
		if _, err := fmt.Sscan(strings.Fields(text)[1], &n); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return n
	}
	all, different := count("COUNT(?d)"), count("COUNT(DISTINCT ?a)")
	if all != different || all < story.ended || all > story.ended+story.killed {
		t.Errorf("provenance has %d reads, %d different ones; %d ended and %d were killed", all, different, story.ended, story.killed)
	}
	if names, _ := filepath.Glob(file + "-activities/*.refused"); len(names) > 0 {
		t.Errorf("%d files were refused", len(names))
	}
	must(t, "verify", file)
}

// A command that reads does not wait for writers. Whatever is killed, every read that ended is recorded.
func TestNoReadThatEndedIsMissing(t *testing.T) {
	t.Parallel()
	file := notesFile(t)
	wantReads(t, file, readBesideAWriter(t, file, 24))
}
