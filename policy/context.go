package policy

import "context"

type principalKey struct{}

// WithPrincipal returns a context that says who asks. The edge that resolved the
// caller puts it there once, and whatever it hands the request to takes it out.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// FromContext returns who asks, as the edge resolved it; false means that the edge
// does not know, because the token that it wants was not shown.
func FromContext(ctx context.Context) (Principal, bool) {
	p, known := ctx.Value(principalKey{}).(Principal)
	return p, known
}
