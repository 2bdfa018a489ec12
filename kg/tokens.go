package kg

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/text/quote"
)

// NewToken is a token to be issued.
type NewToken struct {
	// Name is unique in the graph; see [policy.TokenName].
	Name string
	// Scopes are the most that callers with it may have; runtime alone if there are none. Nobody gives more than they have.
	Scopes policy.Scopes
	// Groups are the groups that callers with it are in, for policies; their names are like those of tokens.
	Groups []string
	// Expires is when it ceases to be valid; the zero time is never.
	Expires time.Time
}

// Token returns the token with a name, also a revoked one; ok is false if the graph issued none of that name.
func (g *Graph) Token(ctx context.Context, name string) (t policy.Token, ok bool, err error) {
	r, err := g.file.Read(ctx, db.View{})
	if err != nil {
		return t, false, err
	}
	defer func() { _ = r.Close() }()
	return r.Token(ctx, name)
}

// HasTokens reports whether the graph has issued any token that was not forgotten.
func (g *Graph) HasTokens(ctx context.Context) (bool, error) {
	r, err := g.file.Read(ctx, db.View{})
	if err != nil {
		return false, err
	}
	defer func() { _ = r.Close() }()
	return r.HasTokens(ctx)
}

// Tokens lists the tokens that the graph issued, in that order. Somebody who may see a part of the graph sees none, since
// they are about all of it.
func (s *Snapshot) Tokens(ctx context.Context) ([]policy.Token, error) {
	if !s.SeesAll() {
		return nil, nil
	}
	return s.source.Tokens(ctx)
}

// IssueToken issues a token, and returns its secret, which is not kept. The name of another token, also of a revoked one,
// is the fault Conflict; more scopes than the session's principal has are Denied.
func (s *Session) IssueToken(ctx context.Context, n NewToken, dryRun bool, a Activity) (t policy.Token, secret string, err error) {
	if err := s.may(ctx, policy.Administer, ""); err != nil {
		return t, "", err
	}
	if s.principal.Grant != "" {
		return t, "", fault.New(fault.Denied, "a client that acts for %s issues no tokens, which would stay when its access ends; %s does so, on the page of tokens or by trails token create", s.principal.ID, s.principal.ID)
	}
	now := s.graph.now()
	if n.Scopes == (policy.Scopes{}) {
		n.Scopes = policy.NewScopes(policy.Runtime)
	}
	if err := n.check(s.principal, now); err != nil {
		return t, "", err
	}
	secret = policy.Secret(n.Name, rand.Text())
	slices.Sort(n.Groups)
	t = policy.Token{
		Name: n.Name, Hash: sha256.Sum256([]byte(secret)), Scopes: n.Scopes, Groups: slices.Compact(n.Groups),
		Created: now, Creator: s.principal.Author(), Expires: n.Expires,
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) error { return w.AddToken(ctx, t) })
	if err != nil || dryRun {
		return t, "", err
	}
	return t, secret, nil
}

// maxGroups bounds the groups of a token.
const maxGroups = 20

func (n NewToken) check(creator policy.Principal, now time.Time) error {
	rule := func(name string) string {
		return fmt.Sprintf("%q is no such name: it has at most 40 of a-z, 0-9 and dashes, and begins and ends with a letter or digit", quote.Line(name, maxSaid))
	}
	var wrong []fault.FieldError
	if !policy.TokenName.MatchString(n.Name) {
		wrong = append(wrong, fault.FieldError{Field: "name", Code: fault.Pattern, Value: n.Name, Message: rule(n.Name)})
	}
	if strings.HasPrefix(n.Name, policy.GrantPrefix) {
		wrong = append(wrong, fault.FieldError{Field: "name", Code: fault.Pattern, Value: n.Name, Message: "names that begin with " + policy.GrantPrefix + " are of clients that got access by OAuth; take another name"})
	}
	for i, group := range n.Groups {
		if !policy.TokenName.MatchString(group) {
			wrong = append(wrong, fault.FieldError{Field: fmt.Sprintf("groups[%d]", i), Code: fault.Pattern, Value: group, Message: rule(group)})
		}
	}
	if len(n.Groups) > maxGroups {
		wrong = append(wrong, fault.FieldError{Field: "groups", Code: fault.MaxCount, Value: len(n.Groups), Message: fmt.Sprintf("a token is in at most %d groups", maxGroups)})
	}
	if !n.Expires.IsZero() && !n.Expires.After(now) {
		wrong = append(wrong, fault.FieldError{Field: "expires", Code: fault.MinValue, Value: n.Expires.UTC().Format(time.RFC3339), Message: "a token expires later than now"})
	}
	if len(wrong) > 0 {
		return fault.Arguments(wrong...)
	}
	if more := n.Scopes.Without(creator.Scopes); more != (policy.Scopes{}) {
		return fault.New(fault.Denied, "a token has no scope that who issues it has not: you have %s, and it would have %s as well", creator.Scopes, more)
	}
	return nil
}

// RevokeToken ends the validity of a token at once, and returns it as it is then; with forget nothing stays of it, and its
// name may be given again. An unknown one is the fault Missing.
func (s *Session) RevokeToken(ctx context.Context, name string, forget, dryRun bool, a Activity) (t policy.Token, err error) {
	if err := s.may(ctx, policy.Administer, ""); err != nil {
		return t, err
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) error {
		if t, err = w.RevokeToken(ctx, name, s.principal.Author(), s.graph.now()); err != nil || !forget {
			return err
		}
		return w.ForgetToken(ctx, name)
	})
	return t, err
}
