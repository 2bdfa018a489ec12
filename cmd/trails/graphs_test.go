package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"trails/auth/oauth"
	"trails/auth/oidc/oidctest"
	"trails/capability/project"
	"trails/httpapi"
)

// twoGraphs makes a folder with the graphs alpha and beta, which have a node and a query each by the same names, and returns
// a token of each.
func twoGraphs(t *testing.T) (dir string, tokens map[string]string) {
	t.Helper()
	dir, tokens = t.TempDir(), map[string]string{}
	for _, id := range []string{"alpha", "beta"} {
		file := filepath.Join(dir, id+".trails")
		runs(t, "init", file, "--schema", "testdata/notes/schema.yaml")
		runs(t, "invoke", file, "note.create", `{"id":"n1","title":"of `+id+` alone"}`)
		query := filepath.Join(t.TempDir(), "titles.rq")
		if err := os.WriteFile(query, []byte("# description: The literals\nSELECT ?t { ?n ?p ?t FILTER(isLiteral(?t)) }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		runs(t, "query", "add", file, query)
		tokens[id] = issued(t, file, "reader", "runtime")
	}
	return dir, tokens
}

// issued issues a token and returns its secret.
func issued(t *testing.T, file, name, scopes string) string {
	t.Helper()
	var out struct{ Token string }
	if err := json.Unmarshal([]byte(runs(t, "token", "create", file, name, "--scopes", scopes, "-o", "json")), &out); err != nil {
		t.Fatal(err)
	}
	return out.Token
}

// runs runs a command and returns what it prints.
func runs(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &errs, nil); code != exitDone {
		t.Fatalf("%q: exit %d: %s", args, code, errs.String())
	}
	return out.String()
}

// sent is one request to a process.
type sent struct {
	method, path, body, token string
	header                    map[string]string
	client                    *http.Client
}

// send returns the answer and the text of it; of a stream its first part.
func (a sent) send(t *testing.T, base string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), a.method, base+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if a.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	for name, value := range a.header {
		req.Header.Set(name, value)
	}
	client := a.client
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", a.method, a.path, err)
	}
	defer func() { _ = res.Body.Close() }()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		var text strings.Builder
		for part := make([]byte, 4096); !strings.Contains(text.String(), "data:"); {
			n, err := res.Body.Read(part)
			text.Write(part[:n])
			if err != nil {
				break
			}
		}
		return res, text.String()
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

// bodies are what the routes that take one are sent.
var bodies = map[string]string{
	"/mcp":                 `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	"/messages":            `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	"/invoke":              `{"calls":[{"capability":"snapshot","arguments":{}}]}`,
	"/invoke/{capability}": `{}`,
	"/queries/{name}":      `{}`,
	"/reconcile":           "queries=" + url.QueryEscape(`{"q0":{"query":"x"}}`),
	"/sparql":              "query=" + url.QueryEscape("SELECT ?t { ?n ?p ?t }"),
	"/rdf-graphs":          "",
}

// variables are those of the paths, in a graph.
func variables(id, path string) string {
	return strings.NewReplacer("{capability}", "snapshot", "{name}", "titles", "{what}", "entity", "{Type}", "Note", "{agent}", id,
		"/reconcile/view", "/reconcile/view?id=Note%2Fn1", "/reconcile/preview", "/reconcile/preview?id=Note%2Fn1", "/kg/{Type}/{id}", "/kg/Note/n1", "/capabilities/{id}", "/capabilities/snapshot", "{id}", "HEAD").Replace(path)
}

// addressed finds addresses that begin at / in the headers and bodies of answers, as links have them.
var addressedAtRoot = regexp.MustCompile(`(?:href|src|action|hx-get|hx-post|data-words)="(/[^"]*)"|"(?:href|url|@context|@base|base)":"(https?://[^/"]*/[^"]*|/[^"]*)"`)

// A folder asks the identity provider for its keys when it starts, once for all its graphs, which then know its tokens while it
// is away.
func TestAFolderAsksTheProviderForItsKeysOnce(t *testing.T) {
	dir, _ := twoGraphs(t)
	issuer := oidctest.Start(t)
	base, _ := startServer(t, []string{"XDG_CACHE_HOME=" + t.TempDir()}, "--graphs", dir, "--public-url", "https://example.org", "--oidc-issuer", issuer.URL)
	asked := issuer.Fetches()
	if asked == 0 {
		t.Error("it was not asked at the start")
	}
	issuer.Leave(true)
	for _, id := range []string{"alpha", "beta"} {
		if got := status(t, base+"/graphs/"+id+"/schema", issuer.Token(t, "https://example.org/graphs/"+id, nil)); got != http.StatusOK {
			t.Errorf("%s answers %d", id, got)
		}
	}
	if got := issuer.Fetches(); got != asked {
		t.Errorf("it was asked %d times, %d at the start", got, asked)
	}
}

// TestNothingCrossesGraphs asks each route of both graphs: with its own token it speaks of its own graph alone, and with that
// of the other of none.
func TestNothingCrossesGraphs(t *testing.T) {
	dir, tokens := twoGraphs(t)
	// As behind a proxy, so that addresses of callers vary, and with an identity provider, which is away.
	base, _ := startServer(t, nil, "--graphs", dir, "--public-url", "https://example.org", "--oidc-issuer", "https://127.0.0.1:1", "--oauth")
	callers := 0
	for id, other := range map[string]string{"alpha": "beta", "beta": "alpha"} {
		prefix := "/graphs/" + id
		told := false
		for _, route := range httpapi.Routes() {
			for method := range strings.SplitSeq(route.Methods, ", ") {
				a := sent{method: method, path: prefix + variables(id, route.Path), token: tokens[id]}
				switch {
				case method == "POST" || method == "PUT":
					a.body = bodies[route.Path]
				case route.Path == "/sparql" || route.Path == "/rdf-graphs":
					a.path += map[string]string{"/sparql": "?" + bodies["/sparql"], "/rdf-graphs": "?default"}[route.Path]
				}
				if method == "DELETE" {
					a.path = prefix + "/rdf-graphs?graph=urn:none"
				}
				if strings.HasPrefix(a.body, "query=") {
					a.header = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
				}
				if strings.HasPrefix(a.path, prefix+"/commits/HEAD") {
					a.path = prefix + "/commits/" + headOf(t, base, prefix, tokens[id])
				}
				for _, accept := range []string{"", "text/html", "application/ld+json"} {
					if accept != "" {
						if method != "GET" {
							continue
						}
						a.header = map[string]string{"Accept": accept}
					}
					res, text := a.send(t, base)
					where := a.method + " " + a.path + " " + accept
					if strings.Contains(text, "of "+other+" alone") || strings.Contains(text, "/graphs/"+other) || strings.Contains(text, ":"+other+":") {
						t.Errorf("%s: it speaks of %s: %s", where, other, text)
					}
					if res.StatusCode >= 500 || res.StatusCode == 401 || res.StatusCode == 404 && route.Path != "/messages" && route.Path != "/rdf-graphs" {
						t.Errorf("%s: %d %s", where, res.StatusCode, text)
					}
					told = told || strings.Contains(text, "of "+id+" alone")
					checkPrefix(t, where, "https://example.org", prefix, res, text)
				}
				a.header = nil
				for name, wrong := range map[string]string{"no token": "", "the token of " + other: tokens[other]} {
					callers++
					a.token, a.header = wrong, map[string]string{"X-Forwarded-For": fmt.Sprintf("192.0.2.%d", callers)}
					res, text := a.send(t, base)
					checkPrefix(t, a.path, "https://example.org", prefix, res, text)
					open := route.Path == "/health" || route.Path == "/ready" || strings.HasPrefix(route.Path, "/.well-known/oauth-") ||
						route.Path == project.CardPath || route.Path == project.CatalogPath || route.Path == oauth.TokenPath || route.Path == oauth.RegisterPath || route.Path == oauth.RevokePath
					admin := route.Path == "/admin" && res.StatusCode == http.StatusSeeOther && strings.HasPrefix(res.Header.Get("Location"), prefix+"/admin/login")
					if res.StatusCode != http.StatusUnauthorized && !admin && !open || strings.Contains(text, "alone") || strings.Contains(text, `"head":`) && open {
						t.Errorf("%s %s with %s: %d %s", a.method, a.path, name, res.StatusCode, text)
					}
				}

			}
		}
		if !told {
			t.Errorf("no answer of %s has its data, so that this test shows nothing", id)
		}
	}
}

func headOf(t *testing.T, base, prefix, token string) string {
	t.Helper()
	var list struct{ Rows [][]any }
	_, text := sent{method: "GET", path: prefix + "/commits", token: token}.send(t, base)
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Rows) == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	return fmt.Sprint(list.Rows[0][0])
}

// checkPrefix wants that all addresses of an answer are below that of the graph.
func checkPrefix(t *testing.T, where, base, prefix string, res *http.Response, text string) {
	t.Helper()
	var found []string
	if to := res.Header.Get("Location"); to != "" {
		found = append(found, to)
	}
	for _, link := range res.Header.Values("Link") {
		found = append(found, strings.Trim(strings.SplitN(link, ">", 2)[0], "<"))
	}
	for _, m := range addressedAtRoot.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1]+m[2])
	}
	for _, address := range found {
		own := strings.TrimPrefix(address, base)
		if strings.HasPrefix(own, "http") && !strings.Contains(own, "127.0.0.1") { // another site, as of a vocabulary
			continue
		}
		if own != prefix && !strings.HasPrefix(own, prefix+"/") {
			t.Errorf("%s: the address %s is not below %s", where, address, prefix)
		}
	}
}

// signedIn is a browser that signed in to a graph, or with id "" to the process.
func signedIn(t *testing.T, base, id, token string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	at := base + "/graphs"
	if id != "" {
		at += "/" + id + "/admin/login"
	}
	res, err := client.PostForm(at, url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusSeeOther {
		t.Fatalf("sign in at %s: %d", at, res.StatusCode)
	}
	return client
}

func TestASignInOfOneGraphIsOfThatGraph(t *testing.T) {
	dir, tokens := twoGraphs(t)
	for id := range tokens {
		starter(t, filepath.Join(dir, id+".trails"))
	}
	base, _ := startServer(t, []string{"TRAILS_MCP_TOKEN=of-all"}, "--graphs", dir)
	alpha, all := signedIn(t, base, "alpha", tokens["alpha"]), signedIn(t, base, "", "of-all")
	sends := func(path string) []*http.Cookie {
		at, err := url.Parse(base + path)
		if err != nil {
			t.Fatal(err)
		}
		return alpha.Jar.Cookies(at)
	}
	for _, c := range []struct {
		name   string
		client *http.Client
		path   string
		want   int
	}{
		{"its own pages", alpha, "/graphs/alpha/admin", 200},
		{"its own data", alpha, "/graphs/alpha/kg/Note/n1", 200},
		{"the other's pages", alpha, "/graphs/beta/admin", 303},
		{"the other's data", alpha, "/graphs/beta/kg/Note/n1", 401},
		{"the process, one", all, "/graphs/alpha/admin", 200},
		{"the process, the other", all, "/graphs/beta/kg/Note/n1", 200},
	} {
		if res, text := (sent{method: "GET", path: c.path, client: c.client}).send(t, base); res.StatusCode != c.want {
			t.Errorf("%s: %s: %d, want %d: %s", c.name, c.path, res.StatusCode, c.want, text)
		}
	}
	// A cookie that is sent to another graph by hand, by each name that it could have there.
	own := sends("/graphs/alpha/admin")
	for _, cookie := range own {
		for _, name := range []string{cookie.Name, strings.Replace(cookie.Name, "alpha", "beta", 1), strings.TrimSuffix(cookie.Name, "-alpha")} {
			a := sent{method: "GET", path: "/graphs/beta/kg/Note/n1", header: map[string]string{"Cookie": name + "=" + cookie.Value}}
			if res, _ := a.send(t, base); res.StatusCode != http.StatusUnauthorized {
				t.Errorf("the cookie of alpha as %s at beta: %d", name, res.StatusCode)
			}
		}
	}
	if len(own) == 0 {
		t.Error("alpha's browser has no cookie for it")
	}
	if left := sends("/graphs/beta/admin"); len(left) > 0 {
		t.Errorf("alpha's browser sends beta %v", left)
	}
	// MCP sessions and idempotency keys.
	call := func(id, key string) sent {
		return sent{method: "POST", path: "/graphs/" + id + "/invoke/note.create", token: "of-all", body: `{"id":"n2","title":"two"}`, header: map[string]string{"Idempotency-Key": key}}
	}
	for _, id := range []string{"alpha", "beta"} {
		if res, text := call(id, "same").send(t, base); res.StatusCode != 200 || strings.Contains(text, "replayed") {
			t.Errorf("%s: %d %s", id, res.StatusCode, text)
		}
	}
}

func TestAnMCPSessionOfOneGraphIsOfThatGraph(t *testing.T) {
	dir, _ := twoGraphs(t)
	base, _ := startServer(t, []string{"TRAILS_MCP_TOKEN=of-all"}, "--graphs", dir, "--stateful")
	begin := sent{
		method: "POST", path: "/graphs/alpha/mcp", token: "of-all", header: map[string]string{"Accept": "application/json, text/event-stream"},
		body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	}
	res, text := begin.send(t, base)
	session := res.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatalf("%d %s", res.StatusCode, text)
	}
	ping := begin
	ping.body, ping.header = `{"jsonrpc":"2.0","id":2,"method":"ping"}`, map[string]string{"Accept": "application/json, text/event-stream", "Mcp-Session-Id": session}
	if res, text := ping.send(t, base); res.StatusCode != 200 {
		t.Errorf("at its own graph: %d %s", res.StatusCode, text)
	}
	ping.path = "/graphs/beta/mcp"
	if res, text := ping.send(t, base); res.StatusCode != 404 {
		t.Errorf("at the other: %d %s", res.StatusCode, text)
	}
	stream := sent{method: "GET", path: "/graphs/beta/sse", token: "of-all", header: map[string]string{"Accept": "text/event-stream"}}
	if _, text := stream.send(t, base); !strings.Contains(text, "data: /graphs/beta/messages?sessionid=") {
		t.Errorf("the endpoint of the legacy transport: %s", text)
	}
}

func TestGraphsOfAFolderAreListed(t *testing.T) {
	dir, tokens := twoGraphs(t)
	if err := os.WriteFile(filepath.Join(dir, "broken.trails"), []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	base, said := startServer(t, nil, "--graphs", dir)
	if !strings.Contains(said, "broken.trails is not served: ") || !strings.Contains(said, "who started this, with the scopes runtime\n") || !strings.Contains(said, "TRAILS_MCP_SCOPES=runtime,builder gives the operator more") {
		t.Errorf("at the start it says %s", said)
	}
	key := regexp.MustCompile(`http://\S+/graphs\?key=\S+`).FindString(said)
	for name, c := range map[string]struct {
		token        string
		want, others bool
	}{"a token of alpha": {tokens["alpha"], true, true}, "none": {"", false, true}} {
		var list httpapi.GraphList
		_, text := sent{method: "GET", path: "/graphs", token: c.token}.send(t, base)
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		if got := len(list.Graphs) == 1 && list.Graphs[0].URL == base+"/graphs/alpha"; got != c.want || (list.Others != "") != c.others || strings.Contains(text, "beta") {
			t.Errorf("with %s: %s", name, text)
		}
		res, catalog := sent{method: "GET", path: "/.well-known/ai-catalog.json", token: c.token}.send(t, base)
		named := strings.Contains(catalog, `"url":"`+base+`/graphs/alpha/.well-known/ai-catalog.json"`)
		if named != c.want || strings.Contains(catalog, "beta") || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("the catalog with %s: %v %s", name, res.Header, catalog)
		}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	operator := &http.Client{Jar: jar}
	if res, text := (sent{method: "GET", path: strings.TrimPrefix(key, base), client: operator}).send(t, base); res.StatusCode != 200 || !strings.Contains(res.Header.Get("Refresh"), "url=/graphs") {
		t.Fatalf("the sign-in link: %d %s", res.StatusCode, text)
	}
	page := sent{method: "GET", path: "/graphs", client: operator, header: map[string]string{"Accept": "text/html"}}
	if _, text := page.send(t, base); !strings.Contains(text, `href="/graphs/beta/admin"`) || !strings.Contains(text, "broken.trails") || !strings.Contains(text, "is not a trails file") {
		t.Errorf("the operator's page: %s", text)
	}
	if res, _ := (sent{method: "GET", path: "/graphs/beta/admin", client: operator}).send(t, base); res.StatusCode != 200 {
		t.Errorf("the operator at a graph: %d", res.StatusCode)
	}
	if res, text := (sent{method: "GET", path: "/graphs/broken/kg", client: operator}).send(t, base); res.StatusCode != 503 || !strings.Contains(text, "is not a trails file") {
		t.Errorf("a broken graph: %d %s", res.StatusCode, text)
	}
	for _, path := range []string{"/graphs/none/kg", "/graphs/..%2fbroken/kg", "/graphs/a%2Fb", "/graphs/%2e%2e/kg", "/kg", "/mcp", "/graphs/alpha%2fkg"} {
		if res, text := (sent{method: "GET", path: path, client: operator}).send(t, base); res.StatusCode != 404 {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
	if res, _ := (sent{method: "GET", path: "/graphs/%61lpha/kg", token: tokens["alpha"]}).send(t, base); res.StatusCode != 200 {
		t.Errorf("an id that is escaped without need: %d", res.StatusCode)
	}
}

func TestBeyondThisMachineEachGraphHasAToken(t *testing.T) {
	dir, tokens := twoGraphs(t)
	runs(t, "init", filepath.Join(dir, "bare.trails"))
	base, said := startServer(t, nil, "--graphs", dir, "--public-url", "https://example.org/trails")
	if !strings.Contains(said, "bare.trails is not served: others reach this address") {
		t.Errorf("it says %s", said)
	}
	for _, path := range []string{"/graphs/alpha/kg/Note", "/trails/graphs/alpha/kg/Note"} { // the proxy takes the path off, or not
		res, text := sent{method: "GET", path: path, token: tokens["alpha"]}.send(t, base)
		if res.StatusCode != 200 || !strings.Contains(res.Header.Get("Link"), "</trails/graphs/alpha/kg/Note?") {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, res.Header, text)
		}
	}
	if _, text := (sent{method: "GET", path: "/trails/graphs/alpha/openapi.json", token: tokens["alpha"]}).send(t, base); !strings.Contains(text, `"https://example.org/trails/graphs/alpha"`) {
		t.Error("the document of OpenAPI has another server")
	}
	if res, _ := (sent{method: "GET", path: "/graphs", header: map[string]string{"Accept": "application/json"}}).send(t, base); res.StatusCode != 401 {
		t.Errorf("the list for nobody: %d", res.StatusCode)
	}
	if res, _ := (sent{method: "GET", path: "/graphs/none/kg"}).send(t, base); res.StatusCode != 401 {
		t.Errorf("what is not there, for nobody: %d", res.StatusCode)
	}
}

func TestAnotherFileTakesThePlaceOfAGraphInUse(t *testing.T) {
	dir, tokens := twoGraphs(t)
	base, _ := startServer(t, nil, "--graphs", dir)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/graphs/alpha/changes?start=now", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Authorization", "Bearer "+tokens["alpha"])
	res, err := http.DefaultClient.Do(req) // it stays open
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := os.Rename(filepath.Join(dir, "beta.trails"), filepath.Join(dir, "alpha.trails")); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(dir, "alpha.trails-wal"))
	_ = os.Remove(filepath.Join(dir, "alpha.trails-shm"))
	deadline := time.Now().Add(time.Minute)
	for {
		res, text := sent{method: "GET", path: "/graphs/alpha/kg/Note/n1", token: tokens["beta"]}.send(t, base)
		if res.StatusCode == 200 && strings.Contains(text, "of beta alone") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the file that took the place of alpha: %d %s", res.StatusCode, text)
		}
		time.Sleep(2 * time.Second) // wrong tokens are counted
	}
	if res, _ := (sent{method: "GET", path: "/graphs/alpha/kg/Note/n1", token: tokens["alpha"]}).send(t, base); res.StatusCode != 401 {
		t.Errorf("the token of the file before: %d", res.StatusCode)
	}
	if res, _ := (sent{method: "GET", path: "/graphs/beta/kg", token: tokens["beta"]}).send(t, base); res.StatusCode != 401 {
		t.Errorf("what has gone, for whom no graph knows there: %d", res.StatusCode)
	}
}

func TestAGraphIsOpenedAgainAfterItWasClosed(t *testing.T) {
	dir, tokens := twoGraphs(t)
	base, _ := startServer(t, []string{"TRAILS_MCP_TOKEN=of-all"}, "--graphs", dir, "--open-graphs", "1")
	alpha := signedIn(t, base, "alpha", tokens["alpha"])
	for range 2 {
		for _, id := range []string{"alpha", "beta"} {
			if res, text := (sent{method: "GET", path: "/graphs/" + id + "/kg/Note/n1", token: tokens[id]}).send(t, base); res.StatusCode != 200 || !strings.Contains(text, "of "+id) {
				t.Errorf("%s: %d %s", id, res.StatusCode, text)
			}
		}
		if _, text := (sent{method: "GET", path: "/metrics", token: "of-all"}).send(t, base); strings.Contains(text, `trails_writer_queue{graph="alpha"}`) || !strings.Contains(text, `trails_writer_queue{graph="beta"}`) {
			t.Errorf("open is another than beta: %s", text)
		}
	}
	if res, _ := (sent{method: "GET", path: "/graphs/alpha/admin", client: alpha}).send(t, base); res.StatusCode != 200 {
		t.Errorf("a browser that was signed in before: %d", res.StatusCode)
	}
}
