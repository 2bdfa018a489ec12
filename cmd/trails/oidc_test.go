package main

import (
	"bufio"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"trails/auth/oidc/oidctest"
)

// Settings of an identity provider that would let in whom nobody meant, or nobody, are refused at the start.
func TestSettingsOfAnIdentityProviderThatAreRefused(t *testing.T) {
	file := newNotes(t)
	const issuer = "--oidc-issuer=https://id.example.org"
	for name, c := range map[string]struct {
		args []string
		env  []string
		want string
	}{
		"no TLS":                   {[]string{"serve", file, "--addr=127.0.0.1:0", "--oidc-issuer=http://id.example.org"}, nil, "it must begin with https://"},
		"no URL, by the variable":  {[]string{"serve", file, "--addr=127.0.0.1:0"}, []string{"TRAILS_OIDC_ISSUER=id.example.org"}, "give the URL of the identity provider"},
		"no audience over stdio":   {[]string{"mcp", file, issuer}, nil, "give --oidc-audience or TRAILS_OIDC_AUDIENCE"},
		"no issuer over stdio":     {[]string{"mcp", file, "--oidc-audience=notes"}, nil, "give --oidc-issuer or TRAILS_OIDC_ISSUER"},
		"no issuer":                {[]string{"serve", file, "--addr=127.0.0.1:0"}, []string{"TRAILS_OIDC_GROUPS_CLAIM=roles"}, "give --oidc-issuer or TRAILS_OIDC_ISSUER"},
		"a skew that is no time":   {[]string{"serve", file, "--addr=127.0.0.1:0", issuer, "--oidc-clock-skew=60"}, nil, "are a duration, such as 30s, not 60"},
		"a skew that is too large": {[]string{"serve", file, "--addr=127.0.0.1:0", issuer}, []string{"TRAILS_OIDC_CLOCK_SKEW=1h"}, "clock skew 1h0m0s: it is from 0s to 10m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs strings.Builder
			code := run(c.args, strings.NewReader(""), &out, &errs, c.env)
			if code == exitDone || !strings.Contains(errs.String(), c.want) {
				t.Errorf("exit %d: %s", code, errs.String())
			}
		})
	}
}

// With an identity provider a server may be reached from everywhere without another token, and asks for one; clients find
// the provider by the public address.
func TestAnIdentityProviderStandsForAToken(t *testing.T) {
	issuer := oidctest.Start(t)
	cmd := exec.Command("trails", "serve", newNotes(t), "--addr", "127.0.0.1:0", "--public-url", "https://notes.example.org", "--oidc-issuer", issuer.URL)
	cmd.Env = append(cmd.Environ(), "XDG_CACHE_HOME="+t.TempDir())
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	base, said := "", ""
	for lines := bufio.NewScanner(errs); base == "" && lines.Scan(); {
		said += lines.Text() + "\n"
		base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text())
	}
	if !strings.Contains(said, "at https://notes.example.org, with a token of "+issuer.URL) {
		t.Errorf("it says %s", said)
	}
	for _, c := range []struct {
		token string
		want  int
	}{{"", 401}, {issuer.Token(t, base+"/mcp", nil), 401}, {issuer.Token(t, "https://notes.example.org/mcp", nil), 200}, {issuer.Token(t, "https://notes.example.org", nil), 200}} {
		if got := status(t, base+"/schema", c.token); got != c.want {
			t.Errorf("got %d, want %d", got, c.want)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got, want := res.Header.Get("WWW-Authenticate"), `Bearer scope="runtime", resource_metadata="https://notes.example.org/.well-known/oauth-protected-resource/mcp"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
