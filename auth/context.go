package auth

import (
	"context"

	"trails/auth/policy"
)

type principalKey struct{}

// WithPrincipal returns the context of a request from p. What resolved the caller puts
// it there once; everything behind reads it with [PrincipalOf].
func WithPrincipal(ctx context.Context, p policy.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns who sent the request. It is false when nobody is known, because
// the token that the process asks for was not shown; the principal is then the zero
// value, which has no scope.
func PrincipalOf(ctx context.Context) (policy.Principal, bool) {
	p, known := ctx.Value(principalKey{}).(policy.Principal)
	return p, known
}
