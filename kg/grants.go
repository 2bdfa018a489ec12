package kg

import (
	"context"
	"time"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
)

const (
	// maxGrants bounds the grants of one person that are valid at once.
	maxGrants = 50
	// keptGrant is how long a grant that has expired stays in the list of tokens.
	keptGrant = 30 * 24 * time.Hour
)

// Grant adds a grant of the session's principal, which is a token with a [policy.Grant], and removes grants that expired long
// ago. A person with too many valid ones is the fault TooLarge, and a code that another grant has is the fault Conflict.
func (s *Session) Grant(ctx context.Context, t policy.Token, a Activity) error {
	return s.changeBranches(ctx, false, &a, func(w *db.Writer) error {
		now := s.graph.now()
		if err := w.ForgetGrants(ctx, now.Add(-keptGrant), now); err != nil {
			return err
		}
		list, err := w.Tokens(ctx)
		if err != nil {
			return err
		}
		own := 0
		for _, other := range list {
			if other.Grant != nil && other.Grant.Person == t.Grant.Person && other.Valid(now) {
				own++
			}
			if other.Grant != nil && other.Grant.Code == t.Grant.Code {
				return fault.New(fault.Conflict, "%s was given by the same code", other.Name)
			}
		}
		if own >= maxGrants {
			return fault.New(fault.TooLarge, "%s has given access to %d clients, which is the most: revoke some, which the page of tokens and trails token list have", t.Grant.Person, own)
		}
		return w.AddToken(ctx, t)
	})
}

// ChangeGrant calls change with the grant of a name as it is, and keeps what it makes of it, in one transaction. If change
// returns an error nothing is kept. A name of no grant is the fault Missing.
func (s *Session) ChangeGrant(ctx context.Context, name string, a Activity, change func(t *policy.Token) error) error {
	return s.changeBranches(ctx, false, &a, func(w *db.Writer) error {
		t, ok, err := w.Token(ctx, name)
		if err != nil {
			return err
		}
		if !ok || t.Grant == nil {
			return fault.New(fault.Missing, "there is no grant %q", name)
		}
		if err := change(&t); err != nil {
			return err
		}
		return w.ChangeGrant(ctx, t)
	})
}
