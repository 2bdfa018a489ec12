package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trails/mcp"
)

const ping = `{"jsonrpc":"2.0","id":%d,"method":"ping"}`

// alive fails the test when the session does not answer a ping.
func (s *stdio) alive(what string) {
	s.t.Helper()
	if got := s.send(fmt.Sprintf(ping, 777)); len(got) != 1 || got[0] != `{"jsonrpc":"2.0","id":777,"result":{}}` {
		s.t.Fatalf("after %.80s: %v", what, got)
	}
}

// GO-SDK 0.4: the SDK's own transport ends the process on all but the first.
func TestTrap04AStdioSessionOutlivesEveryBadLine(t *testing.T) {
	deep := strings.Repeat("[", 101) + strings.Repeat("]", 101)
	for _, c := range []struct {
		name, line string
		code       int // 0: no answer
	}{
		{"an empty line is nothing", "", 0},
		{"spaces are nothing", " \t ", 0},
		{"malformed JSON", `{"jsonrpc"`, -32700},
		{"a word", `hello`, -32700},
		{"trailing bytes", `{"jsonrpc":"2.0","id":1,"method":"ping"} garbage`, -32700},
		{"two values on a line", `{} {}`, -32700},
		{"a NUL", "\x00", -32700},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}", -32700},
		{"a byte order mark", "\xef\xbb\xbf{}", -32700},
		{"a batch", `[` + fmt.Sprintf(ping, 1) + `]`, -32600},
		{"an empty batch", `[]`, -32600},
		{"a batch with a space before it", ` [1]`, -32600},
		{"deep nesting", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + deep + `}}`, -32600},
		{"deep nesting that never closes", strings.Repeat(`{"a":`, 1000), -32600},
		{"a line too long", `{"x":"` + strings.Repeat("x", 16<<20) + `"}`, -32600},
		{"a null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600},
		{"a fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, 0},
		{"a failure to nothing", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, 0},
		{"a method that is no notification, without id", `{"jsonrpc":"2.0","method":"tools/list"}`, 0},
		{"a notification with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, -32600},
		{"a notification with wrong params", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`, 0},
		{"a cancellation of nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, 0},
		{"a cancellation of no id", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := openStdio(t, &fake{}, options(""))
				for _, greeted := range []bool{false, true} {
					if greeted {
						s.greet("2025-11-25", "")
					}
					got := s.send(c.line)
					if c.code == 0 && len(got) > 0 || c.code != 0 && (len(got) != 1 || code(t, got[0]) != c.code) {
						t.Errorf("greeted %t: got %v, want code %d", greeted, got, c.code)
					}
					s.alive(c.name)
				}
				if err := s.end(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestTrap04SpaceAroundAMessageIsNoHarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		for _, line := range []string{fmt.Sprintf(ping, 1) + "  \t", "  " + fmt.Sprintf(ping, 1), fmt.Sprintf(ping, 1) + "\r"} {
			if got := s.one(line); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
				t.Errorf("%q: %s", line, got)
			}
		}
	})
}

// GO-SDK 0.4: the SDK drops what is in flight when its input ends.
func TestTrap04TheEndOfInputWaitsForEveryAnswer(t *testing.T) {
	for _, last := range []string{"\n", ""} {
		var in strings.Builder
		in.WriteString(hello("2025-11-25", "") + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
		for i := 1; i <= 50; i++ {
			fmt.Fprintln(&in, ask("2025-11-25", i, "tools/call", callTool("echo", map[string]any{}), ""))
		}
		in.WriteString(fmt.Sprintf(ping, 51) + last)
		var out buffer
		if err := mcp.New(&fake{}, options("")).RunStdio(t.Context(), strings.NewReader(in.String()), &out); err != nil {
			t.Fatal(err)
		}
		if got := out.take(); len(got) != 52 {
			t.Errorf("ending in %q: %d answers, want 52", last, len(got))
		}
	}
}

func TestTrap04ACallThatNeverEndsHoldsTheEndForThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		s.greet("2025-11-25", "")
		s.send(ask("2025-11-25", 1, "tools/call", callTool("slow", map[string]any{}), ""))
		start := time.Now()
		if err := s.end(); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != 30*time.Second { // of the bubble's clock
			t.Errorf("waited %s", waited)
		}
	})
}

func TestASubscriptionDoesNotHoldTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		s.send(ask("2026-07-28", 1, "subscriptions/listen", map[string]any{"notifications": map[string]any{"toolsListChanged": true}}, ""))
		start := time.Now()
		if err := s.end(); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %s", waited)
		}
	})
}

// A process that is told to stop waits for the calls in flight for two seconds, and answers those that it cuts.
func TestAnEndedContextEndsTheSession(t *testing.T) {
	for name, waits := range map[string]time.Duration{"echo": 0, "slow": 2 * time.Second} {
		for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := openStdio(t, &fake{}, options(""))
					if version < "2026" {
						s.greet(version, "")
					}
					got := s.send(ask(version, 1, "tools/call", callTool(name, map[string]any{}), ""))
					start := time.Now()
					s.stop()
					if err := <-s.done; !errors.Is(err, context.Canceled) || time.Since(start) != waits {
						t.Errorf("got %v after %s", err, time.Since(start))
					}
					got = append(got, s.out.take()...)
					if len(got) != 1 || strings.Contains(got[0], "the server was stopped before this call had an answer") != (waits > 0) {
						t.Errorf("the call is answered with %q", got)
					}
				})
			})
		}
	}
}

func TestAReaderThatIsGoneEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		r, out := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- mcp.New(&fake{}, options("")).RunStdio(t.Context(), in, out) }()
		r.Close()
		fmt.Fprintf(w, ping+"\n", 1)
		if err := <-done; err == nil {
			t.Error("no error, though nobody reads")
		}
		w.Close()
	})
}

// GO-SDK 2: the SDK answers a cancelled request, with code 0.
func TestTrapSection2ACancelledRequestHasNoAnswerAndIsNoFaultOfOurs(t *testing.T) {
	var log buffer
	opts := options("")
	opts.Log = logTo(&log)
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, opts)
		s.greet("2025-11-25", "")
		for id, args := range []map[string]any{{}, {"as": "fault"}} {
			s.send(ask("2025-11-25", id, "tools/call", callTool("slow", args), ""))
			if got := s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)); len(got) > 0 {
				t.Errorf("got %v", got)
			}
		}
		s.alive("a cancellation")
	})
	if logged := log.take(); len(logged) > 0 {
		t.Errorf("logged: %v", logged)
	}
}

// GO-SDK 2: the SDK would cut 1.5 to 1 and cancel that.
func TestTrapSection2AFractionCancelsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		s.greet("2025-11-25", "")
		s.send(ask("2025-11-25", 1, "tools/call", callTool("slow", map[string]any{}), ""))
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}`)
		if got := s.one(ask("2025-11-25", 1, "ping", nil, "")); got != `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: id 1 is in flight already"}}` {
			t.Errorf("got %s", got)
		}
	})
}

func TestASessionHasABoundedNumberOfRequestsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		s.greet("2025-11-25", "")
		lines := make([]string, 1025)
		for i := range lines {
			lines[i] = ask("2025-11-25", i, "tools/call", callTool("slow", map[string]any{}), "")
		}
		want := `{"jsonrpc":"2.0","id":1024,"error":{"code":-32003,"message":"1024 requests of this session are in flight, and no more are taken; wait for answers first","data":{"limit":1024,"retry_after":1,"used":1024}}}`
		if got := s.send(lines...); len(got) != 1 || got[0] != want {
			t.Errorf("got %v", got)
		}
	})
}

func TestProgressIsReportedToAClientThatAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		s.greet("2025-11-25", "")
		params := callTool("echo", map[string]any{})
		params["_meta"] = map[string]any{"progressToken": "p"}
		got := s.send(ask("2025-11-25", 1, "tools/call", params, ""))
		want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","message":"read (bytes)","progress":1,"total":2}}`
		if len(got) != 2 || got[0] != want {
			t.Errorf("got %v", got)
		}
	})
}
