package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"trails/mcp"
)

const note = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func batch(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

// answersOf are the ids and codes of an array of answers, 0 for a result, sorted.
func answersOf(t *testing.T, text string) (list []string) {
	t.Helper()
	var answers []struct {
		ID    json.RawMessage
		Error *struct{ Code int }
	}
	if err := json.Unmarshal([]byte(text), &answers); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, a := range answers {
		code := 0
		if a.Error != nil {
			code = a.Error.Code
		}
		list = append(list, fmt.Sprintf("%s:%d", a.ID, code))
	}
	slices.Sort(list)
	return list
}

var batches = []struct {
	name, text string
	want       []string // nil: none
}{
	{"calls", batch(fmt.Sprintf(ping, 1), note, fmt.Sprintf(ping, 2)), []string{"1:0", "2:0"}},
	{"one call", batch(fmt.Sprintf(ping, 1)), []string{"1:0"}},
	{"a call that fails, and what is no message", batch(`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `7`, fmt.Sprintf(ping, 2)), []string{"1:-32601", "2:0", "null:-32600"}},
	{"two calls of one id", batch(fmt.Sprintf(ping, 1), fmt.Sprintf(ping, 1), fmt.Sprintf(ping, 2)), []string{"1:0", "2:0", "null:-32600"}},
	{"notifications alone", batch(note, note), nil},
	{"a handshake", batch(hello("2025-03-26", ""), fmt.Sprintf(ping, 2)), []string{"0:-32600", "2:0"}},
}

// TestABatchIsAnsweredAsOneInTheVersionThatHasThem asks on stdio.
func TestABatchIsAnsweredAsOneInTheVersionThatHasThem(t *testing.T) {
	for _, c := range batches {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := openStdio(t, &fake{}, options(""))
				s.greet("2025-03-26", "")
				got := s.send(c.text)
				if len(c.want) == 0 && len(got) > 0 || len(c.want) > 0 && (len(got) != 1 || !slices.Equal(answersOf(t, got[0]), c.want)) {
					t.Errorf("got %v, want %v", got, c.want)
				}
				s.alive(c.name)
				for _, wrong := range []string{"[]", batch(slices.Repeat([]string{note}, 101)...)} {
					if got := s.send(wrong); len(got) != 1 || code(t, got[0]) != -32600 {
						t.Errorf("%.50s: got %v", wrong, got)
					}
				}
				if err := s.end(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestABatchIsAnsweredAsOneOverHTTP(t *testing.T) {
	for _, c := range batches {
		for _, headers := range [][]string{nil, {"MCP-Protocol-Version: 2025-03-26"}} {
			t.Run(c.name, func(t *testing.T) {
				w := post(t, mcp.New(&fake{}, options("")).Handler(), c.text, headers...)
				switch {
				case len(c.want) == 0 && (w.Code != http.StatusAccepted || w.Body.Len() > 0):
					t.Errorf("got %d %s, want 202 and nothing", w.Code, w.Body)
				case len(c.want) > 0 && (w.Code != http.StatusOK || !slices.Equal(answersOf(t, w.Body.String()), c.want)):
					t.Errorf("got %d %s, want %v", w.Code, w.Body, c.want)
				}
			})
		}
	}
}

func TestABatchIsRefusedInEveryOtherVersion(t *testing.T) {
	text := batch(fmt.Sprintf(ping, 1))
	for _, version := range []string{"2024-11-05", "2025-06-18", "2025-11-25"} {
		w := post(t, mcp.New(&fake{}, options("")).Handler(), text, "MCP-Protocol-Version: "+version)
		if w.Code != http.StatusBadRequest || code(t, w.Body.String()) != -32600 {
			t.Errorf("%s: got %d %s", version, w.Code, w.Body)
		}
		synctest.Test(t, func(t *testing.T) {
			s := openStdio(t, &fake{}, options(""))
			if got := s.send(text); len(got) != 1 || code(t, got[0]) != -32600 {
				t.Errorf("before the handshake: got %v", got)
			}
			s.greet(version, "")
			if got := s.send(text); len(got) != 1 || code(t, got[0]) != -32600 {
				t.Errorf("%s: got %v", version, got)
			}
			if err := s.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestABatchIsAnsweredInASessionOfTheVersionThatHasThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWeb(t, mcp.New(&fake{}, options("")), stateful)
		for version, want := range map[string]int{"2025-03-26": http.StatusOK, "2025-06-18": http.StatusBadRequest} {
			b := w.browser(version, "ana")
			b.greet()
			status, got := b.post(batch(fmt.Sprintf(ping, 1), note, echo(2)))
			if status != want {
				t.Errorf("%s: got %d %s", version, status, got)
			}
			if want == http.StatusOK && !slices.Equal(answersOf(t, got), []string{"1:0", "2:0"}) {
				t.Errorf("%s: got %s", version, got)
			}
		}
	})
}
