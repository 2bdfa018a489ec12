package oauth_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

const (
	issuer = "https://notes.example.org"
	back   = "https://claude.ai/api/mcp/auth_callback"
)

// server is an authorization server of a new graph, to which ana has a token with runtime and builder.
type server struct {
	*oauth.Server
	t       *testing.T
	graph   *kg.Graph
	who     *auth.Resolver
	ana     policy.Principal
	client  string // a client_id
	now     time.Time
	refused []auth.Refusal
}

func newServer(t *testing.T) *server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.trails")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return serve(t, path, issuer, nil)
}

// serve is the server of a file at an address.
func serve(t *testing.T, path, issuer string, transport http.RoundTripper) *server {
	t.Helper()
	s := &server{t: t, now: time.Now()}
	clock := func() time.Time { return s.now }
	g, err := kg.Open(t.Context(), path, kg.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	s.graph = g
	scopes := policy.NewScopes(policy.Runtime, policy.Builder)
	s.who = auth.New(auth.Options{Issued: g, Scopes: scopes, Server: issuer, Closed: true, Refused: func(_ context.Context, r auth.Refusal) { s.refused = append(s.refused, r) }})
	s.Server = oauth.New(oauth.Options{Issuer: issuer, Graph: g, Auth: s.who, Transport: transport, Now: clock})
	if _, ok, err := g.Token(t.Context(), "ana"); err != nil {
		t.Fatal(err)
	} else if !ok {
		s.issue("ana", time.Time{})
	}
	s.ana = policy.Principal{ID: "token:ana", Scopes: scopes, Authenticated: true}
	s.client = s.register(back)
	return s
}

func (s *server) issue(name string, expires time.Time) {
	s.t.Helper()
	_, _, err := s.graph.Session(policy.Local("root", "")).IssueToken(s.t.Context(), kg.NewToken{Name: name, Scopes: policy.AllScopes(), Groups: []string{"editors"}, Expires: expires}, false, kg.Activity{})
	if err != nil {
		s.t.Fatal(err)
	}
}

// register returns the client_id of a client with redirects.
func (s *server) register(redirects ...string) string {
	s.t.Helper()
	text, _ := json.Marshal(map[string]any{"client_name": "Claude", "redirect_uris": redirects})
	answer, err := s.Register(text)
	if err != nil {
		s.t.Fatal(err)
	}
	text, _ = json.Marshal(answer)
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal(text, &client); err != nil {
		s.t.Fatal(err)
	}
	return client.ID
}

const proof = "a-verifier-of-more-than-forty-three-characters"

// asks are the parameters of a right request, with changes; a value of "-" takes one out.
func (s *server) asks(changes ...string) url.Values {
	sum := sha256.Sum256([]byte(proof))
	return with(url.Values{
		"client_id": {s.client}, "redirect_uri": {back}, "response_type": {"code"}, "state": {"st"}, "scope": {"runtime openid"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {issuer + "/mcp"},
	}, changes...)
}

func with(values url.Values, changes ...string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		if values.Set(changes[i], changes[i+1]); changes[i+1] == "-" {
			values.Del(changes[i])
		}
	}
	return values
}

// code is one that ana gives.
func (s *server) code(changes ...string) string {
	s.t.Helper()
	r, _, err := s.Request(s.t.Context(), s.asks(changes...), s.ana)
	if err != nil {
		s.t.Fatal(err)
	}
	address, err := s.Allow(s.t.Context(), r, policy.NewScopes(policy.Runtime))
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Query().Get("state") != "st" || u.Query().Get("iss") != issuer || !strings.HasPrefix(address, back+"?") {
		s.t.Fatalf("the answer goes to %s", address)
	}
	return u.Query().Get("code")
}

func (s *server) token(form url.Values) (*oauth.Tokens, error) {
	s.t.Helper()
	req := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, oauth.TokenPath, nil)
	return s.Token(req, form)
}

func (s *server) uses(code string, changes ...string) url.Values {
	return with(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {s.client}, "redirect_uri": {back}, "code_verifier": {proof}}, changes...)
}

func (s *server) renews(refresh string, changes ...string) url.Values {
	return with(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {s.client}}, changes...)
}

// tokens are those of a new grant.
func (s *server) tokens() *oauth.Tokens {
	s.t.Helper()
	out, err := s.token(s.uses(s.code()))
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// admits reports whom an access token admits.
func (s *server) admits(access string) (policy.Principal, bool) {
	s.t.Helper()
	p, ok, err := s.who.Verify(s.t.Context(), access)
	if err != nil {
		s.t.Fatal(err)
	}
	return p, ok
}

func (s *server) refuses(what string, err error, code string) {
	s.t.Helper()
	var wrong *oauth.Error
	if !errors.As(err, &wrong) || wrong.Code != code {
		s.t.Errorf("%s: got %v, want %s", what, err, code)
	}
}

// The whole flow: a code, tokens by it, others by the refresh token. The caller is the person, by the client.
func TestAClientGetsAccessInThePersonsName(t *testing.T) {
	s := newServer(t)
	first := s.tokens()
	if first.Type != "Bearer" || first.Seconds != 3600 || first.Scope != "runtime" {
		t.Errorf("the tokens are %+v", first)
	}
	p, ok := s.admits(first.Access)
	if !ok || p.ID != "token:ana" || p.Scopes != policy.NewScopes(policy.Runtime) || len(p.Groups) != 1 || !strings.HasPrefix(p.Author(), "token:ana via claude.ai (grant-") {
		t.Errorf("the caller is %+v, %s", p, p.Author())
	}
	second, err := s.token(s.renews(first.Refresh))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.admits(first.Access); ok {
		t.Error("the access token before counts")
	}
	if again, ok := s.admits(second.Access); !ok || again.Grant != p.Grant {
		t.Errorf("the next access token is of %+v", again)
	}
	for _, secret := range []string{second.Refresh, "x" + second.Access, strings.ToLower(second.Access)} {
		if _, ok := s.admits(secret); ok {
			t.Errorf("%s admits", secret)
		}
	}
	if err := oauth.MayGive(p); !fault.Is(err, fault.Denied) {
		t.Errorf("a client gives access: %v", err)
	}
	if _, _, err := s.graph.Session(p).IssueToken(t.Context(), kg.NewToken{Name: "x"}, false, kg.Activity{}); !fault.Is(err, fault.Denied) {
		t.Errorf("a client issues tokens: %v", err)
	}
}

// Whatever is wrong with a request does not lead to a code; and while it is not known where answers go, none goes anywhere.
func TestRequestsThatAreRefused(t *testing.T) {
	s := newServer(t)
	for name, c := range map[string]struct {
		changes []string
		code    string // "" if the browser is not sent anywhere
	}{
		"no client":                     {[]string{"client_id", "-"}, ""},
		"an invented client":            {[]string{"client_id", "dcr.e30"}, ""},
		"another redirect":              {[]string{"redirect_uri", "https://evil.example/"}, ""},
		"a redirect below":              {[]string{"redirect_uri", back + "/x"}, ""},
		"a redirect with a query":       {[]string{"redirect_uri", back + "?x=1"}, ""},
		"no challenge":                  {[]string{"code_challenge", "-"}, "invalid_request"},
		"a plain challenge":             {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"no method":                     {[]string{"code_challenge_method", "-"}, "invalid_request"},
		"a token at once":               {[]string{"response_type", "token"}, "unsupported_response_type"},
		"an answer in the fragment":     {[]string{"response_mode", "fragment"}, "invalid_request"},
		"another resource":              {[]string{"resource", "https://other.example"}, "invalid_target"},
		"a resource below":              {[]string{"resource", issuer + "/mcp/x"}, "invalid_target"},
		"a resource of the same prefix": {[]string{"resource", issuer + ".evil.example"}, "invalid_target"},
		"a long state":                  {[]string{"state", strings.Repeat("x", 5000)}, "invalid_request"},
	} {
		_, address, err := s.Request(t.Context(), s.asks(c.changes...), s.ana)
		u, _ := url.Parse(address)
		switch {
		case err == nil:
			t.Errorf("%s is accepted", name)
		case c.code == "" && address != "":
			t.Errorf("%s: the browser is sent to %s", name, address)
		case c.code != "" && (u.Query().Get("error") != c.code || u.Query().Get("iss") != issuer || u.Host != "claude.ai"):
			t.Errorf("%s: the browser is sent to %s", name, address)
		}
	}
	twice := s.asks()
	twice.Add("code_challenge", twice.Get("code_challenge"))
	if _, address, err := s.Request(t.Context(), twice, s.ana); err == nil || !strings.Contains(address, "invalid_request") {
		t.Errorf("a parameter twice: %s, %v", address, err)
	}
	for name, p := range map[string]policy.Principal{
		"nobody": {}, "the operator": policy.Local("ana", ""), "the token of the process": {ID: "token", Authenticated: true}, "a client": {ID: "token:ana", Grant: "grant-1", Authenticated: true},
	} {
		if _, address, err := s.Request(t.Context(), s.asks(), p); err == nil || address != "" {
			t.Errorf("%s may give access: %v", name, err)
		}
	}
	r, _, err := s.Request(t.Context(), s.asks(), s.ana)
	if err != nil {
		t.Fatal(err)
	}
	if r.Offered != policy.NewScopes(policy.Runtime) {
		t.Errorf("offered are %v", r.Offered)
	}
	for _, scopes := range []policy.Scopes{{}, policy.NewScopes(policy.Builder), policy.AllScopes()} {
		if address, err := s.Allow(t.Context(), r, scopes); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("allowed with %v: %s, %v", scopes, address, err)
		}
	}
	if address := s.Deny(t.Context(), r); !strings.Contains(address, "error=access_denied") || strings.Contains(address, "code=") {
		t.Errorf("refused: %s", address)
	}
	if r, _, err := s.Request(t.Context(), s.asks("scope", "-"), s.ana); err != nil || r.Offered != s.ana.Scopes {
		t.Errorf("without a scope offered are %v: %v", r, err)
	}
}

// A code is for the client that asked, once, and soon.
func TestCodesThatAreRefused(t *testing.T) {
	s := newServer(t)
	other := s.register("https://evil.example/")
	code := s.code()
	for name, changes := range map[string][]string{
		"another client":            {"client_id", other},
		"no client":                 {"client_id", "-"},
		"another redirect":          {"redirect_uri", "https://evil.example/"},
		"no verifier":               {"code_verifier", "-"},
		"the challenge as verifier": {"code_verifier", s.asks().Get("code_challenge")},
		"another verifier":          {"code_verifier", proof + "x"},
		"another code":              {"code", policy.Secret(policy.NameInSecret(code), rand.Text())},
		"a code of nothing":         {"code", "x"},
	} {
		_, err := s.token(s.uses(code, changes...))
		s.refuses(name, err, "invalid_grant")
	}
	_, err := s.token(s.uses(code, "resource", "https://other.example"))
	s.refuses("another resource", err, "invalid_target")
	_, err = s.token(s.uses(code, "grant_type", "password"))
	s.refuses("another grant type", err, "unsupported_grant_type")
	twice := s.uses(code)
	twice.Add("code", code)
	_, err = s.token(twice)
	s.refuses("a code twice", err, "invalid_request")
	if _, ok := s.admits(code); ok {
		t.Error("a code is an access token")
	}
	tokens, err := s.token(s.uses(code))
	if err != nil {
		t.Fatalf("what was refused before used the code up: %v", err)
	}
	_, err = s.token(s.uses(code, "code_verifier", "-"))
	s.refuses("a second use, without a verifier", err, "invalid_grant")
	if _, ok := s.admits(tokens.Access); ok {
		t.Error("what a code gave counts after its second use")
	}
	_, err = s.token(s.renews(tokens.Refresh))
	s.refuses("the refresh token after that", err, "invalid_grant")
	states := map[auth.TokenState]bool{}
	for _, r := range s.refused {
		states[r.State] = true
		if strings.Contains(r.Says+r.Name, code) {
			t.Errorf("a secret is told: %+v", r)
		}
	}
	for _, state := range []auth.TokenState{auth.GrantMismatch, auth.TokenReplayed, auth.TokenWrong} {
		if !states[state] {
			t.Errorf("%s is not told", state)
		}
	}
}

// A code counts for a minute, an access token for an hour, and a grant for three months.
func TestTimesOfAGrant(t *testing.T) {
	s := newServer(t)
	began := s.now
	code := s.code()
	s.now = began.Add(oauth.CodeLife)
	_, err := s.token(s.uses(code))
	s.refuses("a code that has expired", err, "invalid_grant")
	tokens := s.tokens()
	p, _ := s.admits(tokens.Access)
	g, _, err := s.graph.Token(t.Context(), p.Grant)
	if err != nil || g.Admits(sha256.Sum256([]byte(tokens.Access)), s.now.Add(oauth.AccessLife)) || !g.Valid(s.now.Add(oauth.AccessLife)) {
		t.Errorf("%+v, %v", g, err)
	}
	s.now = s.now.Add(oauth.GrantLife - time.Minute)
	last, err := s.token(s.renews(tokens.Refresh))
	if err != nil || last.Seconds < 59 || last.Seconds > 60 {
		t.Errorf("a minute before the end: %+v, %v", last, err)
	}
	s.now = s.now.Add(time.Minute)
	_, err = s.token(s.renews(last.Refresh))
	s.refuses("at the end", err, "invalid_grant")
}

// A refresh token counts once; an older one revokes what the person gave.
func TestARefreshTokenThatIsUsedTwiceRevokesItsGrant(t *testing.T) {
	s := newServer(t)
	first := s.tokens()
	_, err := s.token(s.renews(first.Refresh, "client_id", s.register("https://evil.example/")))
	s.refuses("another client", err, "invalid_grant")
	_, err = s.token(s.renews(first.Refresh, "scope", "runtime builder"))
	s.refuses("more scopes", err, "invalid_scope")
	second, err := s.token(s.renews(first.Refresh))
	if err != nil {
		t.Fatal(err)
	}
	third, err := s.token(s.renews(second.Refresh, "scope", "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	forged := third.Refresh[:len(third.Refresh)-52] + rand.Text() + rand.Text()
	_, err = s.token(s.renews(forged))
	s.refuses("a forged one", err, "invalid_grant")
	if _, ok := s.admits(third.Access); !ok {
		t.Error("a forged refresh token revokes a grant, whose name is no secret")
	}
	_, err = s.token(s.renews(first.Refresh))
	s.refuses("the one before the one before", err, "invalid_grant")
	if _, ok := s.admits(third.Access); ok {
		t.Error("the grant counts after an old refresh token was used")
	}
	_, err = s.token(s.renews(third.Refresh))
	s.refuses("the latest one after that", err, "invalid_grant")
}

// What a person gave ends with what they have.
func TestAGrantEndsWithItsPerson(t *testing.T) {
	s := newServer(t)
	end := s.now.Add(100 * 24 * time.Hour)
	for name, change := range map[string]func(*kg.Session) error{
		"the person's token is revoked": func(root *kg.Session) error {
			_, err := root.RevokeToken(t.Context(), "ben", false, false, kg.Activity{})
			return err
		},
		"the person's token is forgotten, and its name given to another": func(root *kg.Session) error {
			_, err := root.RevokeToken(t.Context(), "ben", true, false, kg.Activity{})
			s.now = s.now.Add(time.Second)
			s.issue("ben", end)
			return err
		},
		"the grant is revoked": func(root *kg.Session) error {
			p, _ := s.admits(current)
			_, err := root.RevokeToken(t.Context(), p.Grant, false, false, kg.Activity{})
			return err
		},
	} {
		s.issue("ben", end)
		s.ana.ID = "token:ben"
		tokens := s.tokens()
		if current = tokens.Access; current == "" {
			t.Fatal("no token")
		}
		if _, ok := s.admits(current); !ok {
			t.Fatalf("before %s", name)
		}
		root := s.graph.Session(policy.Local("root", ""))
		if err := change(root); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.admits(tokens.Access); ok {
			t.Errorf("%s: the client is admitted", name)
		}
		_, err := s.token(s.renews(tokens.Refresh))
		s.refuses(name, err, "invalid_grant")
		if _, err := root.RevokeToken(t.Context(), "ben", true, false, kg.Activity{}); err != nil {
			t.Fatal(err)
		}
	}
	s.issue("cy", s.now.Add(time.Hour))
	s.ana.ID = "token:cy"
	tokens := s.tokens()
	p, _ := s.admits(tokens.Access)
	if g, _, err := s.graph.Token(t.Context(), p.Grant); err != nil || g.Expires.After(s.now.Add(time.Hour)) {
		t.Errorf("a grant lasts until %v, longer than its person: %v", g.Expires, err)
	}
}

var current string // of TestAGrantEndsWithItsPerson

// A copy of a graph at another address, and one without an authorization server, do not take the tokens.
func TestTokensAreForOneServer(t *testing.T) {
	s := newServer(t)
	tokens := s.tokens()
	copied := filepath.Join(t.TempDir(), "copy.trails")
	if err := s.graph.Backup(t.Context(), copied, kg.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	other := serve(t, copied, issuer+"/graphs/copy", nil)
	if _, ok := other.admits(tokens.Access); ok {
		t.Error("a copy at another address admits")
	}
	other.client = s.client
	_, err := other.token(other.renews(tokens.Refresh))
	s.refuses("the refresh token at a copy", err, "invalid_grant")
	without := auth.New(auth.Options{Issued: s.graph, Scopes: policy.AllScopes()})
	if _, ok, err := without.Verify(t.Context(), tokens.Access); ok || err != nil {
		t.Errorf("a process without an authorization server: %t, %v", ok, err)
	}
	if _, ok := s.admits(tokens.Access); !ok {
		t.Error("its own server does not admit it")
	}
}

// A client gives back what it has.
func TestAClientRevokesItsGrant(t *testing.T) {
	s := newServer(t)
	for _, of := range []func(*oauth.Tokens) string{func(t *oauth.Tokens) string { return t.Access }, func(t *oauth.Tokens) string { return t.Refresh }} {
		tokens := s.tokens()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, oauth.RevokePath, nil)
		if err := s.Revoke(req, url.Values{"token": {policy.Secret(policy.NameInSecret(tokens.Access), rand.Text())}}); err != nil {
			t.Error(err)
		}
		if _, ok := s.admits(tokens.Access); !ok {
			t.Fatal("a forged token revokes")
		}
		if err := s.Revoke(req, url.Values{"token": {of(tokens)}}); err != nil {
			t.Error(err)
		}
		if _, ok := s.admits(tokens.Access); ok {
			t.Error("it counts after that")
		}
	}
}

// An address that tries many codes waits.
func TestManyWrongCodesWait(t *testing.T) {
	s := newServer(t)
	code := s.code()
	for range 10 {
		_, err := s.token(s.uses(code, "code_verifier", proof+"y"))
		s.refuses("a wrong verifier", err, "invalid_grant")
	}
	if _, err := s.token(s.uses(code, "code_verifier", proof+"y")); !fault.Is(err, fault.Exhausted) {
		t.Errorf("one more: %v", err)
	}
}

// A person gives access to some clients at most, and what nobody used is forgotten.
func TestAPersonGivesAccessToSomeClients(t *testing.T) {
	s := newServer(t)
	for range 50 {
		s.code()
	}
	r, _, err := s.Request(t.Context(), s.asks(), s.ana)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Allow(t.Context(), r, r.Offered); !fault.Is(err, fault.TooLarge) {
		t.Errorf("one more: %v", err)
	}
	s.now = s.now.Add(40 * 24 * time.Hour)
	s.code()
	var list []policy.Token
	err = s.graph.Session(policy.Local("root", "")).View(t.Context(), func(snap *kg.Snapshot) (err error) {
		list, err = snap.Tokens(t.Context())
		return err
	})
	if err != nil || len(list) != 2 {
		t.Errorf("%d tokens stay: %v", len(list), err)
	}
}
