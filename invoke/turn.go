package invoke

import (
	"context"
	"io"

	"trails/invoke/turns"
)

type callerKey struct{}

// WithCaller returns a context of a request from this address. Among the calls of one
// principal, those of one address wait as one caller for their turns.
func WithCaller(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, callerKey{}, address)
}

// CallerOf returns what [WithCaller] was given.
func CallerOf(ctx context.Context) string {
	address, _ := ctx.Value(callerKey{}).(string)
	return address
}

// InTurn runs the part of a handler that may take long. It may run twice, of which only
// the last counts: when there is no turn for it yet, it ends, gives back what the call
// holds, and begins anew on a new snapshot. See [turns.Turns.Do].
func (r *Request) InTurn(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
	out, parts := r.Output, r.Parts
	defer func() { r.Output = out }()
	holder := turns.Holder{
		Caller: r.Principal.ID + "\x00" + CallerOf(ctx), Output: out, Release: r.Release,
		Resume: func(ctx context.Context) error {
			if r.Snapshot != nil {
				return nil
			}
			return r.pin(ctx)
		},
		Waits: func(place int) {
			if r.Progress != nil {
				r.Progress(Progress{Phase: "wait", Total: int64(place), Unit: "places"})
			}
		},
	}
	return r.engine.turns.Do(ctx, holder, func(ctx context.Context, out io.Writer) (any, error) {
		r.Output, r.Parts = out, parts
		return run(ctx)
	})
}
