package auth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"trails/auth/oidc"
	"trails/auth/policy"
	"trails/fault"
	"trails/text/redact"
)

// Refusal is a request that was refused because of its token, before any call. The token itself is not in it.
type Refusal struct {
	// State is what the token was.
	State TokenState
	// Name is the name of the graph's token, or whom a token of the identity provider that has expired is of. With
	// TokenWrong it is what the caller claims, and proves nothing; "" if the token does not have the form of one.
	Name string
	// Says is a sentence for the log about a token of the identity provider, with claims of it in quotation marks, or about
	// what came with the code of a grant; "" for every other.
	Says string
	// Caller is the anonymous caller, with the program that they say they use.
	Caller policy.Principal
	// Via is the transport, as in calls; Address is the caller's IP address, "" over stdio.
	Via, Address string
	// Left is how many refusals were left out since the one before.
	Left int
}

// TokenState is what a token was that did not admit its caller.
type TokenState string

// The states; those of a token of the identity provider are each [oidc.Reason], besides. Only who shows the right secret,
// or a token that the identity provider signed for this server, is told that it has expired or was revoked. To others all
// wrong tokens are the same.
const (
	TokenMissing TokenState = "missing"
	TokenWrong   TokenState = "wrong"
	TokenExpired TokenState = "expired"
	TokenRevoked TokenState = "revoked"
	// LinkWrong is a sign-in link of the operator that has another key, or was used before.
	LinkWrong TokenState = "link"
	// TokenElsewhere is an access token that another authorization server gave, or one that is not there any more.
	TokenElsewhere TokenState = "elsewhere"
	// TokenReplayed is an authorization code or refresh token that was used before; its grant was revoked.
	TokenReplayed TokenState = "replayed"
	// GrantMismatch is an authorization code or refresh token with another client, redirect, verifier or resource.
	GrantMismatch TokenState = "mismatch"
)

// Refuse returns the fault for a request that [Resolver.Request] does not admit, over a transport. It may delay one with
// a wrong token.
func (r *Resolver) Refuse(req *http.Request, via string) error {
	return r.RefuseToken(req, via, bearer(req))
}

// RefuseToken is [Resolver.Refuse] for a token that did not come in the header; "" for none.
func (r *Resolver) RefuseToken(req *http.Request, via, secret string) error {
	err := r.refuseRequest(req, via, secret)
	if secret != "" {
		if late := r.wrongToken(req); late != nil {
			return late
		}
	}
	return err
}

// RefuseAtOnce is [Resolver.Refuse] without a delay.
func (r *Resolver) RefuseAtOnce(req *http.Request, via string) error {
	return r.refuseRequest(req, via, bearer(req))
}

func (r *Resolver) refuseRequest(req *http.Request, via, secret string) error {
	return r.refuse(req.Context(), secret, Refusal{Caller: stranger(req), Via: via, Address: ClientAddr(req)})
}

// RefuseLocal is [Resolver.Refuse] for the caller over stdio; see [Resolver.Local].
func (r *Resolver) RefuseLocal(ctx context.Context, via, secret string) error {
	return r.refuse(ctx, cmp.Or(secret, r.opts.Shown), Refusal{Caller: policy.Anonymous("", policy.Scopes{}), Via: via})
}

func (r *Resolver) refuse(ctx context.Context, secret string, why Refusal) error {
	t := r.shown(ctx, secret, &why)
	r.tell(ctx, why)
	switch why.State {
	case TokenMissing:
		return Unauthenticated()
	case TokenExpired:
		if why.Says != "" {
			return invalidToken(TokenExpired, "%s; get another from the identity provider", why.Says)
		}
		if t.Grant != nil && t.Valid(time.Now()) {
			return invalidToken(TokenExpired, "the access token of %s has expired; its client gets another by its refresh token", t.Name)
		}
		return invalidToken(TokenExpired, "token %s expired at %s; somebody with the scope builder issues another", t.Name, t.Expires.UTC().Format(time.RFC3339))
	case TokenElsewhere:
		return invalidToken(TokenElsewhere, "%s is for another server", t.Name)
	case TokenRevoked:
		if t.Grant != nil {
			return invalidToken(TokenRevoked, "the access that %s gave to %s was revoked, or %s has none any more; connect the client again", t.Grant.Person, t.Grant.Host, t.Grant.Person)
		}
		return invalidToken(TokenRevoked, "token %s was revoked; somebody with the scope builder issues another", t.Name)
	default:
		return invalidToken(TokenWrong, "the token is not valid")
	}
}

// shown says in why what a secret is, and returns the token whose secret it is, if any.
func (r *Resolver) shown(ctx context.Context, secret string, why *Refusal) (t policy.Token) {
	if secret == "" {
		why.State = TokenMissing
		return t
	}
	proof := r.proofOf(secret)
	why.State, why.Name = TokenWrong, proof.name
	if proof.jwt != "" {
		_, err := r.opts.Provider.Verify(ctx, proof.jwt)
		var wrong *oidc.Invalid
		if errors.As(err, &wrong) {
			why.State, why.Name, why.Says = TokenState(wrong.Reason), wrong.Caller.ID, wrong.Says
		}
		return t
	}
	if proof.name == "" || r.opts.Issued == nil {
		return t
	}
	t, found, err := r.opts.Issued.Token(ctx, proof.name)
	switch {
	case err != nil || !found || !t.Is(proof.hash):
	case !t.Revoked.IsZero():
		why.State = TokenRevoked
	case !t.Admits(proof.hash, time.Now()):
		why.State = TokenExpired
	case t.Grant != nil:
		if _, state, err := r.Granted(ctx, t); err == nil && state != "" {
			why.State = state
		}
	}
	return t
}

func invalidToken(state TokenState, format string, args ...any) error {
	return fault.New(fault.Unauthenticated, "Authentication failed: "+format, args...).With("token", string(state))
}

// Unauthenticated returns the fault for a caller without the token.
func Unauthenticated() error { return fault.New(fault.Unauthenticated, "Authentication failed") }

// Challenge returns what the header WWW-Authenticate says of a fault, "" for faults that it is not about (RFC 6750,
// section 3). Where clients can sign in it says which scopes to ask for, and where the address for that is (RFC 9728,
// section 5.1).
func (r *Resolver) Challenge(req *http.Request, f *fault.Error) string {
	_, shown := f.Details["token"]
	scope, _ := f.Details["required_scope"].(string)
	var says []string
	say := func(name, value string) { says = append(says, name+`="`+strings.Map(quotable, value)+`"`) }
	names, signsIn := "", r.opts.Provider != nil || r.opts.Server != ""
	if signsIn {
		names = strings.Join(r.scopeNames(r.opts.Scopes), " ")
	}
	switch {
	case f.Kind == fault.Unauthenticated && shown:
		_, why, _ := strings.Cut(f.Message, ": ")
		say("error", "invalid_token")
		say("error_description", why)
	case f.Kind == fault.Unauthenticated:
	case f.Kind == fault.ScopeDenied && scope != "":
		say("error", "insufficient_scope")
		if names = scope; signsIn { // who asks for a scope alone loses the others
			names = strings.Join(r.scopeNames(PrincipalOf(req.Context()).Scopes.With(policy.Scope(scope))), " ")
		}
	default:
		return ""
	}
	if names != "" {
		say("scope", names)
	}
	if signsIn {
		say("resource_metadata", Base(req)+MetadataPath+resourceOf(req.URL.Path))
	}
	return strings.TrimSpace("Bearer " + strings.Join(says, ", "))
}

// quotable leaves out what error_description may not have.
func quotable(c rune) rune {
	if c < ' ' || c > '~' || c == '"' || c == '\\' {
		return -1
	}
	return c
}

// CheckAddress refuses a request with a token in its address: programs on the way, logs and histories keep addresses.
// The parameter access_token is refused whatever its value (RFC 6750, section 2.3).
func (r *Resolver) CheckAddress(req *http.Request) error {
	query := req.URL.Query()
	_, found := query["access_token"]
	texts := []string{req.URL.Path}
	if req.URL.Path == AuthorizePath || req.URL.Path == ProviderPath { // some clients and providers sign these, as JSON Web Tokens
		query.Del("state")
		query.Del("code")
	}
	for name, values := range query {
		texts = append(append(texts, name), values...)
	}
	for _, text := range texts {
		found = found || redact.HasToken([]byte(text)) || string(r.secrets.Clean([]byte(text))) != text
	}
	if !found {
		return nil
	}
	return fault.New(fault.InvalidArguments, "the address has a token in it, and addresses are kept in logs and histories; send it as Authorization: Bearer, and give a token that was in an address another secret")
}

// Bounds on refusals that are told. A file keeps its latest 100,000: those of a flood from many addresses do not displace
// them within days.
const (
	toldEvery  = time.Minute // for each network and state
	toldAtOnce = 60          // for all
	toldRate   = 10 * time.Second
)

// refusals bounds which refusals are told. The zero value has told none.
type refusals struct {
	mu   sync.Mutex
	all  *rate.Limiter
	last map[refusalKey]time.Time // at most those of toldEvery
	left int
}

// refusalKey is what is told once in toldEvery. The name counts where it was proven: others can be varied at will.
type refusalKey struct {
	from  netip.Prefix
	state TokenState
	name  string
}

// tell tells the process of a refusal, unless there were too many.
func (r *Resolver) tell(ctx context.Context, why Refusal) {
	if r.opts.Refused == nil {
		return
	}
	key := refusalKey{networkOf(why.Address), why.State, ""}
	if slices.Contains([]TokenState{TokenExpired, TokenRevoked, TokenElsewhere, TokenReplayed}, why.State) {
		key.name = why.Name
	}
	if left, ok := r.told.take(key, time.Now()); ok {
		why.Left = left
		r.opts.Refused(ctx, why)
	}
}

// take reports whether a refusal is told, and how many were not since the one before.
func (a *refusals) take(key refusalKey, now time.Time) (left int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all, a.last = rate.NewLimiter(rate.Every(toldRate), toldAtOnce), map[refusalKey]time.Time{}
	}
	if last, told := a.last[key]; told && now.Sub(last) < toldEvery || !a.all.AllowN(now, 1) {
		a.left++
		return 0, false
	}
	for other, last := range a.last {
		if now.Sub(last) >= toldEvery {
			delete(a.last, other)
		}
	}
	a.last[key] = now
	left, a.left = a.left, 0
	return left, true
}
