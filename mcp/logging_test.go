package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trails/invoke"
)

// writer is an engine whose every call is a commit.
type writer struct{ *fake }

func (w writer) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	if c.Capability != "note_create" {
		return w.fake.Call(ctx, c)
	}
	return invoke.Result{
		Structured: json.RawMessage(`{"id":"secret","commit":"c0ffee","branch":"main","added":2,"removed":1,"dry_run":false}`),
		Written:    &invoke.Written{Commit: new("c0ffee"), Branch: "main", Added: 2, Removed: 1},
	}, nil
}

// logged are the messages among what was heard.
func logged(t *testing.T, lines []string) []string {
	t.Helper()
	var out []string
	for _, line := range lines {
		if a := parse(t, line); a.Method == "notifications/message" {
			out = append(out, string(a.Params))
		}
	}
	return out
}

func setLevel(id int, level string) string {
	return ask("2025-11-25", id, "logging/setLevel", map[string]any{"level": level}, "")
}

func TestASessionHearsOfItsWritesAndRefusalsFromTheLevelThatItSets(t *testing.T) {
	const write = `{"data":{"capability":"note_create","commit":"c0ffee","added":2,"removed":1},"level":"info","logger":"trails"}`
	const notice = `{"data":{"capability":"fail","kind":"invalid_data","fields":["status: one_of"]},"level":"notice","logger":"trails"}`
	const warning = `{"data":{"capability":"fail","kind":"denied"},"level":"warning","logger":"trails"}`
	const failure = `{"data":{"capability":"fail","kind":"internal","trace_id":"0af7651916cd43dd8448eb211c80319c"},"level":"error","logger":"trails"}`
	for level, want := range map[string][]string{
		"":        nil,
		"debug":   {write, notice, warning, failure},
		"info":    {write, notice, warning, failure},
		"notice":  {notice, warning, failure},
		"warning": {warning, failure},
		"error":   {failure},
		"alert":   nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := openStdio(t, writer{&fake{}}, options(""))
			s.greet("2025-11-25", "")
			if level != "" {
				s.one(setLevel(1, level))
			}
			got := logged(t, s.send(
				ask("2025-11-25", 2, "tools/call", callTool("note_create", map[string]any{}), "")))
			for i, kind := range []string{"invalid_data", "denied", "internal"} {
				got = append(got, logged(t, s.send(ask("2025-11-25", 3+i, "tools/call", callTool("fail", map[string]any{"kind": kind}), "")))...)
			}
			got = append(got, logged(t, s.send(ask("2025-11-25", 9, "tools/call", callTool("echo", map[string]any{}), "")))...) // a read
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q: got\n%s\nwant\n%s", level, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// In the protocol without sessions each request says what it wants to hear.
func TestARequestThatStandsAloneSaysItsLevelItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, writer{&fake{}}, options(""))
		for id, level := range []string{"", "error", "info"} {
			params := callTool("note_create", map[string]any{})
			if level != "" {
				params["_meta"] = map[string]any{"io.modelcontextprotocol/logLevel": level}
			}
			got := logged(t, s.send(ask("2026-07-28", id+1, "tools/call", params, "")))
			if want := level == "info"; (len(got) == 1) != want {
				t.Errorf("level %q: %v", level, got)
			}
		}
	})
}

func TestALoggedCallIsNamedByNothingThatHidesWhatItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		s.greet("2025-11-25", "")
		s.one(setLevel(1, "debug"))
		for _, name := range []string{"no\nsuch\u202etool", strings.Repeat("x", 10_000)} {
			got := logged(t, s.send(ask("2025-11-25", 2, "tools/call", callTool(name, nil), "")))
			if len(got) != 1 || len(got[0]) > 300 || strings.ContainsAny(got[0], "\u202e") || strings.Contains(got[0], `\n`) {
				t.Errorf("got %.400s", got)
			}
		}
	})
}

// However many calls a client makes, what it hears of them stays bounded, and it
// hears how much it did not.
func TestAFloodOfMessagesIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, writer{&fake{}}, options(""))
		s.greet("2025-11-25", "")
		s.one(setLevel(1, "info"))
		lines := make([]string, 200)
		for i := range lines {
			lines[i] = ask("2025-11-25", 10+i, "tools/call", callTool("note_create", map[string]any{}), "")
		}
		if got := logged(t, s.send(lines...)); len(got) != 50 {
			t.Errorf("%d messages", len(got))
		}
		time.Sleep(10 * time.Second)
		got := logged(t, s.send(lines[0]))
		if len(got) != 1 || !strings.Contains(got[0], `"suppressed":150`) {
			t.Errorf("after a rest: %v", got)
		}
	})
}

// What is below the level takes no room from what is not.
func TestWhatIsNotHeardDoesNotCountAsAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, writer{&fake{}}, options(""))
		s.greet("2025-11-25", "")
		s.one(setLevel(1, "error"))
		for i := range 100 {
			s.send(ask("2025-11-25", 10+i, "tools/call", callTool("note_create", map[string]any{}), ""))
		}
		got := logged(t, s.send(ask("2025-11-25", 2, "tools/call", callTool("fail", map[string]any{"kind": "internal"}), "")))
		if len(got) != 1 || strings.Contains(got[0], "suppressed") {
			t.Errorf("got %v", got)
		}
	})
}
