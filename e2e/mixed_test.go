package e2e_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// mixedClients is the number of clients of BenchmarkMixedClients.
const mixedClients = 64

// mixedTime is the duration of BenchmarkMixedClients: TRAILS_BENCH_TIME, which `make bench` sets.
func mixedTime(b *testing.B) time.Duration {
	b.Helper()
	text := os.Getenv("TRAILS_BENCH_TIME")
	if text == "" {
		return 3 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		b.Fatalf("TRAILS_BENCH_TIME: %v", err)
	}
	return d
}

// BenchmarkMixedClients lets 64 clients use a large file over HTTP at once, with nine reads for each write. Any
// error fails it. It reports times of calls, and the memory of the server.
func BenchmarkMixedClients(b *testing.B) {
	entities := 100_000
	if testing.Short() {
		entities = 1_000
	}
	file, lasts := benchFile(b), mixedTime(b)
	for b.Loop() {
		w := openWeb(b, file)
		work(b, w, entities, max(2*time.Second, lasts/3)) // caches and pools are filled
		start, log := residentMB(b, w.cmd.Process.Pid), sizeMB(b, file+"-wal")
		m := work(b, w, entities, lasts)
		b.ReportMetric(start, "MB-start")
		b.ReportMetric(residentMB(b, w.cmd.Process.Pid), "MB-end")
		b.ReportMetric(log, "MB-wal-start")
		b.ReportMetric(sizeMB(b, file+"-wal"), "MB-wal-end")
		m.report(b, lasts)
		if err := w.stop(); err != nil {
			b.Fatal(err)
		}
		if said := w.stderr.String(); strings.Contains(said, "level=") {
			b.Errorf("the server had something to say:\n%s", said)
		}
	}
}

// measured collects the time of each call, and errors.
type measured struct {
	mu            sync.Mutex
	reads, writes []time.Duration
	errors        int
	first         error
}

func (m *measured) add(reads, writes []time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads, m.writes = append(m.reads, reads...), append(m.writes, writes...)
}

func (m *measured) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.errors++; m.first == nil {
		m.first = err
	}
}

func (m *measured) report(b *testing.B, lasted time.Duration) {
	b.Helper()
	if m.errors > 0 {
		b.Errorf("%d errors, the first: %v", m.errors, m.first)
	}
	all := slices.Concat(m.reads, m.writes)
	p50, p99 := quantile(all, .5), quantile(all, .99)
	b.ReportMetric(float64(m.errors), "errors")
	b.ReportMetric(ms(p50), "ms-p50")
	b.ReportMetric(ms(p99), "ms-p99")
	b.ReportMetric(float64(p99)/float64(p50), "p99/p50")
	b.ReportMetric(ms(quantile(m.writes, .5)), "ms-write-p50")
	b.ReportMetric(ms(quantile(m.writes, .99)), "ms-write-p99")
	b.ReportMetric(ms(slices.Max(all)), "ms-max")
	b.ReportMetric(float64(len(all))/lasted.Seconds(), "calls/s")
}

func sizeMB(b *testing.B, path string) float64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size()) / (1 << 20)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile(all []time.Duration, q float64) time.Duration {
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}

// work lets all clients run for a duration.
func work(b *testing.B, w *web, entities int, lasts time.Duration) *measured {
	b.Helper()
	var m measured
	var clients sync.WaitGroup
	transport := &http.Transport{MaxIdleConnsPerHost: mixedClients}
	defer transport.CloseIdleConnections()
	end := time.Now().Add(lasts)
	for i := range mixedClients {
		clients.Go(func() {
			c := mixedClient{base: w.base, http: &http.Client{Transport: transport, Timeout: patience}, entities: entities, random: rand.New(rand.NewPCG(3, uint64(i)))}
			var reads, writes []time.Duration
			for time.Now().Before(end) {
				start := time.Now()
				wrote, err := c.next()
				took := time.Since(start)
				if err != nil {
					m.fail(err)
				}
				if wrote {
					writes = append(writes, took)
				} else {
					reads = append(reads, took)
				}
			}
			m.add(reads, writes)
		})
	}
	clients.Wait()
	return &m
}

// mixedClient is one client.
type mixedClient struct {
	base     string
	http     *http.Client
	entities int
	random   *rand.Rand
}

// mixedReads are the reads, repeated by their frequency. The number in each is that of an entity, or a random
// one below a bound.
var mixedReads = []struct {
	path  string
	below int // 0 means all entities
}{
	{"/kg/Entity/e%d", 0},
	{"/kg/Entity/e%d", 0},
	{"/kg/Entity/e%d", 0},
	{"/kg/Entity/e%d", 0},
	{"/kg/Entity/e%d?format=turtle", 0},
	{"/kg/Entity?limit=50&offset=%d", 1000},
	{"/kg/Entity?where=score=%d&limit=20", 1000},
	{"/commits?limit=%d", 20},
	{"/admin/types/Entity/e%d", 0},
}

// next makes one request; one of ten is a write.
func (c *mixedClient) next() (wrote bool, err error) {
	if c.random.IntN(10) == 0 {
		body := fmt.Appendf(nil, `{"id":"e%d","score":%d}`, c.random.IntN(c.entities), c.random.IntN(1000))
		return true, c.send(http.MethodPost, "/invoke/entity.update", body)
	}
	read := mixedReads[c.random.IntN(len(mixedReads))]
	n := 1 + c.random.IntN(cmp.Or(read.below, c.entities)-1)
	return false, c.send(http.MethodGet, fmt.Sprintf(read.path, n), nil)
}

func (c *mixedClient) send(method, path string, body []byte) error {
	r, err := http.NewRequest(method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, res.StatusCode, text)
	}
	return err
}
