package kg

import (
	"cmp"
	"context"
	"slices"
	"time"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/text/quote"
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

// Given returns the grants that the session's principal gave and that have not ended, the newest first, whatever they may see
// of the graph. A client that has a grant is Denied.
func (s *Session) Given(ctx context.Context) (given []policy.Token, err error) {
	if err := s.ownsGrants(); err != nil {
		return nil, err
	}
	err = s.View(ctx, func(snap *Snapshot) error {
		list, err := snap.source.Tokens(ctx)
		given = s.given(list)
		return err
	})
	return given, err
}

// EndGrant ends at once a grant that the session's principal gave, and returns it as it is then; that needs no permission. One
// that is not among [Session.Given] is the fault Missing.
func (s *Session) EndGrant(ctx context.Context, name string, dryRun bool, a Activity) (t policy.Token, err error) {
	if err := cmp.Or(s.may(ctx, policy.Own, ""), s.ownsGrants()); err != nil {
		return t, err
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) error {
		list, err := w.Tokens(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(s.given(list), func(t policy.Token) bool { return t.Name == name }) {
			return fault.New(fault.Missing, "you have given no access named %q that counts; trails.meta.grant.list has what you gave, and who has the scope builder ends others' by trails.meta.token.revoke", quote.Line(name, maxSaid))
		}
		t, err = w.RevokeToken(ctx, name, s.principal.Author(), s.graph.now())
		return err
	})
	return t, err
}

// given picks the grants of the session's principal that have not ended. One that is older than the token of its person was
// given by somebody who had this name before.
func (s *Session) given(list []policy.Token) (given []policy.Token) {
	var own policy.Token
	for _, t := range list {
		if t.Grant == nil && t.Actor() == s.principal.ID {
			own = t
		}
	}
	for _, t := range list {
		if t.Grant != nil && t.Grant.Person == s.principal.ID && t.Valid(s.graph.now()) && !own.Created.After(t.Created) {
			given = append(given, t)
		}
	}
	slices.SortStableFunc(given, func(a, b policy.Token) int { return b.Created.Compare(a.Created) })
	return given
}

// ownsGrants refuses clients: what a person gave to others is the person's.
func (s *Session) ownsGrants() error {
	if p := s.principal; p.Grant != "" {
		return fault.New(fault.Denied, "a client that acts for %s neither sees nor ends what %s gave to others; %s does so on the page of tokens", p.ID, p.ID, p.ID)
	}
	return nil
}
