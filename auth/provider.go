package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"trails/auth/oidc"
	"trails/auth/policy"
	"trails/fault"
)

// ProviderPath is where people begin to sign in at the identity provider, and where they come back.
const ProviderPath = "/admin/login/provider"

const (
	// begunLife is how long a person may take at the provider.
	begunLife = 10 * time.Minute
	// maxBegun is how many may be there at once; beyond it the one who began first has to begin again.
	maxBegun = 1000
)

// begunSignIns are sign-ins at the provider that have begun, by the hash of their cookie. The zero value has none.
type begunSignIns struct {
	mu     sync.Mutex
	byHash map[[sha256.Size]byte]begunSignIn
}

type begunSignIn struct {
	oidc.SignIn
	next  string
	until time.Time
}

// ProviderName is the host of the identity provider at which people sign in from the pages, "" if they do not.
func (r *Resolver) ProviderName() string {
	if r.opts.Provider == nil || !r.opts.Provider.SignsIn() {
		return ""
	}
	u, err := url.Parse(r.opts.Provider.Issuer())
	if err != nil {
		return ""
	}
	return u.Host
}

// BeginSignIn returns the address of the identity provider at which the user of a browser signs in, and the cookie by which
// the same browser is known when it comes back. They go on to next then.
func (r *Resolver) BeginSignIn(req *http.Request, next string) (address string, begun *http.Cookie, err error) {
	if r.ProviderName() == "" {
		return "", nil, fault.New(fault.NotFound, "nobody signs in at an identity provider here; the server was started without --oidc-client-id")
	}
	address, in, err := r.opts.Provider.Begin(req.Context(), Base(req)+ProviderPath, r.opts.Scopes)
	if err != nil {
		return "", nil, err
	}
	id := rand.Text() + rand.Text()
	b := &r.begun
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byHash == nil {
		b.byHash = map[[sha256.Size]byte]begunSignIn{}
	}
	var first [sha256.Size]byte
	now := time.Now()
	for hash, it := range b.byHash {
		if now.After(it.until) {
			delete(b.byHash, hash)
		} else if earlier, ok := b.byHash[first]; !ok || it.until.Before(earlier.until) {
			first = hash
		}
	}
	if len(b.byHash) >= maxBegun {
		delete(b.byHash, first)
	}
	b.byHash[sha256.Sum256([]byte(id))] = begunSignIn{in, next, now.Add(begunLife)}
	return address, r.begunCookie(req, id, int(begunLife.Seconds())), nil
}

// begunCookie is the cookie of a sign-in that has begun. The browser comes back from another site, and has to send it then.
func (r *Resolver) begunCookie(req *http.Request, value string, age int) *http.Cookie {
	c := r.cookie(req, value, age)
	c.Name += "-begun"
	c.SameSite = http.SameSiteLaxMode
	return c
}

// FinishedSignIn is what a browser gets that comes back from the identity provider.
type FinishedSignIn struct {
	// Session is its cookie, and Begun ends the one of [Resolver.BeginSignIn].
	Session, Begun *http.Cookie
	Who            policy.Principal
	// Next is where it goes on.
	Next string
}

// FinishSignIn lets a browser in that comes back from the identity provider with an answer. It has to be the one that began,
// each begins once, and the session lasts as long as the token of the provider. What is refused is told.
func (r *Resolver) FinishSignIn(req *http.Request, answer url.Values) (done FinishedSignIn, err error) {
	again := fault.New(fault.Denied, "this is not the end of a sign-in that this browser began within ten minutes; sign in again")
	cookie, err := req.Cookie(r.begunCookie(req, "", 0).Name)
	if err != nil || r.ProviderName() == "" {
		return done, again
	}
	hash := sha256.Sum256([]byte(cookie.Value))
	r.begun.mu.Lock()
	in, known := r.begun.byHash[hash]
	delete(r.begun.byHash, hash)
	r.begun.mu.Unlock()
	if !known || time.Now().After(in.until) {
		return done, again
	}
	token, who, err := r.opts.Provider.Finish(req.Context(), in.SignIn, answer)
	var wrong *oidc.Invalid
	if errors.As(err, &wrong) {
		r.tell(req.Context(), Refusal{State: TokenState(wrong.Reason), Name: wrong.Caller.ID, Says: wrong.Says, Caller: stranger(req), Via: "admin", Address: ClientAddr(req)})
		return done, again
	}
	if err != nil {
		return done, err
	}
	p, ok, err := r.Verify(req.Context(), token)
	if err != nil {
		return done, err
	}
	if !ok || p.ID != who.ID {
		return done, again
	}
	next := in.next
	if !strings.HasPrefix(next, "/") {
		next = "/"
	}
	return FinishedSignIn{Session: r.SignIn(req, token), Begun: r.begunCookie(req, "", -1), Who: p, Next: next}, nil
}
