package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Eight processes write to one file at once: four stdio servers, two HTTP servers, two command-line loads. No
// write may fail or be lost, each process sees at its next call what another has acknowledged, and the log
// starts over.
func TestEightProcessesWriteToOneFile(t *testing.T) {
	t.Parallel()
	const writes, loads, perLoad = 40, 4, 100
	const limit, ceiling = "TRAILS_WAL_LIMIT=1", 4 << 20 // a load is in the log whole
	file := notesFile(t)
	longest := watchLog(t, file)
	doors := openDoors(t, file, 4, 2, limit)
	var all acknowledged
	var work sync.WaitGroup
	writeThroughAll(t, &work, doors, writes, 1, &all)
	for i := range 2 {
		var files [loads]string
		var codes [loads][]string
		for n := range loads {
			codes[n] = codesOf(fmt.Sprintf("load-%d-%d", i, n), perLoad)
			files[n] = write(t, "notes.ndjson", strings.Join(linesOf(codes[n]), "\n")+"\n")
		}
		work.Go(func() {
			for n := range loads {
				load := command(t, "load", file, files[n])
				load.Env = append(load.Env, limit)
				if out := finish(t, load); out.code != 0 {
					t.Errorf("load %d: exit %d\n%s", i, out.code, out.stderr)
					return
				}
				if _, err := read(doors[n%len(doors)], "trails://kg/Note/"+codes[n][0]); err != nil {
					t.Errorf("load %d is not seen at once: %v", i, err)
				}
				all.add(codes[n]...)
			}
		})
	}
	work.Wait()
	wantShortLog(t, longest(), ceiling)
	stopAll(t, doors)
	if want := len(doors)*writes + 2*loads*perLoad; len(all.codes) != want {
		t.Errorf("%d writes were acknowledged, want %d", len(all.codes), want)
	}
	wantNotes(t, file, all.codes)
	must(t, "verify", file)
}

// openDoors starts servers over stdio and over HTTP.
func openDoors(t *testing.T, file string, overStdio, overHTTP int, env ...string) (doors []door) {
	t.Helper()
	for range overStdio {
		doors = append(doors, openStdio(t, file, env...))
	}
	for range overHTTP {
		doors = append(doors, openWeb(t, file, env...))
	}
	return doors
}

func stopAll(t *testing.T, doors []door) {
	t.Helper()
	for i, d := range doors {
		if err := d.stop(); err != nil {
			t.Errorf("server %d: %v", i, err)
		}
	}
}

// writeThroughAll starts writers: each server gets this many writes, and one of oneIn is read through the next
// server.
func writeThroughAll(t *testing.T, work *sync.WaitGroup, doors []door, writes, oneIn int, all *acknowledged) {
	for i := range doors {
		work.Go(func() {
			other := doors[(i+1)%len(doors)]
			for n := range writes {
				code := fmt.Sprintf("server-%d-%d", i, n)
				if err := writeAndSee(doors[i], other, code, n%oneIn == 0); err != nil {
					t.Errorf("server %d: %v", i, err)
					return
				}
				all.add(code)
			}
		})
	}
}

// watchLog repeatedly reads the length of a file's log, until longest is called, which returns the maximum.
func watchLog(t *testing.T, file string) (longest func() int64) {
	var most int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			if info, err := os.Stat(file + "-wal"); err == nil {
				most = max(most, info.Size())
			}
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	end := sync.OnceFunc(func() { close(stop); <-stopped })
	t.Cleanup(end)
	return func() int64 { end(); return most }
}

func wantShortLog(t *testing.T, longest, ceiling int64) {
	t.Helper()
	if longest == 0 || longest > ceiling {
		t.Errorf("the log had %d bytes at its longest, want %d at most", longest, ceiling)
	}
}

// writeAndSee writes a note through one server and, if seen, reads it through another.
func writeAndSee(through, other door, code string, seen bool) error {
	w, err := put(through, "note_create", note(code))
	if err != nil {
		return fmt.Errorf("write %s: %w", code, err)
	}
	if w.Commit == "" {
		return fmt.Errorf("write %s made no commit", code)
	}
	if !seen {
		return nil
	}
	text, err := read(other, "trails://kg/Note/"+code)
	if err != nil {
		return fmt.Errorf("%s is not seen by the next server: %w", code, err)
	}
	if !strings.Contains(text, "Note "+code) {
		return fmt.Errorf("the next server reads %s as %s", code, text)
	}
	return nil
}

// acknowledged collects the codes of acknowledged notes.
type acknowledged struct {
	mu    sync.Mutex
	codes []string
}

func (a *acknowledged) add(codes ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.codes = append(a.codes, codes...)
}

func (a *acknowledged) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.codes)
}

func codesOf(prefix string, n int) []string {
	codes := make([]string, n)
	for i := range codes {
		codes[i] = fmt.Sprintf("%s-%d", prefix, i)
	}
	return codes
}

func linesOf(codes []string) []string {
	lines := make([]string, len(codes))
	for i, code := range codes {
		lines[i] = noteLine(code)
	}
	return lines
}
