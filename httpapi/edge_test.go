package httpapi_test

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/httpapi"
)

func TestAPublicURLIsHTTPSAndAName(t *testing.T) {
	for text, want := range map[string]string{
		"https://trails.example.org":       "https://trails.example.org",
		"https://Trails.Example.org./":     "https://trails.example.org",
		"https://trails.example.org:443":   "https://trails.example.org",
		"https://trails.example.org:8443/": "https://trails.example.org:8443",
		"https://[2001:db8::1]:8443":       "https://[2001:db8::1]:8443",
		"https://example.org/trails/a-b/":  "https://example.org/trails/a-b",
	} {
		if got, err := auth.ParsePublic(text); err != nil || got.String() != want {
			t.Errorf("%s is %v, error %v; want %s", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		"":                                    "give https and a name",
		"trails.example.org":                  "give https and a name",
		"http://trails.example.org":           "without TLS",
		"https://trails.example.org/a/../b":   "no row of names",
		"https://trails.example.org/a%20b":    "no row of names",
		"https://trails.example.org//":        "no row of names",
		"https://me:pw@trails.example.org":    "no more",
		"https://trails.example.org?x=1":      "no more",
		"https://trails.example.org/#x":       "no more",
		"https://gräfin.example":              "punycode",
		"https://:8443":                       "punycode",
		"https://trails.example.org:http":     "give https and a name",
		"https://trails.example.org\nX: evil": "give https and a name",
	} {
		_, err := auth.ParsePublic(text)
		if !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %q", text, err, says)
		}
	}
}

// behind is a server with a public name, and proxies that it believes beside loopback.
func behind(t *testing.T, proxies ...string) http.Handler {
	t.Helper()
	public, err := auth.ParsePublic("https://trails.example.org")
	if err != nil {
		t.Fatal(err)
	}
	callers := auth.Options{Scopes: policy.NewScopes(policy.Runtime), Public: public}
	for _, p := range proxies {
		callers.Proxies = append(callers.Proxies, netip.MustParsePrefix(p))
	}
	return withEdge(httpapi.Options{Auth: auth.New(callers)})
}

// withEdge says at /metrics what the edge found out.
func withEdge(opts httpapi.Options) http.Handler {
	opts.Metrics = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(auth.Origin(r) + " " + auth.ClientAddr(r)))
	})
	return httpapi.New(&fakeEngine{}, opts)
}

func asked(t *testing.T, h http.Handler, host, peer string, headers ...string) (int, string) {
	t.Helper()
	r := newRequest(exchange{method: "GET", path: "/metrics", host: host, header: header(headers...)})
	r.RemoteAddr = peer
	res := do(h, r.WithContext(context.Background()))
	return res.StatusCode, readAll(t, res.Body)
}

// Whoever can send a header can write anything there: it counts from proxies that are
// believed, and only up to the first address that is not.
func TestForwardedHeadersCountFromTrustedAddressesOnly(t *testing.T) {
	const name, local = "trails.example.org", "127.0.0.1:4711"
	const origin = "https://trails.example.org "
	for _, c := range []struct {
		what    string
		handler http.Handler
		host    string
		peer    string
		headers []string
		status  int
		says    string
	}{
		{"the proxy keeps the host", behind(t), name, local, []string{"X-Forwarded-For", "192.0.2.7"}, 200, origin + "192.0.2.7"},
		{"the proxy names the host", behind(t), "127.0.0.1:8757", local, []string{"X-Forwarded-Host", name, "X-Forwarded-Proto", "https", "X-Forwarded-For", "192.0.2.7"}, 200, origin + "192.0.2.7"},
		{"the proxy says nothing", behind(t), "localhost", local, nil, 200, origin + "127.0.0.1"},
		{"a caller invents one before the proxy", behind(t), name, local, []string{"X-Forwarded-For", "10.1.1.1, 192.0.2.7"}, 200, origin + "192.0.2.7"},
		{"a second proxy that is not named", behind(t), name, local, []string{"X-Forwarded-For", "192.0.2.7, 10.0.0.9"}, 200, origin + "10.0.0.9"},
		{"a second proxy that is named", behind(t, "10.0.0.0/8"), name, local, []string{"X-Forwarded-For", "198.51.100.1, 192.0.2.7, 10.0.0.9"}, 200, origin + "192.0.2.7"},
		{"addresses with ports", behind(t), name, "[::1]:4711", []string{"X-Forwarded-For", "[2001:db8::7]:99"}, 200, origin + "2001:db8::7"},
		{"no address", behind(t), name, local, []string{"X-Forwarded-For", "192.0.2.7, unknown"}, 200, origin + "127.0.0.1"},
		{"a stranger", behind(t), name, "192.0.2.99:1", []string{"X-Forwarded-For", "10.1.1.1", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "http"}, 200, origin + "192.0.2.99"},
		{"a list of names", behind(t), "127.0.0.1:8757", local, []string{"X-Forwarded-Host", name + ", " + name}, 403, "several hosts"},
		{"a list that ends with nothing", behind(t), "127.0.0.1:8757", local, []string{"X-Forwarded-Host", name + ","}, 403, "several hosts"},
		{"another name at the proxy", behind(t), "127.0.0.1", local, []string{"X-Forwarded-Host", "evil.example"}, 403, "https://trails.example.org"},
		{"no TLS at the proxy", behind(t), name, local, []string{"X-Forwarded-Proto", "http"}, 403, "use https://trails.example.org"},
		{"a name that was rebound", behind(t), "evil.example", local, []string{"X-Forwarded-Host", name}, 403, "use https://trails.example.org"},
		{"without a public name", withEdge(runtimeOptions()), "localhost:8757", local, []string{"X-Forwarded-For", "192.0.2.7", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https"}, 200, "http://localhost:8757 127.0.0.1"},
		{"the name, and it was not said", withEdge(runtimeOptions()), name, local, nil, 403, "--public-url"},
	} {
		status, text := asked(t, c.handler, c.host, c.peer, c.headers...)
		if status != c.status || (status == 200 && text != c.says) || !strings.Contains(text, c.says) {
			t.Errorf("%s: got %d %s; want %d %s", c.what, status, text, c.status, c.says)
		}
	}
}

// A browser at the public name writes, whether the proxy keeps the Host or not; a page of
// another site does not.
func TestThePublicOriginMayWrite(t *testing.T) {
	h := behind(t)
	for _, c := range []struct {
		host, origin, site string
		status             int
	}{
		{"trails.example.org", "https://trails.example.org", "same-origin", 200},
		{"trails.example.org", "https://trails.example.org", "", 200},
		{"127.0.0.1:8757", "https://trails.example.org", "", 200},
		{"127.0.0.1:8757", "https://evil.example", "", 403},
		{"trails.example.org", "https://evil.example", "cross-site", 403},
		{"trails.example.org", "https://other.example.org", "same-site", 403},
	} {
		x := exchange{method: "POST", path: "/invoke/health", body: "{}", host: c.host, header: header("Origin", c.origin)}
		if c.site != "" {
			x.header.Set("Sec-Fetch-Site", c.site)
		}
		if res := do(h, newRequest(x)); res.StatusCode != c.status {
			t.Errorf("from %s to %s: got %d %s, want %d", c.origin, c.host, res.StatusCode, readAll(t, res.Body), c.status)
		}
	}
}
