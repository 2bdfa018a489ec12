package invoke_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"trails/builtin"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// writerEnv names the file that this program, run again, writes to until it is killed.
const writerEnv = "TRAILS_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		if err := writeForEver(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeForEver makes notes and prints the id of each one that was acknowledged.
func writeForEver(path string) error {
	g, err := kg.Open(context.Background(), path, kg.Options{})
	if err != nil {
		return err
	}
	e := invoke.New(g, invoke.Config{Providers: builtin.Providers()})
	for n := 0; ; n++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), n)
		args := json.RawMessage(fmt.Sprintf(`{"id":%q}`, id))
		if _, err := e.Call(context.Background(), invoke.Call{Capability: "note_create", Args: args, Principal: invoketest.Ana}); err != nil {
			return err
		}
		fmt.Println(id)
	}
}

// startWriter runs another process that writes to path; killed ends it in the
// middle of whatever it does and returns what it had acknowledged.
func startWriter(t *testing.T, path string) (acknowledged chan string, killed func() []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged = make(chan string, 1)
	var ids []string
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			ids = append(ids, lines.Text())
			select {
			case acknowledged <- lines.Text():
			default:
			}
		}
	})
	return acknowledged, func() []string {
		_ = cmd.Process.Kill()
		reading.Wait()
		_ = cmd.Wait() // killed, as it was to be
		return ids
	}
}

// TestWatchersOutliveWriters: two processes write, are killed in the middle and
// replaced; a brisk watcher, a slow one and one that takes nothing until the end
// each hear of all that was acknowledged, and nothing runs on afterwards.
func TestWatchersOutliveWriters(t *testing.T) {
	path := worksFile(t)
	before := runtime.NumGoroutine()
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := &invoketest.Engine{Engine: invoke.New(g, invoke.Config{Providers: builtin.Providers()})}
	brisk, slow, stalled := e.Watch(t.Context(), invoketest.Ana), e.Watch(t.Context(), invoketest.Ana), e.Watch(t.Context(), invoketest.Ana)
	var heard [3]invoke.Change
	var done sync.WaitGroup
	rounds, final := make(chan struct{}, 1000), [2]chan string{make(chan string, 1), make(chan string, 1)}
	done.Go(func() {
		defer close(rounds) // the slow one takes a report for each two of the brisk one
		heard[0] = hearAll(brisk, final[0], func() { rounds <- struct{}{} })
	})
	done.Go(func() { heard[1] = hearAll(slow, final[1], func() { <-rounds; <-rounds }) })

	var want []string
	for range 3 {
		first, killFirst := startWriter(t, path)
		second, killSecond := startWriter(t, path)
		for range 20 {
			<-first
			<-second
		}
		want = append(append(want, killFirst()...), killSecond()...)
	}
	last := write(t, e, "note_create", `{"id":"last"}`)
	final[0] <- last
	final[1] <- last
	done.Wait()
	heard[2] = hear(t, stalled, last)
	for i, who := range []string{"brisk", "slow", "stalled"} {
		checkHeard(t, who, heard[i], want)
	}
	if err := e.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for runtime.NumGoroutine() > before { // until the test's time is over when one is left
		runtime.Gosched()
	}
}

// hearAll collects what a watcher is told until it has heard of the commit that
// final names, which may come later.
func hearAll(changes <-chan invoke.Change, final <-chan string, each func()) invoke.Change {
	var all invoke.Change
	until := ""
	for all.Head != until || until == "" {
		select {
		case until = <-final:
		case c := <-changes:
			all.Head, all.Resync = c.Head, all.Resync || c.Resync
			all.Types, all.Instances = union(all.Types, c.Types), union(all.Instances, c.Instances)
			each()
		}
	}
	return all
}

func checkHeard(t *testing.T, who string, heard invoke.Change, want []string) {
	t.Helper()
	if heard.Resync {
		t.Logf("the %s watcher heard a resync of %v", who, heard.Types)
		return
	}
	named := map[string]bool{}
	for _, uri := range heard.Instances {
		named[uri] = true
	}
	for _, id := range want {
		if !named[invoke.Address("Note", id)] {
			t.Errorf("the %s watcher did not hear of %s", who, id)
		}
	}
}
