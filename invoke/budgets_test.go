package invoke_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/auth/policy"
	"trails/builtin"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// clock is a clock that tests put. It is safe for concurrent use.
type clock struct{ micros atomic.Int64 }

// newClock returns a clock that shows a whole day.
func newClock() *clock {
	c := &clock{}
	c.micros.Store(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) now() time.Time       { return time.UnixMicro(c.micros.Load()).UTC() }
func (c *clock) pass(d time.Duration) { c.micros.Add(d.Microseconds()) }
func token(name string) policy.Principal {
	return policy.Principal{ID: "token:" + name, Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}
}

// process opens an engine on a file, as another process would. close closes it; without that it was killed.
func process(t testing.TB, path string, now func() time.Time) (e *invoke.Engine, closes func()) {
	t.Helper()
	g, err := kg.Open(t.Context(), path, kg.Options{Now: now, LockWait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	e = invoke.New(g, invoke.Config{Providers: builtin.Providers(), Now: now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	return e, sync.OnceFunc(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// budgeted returns an engine on a new file with a budget, and a clock.
func budgeted(t testing.TB, budget string) (path string, e *invoke.Engine, c *clock) {
	t.Helper()
	c, path = newClock(), filepath.Join(t.TempDir(), "budgets.db")
	invoketest.Create(t, path, kg.CreateOptions{Schema: []byte("types:\n  Note: {properties: {title: string}}\n"), By: invoketest.Ana, Now: c.now})
	e, closes := process(t, path, c.now)
	t.Cleanup(closes)
	set(t, e, budget)
	return path, e, c
}

// set sets a budget.
func set(t testing.TB, e *invoke.Engine, budget string) {
	t.Helper()
	if err := calls(t, e, invoketest.Ana, "trails.meta.budget.set", budget); err != nil {
		t.Fatal(err)
	}
}

// calls calls once.
func calls(t testing.TB, e *invoke.Engine, who policy.Principal, capability, args string) error {
	t.Helper()
	_, err := e.Call(t.Context(), invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: who, Via: "test"})
	return err
}

// admitted calls snapshot until it is refused, at most so often, and returns how often it was not.
func admitted(t testing.TB, e *invoke.Engine, who policy.Principal, most int) (n int) {
	t.Helper()
	for n < most {
		switch err := calls(t, e, who, "snapshot", "{}"); {
		case fault.Is(err, fault.Exhausted):
			return n
		case err != nil:
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestABudgetIsUsedUpAndRefilled(t *testing.T) {
	_, e, c := budgeted(t, `{"actor":"*","capability":"snapshot","per":"minute","calls":20}`)
	c.pass(15 * time.Second)
	if n := admitted(t, e, token("ci"), 100); n != 20 {
		t.Errorf("%d calls were admitted", n)
	}
	_, err := e.Call(t.Context(), invoke.Call{Capability: "snapshot", Principal: token("ci")})
	f := fault.Of(err)
	if f.Kind != fault.Exhausted || f.Details["limit"] != int64(20) || f.Details["used"] != int64(20) || f.Details["retry_after"] != int64(45) {
		t.Errorf("refused with %v, %v", f, f.Details)
	}
	want := "0 of 20 calls left in the budget of each caller for snapshot, a minute; it is refilled at 2026-01-02 00:01 UTC, in 45 s. For more, ask a builder: trails budget set FILE --actor '*' --capability snapshot --per minute --calls N"
	if f.Message != want {
		t.Errorf("got  %s\nwant %s", f.Message, want)
	}
	if err := calls(t, e, token("ci"), "branches_list", "{}"); err != nil {
		t.Errorf("what the budget does not count is refused: %v", err)
	}
	if n := admitted(t, e, invoketest.Ana, 30); n != 30 {
		t.Errorf("the operator was refused after %d calls", n)
	}
	if n := admitted(t, e, token("other"), 30); n != 20 {
		t.Errorf("another caller had %d calls", n)
	}
	c.pass(45 * time.Second)
	if n := admitted(t, e, token("ci"), 100); n != 20 {
		t.Errorf("%d calls were admitted in the next minute", n)
	}
	c.pass(-30 * time.Second)
	if n := admitted(t, e, token("ci"), 100); n != 0 {
		t.Errorf("a clock that was put back refilled %d", n)
	}
	set(t, e, `{"actor":"*","capability":"snapshot","per":"minute","calls":25}`)
	if n := admitted(t, e, token("ci"), 100); n != 5 {
		t.Errorf("a budget that was raised by 5 admitted %d", n)
	}
	if err := calls(t, e, invoketest.Ana, "trails.meta.budget.remove", `{"actor":"*","capability":"snapshot","per":"minute"}`); err != nil {
		t.Fatal(err)
	}
	if n := admitted(t, e, token("ci"), 100); n != 100 {
		t.Errorf("a budget that was removed admitted %d", n)
	}
}

// Who says who may do what is not held up by a budget, or nobody could raise it.
func TestABudgetCanBeRaisedByWhomItLimits(t *testing.T) {
	_, e, _ := budgeted(t, `{"actor":"local:ana","per":"day","calls":1}`)
	if n := admitted(t, e, invoketest.Ana, 5); n != 1 {
		t.Errorf("%d calls were admitted", n)
	}
	set(t, e, `{"actor":"local:ana","per":"day","calls":3}`)
	if n := admitted(t, e, invoketest.Ana, 5); n != 2 {
		t.Errorf("%d more calls were admitted", n)
	}
	for capability, args := range map[string]string{"health": "{}", "trails.meta.ping": "{}"} {
		if err := calls(t, e, invoketest.Ana, capability, args); err != nil {
			t.Errorf("%s: %v", capability, err)
		}
	}
}

// Two processes together admit what the budget has, whichever is called, and calls that come at once are no more.
func TestProcessesShareABudget(t *testing.T) {
	path, one, c := budgeted(t, `{"per":"hour","calls":100}`)
	two, closes := process(t, path, c.now)
	defer closes()
	var n atomic.Int64
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			e := []*invoke.Engine{one, two}[i%2]
			for range 40 {
				switch err := calls(t, e, token("ci"), "snapshot", "{}"); {
				case err == nil:
					n.Add(1)
				case !fault.Is(err, fault.Exhausted):
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	// A process may refuse while the other one holds its last slice, of a sixteenth.
	if n := n.Load(); n > 100 || n < 100-100/16-1 {
		t.Errorf("%d of 100 calls were admitted", n)
	}
	c.pass(10 * time.Second)
	one.Settled(t.Context())
	two.Settled(t.Context())
	n.Add(int64(admitted(t, one, token("ci"), 100)))
	if n := n.Load(); n != 100 {
		t.Errorf("%d of 100 calls were admitted after what was not used came back", n)
	}
}

// What a process that was killed had reserved is used up in this period, and there again in the next one.
func TestAReservationOfAKilledProcessRefills(t *testing.T) {
	path, e, c := budgeted(t, `{"actor":"token:ci","per":"minute","calls":160}`)
	killed, _ := process(t, path, c.now)
	if n := admitted(t, killed, token("ci"), 1); n != 1 {
		t.Fatal("refused")
	}
	if n := admitted(t, e, token("ci"), 200); n != 149 { // 160, but one and a slice of ten
		t.Errorf("%d calls were admitted", n)
	}
	c.pass(time.Minute)
	if n := admitted(t, e, token("ci"), 200); n != 160 {
		t.Errorf("%d calls were admitted in the next period", n)
	}
}

// One that ends gives back what it did not use.
func TestAProcessThatEndsGivesBack(t *testing.T) {
	path, e, c := budgeted(t, `{"actor":"token:ci","per":"minute","calls":160}`)
	ended, closes := process(t, path, c.now)
	if n := admitted(t, ended, token("ci"), 1); n != 1 {
		t.Fatal("refused")
	}
	closes()
	if n := admitted(t, e, token("ci"), 200); n != 159 {
		t.Errorf("%d calls were admitted", n)
	}
}

// What an answer has is counted after it, and what went beyond the limit is taken from the next period.
func TestWhatIsCounted(t *testing.T) {
	const seven = `{"query":"SELECT ?x { VALUES ?x { 1 2 3 4 5 6 7 } }"}`
	for _, c := range []struct {
		name, limit, capability, args string
		used                          any
	}{
		{"rows of an answer", `"rows":3`, "query", seven, int64(7)},
		{"points of declared cost", `"cost":12`, "query", seven, int64(10)},
		{"a call that is wrong", `"calls":1`, "query", `{"query":"no"}`, int64(1)},
		{"branches", `"rows":1`, "branches_list", `{}`, int64(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, e, clock := budgeted(t, `{"actor":"token:ci","per":"minute",`+c.limit+`}`)
			if err := calls(t, e, token("ci"), c.capability, c.args); err != nil && !fault.Is(err, fault.Malformed) {
				t.Fatal(err)
			}
			err := calls(t, e, token("ci"), c.capability, c.args)
			if f := fault.Of(err); !fault.Is(err, fault.Exhausted) || !strings.Contains(c.limit, f.Details["measure"].(string)) {
				t.Errorf("the next call: %v", err)
			}
			list := budgetList(t, e)
			if len(list) != 1 || list[0][6] != json.Number(strings.TrimSpace(jsonOf(t, c.used))) {
				t.Errorf("listed as %v", list)
			}
			clock.pass(time.Minute)
			if err := calls(t, e, token("ci"), c.capability, c.args); fault.Is(err, fault.Exhausted) == (c.name != "rows of an answer") {
				t.Errorf("in the next period: %v", err)
			}
		})
	}
	t.Run("bytes of answers and streams", func(t *testing.T) {
		_, e, _ := budgeted(t, `{"actor":"token:ci","per":"day","bytes":100000,"rows":100000}`)
		res, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: json.RawMessage(seven), Principal: token("ci")})
		if err != nil {
			t.Fatal(err)
		}
		var stream bytes.Buffer
		streamed, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: json.RawMessage(seven), Principal: token("ci"), Output: &stream, Format: "csv"})
		if err != nil {
			t.Fatal(err)
		}
		want := len(res.Structured) + len(streamed.Structured) + stream.Len()
		if list := budgetList(t, e); list[0][6] != json.Number("14") || list[1][6] != json.Number(jsonOf(t, want)) {
			t.Errorf("listed as %v, want 14 rows and %d bytes", list, want)
		}
	})
	t.Run("seconds of work", func(t *testing.T) {
		_, e, c := budgeted(t, `{"actor":"token:ci","capability":"load","per":"day","seconds":2.5}`)
		if err := calls(t, e, invoketest.Ana, "trails.meta.policy.apply", `{"starter": true}`); err != nil {
			t.Fatal(err)
		}
		slow := invoke.Call{Capability: "load", Principal: token("ci"), Args: json.RawMessage(`{"format":"ntriples"}`), Inputs: []invoke.Input{{Name: "data", Reader: takes{sync.OnceFunc(func() { c.pass(2 * time.Second) })}}}}
		if _, err := e.Call(t.Context(), slow); err != nil {
			t.Fatal(err)
		}
		if list := budgetList(t, e); list[0][6] != json.Number("2") || list[0][7] != json.Number("0.5") {
			t.Errorf("listed as %v", list)
		}
	})
}

// takes is an empty input that does something while it is read.
type takes struct{ do func() }

func (r takes) Read([]byte) (int, error) {
	r.do()
	return 0, io.EOF
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// budgetList returns the rows of the list of budgets.
func budgetList(t *testing.T, e *invoke.Engine) [][]any {
	t.Helper()
	res, err := e.Call(t.Context(), invoke.Call{Capability: "trails.meta.budget.list", Principal: invoketest.Ana})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Rows [][]any }
	read := json.NewDecoder(bytes.NewReader(res.Structured))
	read.UseNumber()
	if err := read.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Rows
}

// While another process writes for long, a budget counts by what this process knows, and pays afterwards.
func TestABudgetCountsWhileTheFileIsWritten(t *testing.T) {
	path, e, c := budgeted(t, `{"actor":"token:ci","per":"minute","calls":20}`)
	other, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := sqlitex.ExecuteTransient(other, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	if n := admitted(t, e, token("ci"), 100); n != 20 {
		t.Errorf("%d calls were admitted during the write", n)
	}
	if err := sqlitex.ExecuteTransient(other, "ROLLBACK", nil); err != nil {
		t.Fatal(err)
	}
	c.pass(10 * time.Second)
	e.Settled(t.Context())
	e.Settled(t.Context()) // the second time it forgets who is idle
	if err := sqlitex.ExecuteTransient(other, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	if n := admitted(t, e, token("ci"), 100); n != 0 {
		t.Errorf("%d calls were admitted during the next write, of none that were left", n)
	}
	if err := sqlitex.ExecuteTransient(other, "ROLLBACK", nil); err != nil {
		t.Fatal(err)
	}
	second, closes := process(t, path, c.now)
	defer closes()
	if n := admitted(t, second, token("ci"), 100); n != 0 {
		t.Errorf("%d calls were admitted that had been used", n)
	}
}

func TestAWarningSaysWhatIsLeft(t *testing.T) {
	_, e, _ := budgeted(t, `{"actor":"token:ci","per":"hour","calls":30}`)
	for i := range 30 {
		res, err := e.Call(t.Context(), invoke.Call{Capability: "snapshot", Principal: token("ci")})
		if err != nil {
			t.Fatal(err)
		}
		switch left := 29 - i; {
		case left >= 3 && len(res.Warnings) > 0:
			t.Errorf("with %d left: %q", left, res.Warnings)
		case left == 2 && (len(res.Warnings) != 1 || res.Warnings[0] != "2 of 30 calls left until 2026-01-02 01:00 UTC: budget of token:ci, an hour"):
			t.Errorf("with %d left: %q", left, res.Warnings)
		}
	}
}

// What a call costs without a budget, with one that does not count it, and with one that does.
func BenchmarkBudgets(b *testing.B) {
	for name, budget := range map[string]string{
		"none": "", "of another": `{"actor":"token:other","per":"day","calls":1000000000}`, "of calls": `{"actor":"token:ci","per":"day","calls":1000000000}`,
		"of everything": `{"actor":"*","per":"day","calls":1000000000,"rows":1000000000,"bytes":1000000000000,"seconds":1000000,"cost":1000000000}`,
	} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "budgets.db")
			invoketest.Create(b, path, kg.CreateOptions{By: invoketest.Ana})
			e, closes := process(b, path, time.Now)
			defer closes()
			if budget != "" {
				set(b, e, budget)
			}
			for b.Loop() {
				if err := calls(b, e, token("ci"), "branches_list", "{}"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
