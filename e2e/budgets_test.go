package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trails/e2e/testrun"
)

// Servers whose callers spend a budget are killed again and again. Together they never answer more calls than the budget
// has, and each loses at most the slice that it had reserved.
func TestABudgetSurvivesKills(t *testing.T) {
	t.Parallel()
	const limit, slice, callers, rounds = 1600, 100, 4, 8
	random := testrun.Random(t)
	day := time.Now().UTC().YearDay()
	file := notesFile(t)
	known, _ := credentials(t, file)
	must(t, "budget", "set", file, "--actor", "token:"+known[0].name, "--per", "day", "--calls", fmt.Sprint(limit))
	var answered, refused atomic.Int64
	spend := func(w *web, calls int64) {
		w.token = known[0].secret
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for began := answered.Load(); answered.Load() < began+calls && refused.Load() == 0; {
					switch status, body, err := w.post("/invoke/snapshot", []byte("{}"), nil); {
					case err != nil: // it was killed
						return
					case status == http.StatusOK:
						answered.Add(1)
					case status == http.StatusTooManyRequests:
						refused.Add(1)
					default:
						t.Errorf("%d %s", status, body)
						return
					}
				}
			})
		}
		all.Wait()
	}
	for round := range rounds {
		w := openWeb(t, file)
		dies := time.AfterFunc(time.Duration(10+random.IntN(90))*time.Millisecond, w.kill)
		spend(w, limit)
		dies.Stop()
		w.kill()
		if t.Failed() {
			t.FailNow()
		}
		used := usedCalls(t, file)
		got := answered.Load()
		if lost := used - got; used > limit || lost < 0 || lost > int64(round+1)*(slice+callers) {
			t.Fatalf("after %d kills %d of %d calls are used up, and %d were answered", round+1, used, limit, got)
		}
	}
	if answered.Load() == 0 {
		t.Fatal("no call was answered before a kill, so this tries nothing")
	}
	spend(openWeb(t, file), limit)
	if time.Now().UTC().YearDay() != day {
		t.Skip("SKIPPED: the budget was refilled at midnight")
	}
	if got := answered.Load(); refused.Load() == 0 || got > limit || got < limit-rounds*(slice+callers) {
		t.Errorf("%d calls were answered of a budget of %d, and %d refused", got, limit, refused.Load())
	}
	t.Logf("%d of %d calls were answered beside %d kills", answered.Load(), limit, rounds)
}

// usedCalls are the calls of the only budget that are used up.
func usedCalls(t *testing.T, file string) int64 {
	t.Helper()
	var list struct {
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}
	text := must(t, "budget", "list", file, "-o", "json")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(list.Columns, "used")
	if len(list.Rows) != 1 || at < 0 {
		t.Fatal(text)
	}
	used, _ := list.Rows[0][at].(float64)
	return int64(used)
}
