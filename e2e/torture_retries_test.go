//go:build torture

package e2e_test

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// Every write is sent with its key through all transports at once: two servers, two sessions, and sometimes the
// command line. It is made once, and every answer names the same commit.
func TestTortureRetriesThroughAllDoorsMakeOneWrite(t *testing.T) {
	file := notesFile(t)
	w, other := openWeb(t, file), openWeb(t, file)
	s, second := openStdio(t, file), openStdio(t, file)
	doors := through(t, file, w, s)
	doors["another server"] = through(t, file, other, second)["/invoke"]
	doors["another session"] = through(t, file, other, second)["stdio"]
	writes, answers, began := tortureCount(2000), 0, time.Now()
	for n := range writes {
		key := fmt.Sprintf("key-%d", n+1)
		var all sync.WaitGroup
		var mu sync.Mutex
		commits := map[string][]string{}
		for name, make := range doors {
			if name == "the command line" && n%50 > 0 {
				continue // starting a process takes longer than all others together
			}
			answers++
			all.Go(func() {
				commit := make(t, key)
				mu.Lock()
				defer mu.Unlock()
				commits[commit] = append(commits[commit], name)
			})
		}
		all.Wait()
		if t.Failed() || len(commits) != 1 {
			t.Fatalf("%s made %d commits: %v", key, len(commits), commits)
		}
	}
	wantNotes(t, file, keys(writes))
	t.Logf("torture: retries: %d writes, %d answers through %d doors in %s, one commit each", writes, answers, len(doors), time.Since(began).Round(time.Second))
}
