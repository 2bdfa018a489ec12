package invoke

import (
	"context"
	"io"

	"trails/invoke/schedule"
	"trails/kg"
)

type callerKey struct{}

// WithCaller returns a context with the address of a request. Calls of one principal from one address wait for their
// turns as one caller.
func WithCaller(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, callerKey{}, address)
}

// CallerOf returns what [WithCaller] was given.
func CallerOf(ctx context.Context) string {
	address, _ := ctx.Value(callerKey{}).(string)
	return address
}

// InTurn runs the part of a handler that may take long. It may run twice, and only the last run counts: if there is
// no free turn, or its snapshot was ended for the sake of writers, it stops, releases everything, and starts again on
// a new snapshot. See [schedule.Turns.Do] and [kg.GaveWay].
func (r *Request) InTurn(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
	out, parts := r.Output, r.Parts
	defer func() { r.Output = out }()
	holder := schedule.Holder{
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
	return r.engine.scheduler.Do(ctx, holder, func(ctx context.Context, out io.Writer) (any, error) {
		r.Output, r.Parts = out, parts
		written := &begun{Writer: out}
		if out != nil {
			r.Output = written
		}
		value, err := run(ctx)
		if !kg.GaveWay(err) || written.yes {
			return value, err
		}
		// Writers that waited for the snapshot can now write, and nothing has been output yet.
		r.Parts = parts
		r.Release()
		if err := r.pin(ctx); err != nil {
			return nil, err
		}
		return run(ctx)
	})
}

// begun is an output that records whether anything was written.
type begun struct {
	io.Writer
	yes bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.Writer.Write(p)
}
