package auth

import (
	"context"

	"trails/auth/policy"
)

type principalKey struct{}

// WithPrincipal returns a context with the sender of a request. The transport that identified the caller
// calls it once; all later code uses [PrincipalOf].
func WithPrincipal(ctx context.Context, p policy.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns the sender of a request. known is false if a required token was missing; the principal
// is then the zero value, without scopes.
func PrincipalOf(ctx context.Context) (policy.Principal, bool) {
	p, known := ctx.Value(principalKey{}).(policy.Principal)
	return p, known
}
