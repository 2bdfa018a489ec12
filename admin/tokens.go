package admin

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"trails/admin/form"
	"trails/auth"
	"trails/auth/policy"
	"trails/invoke"
)

const (
	tokensURL = "/admin/tokens"
	issueID   = "trails.meta.token.create"
	revokeID  = "trails.meta.token.revoke"
)

// tokensShown is how many tokens the page of tokens has at once.
const tokensShown = 50

// token is a row of trails.meta.token.list.
type token struct{ Name, State, Scopes, Groups, Expires, Used, Creator, Created, Revoker, Revoked, Client string }

// UnmarshalJSON reads the cells of a row.
func (t *token) UnmarshalJSON(text []byte) error {
	row := [...]any{&t.Name, &t.State, &t.Scopes, &t.Groups, &t.Expires, &t.Used, &t.Creator, &t.Created, &t.Revoker, &t.Revoked, &t.Client}
	return json.Unmarshal(text, &row)
}

// grant is a row of trails.meta.grant.list.
type grant struct{ Name, Client, Scopes string }

// UnmarshalJSON reads the first cells of a row.
func (g *grant) UnmarshalJSON(text []byte) error {
	row := [...]any{&g.Name, &g.Client, &g.Scopes}
	return json.Unmarshal(text, &row)
}

// tokensData is the page of tokens.
type tokensData struct {
	// May is whether the viewer may see and issue tokens; without it the page says who may.
	May    bool
	Viewer policy.Principal
	// Given is what the viewer gave to clients, where the page does not list all tokens.
	Given  []grant
	Tokens []token
	Cut    string // what the list leaves out
	Pager  *pager
	Key    string       // of the form that issues one
	Fields []form.Field // of that form
	// Policies are those that are set, with a warning if there are none.
	Policies policiesSet
	// Budgets are what callers may use.
	Budgets budgetsData
}

// tokensPage answers the page of tokens.
func (s *site) tokensPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "offset")
	offset := q.number("offset", 0, 0, maxOffset)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	data := tokensData{May: policy.May(a.call.Principal, policy.Builder), Viewer: a.call.Principal}
	p := page{Title: "Tokens", Nav: "tokens", Scripts: []string{"form.js"}}
	if !data.May {
		if data.Viewer.Grant == "" { // a client has given nothing
			var answer struct{ Rows []grant }
			if err := a.ask("trails.meta.grant.list", nil, &answer); err != nil {
				return err
			}
			data.Given = answer.Rows
		}
		p.Main = data.main
		return s.respond(w, r, http.StatusOK, p)
	}
	var answer struct {
		Rows []token
		Cut  string
	}
	if err := a.ask("trails.meta.token.list", nil, &answer); err != nil {
		return err
	}
	n := len(answer.Rows)
	from, to := min(offset, n), min(offset+tokensShown, n)
	data.Tokens, data.Cut = answer.Rows[from:to], answer.Cut
	if n > tokensShown {
		text := count(from+1) + "–" + count(to) + " of " + count(n)
		data.Pager = pagerAt(text, offset, tokensShown, to, to < n, func(offset int) string {
			return withQuery(tokensURL, url.Values{"offset": {strconv.Itoa(offset)}})
		})
	}
	if err := a.ask(showPoliciesID, nil, &data.Policies); err != nil {
		return err
	}
	var err error
	if data.Budgets, err = a.budgets(); err != nil {
		return err
	}
	f, err := s.newForm(w, r, issueID)
	if err != nil {
		return err
	}
	data.Key, data.Fields = f.key, form.New(f.shape, nil, nil).Fields
	p.Main, p.Live = data.main, live{Mode: "any", Head: a.head}
	return s.respond(w, r, http.StatusOK, p)
}

// withdraw ends what the viewer gave to a client.
func (s *site) withdraw(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	var done struct{}
	if err := s.asker(w, r).ask("trails.meta.grant.end", map[string]any{"name": values.Get("name")}, &done); err != nil {
		return err
	}
	http.Redirect(w, r, tokensURL, http.StatusSeeOther)
	return nil
}

// issuedToken is a token that was just issued, with its secret, or "" after that was shown.
type issuedToken struct {
	Name   string
	Secret string `json:"-"`
	MCP    string `json:"-"` // where agents reach this server
}

// issued returns the token that the form of a request's address has issued, with its secret if that was not shown yet.
func (s *site) issued(r *http.Request, principal string, res invoke.Result) *issuedToken {
	out := &issuedToken{MCP: auth.Base(r) + "/mcp"}
	_ = json.Unmarshal(res.Structured, out) // the engine's own JSON
	if r.Method == http.MethodGet {         // and not HEAD, which shows nothing
		out.Secret = s.submissions.takeSecret(principal, r.PathValue("key"))
	}
	return out
}

// partSecret parts the secret of a token that was issued from the rest of the answer, which may be kept; "" if the answer
// has none.
func partSecret(capability string, res invoke.Result) (secret string, rest invoke.Result) {
	var answer struct{ Token string }
	if capability == issueID {
		_ = json.Unmarshal(res.Structured, &answer) // the engine's own JSON
	}
	if answer.Token == "" {
		return "", res
	}
	text := bytes.ReplaceAll(res.Structured, []byte(answer.Token), []byte("(shown once)"))
	return answer.Token, invoke.Result{Structured: text, Written: res.Written, TraceID: res.TraceID, Head: res.Head}
}

// URL is the form that revokes the token, with more fields filled in.
func (t token) URL(more ...string) string {
	return formURL(revokeID, append([]string{"name", t.Name}, more...)...)
}
