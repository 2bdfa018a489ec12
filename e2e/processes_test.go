package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Eight processes write to one file at once: four stdio servers, two HTTP
// servers, two command-line loads. No write may fail, none may be lost, and what
// one has acknowledged the others see at their next call.
func TestEightProcessesWriteToOneFile(t *testing.T) {
	t.Parallel()
	const writes, loads, perLoad = 40, 4, 100
	file := notesFile(t)
	var doors []door
	for range 4 {
		doors = append(doors, openStdio(t, file))
	}
	for range 2 {
		doors = append(doors, openWeb(t, file))
	}
	var all acknowledged
	var work sync.WaitGroup
	for i := range doors {
		work.Go(func() {
			other := doors[(i+1)%len(doors)]
			for n := range writes {
				code := fmt.Sprintf("server-%d-%d", i, n)
				if err := writeAndSee(doors[i], other, code); err != nil {
					t.Errorf("server %d: %v", i, err)
					return
				}
				all.add(code)
			}
		})
	}
	for i := range 2 {
		var files [loads]string
		var codes [loads][]string
		for n := range loads {
			codes[n] = codesOf(fmt.Sprintf("load-%d-%d", i, n), perLoad)
			files[n] = write(t, "notes.ndjson", strings.Join(linesOf(codes[n]), "\n")+"\n")
		}
		work.Go(func() {
			for n := range loads {
				out := trails(t, "load", file, files[n])
				if out.code != 0 {
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
	for i, d := range doors {
		if err := d.stop(); err != nil {
			t.Errorf("server %d: %v", i, err)
		}
	}
	if want := len(doors)*writes + 2*loads*perLoad; len(all.codes) != want {
		t.Errorf("%d writes were acknowledged, want %d", len(all.codes), want)
	}
	wantNotes(t, file, all.codes)
	must(t, "verify", file)
}

// writeAndSee writes a note through one server and reads it through another.
func writeAndSee(through, other door, code string) error {
	w, err := put(through, "note_create", note(code))
	if err != nil {
		return fmt.Errorf("write %s: %w", code, err)
	}
	if w.Commit == "" {
		return fmt.Errorf("write %s made no commit", code)
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

// acknowledged gathers what servers and loads said was written.
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
