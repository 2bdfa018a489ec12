package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"trails/auth"
	"trails/mcp"
)

// requests are one of each method, of every version.
var requests = []struct {
	method string
	params map[string]any
}{
	{"ping", nil},
	{"server/discover", nil},
	{"tools/list", nil},
	{"tools/call", callTool("echo", map[string]any{})},
	{"tools/call", callTool("nosuch", map[string]any{})},
	{"resources/list", nil},
	{"resources/templates/list", nil},
	{"resources/read", map[string]any{"uri": "trails://schema"}},
	{"resources/subscribe", map[string]any{"uri": "trails://schema"}},
	{"subscriptions/listen", map[string]any{"notifications": map[string]any{"toolsListChanged": true}}},
	{"prompts/list", nil},
	{"logging/setLevel", map[string]any{"level": "debug"}},
	{"no/such", nil},
}

// GO-SDK 0.1: the protocol without initialize walks around a token that is only
// checked there, and afterwards requests without any annotation pass, too.
func TestTrap01NoMethodOfAnyVersionWorksOnStdioWithoutTheToken(t *testing.T) {
	for _, version := range versions {
		for _, bearer := range []string{"", "wrong", token + "x"} {
			t.Run(version+" bearer "+bearer, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					e := &fake{}
					s := openStdio(t, e, options(token))
					for i, r := range requests {
						if got := s.one(ask(version, i, r.method, r.params, bearer)); code(t, got) != -32001 {
							t.Errorf("%s: %s", r.method, got)
						}
					}
					if got := s.one(hello(version, bearer)); code(t, got) != -32001 {
						t.Errorf("initialize: %s", got)
					}
					if got := s.one(ask("2025-11-25", 99, "tools/list", nil, "")); code(t, got) != -32001 {
						t.Errorf("without annotation, afterwards: %s", got)
					}
					if n := e.called(); n > 0 {
						t.Errorf("%d calls reached the engine", n)
					}
				})
			})
		}
	}
}

func TestTrap01ARequestThatStandsAloneLetsNobodyElseIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(token))
		if got := s.one(ask("2026-07-28", 1, "tools/list", nil, token)); code(t, got) != 0 {
			t.Fatalf("with the token: %s", got)
		}
		for _, line := range []string{
			ask("2026-07-28", 2, "tools/list", nil, ""),
			ask("2025-11-25", 3, "tools/list", nil, ""),
			ask("2025-11-25", 4, "ping", nil, token),
			ask("2027-01-01", 5, "tools/list", map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2027-01-01"}}, ""),
		} {
			if got := s.one(line); code(t, got) != -32001 {
				t.Errorf("%s\n  %s", line, got)
			}
		}
	})
}

func TestTrap01AnInitializedSessionStillShowsTheTokenInRequestsThatStandAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(token))
		s.greet("2025-11-25", token)
		if got := s.one(ask("2026-07-28", 1, "tools/list", nil, "")); code(t, got) != -32001 {
			t.Errorf("got %s", got)
		}
		if got := s.one(ask("2025-11-25", 2, "tools/list", nil, "")); code(t, got) != 0 {
			t.Errorf("got %s", got)
		}
	})
}

func TestTheTokenIsOnlyTakenFromWhereItBelongs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(token))
		in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}`
		for _, params := range []string{
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"},"_meta":{"trails/bearer":"s3cret"}}`,
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1","Authorization":"Bearer s3cret"}}`,
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1","authorization":{"bearer":["s3cret"]}}}`,
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1","authorization":"s3cret"}}`,
			`{"protocolVersion":"2025-11-25","capabilities":{},"authorization":{"bearer":"s3cret"}}`,
			`["s3cret"]`, `null`,
		} {
			if got := s.one(fmt.Sprintf(in, params)); code(t, got) != -32001 {
				t.Errorf("%s\n  %s", params, got)
			}
		}
	})
}

// GO-SDK 3: a refused initialize leaves the session as it was, and may be repeated.
func TestTrapSection3ARefusedInitializeMayBeTriedAgain(t *testing.T) {
	for _, version := range versions {
		synctest.Test(t, func(t *testing.T) {
			e := &fake{}
			s := openStdio(t, e, options(token))
			for range 3 {
				if got := s.one(hello(version, "wrong")); code(t, got) != -32001 {
					t.Fatalf("got %s", got)
				}
			}
			s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			s.greet(version, token)
			if got := s.one(ask("2025-11-25", 1, "tools/call", callTool("echo", map[string]any{}), "")); code(t, got) != 0 {
				t.Errorf("got %s", got)
			}
			if p := e.lastCall().Principal; !p.Authenticated || p.ID != "local:ana" || p.Client != "tester" || p.Version != "1" {
				t.Errorf("principal: %+v", p)
			}
		})
	}
}

func TestNotificationsOfAStrangerAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(token))
		if got := s.send(ask("2026-07-28", 1, "tools/call", callTool("slow", map[string]any{}), token)); len(got) > 0 {
			t.Fatalf("got %v", got)
		}
		cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1%s}}`
		s.send(fmt.Sprintf(cancel, ""), fmt.Sprintf(cancel, `,"_meta":{"trails/bearer":"wrong"}`))
		if got := s.one(ask("2026-07-28", 1, "ping", nil, token)); !strings.Contains(got, "in flight") {
			t.Errorf("a stranger cancelled: %s", got)
		}
		s.send(fmt.Sprintf(cancel, `,"_meta":{"trails/bearer":"s3cret"}`))
		if got := s.one(ask("2026-07-28", 1, "tools/list", nil, token)); code(t, got) != 0 {
			t.Errorf("the owner could not cancel: %s", got)
		}
	})
}

func TestTheTokenGoesNoFurtherThanTheGate(t *testing.T) {
	var log buffer
	opts := options(token)
	opts.Log = logTo(&log)
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, opts)
		var heard []string
		heard = append(heard, s.send(
			strings.Replace(hello("2025-11-25", token), `"name":"tester"`, `"name":[]`, 1),
			hello("2025-11-25", token), hello("2025-11-25", token),
			ask("2026-07-28", 1, "tools/call", callTool("panic", map[string]any{}), token),
			ask("2026-07-28", 2, "tools/call", callTool("fail", map[string]any{"kind": "plain"}), token),
			ask("2026-07-28", 3, "server/discover", map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/logLevel": []int{}}}, token),
		)...)
		if text := strings.Join(heard, "\n") + log.String(); strings.Contains(text, token) {
			t.Errorf("the token is in\n%s", text)
		}
	})
}

func TestTrap01NoMethodOfAnyVersionWorksOverHTTPWithoutTheToken(t *testing.T) {
	e := &fake{}
	h := mcp.New(e, options(token)).Handler()
	for _, version := range versions {
		for _, authorization := range []string{"", "Bearer", "Bearer wrong", "Basic s3cret", "s3cret"} {
			for i, r := range requests {
				headers := append(versionHeaders(version, r.method, "echo"), "Authorization: "+authorization)
				w := post(t, h, ask(version, i, r.method, r.params, token), headers...)
				want := "Bearer"
				if authorization == "Bearer wrong" {
					want = `Bearer error="invalid_token", error_description="the token is not valid"`
				}
				if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != want || code(t, w.Body.String()) != -32001 {
					t.Errorf("%s %s %q: %d %s", version, r.method, authorization, w.Code, w.Body)
				}
			}
		}
	}
	if n := e.called(); n > 0 {
		t.Errorf("%d calls reached the engine", n)
	}
}

func TestTheTokenOpensEveryVersionOverHTTP(t *testing.T) {
	e := &fake{}
	h := mcp.New(e, options(token)).Handler()
	for _, version := range versions {
		headers := append(versionHeaders(version, "tools/call", "echo"), "Authorization: bearer "+token, "User-Agent: curl/8.5 (x)")
		w := post(t, h, ask(version, 1, "tools/call", callTool("echo", map[string]any{}), ""), headers...)
		if w.Code != http.StatusOK || code(t, w.Body.String()) != 0 {
			t.Errorf("%s: %d %s", version, w.Code, w.Body)
		}
		want, its := "curl", "8.5"
		if version == "2026-07-28" {
			want, its = "tester", "1"
		}
		if c := e.lastCall(); !c.Principal.Authenticated || c.Principal.ID != "local:ana" || c.Principal.Client != want || c.Principal.Version != its || c.Via != "mcp-http" {
			t.Errorf("%s: %+v", version, c)
		}
	}
}

func TestBuilderToolsAreHiddenFromAndRefusedToCallersWithoutAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := optionsOf(auth.Options{Scopes: scopes(t, "runtime,builder,dev")})
		s := openStdio(t, &fake{}, opts)
		s.greet("2025-11-25", "")
		if got := s.one(ask("2025-11-25", 1, "tools/list", nil, "")); strings.Contains(got, "trails_meta") {
			t.Errorf("listed: %s", got)
		}
		for _, name := range []string{"trails_meta_schema_plan", "trails_meta_gen_type"} {
			want := `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"Authentication failed: ` + name + ` requires `
			if got := s.one(ask("2025-11-25", 2, "tools/call", callTool(name, map[string]any{}), "")); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}
