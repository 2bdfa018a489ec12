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

// PrincipalOf returns the sender of a request: the zero value, without scopes, if a required token was missing.
func PrincipalOf(ctx context.Context) policy.Principal {
	p, _ := ctx.Value(principalKey{}).(policy.Principal)
	return p
}

// Known reports whether a request has a principal. Without one, a required token was missing.
func Known(ctx context.Context) bool { return ctx.Value(principalKey{}) != nil }

type failureKey struct{}

// WithFailure returns a context that says why the sender of a request is not known, if that is not the sender's doing, for
// code that answers in its own form.
func WithFailure(ctx context.Context, err error) context.Context {
	return context.WithValue(ctx, failureKey{}, err)
}

// Failure returns the error of [WithFailure], nil without one.
func Failure(ctx context.Context) error {
	err, _ := ctx.Value(failureKey{}).(error)
	return err
}
