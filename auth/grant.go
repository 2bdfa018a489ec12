package auth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"trails/auth/policy"
)

// Granted returns the caller that a client with a grant is: the person who gave it, as they are now, with those of their scopes
// that they gave. A state says why it does not count; "" is that it does. It does not ask whether the grant itself has expired
// or was revoked. The fault is that of the file.
func (r *Resolver) Granted(ctx context.Context, t policy.Token) (p policy.Principal, state TokenState, err error) {
	if t.Grant.Issuer != r.opts.Server {
		return p, TokenElsewhere, nil
	}
	p = policy.Principal{
		ID: t.Grant.Person, Owner: t.Grant.Person, Client: t.Label(), Grant: t.Name, Groups: t.Grant.Groups,
		Scopes: r.opts.Scopes.Intersect(t.Scopes), Process: r.opts.Scopes, Authenticated: true,
	}
	name, ofGraph := strings.CutPrefix(t.Grant.Person, policy.TokenActor)
	if !ofGraph {
		if r.opts.Provider == nil || !r.opts.Provider.Has(t.Grant.Person) {
			return policy.Principal{}, TokenRevoked, nil
		}
		p.Issuer = r.opts.Provider.Issuer()
		return p, "", nil
	}
	own, found, err := r.opts.Issued.Token(ctx, name)
	switch {
	case r.unread(err) != nil:
		return policy.Principal{}, "", err
	case !found || !own.Valid(time.Now()) || own.Grant != nil || own.Created.After(t.Created): // the name of a token that was forgotten may be somebody else's now
		return policy.Principal{}, TokenRevoked, nil
	}
	p.Scopes, p.Groups = p.Scopes.Intersect(own.Scopes), own.Groups
	return p, "", nil
}

// RefuseGrant tells of a code or refresh token of a grant that is refused: what it was, whose, and a sentence for the log. It
// may delay the request, as one with a wrong token; the fault is then Exhausted, and otherwise nil.
func (r *Resolver) RefuseGrant(req *http.Request, state TokenState, name, says string) error {
	r.tell(req.Context(), Refusal{State: state, Name: name, Says: says, Caller: stranger(req), Via: "http", Address: ClientAddr(req)})
	return r.wrongToken(req)
}
