package e2e_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/e2e/testrun"
)

// A server under load is killed at a random moment, many times. The next one finds every acknowledged commit
// and no half commit. In every fifth round a load of many notes is killed instead: all or none of its notes are
// there.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	killAgainAndAgain(t, kills)
}

func killAgainAndAgain(t *testing.T, kills int) (acknowledgedCommits int) {
	random := testrun.Random(t)
	file := notesFile(t)
	var all acknowledged
	for round := range kills {
		pause := time.Duration(random.IntN(150)) * time.Millisecond
		if round%5 == 4 {
			killLoad(t, file, round, pause)
		} else {
			killServer(t, file, round, pause, &all)
		}
		must(t, "verify", file)
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	wantNotes(t, file, all.all())
	if len(all.codes) < kills {
		t.Errorf("only %d commits were acknowledged in %d rounds: too few to say something", len(all.codes), kills)
	}
	t.Logf("%d acknowledged commits survived %d kills", len(all.codes), kills)
	return len(all.codes)
}

// killServer kills a server, by turns over stdio and HTTP, while four callers write. The kill comes pause after
// the first acknowledgement, however late that is.
func killServer(t *testing.T, file string, round int, pause time.Duration, all *acknowledged) {
	t.Helper()
	var d door
	if round%2 == 0 {
		d = openStdio(t, file)
	} else {
		d = openWeb(t, file)
	}
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Go(func() {
			for n := 0; ; n++ {
				code := fmt.Sprintf("r%d-c%d-%d", round, caller, n)
				_, err := put(d, "note_create", note(code))
				if errors.Is(err, errGone) {
					return
				}
				if err != nil {
					t.Errorf("%s: %v", code, err)
					return
				}
				all.add(code)
				begin()
			}
		})
	}
	go func() {
		callers.Wait()
		begin() // all of them failed, and have said so
	}()
	<-begun
	time.Sleep(pause)
	d.kill()
	callers.Wait()
	reopens(t, file, all)
}

// reopens reads the last acknowledged note through a new server.
func reopens(t *testing.T, file string, all *acknowledged) {
	t.Helper()
	codes := all.all()
	if len(codes) == 0 {
		return
	}
	d := openStdio(t, file)
	defer d.kill()
	if _, err := read(d, "trails://kg/Note/"+codes[len(codes)-1]); err != nil {
		t.Errorf("an acknowledged note is lost: %v", err)
	}
}

// killLoad kills a load of many notes and checks that all or none are there.
func killLoad(t *testing.T, file string, round int, pause time.Duration) {
	t.Helper()
	const many = 3000
	prefix := fmt.Sprintf("bulk-%d", round)
	data := write(t, "bulk.ndjson", strings.Join(linesOf(codesOf(prefix, many)), "\n"))
	before := len(notes(t, file))
	load := exec.Command(trailsBinary, "load", file, data)
	load.Env = environment()
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * pause)
	load.Process.Kill()
	finished := load.Wait() == nil
	after := len(notes(t, file)) - before
	if after != 0 && after != many || finished && after != many {
		t.Errorf("%d of %d notes of a killed load are there (finished: %t)", after, many, finished)
	}
}
