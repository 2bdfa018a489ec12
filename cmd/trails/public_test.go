package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// startServer runs `trails serve` on a free port, and returns where it listens and what
// it said until it was ready.
func startServer(t *testing.T, env []string, args ...string) (base, said string) {
	t.Helper()
	said = startServing(t, env, args...)
	base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(said)
	if base == "" {
		t.Fatalf("it does not serve: %s", said)
	}
	return base, said
}

// startServing runs `trails serve`, and returns what it says at the start.
func startServing(t *testing.T, env []string, args ...string) (said string) {
	t.Helper()
	cmd := exec.Command("trails", append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(cmd.Environ(), env...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		said += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "stop with") {
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	return said
}

// browser is somebody who finds a public name at a proxy with TLS.
type browser struct {
	*http.Client
	base string // of the public name
	jar  *cookiejar.Jar
}

// behindProxy serves a file behind a reverse proxy with TLS. With keepHost the proxy hands
// the Host on as it came, else the address of the server, as many do by default.
func behindProxy(t *testing.T, file string, keepHost bool) (b browser, said string) {
	t.Helper()
	var target *url.URL
	handsOn := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target)
		p.Out.Header["X-Forwarded-For"] = p.In.Header["X-Forwarded-For"] // as of a proxy before this one
		p.SetXForwarded()
		if keepHost {
			p.Out.Host = p.In.Host
		}
	}}
	// Like most proxies it has a body whole before it hands it on. The one of Go would cut an
	// answer that comes before it has looked for the end of the body.
	proxy := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handsOn.ServeHTTP(w, r)
	}))
	addr := proxy.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	b.base = "https://example.com:" + port // a name in the certificate of httptest
	local, said := startServer(t, []string{"TRAILS_MCP_TOKEN=s3cret"}, file, "--public-url", b.base)
	target, err := url.Parse(local)
	if err != nil {
		t.Fatal(err)
	}
	proxy.StartTLS()
	t.Cleanup(proxy.Close)
	if b.jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	transport := proxy.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: transport.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	b.Client = &http.Client{Transport: transport, Jar: b.jar}
	return b, said
}

// ask sends a request and returns its answer whole.
func (b browser) ask(t *testing.T, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

// signIn shows the token in the form, as a browser does.
func (b browser) signIn(t *testing.T, token string, headers ...string) *http.Response {
	t.Helper()
	form := url.Values{"token": {token}, "next": {"/admin"}}
	res, _ := b.ask(t, "POST", "/admin/login", form.Encode(), append([]string{
		"Content-Type", "application/x-www-form-urlencoded", "Origin", b.base, "Sec-Fetch-Site", "same-origin"}, headers...)...)
	return res
}

func TestOnePublicNameOverTLSAtAProxy(t *testing.T) {
	for _, keepHost := range []bool{true, false} {
		file := starter(t, newNotes(t))
		b, said := behindProxy(t, file, keepHost)
		if !strings.Contains(said, b.base+"/admin") || !strings.Contains(said, "claude mcp add --transport http trails "+b.base+"/mcp") {
			t.Errorf("it says %s", said)
		}

		// People: the session's cookie is for TLS and this name alone.
		if res, _ := b.ask(t, "GET", "/admin", ""); res.Request.URL.Path != "/admin/login" || res.Request.URL.Host != strings.TrimPrefix(b.base, "https://") {
			t.Errorf("without a session one is at %s", res.Request.URL)
		}
		res := b.signIn(t, "s3cret")
		if res.StatusCode != 200 || res.Request.URL.String() != b.base+"/admin" {
			t.Fatalf("after the sign-in: %d at %s", res.StatusCode, res.Request.URL)
		}
		first := res.Request.Response.Header.Get("Set-Cookie")
		if !regexp.MustCompile(`^__Host-trails-session-\d+-notes=\w+; Path=/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$`).MatchString(first) {
			t.Errorf("the cookie is %s", first)
		}
		_, page := b.ask(t, "GET", "/admin", "")
		if !strings.Contains(page, b.base+"/mcp") || strings.Contains(page, "127.0.0.1") || strings.Contains(page, "http://example.com") {
			t.Error("the overview does not say the public address")
		}
		if res, text := b.ask(t, "GET", "/schema", ""); res.StatusCode != 200 {
			t.Errorf("a link from a page to data: %d %s", res.StatusCode, text)
		}

		// Programs and agents.
		bearer := []string{"Authorization", "Bearer s3cret"}
		if _, text := b.ask(t, "GET", "/sparql", "", append(bearer, "Accept", "text/turtle")...); !strings.Contains(text, "<"+b.base+"/sparql>") {
			t.Errorf("the service describes itself as %s", text)
		}
		made, _ := b.ask(t, "POST", "/rdf-graphs", "<urn:a> <urn:b> <> .", append(bearer, "Content-Type", "text/turtle", "Origin", b.base)...)
		if at := made.Header.Get("Location"); made.StatusCode != 201 || !strings.HasPrefix(at, b.base+"/rdf-graphs/") {
			t.Errorf("a graph is made with %d at %s", made.StatusCode, at)
		}
		listed, text := b.ask(t, "GET", "/kg/Note?limit=1", "", bearer...)
		if link := listed.Header.Get("Link"); listed.StatusCode != 200 || strings.Contains(link, "127.0.0.1") {
			t.Errorf("%d %s links to %s", listed.StatusCode, text, link)
		}
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_create","arguments":{"title":"Over TLS"}}}`
		asAgent := append(bearer, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
		if res, text := b.ask(t, "POST", "/mcp", call, asAgent...); res.StatusCode != 200 || !strings.Contains(text, `"structuredContent":{"id":`) {
			t.Errorf("an agent: %d %s", res.StatusCode, text)
		}
		if res, text := b.ask(t, "POST", "/mcp", call, append(asAgent, "Origin", b.base)...); res.StatusCode != 200 {
			t.Errorf("an agent in a page of this name: %d %s", res.StatusCode, text)
		}

		// Strangers.
		for _, path := range []string{"/mcp", "/invoke/note.create"} {
			if res, _ := b.ask(t, "POST", path, call, append(asAgent, "Origin", "https://evil.example")...); res.StatusCode != 403 {
				t.Errorf("a page of another site at %s: %d", path, res.StatusCode)
			}
		}
		if res, _ := b.ask(t, "GET", "/schema", "", "Cookie", "trails-session=old; trails-session-8757-notes=old", "Authorization", "Bearer wrong"); res.StatusCode != 200 {
			t.Errorf("beside cookies of other servers the session is %d", res.StatusCode)
		}
	}
}

// All requests come from the proxy, and the tries of one caller lock out no other.
func TestGuessesBehindAProxyAreCountedByCaller(t *testing.T) {
	b, _ := behindProxy(t, newNotes(t), true)
	for range 10 {
		if res := b.signIn(t, "wrong", "X-Forwarded-For", "192.0.2.1"); res.StatusCode != http.StatusForbidden {
			t.Errorf("a wrong token: %d", res.StatusCode)
		}
	}
	if res := b.signIn(t, "wrong", "X-Forwarded-For", "192.0.2.1"); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one wrong token more: %d", res.StatusCode)
	}
	if res := b.signIn(t, "s3cret", "X-Forwarded-For", "192.0.2.2"); res.StatusCode != http.StatusOK {
		t.Errorf("the right token of somebody else: %d", res.StatusCode)
	}
}

func TestAPublicNameNeedsAToken(t *testing.T) {
	file := newNotes(t)
	for _, c := range []struct {
		args []string
		env  []string
		says string
	}{
		{[]string{"--public-url", "https://trails.example.org"}, nil, "TRAILS_MCP_TOKEN"},
		{nil, []string{"TRAILS_PUBLIC_URL=https://trails.example.org"}, "TRAILS_MCP_TOKEN"},
		{[]string{"--public-url", "https://trails.example.org/admin/notes"}, []string{"TRAILS_MCP_TOKEN=s"}, "addresses of the server begin with it"},
		{[]string{"--public-url", "https://trails.example.org/a%20b"}, []string{"TRAILS_MCP_TOKEN=s"}, "its path is no row of names"},
		{[]string{"--public-url", "http://trails.example.org"}, []string{"TRAILS_MCP_TOKEN=s"}, "without TLS"},
		{[]string{"--trusted-proxy", "10.0.0.0/8"}, []string{"TRAILS_MCP_TOKEN=s"}, "needs --public-url"},
		{[]string{"--public-url", "https://trails.example.org", "--trusted-proxy", "proxy"}, []string{"TRAILS_MCP_TOKEN=s"}, "no address and no network"},
	} {
		var out, errs strings.Builder
		args := append([]string{"serve", file, "--addr", "127.0.0.1:0"}, c.args...)
		if code := run(args, strings.NewReader(""), &out, &errs, c.env); code != exitUsage || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q with %q: exit code %d, %s", c.args, c.env, code, errs.String())
		}
	}
}

// A browser sends the cookies of a host to all of its ports.
func TestTwoServersOnOneHostKeepTheirSessions(t *testing.T) {
	token := []string{"TRAILS_MCP_TOKEN=s3cret"}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var servers []browser
	for range 2 {
		base, _ := startServer(t, token, newNotes(t))
		servers = append(servers, browser{Client: &http.Client{Jar: jar}, base: base})
	}
	for i, b := range servers {
		if res := b.signIn(t, "s3cret"); res.Request.URL.Path != "/admin" {
			t.Fatalf("server %d: %s", i, res.Request.URL)
		}
	}
	for i, b := range servers {
		if res, _ := b.ask(t, "GET", "/admin", ""); res.Request.URL.Path != "/admin" {
			t.Errorf("server %d signed out: one is at %s", i, res.Request.URL)
		}
	}
	if _, text := servers[0].ask(t, "GET", "/health", ""); !json.Valid([]byte(text)) {
		t.Errorf("/health says %s", text)
	}
}
