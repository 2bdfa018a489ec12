package invoke

import (
	"context"
	"io"

	"trails/invoke/turns"
	"trails/kg"
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
// the last counts: when there is no turn for it yet, or when its snapshot had to give way to
// writers, it ends, gives back what the call holds, and begins anew on a new snapshot. See
// [turns.Turns.Do] and [kg.GaveWay].
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
		written := &begun{Writer: out}
		if out != nil {
			r.Output = written
		}
		value, err := run(ctx)
		if !kg.GaveWay(err) || written.yes {
			return value, err
		}
		// Those that waited for the snapshot can write now, and nobody has seen anything yet.
		r.Parts = parts
		r.Release()
		if err := r.pin(ctx); err != nil {
			return nil, err
		}
		return run(ctx)
	})
}

// begun is an output that knows whether anything was written to it.
type begun struct {
	io.Writer
	yes bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.Writer.Write(p)
}
