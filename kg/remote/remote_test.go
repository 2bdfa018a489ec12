package remote_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"trails/fault"
	"trails/kg"
	"trails/kg/remote"
	"trails/rdf"
)

var _ kg.Remote = (*remote.Client)(nil)

const rows = `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"urn:a"}},{}]}}`

// answering is a server that answers so.
func answering(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, l remote.Limits, allowed ...string) *remote.Client {
	t.Helper()
	c, err := remote.New(allowed, l)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func hostOf(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

// TestOnlyNamedHostsAreReached asks with a context that has ended: whoever may be
// reached is not, but nobody else is even tried.
func TestOnlyNamedHostsAreReached(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		allowed, address string
		ok               bool
		way              string // of the refusal
	}{
		{"example.org", "https://example.org/sparql", true, ""},
		{"example.org", "https://EXAMPLE.org:443/", true, ""},
		{"Example.ORG", "https://example.org", true, ""},
		{"example.org:443", "https://example.org/", true, ""},
		{"example.org", "http://example.org/", false, "--allow-remote http://example.org"},
		{"example.org", "https://example.org:8443/", false, "--allow-remote example.org:8443"},
		{"example.org", "https://www.example.org/", false, "--allow-remote www.example.org"},
		{"example.org", "https://example.org.evil/", false, "example.org.evil"},
		{"example.org", "https://example.org./", false, "--allow-remote example.org."},
		{"example.org", "https://evil/@example.org", false, "--allow-remote evil"},
		{"example.org", "https://user:secret@example.org/", false, "name or password"},
		{"example.org", "ftp://example.org/", false, "no address of http"},
		{"example.org", "file:///etc/passwd", false, "no address of http"},
		{"example.org", "urn:x", false, "no address of http"},
		{"example.org", "https:///x", false, "no host"},
		{"example.org:80", "http://example.org/", false, "--allow-remote http://example.org"},
		{"http://example.org", "http://example.org/", true, ""},
		{"http://example.org", "https://example.org/", false, "--allow-remote example.org"},
		{"http://example.org:8080", "http://example.org:8080/x", true, ""},
		{"https://example.org", "https://example.org/x", true, ""},
		{"localhost:3030", "http://localhost:3030/x", true, ""},
		{"localhost", "http://localhost:3030/x", false, "--allow-remote localhost:3030"},
		{"127.0.0.1:80", "http://127.0.0.1/x", true, ""},
		{"127.0.0.1:80", "http://2130706433/x", false, "2130706433"},
		{"[::1]:80", "http://[::1]/x", true, ""},
		{"", "http://[::1]:81/x", false, "--allow-remote [::1]:81"},
		{"", "https://example.org/", false, "--allow-remote example.org"},
	} {
		var allowed []string
		if c.allowed != "" {
			allowed = []string{"other.example", c.allowed}
		}
		_, err := client(t, remote.Limits{}, allowed...).Fetch(ended, c.address)
		switch refused := fault.Is(err, fault.Denied); {
		case c.ok && !errors.Is(err, context.Canceled):
			t.Errorf("%s does not allow %s: %v", c.allowed, c.address, err)
		case !c.ok && (!refused || !strings.Contains(err.Error(), c.way)):
			t.Errorf("%s and %s: %v", c.allowed, c.address, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("a password is shown: %v", err)
		}
	}
}

func TestWhatIsNoHostIsRefused(t *testing.T) {
	for _, text := range []string{"", "*", "*.example.org", "http://", "example.org/path", "user@example.org", "ftp://example.org", "example.org:x", "example.org:", "a b", "https://example.org?x", "//example.org"} {
		if _, err := remote.New([]string{text}, remote.Limits{}); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAnEndpointIsAsked(t *testing.T) {
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Method != "POST" || r.PostForm.Get("query") != "SELECT * {}" || r.Header.Get("Authorization")+r.Header.Get("Cookie")+r.Header.Get("Origin") != "" ||
			!strings.HasPrefix(r.Header.Get("Accept"), "application/sparql-results+json") {
			t.Errorf("%v: %s %v %v", err, r.Method, r.Form, r.Header)
		}
		w.Header().Set("Content-Type", "application/sparql-results+json; charset=utf-8")
		w.Header().Set("Set-Cookie", "a=b")
		_, _ = io.WriteString(w, rows)
	})
	c := client(t, remote.Limits{}, hostOf(s))
	for range 2 {
		got, err := c.Select(t.Context(), s.URL+"/sparql#part", "SELECT * {}")
		if err != nil || len(got.Rows) != 2 || got.Rows[0][0] != rdf.IRI("urn:a") || got.Rows[1][0] != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}

func TestAnAnswerThatIsNoneIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		media, body string
		kind        fault.Kind
		says        string
	}{
		"a page":          {200, "text/html", "<h1>Welcome</h1>", fault.Unusable, `answered in "text/html", not as SPARQL results in JSON or XML: "<h1>Welcome</h1>"`},
		"CSV":             {200, "text/csv", "x\n", fault.Unusable, "text/csv"},
		"no type":         {200, "", rows, fault.Unusable, "not as SPARQL results"},
		"broken JSON":     {200, "application/sparql-results+json", `{"head":`, fault.Unusable, "not JSON: it ends too early"},
		"other JSON":      {200, "application/json", `[1]`, fault.Unusable, "expected an object"},
		"a boolean":       {200, "application/sparql-results+json", `{"head":{},"boolean":true}`, fault.Unusable, "a boolean"},
		"too many rows":   {200, "application/sparql-results+json", `{"head":{"vars":[]},"results":{"bindings":[{},{},{},{}]}}`, fault.TooLarge, "more than 3 rows; put a LIMIT"},
		"a refusal":       {400, "text/plain", "Parse error:\x00\n line 1\xff", fault.Unusable, "answered 400 Bad Request: "},
		"nothing":         {204, "", "", fault.Unusable, "204"},
		"a fault":         {500, "text/plain", strings.Repeat("x", 10_000), fault.Unusable, "answered 500"},
		"a broken answer": {-1, "", "", fault.Unusable, "came to nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.status < 0 {
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Content-Type", c.media)
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := client(t, remote.Limits{Rows: 3}, hostOf(s)).Select(t.Context(), s.URL, "SELECT * {}")
			if f := fault.Of(err); err == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.says) || len(f.Message) > 500 {
				t.Errorf("got %v: %v", f.Kind, err)
			}
		})
	}
}

func TestAServerThatHangsIsGivenUp(t *testing.T) {
	for name, before := range map[string]func(http.ResponseWriter){
		"at once": func(http.ResponseWriter) {},
		"in the middle": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/sparql-results+json")
			_, _ = io.WriteString(w, `{"head":`)
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{}, 2)
			s := answering(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // or nobody hears that the client went away
				before(w)
				begun <- struct{}{}
				<-r.Context().Done()
			})
			_, err := client(t, remote.Limits{Time: 50 * time.Millisecond}, hostOf(s)).Select(t.Context(), s.URL, "SELECT * {}")
			if f := fault.Of(err); f == nil || f.Kind != fault.TimedOut || !strings.Contains(f.Message, "within 50ms") {
				t.Errorf("got %v", err)
			}
			<-begun
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-begun; cancel() }()
			if _, err := client(t, remote.Limits{}, hostOf(s)).Select(ctx, s.URL, "SELECT * {}"); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
	}
}

func TestAnEndlessAnswerIsCut(t *testing.T) {
	stopped := make(chan struct{})
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		defer close(stopped)
		w.Header().Set("Content-Type", "application/sparql-results+json")
		for {
			if _, err := w.Write([]byte(strings.Repeat(" ", 64<<10))); err != nil {
				return
			}
		}
	})
	_, err := client(t, remote.Limits{Answer: 1 << 20}, hostOf(s)).Select(t.Context(), s.URL, "SELECT * {}")
	if !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("got %v", err)
	}
	<-stopped
}

func TestADocumentIsFetchedWithinItsBounds(t *testing.T) {
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/turtle")
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/plain", http.StatusFound)
		case "/plain":
			_, _ = io.WriteString(w, "plain")
		case "/packed", "/bomb":
			z := gzip.NewWriter(w)
			n := 1
			if r.URL.Path == "/bomb" {
				n = 4096
			}
			for range n {
				_, _ = io.WriteString(z, strings.Repeat("0", 1000))
			}
			_ = z.Close()
		case "/damaged":
			_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3})
		}
	})
	c := client(t, remote.Limits{Document: 1 << 20}, hostOf(s))
	read := func(path string) (kg.Document, string, error) {
		d, err := c.Fetch(t.Context(), s.URL+path)
		if err != nil {
			return d, "", err
		}
		text, err := io.ReadAll(d)
		return d, string(text), errors.Join(err, d.Close())
	}
	if d, text, err := read("/moved"); err != nil || text != "plain" || d.Location != s.URL+"/plain" || d.MediaType != "text/turtle" {
		t.Errorf("got %+v, %q, %v", d, text, err)
	}
	if _, text, err := read("/packed"); err != nil || text != strings.Repeat("0", 1000) {
		t.Errorf("packed: %d bytes, %v", len(text), err)
	}
	if _, text, err := read("/bomb"); !fault.Is(err, fault.TooLarge) || len(text) > 1<<20 {
		t.Errorf("a bomb: %d bytes, %v", len(text), err)
	}
	if _, _, err := read("/damaged"); !fault.Is(err, fault.Unusable) {
		t.Errorf("damaged: %v", err)
	}
}

func TestRedirectsLeadToAllowedHostsOnly(t *testing.T) {
	reached := 0
	there := answering(t, func(w http.ResponseWriter, r *http.Request) {
		reached++
		w.Header().Set("Content-Type", "application/sparql-results+json")
		if r.FormValue("query") != "SELECT * {}" {
			t.Errorf("the query got lost: %v", r.Form)
		}
		_, _ = io.WriteString(w, rows)
	})
	var status int
	here := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/round" {
			http.Redirect(w, r, "/round", status)
			return
		}
		http.Redirect(w, r, there.URL, status)
	})
	for _, c := range []struct {
		status  int
		path    string
		allowed []string
		kind    fault.Kind
		says    string
	}{
		{307, "/", []string{hostOf(here)}, fault.Denied, "it redirects: <" + there.URL + "> is not of an allowed host"},
		{303, "/", []string{hostOf(here), hostOf(there)}, fault.Unusable, "without the query"},
		{308, "/round", []string{hostOf(here)}, fault.Unusable, "more than 5 times"},
	} {
		status = c.status
		_, err := client(t, remote.Limits{}, c.allowed...).Select(t.Context(), here.URL+c.path, "SELECT * {}")
		if f := fault.Of(err); f == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.says) || reached != 0 {
			t.Errorf("%d: got %v, reached %d times", c.status, err, reached)
		}
	}
	status = 308
	if got, err := client(t, remote.Limits{}, hostOf(here), hostOf(there)).Select(t.Context(), here.URL, "SELECT * {}"); err != nil || len(got.Rows) != 2 || reached != 1 {
		t.Errorf("got %+v, %v, reached %d times", got, err, reached)
	}
}

// TestNoProxyIsAsked would fail if the environment's proxy, which nobody answers at, saw the
// request: a name under .invalid does not resolve, and says so itself.
func TestNoProxyIsAsked(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	_, err := client(t, remote.Limits{}, "http://nobody.invalid").Fetch(t.Context(), "http://nobody.invalid/")
	if !fault.Is(err, fault.Unusable) || strings.Contains(err.Error(), "127.0.0.1:1") || strings.Contains(err.Error(), "proxy") {
		t.Errorf("got %v", err)
	}
}
