package oauth

import (
	"context"
	"slices"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

// Given returns the grants by this server that a person gave and that count, the newest first; none to clients.
func (s *Server) Given(ctx context.Context, p policy.Principal) (given []policy.Token, err error) {
	if MayGive(p) != nil {
		return nil, nil
	}
	var all []policy.Token
	err = s.opts.Graph.Session(policy.Principal{}).View(ctx, func(snap *kg.Snapshot) (err error) {
		all, err = snap.Tokens(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.Grant == nil || t.Grant.Person != p.ID || !t.Valid(s.opts.Now()) {
			continue
		}
		switch _, state, err := s.opts.Auth.Granted(ctx, t); {
		case err != nil:
			return nil, err
		case state == "":
			given = append(given, t)
		}
	}
	slices.SortStableFunc(given, func(a, b policy.Token) int { return b.Created.Compare(a.Created) })
	return given, nil
}

// Withdraw ends a grant that a person gave, whatever their scopes. One that is not among [Server.Given] is the fault Missing.
func (s *Server) Withdraw(ctx context.Context, p policy.Principal, name string) error {
	if err := MayGive(p); err != nil {
		return err
	}
	given, err := s.Given(ctx, p)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(given, func(t policy.Token) bool { return t.Name == name })
	if at < 0 {
		return fault.New(fault.Missing, "you have given no access named %q that counts", name)
	}
	return s.revoke(ctx, given[at], p.ID)
}
