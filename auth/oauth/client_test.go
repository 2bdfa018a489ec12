package oauth_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Redirects may lead to a site with TLS, to this machine at any port, and to a program of the person.
func TestRedirectsOfClients(t *testing.T) {
	s := newServer(t)
	for redirect, asked := range map[string]map[string]bool{
		"http://127.0.0.1:3000/back":                 {"http://127.0.0.1:49152/back": true, "http://127.0.0.1/back": true, "http://127.0.0.1:3000/other": false, "http://localhost:3000/back": false, "http://127.0.0.1.evil.example/back": false, "http://x@127.0.0.1/back": false},
		"http://localhost/cb":                        {"http://localhost:7/cb": true, "https://localhost:7/cb": false},
		"https://vscode.dev/redirect":                {"https://vscode.dev/redirect": true, "https://vscode.dev:444/redirect": false, "https://VSCODE.dev/redirect": false},
		"cursor://anysphere.cursor-retrieval/oauth/": {"cursor://anysphere.cursor-retrieval/oauth/": true, "cursor://other/oauth/": false},
	} {
		id := s.register(redirect)
		for address, want := range asked {
			if _, _, err := s.Request(t.Context(), s.asks("client_id", id, "redirect_uri", address), s.ana); (err == nil) != want {
				t.Errorf("%s for %s: %v", address, redirect, err)
			}
		}
	}
	for _, bad := range []string{
		"http://example.org/", "javascript://x/%0aalert(1)", "javascript:alert(1)", "data:text/html,x", "https://a.example/#f", "https://claude.ai@evil.example/", "/relative", "https:///x", "//evil.example/cb", "//127.0.0.1/cb", "googlechromes://evil.example/cb", "X-Safari-https://evil.example/cb", "https://a.example/\n",
		"https://a.example/;form-action", "https://a.example, x", "https://é.example/", "file:///etc/passwd", "https://a.example/" + strings.Repeat("x", 600), "",
	} {
		text, _ := json.Marshal(map[string]any{"redirect_uris": []string{bad}})
		if _, err := s.Register(text); err == nil {
			t.Errorf("%q is registered", bad)
		}
	}
	for _, bad := range []string{"", "{}", "[]", `{"redirect_uris":[]}`, `{"redirect_uris":"https://a.example/"}`, `{"redirect_uris":["https://a.example/` + strings.Repeat(`","https://a.example/`, 20) + `"]}`} {
		if _, err := s.Register([]byte(bad)); err == nil {
			t.Errorf("%s is registered", bad)
		}
	}
}

// A name says what it says in one line, and nothing that turns the text around.
func TestNamesOfClientsAreOneLine(t *testing.T) {
	s := newServer(t)
	text, _ := json.Marshal(map[string]any{"client_name": "Cl\u202eau\nde\u200b\x00 " + strings.Repeat("x", 200), "redirect_uris": []string{back}})
	answer, err := s.Register(text)
	if err != nil {
		t.Fatal(err)
	}
	text, _ = json.Marshal(answer)
	var client struct {
		ID   string `json:"client_id"`
		Name string `json:"client_name"`
	}
	if err := json.Unmarshal(text, &client); err != nil || !strings.HasPrefix(client.Name, "Clau de xxx") || len(client.Name) != 80 {
		t.Errorf("%q, %v", client.Name, err)
	}
	if r, _, err := s.Request(t.Context(), s.asks("client_id", client.ID), s.ana); err != nil || r.Client.Name != client.Name {
		t.Errorf("%+v, %v", r, err)
	}
}

// web answers requests for documents.
type web map[string]func() *http.Response

func (w web) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, ok := w[r.URL.String()]
	if !ok {
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
	}
	return answer(), nil
}

func document(status int, media, text string) func() *http.Response {
	return func() *http.Response {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {media}, "Location": {"https://a.example/good"}}, Body: io.NopCloser(strings.NewReader(text))}
	}
}

// A client may be the address of its document, which says that it is it.
func TestDocumentsOfClients(t *testing.T) {
	good := `{"client_id":"https://a.example/good","client_name":"A","redirect_uris":["` + back + `"]}`
	fetched := 0
	pages := web{
		"https://a.example/good":     func() *http.Response { fetched++; return document(200, "application/json", good)() },
		"https://a.example/other":    document(200, "application/json", good),
		"https://a.example/html":     document(200, "text/html", good),
		"https://a.example/moved":    document(302, "application/json", strings.ReplaceAll(good, "/good", "/moved")),
		"https://a.example/large":    document(200, "application/json", strings.Replace(strings.ReplaceAll(good, "/good", "/large"), "{", "{"+strings.Repeat(" ", 40<<10), 1)),
		"https://a.example/secret":   document(200, "application/json", strings.Replace(strings.ReplaceAll(good, "/good", "/secret"), "{", `{"token_endpoint_auth_method":"client_secret_post",`, 1)),
		"https://a.example/redirect": document(200, "application/json", `{"client_id":"https://a.example/redirect","redirect_uris":["javascript://x"]}`),
		"https://a.example/broken":   document(200, "application/json", `{`),
	}
	s := serve(t, newServer(t).graph.Path(), issuer, pages)
	for range 2 {
		r, _, err := s.Request(t.Context(), s.asks("client_id", "https://a.example/good"), s.ana)
		if err != nil || r.Client.Source != "a.example" || r.Client.Name != "A" {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if fetched != 1 {
		t.Errorf("the document was got %d times", fetched)
	}
	for _, id := range []string{
		"https://a.example/other", "https://a.example/html", "https://a.example/moved", "https://a.example/large", "https://a.example/secret", "https://a.example/redirect", "https://a.example/broken", "https://a.example/none",
		"http://a.example/good", "https://a.example", "https://a.example/", "https://a.example:8443/good", "https://a.example/x/../good", "https://u@a.example/good", "https://a.example/good#x", "https://127.0.0.1/good", "https://localhost/good", "https://[::1]/good", "https://a.example\\@b/good",
	} {
		if _, address, err := s.Request(t.Context(), s.asks("client_id", id), s.ana); err == nil || address != "" {
			t.Errorf("%s is a client: %v", id, err)
		}
	}
}
