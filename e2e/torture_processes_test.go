//go:build torture

package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// logCeiling is the length that a log must never reach: twice the length at which it starts over.
const logCeiling = 128 << 20

// Eight processes write ten thousand notes each to one file.
func TestTortureEightProcessesKeepTheLogShort(t *testing.T) {
	writes := tortureCount(10_000)
	file := notesFile(t)
	longest := watchLog(t, file)
	doors := openDoors(t, file, 5, 3)
	var all acknowledged
	var work sync.WaitGroup
	began := time.Now()
	writeThroughAll(t, &work, doors, writes, 20, &all)
	work.Wait()
	took := time.Since(began)
	log := longest()
	wantShortLog(t, log, logCeiling)
	stopAll(t, doors)
	if want := len(doors) * writes; len(all.codes) != want {
		t.Errorf("%d writes were acknowledged, want %d", len(all.codes), want)
	}
	wantNotes(t, file, all.codes)
	must(t, "verify", file)
	t.Logf("torture: 8 processes, %d writes each: none lost, %.0f writes/s, longest log %.0f MiB of %d, verified",
		writes, float64(len(all.codes))/took.Seconds(), mib(log), logCeiling>>20)
}

func TestTortureFiveHundredKills(t *testing.T) {
	kills := tortureCount(500)
	t.Logf("torture: %d kills: all of %d acknowledged commits there, no half commit, verified after each", kills, killAgainAndAgain(t, kills))
}

// Three processes serve reads, writes, searches, queries and subscriptions for ten minutes. After the first
// minute memory, descriptors and log no longer grow.
func TestTortureTenMinutesOfEverything(t *testing.T) {
	lasts := tortureTime(10 * time.Minute)
	file := notesFile(t)
	seeds := codesOf("seed", 2000)
	must(t, "load", file, write(t, "seeds.ndjson", strings.Join(linesOf(seeds), "\n")))
	longest := watchLog(t, file)
	pages := openWeb(t, file)
	agents := []*stdio{openStdio(t, file), openStdio(t, file)}
	for _, agent := range agents {
		for _, uri := range []string{"trails://kg/Note", "trails://kg/Note/seed-1", "trails://schema"} {
			if _, err := agent.call("resources/subscribe", map[string]any{"uri": uri}); err != nil {
				t.Fatal(err)
			}
		}
	}
	doors := []door{pages, agents[0], agents[1]}

	var calls atomic.Int64
	end := time.Now().Add(lasts)
	var work sync.WaitGroup
	repeat := func(what string, pause time.Duration, do func(n int) error) {
		work.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				if err := do(n); err != nil {
					t.Errorf("%s: %v", what, err)
					return
				}
				calls.Add(1)
				time.Sleep(pause)
			}
		})
	}
	get := func(path string) error {
		status, body, err := pages.do(http.MethodGet, path, nil, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("GET %s: %d %.300s", path, status, body)
		}
		return err
	}
	for i, d := range doors {
		repeat("update", 5*time.Millisecond, func(n int) error {
			_, err := put(d, "note_update", map[string]any{"id": seeds[(n*7+i)%len(seeds)], "title": fmt.Sprintf("Note %d of %d", n, i)})
			return err
		})
		repeat("create and delete", 20*time.Millisecond, func(n int) error {
			code := fmt.Sprintf("soak-%d-%d", i, n)
			if _, err := put(d, "note_create", note(code)); err != nil {
				return err
			}
			_, err := put(d, "note_delete", map[string]any{"id": code})
			return err
		})
		repeat("read", time.Millisecond, func(n int) error {
			_, err := read(d, "trails://kg/Note/"+seeds[n%len(seeds)])
			return err
		})
		repeat("query", 50*time.Millisecond, func(n int) error {
			_, err := tool(d, "query", map[string]any{"query": "SELECT ?t (COUNT(*) AS ?n) WHERE { ?s <urn:trails:notes:title> ?t } GROUP BY ?t ORDER BY DESC(?n) LIMIT 5"})
			return err
		})
	}
	repeat("suggest", 20*time.Millisecond, func(n int) error {
		return get(fmt.Sprintf("/admin/suggest?type=Note&property=id&q=Note+seed-%d", n%100))
	})
	repeat("sorted list", 20*time.Millisecond, func(n int) error { return get(fmt.Sprintf("/admin/types/Note?sort=title&limit=20&offset=%d", n%1000)) })
	repeat("list", 20*time.Millisecond, func(n int) error { return get(fmt.Sprintf("/kg/Note?limit=50&offset=%d", n%1000)) })
	repeat("history", 50*time.Millisecond, func(int) error { return get("/commits?limit=20") })
	repeat("export", lasts/20, func(int) error {
		if out := trails(t, "export", file, "--format", "nquads"); out.code != 0 {
			return errors.New(out.stderr)
		}
		return nil
	})

	processes := []*int{&pages.cmd.Process.Pid, &agents[0].cmd.Process.Pid, &agents[1].cmd.Process.Pid}
	var memory, descriptors [3][]float64
	for tick := time.NewTicker(lasts / 200); time.Now().Before(end); <-tick.C {
		for i, pid := range processes {
			memory[i] = append(memory[i], residentMB(t, *pid))
			descriptors[i] = append(descriptors[i], float64(openDescriptors(t, *pid)))
		}
	}
	work.Wait()
	log := longest()
	wantShortLog(t, log, logCeiling)
	var figures []string
	for i := range processes {
		early, late := tenths(memory[i])
		if late > early*1.3+20 {
			t.Errorf("process %d had %.0f MB after a tenth of the time and %.0f MB at the end", i, early, late)
		}
		few, many := tenths(descriptors[i])
		if many > few+8 {
			t.Errorf("process %d had %.0f descriptors after a tenth of the time and %.0f at the end", i, few, many)
		}
		figures = append(figures, fmt.Sprintf("%.0f→%.0f MB %.0f→%.0f fds", early, late, few, many))
	}
	for i, agent := range agents {
		if agent.heard.Load() == 0 {
			t.Errorf("subscriber %d heard of nothing", i)
		}
	}
	stopAll(t, doors)
	must(t, "verify", file)
	t.Logf("torture: soak of %v, 3 processes: %d calls, none failed, %d notifications, %s, longest log %.0f MiB",
		lasts, calls.Load(), agents[0].heard.Load()+agents[1].heard.Load(), strings.Join(figures, ", "), mib(log))
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// tenths returns the medians of the second and of the last tenth of the samples.
func tenths(samples []float64) (early, late float64) {
	n := len(samples) / 10
	median := func(some []float64) float64 {
		some = slices.Clone(some)
		slices.Sort(some)
		return some[len(some)/2]
	}
	return median(samples[n : 2*n+1]), median(samples[len(samples)-n-1:])
}

func openDescriptors(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
