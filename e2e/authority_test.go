package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/e2e/testrun"
)

// A credential is what a caller shows, and what is known of the caller by it. None of it is known to a server that nobody
// told: all is in the file.
type credential struct {
	name, secret string
	known        bool
	scopes       []string
}

// outcome is what becomes of a call, as far as authority is concerned.
type outcome string

const (
	unknownCaller outcome = "the caller is not known"
	lacksScope    outcome = "the caller lacks the scope"
	passed        outcome = "the call is made, whatever it answers"
)

// may is what becomes of a call that requires a scope.
func (c credential) may(scope string) outcome {
	switch {
	case !c.known:
		return unknownCaller
	case !slices.Contains(c.scopes, scope):
		return lacksScope
	}
	return passed
}

// credentials issues tokens of every kind, and returns them with their secrets.
func credentials(t *testing.T, file string) (known, wrong []credential) {
	t.Helper()
	issue := func(file, name string, flags ...string) string {
		text := must(t, append([]string{"token", "create", file, name}, flags...)...)
		return strings.SplitN(text, "\n", 2)[0]
	}
	for _, scopes := range []string{"runtime", "builder", "dev", "runtime,builder", "runtime,dev", "runtime,builder,dev"} {
		name := strings.ReplaceAll(scopes, ",", "-")
		known = append(known, credential{scopes, issue(file, name, "--scopes", scopes), true, strings.Split(scopes, ",")})
	}
	revoked := issue(file, "revoked", "--scopes", "runtime,builder,dev")
	must(t, "token", "revoke", file, "revoked")
	expired := issue(file, "expired", "--scopes", "runtime,builder,dev", "--expires", time.Now().Add(5*time.Second).UTC().Format(time.RFC3339))
	other := notesFile(t)
	elsewhere := issue(other, "runtime", "--scopes", "runtime,builder,dev")
	for state := ""; state != "expired"; time.Sleep(100 * time.Millisecond) {
		state = regexp.MustCompile(`(?m)^expired +(\w+)`).FindStringSubmatch(must(t, "token", "list", file))[1]
	}
	// Another last letter: each secret ends with 2 or with something else.
	near := known[0].secret[:len(known[0].secret)-1]
	near += map[bool]string{true: "3", false: "2"}[near+"2" == known[0].secret]
	return known, []credential{
		{name: "a word", secret: "sesame"},
		{name: "a name that was not issued", secret: strings.Replace(known[0].secret, "trails_runtime_", "trails_nobody_", 1)},
		{name: "another secret of a name that was", secret: near},
		{name: "a token of another graph", secret: elsewhere},
		{name: "a revoked one", secret: revoked},
		{name: "an expired one", secret: expired},
	}
}

// capabilities returns the scope that each capability requires which is a tool, by its name there.
func capabilities(t *testing.T, w *web) map[string]string {
	t.Helper()
	status, body, err := w.do(http.MethodGet, "/capabilities", nil, nil)
	var list struct {
		Capabilities []struct {
			ToolName string                 `json:"tool_name"`
			Policy   struct{ Scope string } `json:"policy_required"`
		}
	}
	if err != nil || status != 200 || json.Unmarshal(body, &list) != nil {
		t.Fatalf("/capabilities: %d, %v", status, err)
	}
	scopes, count := map[string]string{}, map[string]int{}
	for _, c := range list.Capabilities {
		scopes[c.ToolName] = c.Policy.Scope
		count[c.Policy.Scope]++
	}
	if count["runtime"] < 40 || count["builder"] < 10 || count["dev"] < 4 {
		t.Fatalf("there are %v capabilities alone", count)
	}
	return scopes
}

// ofMCP is the outcome of an answer of MCP.
func ofMCP(err error) outcome {
	var refused *rpcError
	if errors.As(err, &refused) {
		switch refused.Code {
		case -32001:
			return unknownCaller
		case -32004:
			return lacksScope
		}
	}
	return passed
}

// ofHTTP is the outcome of an answer of HTTP.
func ofHTTP(status int, body []byte) outcome {
	switch {
	case status == http.StatusUnauthorized:
		return unknownCaller
	case status == http.StatusForbidden && bytes.Contains(body, []byte("urn:trails:problem:scope_denied")):
		return lacksScope
	}
	return passed
}

// stateful is a session at a server that keeps them.
type stateful struct {
	*web
	header http.Header
}

// openStateful begins a session, with more headers. Refused, it returns the outcome.
func openStateful(t *testing.T, w *web, more ...http.Header) (stateful, outcome) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/mcp", bytes.NewReader(request(1, "initialize", greeting("stateful"))))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for _, header := range more {
		maps.Copy(r.Header, header)
	}
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return stateful{}, ofHTTP(res.StatusCode, nil)
	}
	return stateful{w, http.Header{"Mcp-Session-Id": {res.Header.Get("Mcp-Session-Id")}, "Mcp-Protocol-Version": {"2025-11-25"}}}, passed
}

func (s stateful) call(method string, params any) (json.RawMessage, error) {
	status, body, err := s.post("/mcp", request(s.last.Add(1)+1, method, params), s.header)
	if err != nil {
		return nil, err
	}
	if _, data, is := bytes.Cut(body, []byte("data: {")); is {
		body = append([]byte("{"), bytes.SplitN(data, []byte("\n"), 2)[0]...)
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("%s: status %d: %s", method, status, body)
	}
	return m.answer()
}

// TestWhoMayCallWhat calls every capability at every door with every token that is known.
func TestWhoMayCallWhat(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	known, _ := credentials(t, file)
	all := known[len(known)-1]
	process := "TRAILS_MCP_SCOPES=runtime,builder,dev"
	stateless, kept := openWeb(t, file, process), startWeb(t, []string{process}, file, "--stateful")
	stateless.token = all.secret
	scopes := capabilities(t, stateless)
	everything, err := stateless.call("tools/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	before := must(t, "export", file)
	for _, c := range known {
		t.Run(c.name, func(t *testing.T) {
			stateless.token, kept.token = c.secret, c.secret
			session, opened := openStateful(t, kept)
			if opened != passed {
				t.Fatal(opened)
			}
			pipe := openStdio(t, file, process, "TRAILS_TOKEN="+c.secret)
			for name, d := range map[string]door{"/mcp": stateless, "a session": session, "stdio": pipe} {
				for id, scope := range scopes {
					_, err := tool(d, id, map[string]any{})
					if errors.Is(err, errGone) {
						t.Fatalf("%s: %s: %v", name, id, err)
					}
					if got := ofMCP(err); got != c.may(scope) {
						t.Errorf("%s: %s, which requires %s: %s: %v", name, id, scope, got, err)
					}
				}
				text, err := d.call("tools/list", map[string]any{})
				if want := listed(t, everything, func(tool string) bool { return c.may(scopes[tool]) == passed }); err != nil || !slices.Equal(listed(t, text, func(string) bool { return true }), want) {
					t.Errorf("%s lists other tools than it may call: %v", name, err)
				}
			}
			for id, scope := range scopes {
				status, body, err := stateless.post("/invoke/"+id, []byte("{}"), nil)
				if got := ofHTTP(status, body); err != nil || got != c.may(scope) {
					t.Errorf("/invoke: %s, which requires %s: %s: %d, %v", id, scope, got, status, err)
				}
			}
		})
	}
	if after := must(t, "export", file); after != before {
		t.Error("a call without arguments changed the graph")
	}
}

// listed are the names in a list of tools that fit, in order.
func listed(t *testing.T, text json.RawMessage, fits func(string) bool) (names []string) {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(text, &list); err != nil || len(list.Tools) == 0 && len(text) > 100 {
		t.Fatalf("%v: %s", err, text)
	}
	for _, tool := range list.Tools {
		if fits(tool.Name) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// openToAll are the addresses that ask for no token.
var openToAll = map[string]bool{"/health": true, "/ready": true, "/admin": true, "/mcp/server-card": true, "/.well-known/ai-catalog.json": true}

// authorization are the addresses of the authorization server, which a process has that was asked for one.
var authorization = map[string]bool{"/token": true, "/register": true, "/revoke": true}

// TestEveryAddressAsksForAToken asks every address that the server names without a token.
func TestEveryAddressAsksForAToken(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	known, _ := credentials(t, file)
	w := openWeb(t, file)
	w.token = known[0].secret
	routes := everyRoute(t, w)
	w.token = ""
	for _, route := range routes {
		method, path := route[0], route[1]
		var body []byte
		if method != http.MethodGet {
			body = []byte("{}")
		}
		status, text, err := w.do(method, path, body, nil)
		if (strings.HasPrefix(path, "/.well-known/oauth-") || authorization[path]) && status == http.StatusNotFound {
			continue // there is none, and clients that ask whether there is one have no token yet
		}
		if err != nil || (status == http.StatusUnauthorized) == openToAll[path] || !openToAll[path] && len(text) > 2_000 {
			t.Errorf("%s %s: %d, %v: %s", method, path, status, err, text)
		}
	}
}

// TestTokensThatAreNotValid are shown at every kind of door, over every transport. Each has a server of its own, because
// one that was shown many slows its answers down.
func TestTokensThatAreNotValid(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	_, wrong := credentials(t, file)
	process := "TRAILS_MCP_SCOPES=runtime,builder,dev"
	answers := map[string][]string{} // by door; who shows no right secret is told the same
	for _, c := range wrong {
		t.Run(c.name, func(t *testing.T) {
			w := startWeb(t, []string{process}, file, "--stateful")
			w.token = c.secret
			if _, got := openStateful(t, w); got != unknownCaller {
				t.Errorf("a session: %s", got)
			}
			for path, method := range map[string]string{"/invoke/health": "POST", "/sse": "GET", "/messages": "POST", "/schema": "GET", "/sparql?query=ASK%7B%7D": "GET", "/changes": "GET"} {
				var body []byte
				if method == "POST" {
					body = []byte("{}")
				}
				status, text, err := w.do(method, path, body, nil)
				if err != nil || status != http.StatusUnauthorized {
					t.Errorf("%s: %d, %v", path, status, err)
				}
				text = regexp.MustCompile(`"trace_id":"\w+"`).ReplaceAll(text, nil)
				if state := regexp.MustCompile(`revoked|expired`).FindString(c.name); state == "" {
					answers[path] = append(answers[path], string(text))
				} else if !strings.Contains(string(text), state) {
					t.Errorf("%s: who has the secret is not told that it is %s: %s", path, state, text)
				}
			}
			browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			res, err := browser.PostForm(w.base+"/admin/login", url.Values{"token": {c.secret}})
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.StatusCode != http.StatusForbidden || len(res.Cookies()) > 0 {
				t.Errorf("the pages: %s with %v", res.Status, res.Cookies())
			}
			pipe := startStdio(t, file, process, "TRAILS_TOKEN="+c.secret)
			_, err = pipe.call("initialize", greeting("wrong"))
			if isToken := strings.HasPrefix(c.secret, "trails_"); (ofMCP(err) == unknownCaller) != isToken {
				t.Errorf("stdio: %v", err)
			}
		})
	}
	for path, all := range answers {
		if len(slices.Compact(all)) != 1 || len(all) == 0 {
			t.Errorf("%s answers wrong tokens in different ways: %q", path, all)
		}
	}
}
