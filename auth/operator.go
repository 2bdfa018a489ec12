package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"sync"
	"time"

	"trails/auth/policy"
	"trails/fault"
	"trails/loopback"
)

// OperatorLinkLife is how long the operator's sign-in link is valid.
const OperatorLinkLife = time.Hour

// operatorLink is the operator's sign-in link. The zero value is none.
type operatorLink struct {
	mu    sync.Mutex
	hash  [sha256.Size]byte // of its key
	until time.Time         // zero if there is no link, or it was used
}

// OperatorKey returns the key of a new sign-in link, which admits one browser as the operator, once, within
// [OperatorLinkLife]. It invalidates the previous link. Show the key only on the terminal: whoever has it is
// the operator. Only its hash is kept.
func (r *Resolver) OperatorKey() string {
	key := rand.Text() + rand.Text()
	l := &r.link
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hash, l.until = sha256.Sum256([]byte(key)), time.Now().Add(OperatorLinkLife)
	return key
}

// SignInOperator returns the cookie and principal of the browser that opened the sign-in link. The link is
// then used up, even if two browsers open it at once. It works on this machine only, and wrong keys count as
// wrong tokens.
func (r *Resolver) SignInOperator(req *http.Request, key string) (*http.Cookie, policy.Principal, error) {
	switch {
	case !r.HasOperator():
		return nil, policy.Principal{}, fault.New(fault.Denied, "this server has a token, and no sign-in link; sign in with the token")
	case !loopback.Is(ClientAddr(req)):
		return nil, policy.Principal{}, fault.New(fault.Denied, "the sign-in link is for browsers of the machine that serves this graph")
	}
	hash := sha256.Sum256([]byte(key))
	l := &r.link
	l.mu.Lock()
	right := subtle.ConstantTimeCompare(hash[:], l.hash[:]) == 1
	open := time.Now().Before(l.until)
	if right {
		l.until = time.Time{}
	}
	l.mu.Unlock()
	switch {
	case right && open:
		p := r.starter()
		return r.signIn(req, signIn{operator: p}), p, nil
	case !right:
		if err := r.wrongToken(req); err != nil {
			return nil, policy.Principal{}, err
		}
	}
	r.tell(req.Context(), Refusal{State: LinkWrong, Caller: stranger(req), Via: "admin", Address: ClientAddr(req)})
	return nil, policy.Principal{}, fault.New(fault.Denied, "this sign-in link was used already, is older than an hour, or is of another start; start the server again, and it prints a new one")
}
