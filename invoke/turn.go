package invoke

import (
	"context"
	"io"
	"strings"
	"time"

	"trails/invoke/schedule"
	"trails/kg"
)

type callerKey struct{}

// WithCaller returns a context with the address of a request. Calls of those who are not authenticated wait for their turns
// as one caller at each address.
func WithCaller(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, callerKey{}, address)
}

// CallerOf returns what [WithCaller] was given.
func CallerOf(ctx context.Context) string {
	address, _ := ctx.Value(callerKey{}).(string)
	return address
}

// actor identifies who calls, for the order in which calls run: a caller who is known, from whatever address, or all who are
// not known at one address.
func (c Call) actor(ctx context.Context) string {
	if c.Principal.Authenticated {
		return c.Principal.ID
	}
	address, _, _ := strings.Cut(CallerOf(ctx), "/") // and not the session, of which one caller opens many
	return c.Principal.ID + "\x00" + address
}

// turnOf identifies who takes turns with queries: a caller who is known, or all who are not known at one address, in MCP one
// session of theirs.
func (c Call) turnOf(ctx context.Context) string {
	if c.Principal.Authenticated {
		return c.Principal.ID
	}
	return c.Principal.ID + "\x00" + CallerOf(ctx)
}

// insideKey marks the context of a call, for calls that its handler makes.
type insideKey struct{}

// enter waits until the call may run, behind other calls of its actor and in turn with those of others. What answers
// whatever the file does is not kept waiting, nor is a call that another one makes, which holds what this one would wait
// for.
func (r *Request) enter(ctx context.Context) (context.Context, error) {
	if ctx.Value(insideKey{}) != nil || r.engine.catalogs.bareNamed(r.call.Capability) != nil {
		return ctx, nil
	}
	place, waited, err := r.engine.scheduler.Enter(ctx, r.engine.graph.Path()+"\x00"+r.call.actor(ctx))
	r.place, r.waited = place, waited
	return kg.WithPause(context.WithValue(ctx, insideKey{}, true), place.Pause), err
}

// InTurn runs the part of a handler that may take long. It may run twice, and only the last run counts: if there is
// no free turn, or its snapshot was ended for the sake of writers, it stops, releases everything, and starts again on
// a new snapshot. See [schedule.Turns.Do] and [kg.GaveWay].
func (r *Request) InTurn(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
	r.place.Leave() // the scheduler says when it runs
	out, parts, waits := r.Output, r.Parts, time.Time{}
	defer func() { r.Output = out }()
	holder := schedule.Holder{
		Caller: r.engine.graph.Path() + "\x00" + r.call.turnOf(ctx), Output: out, Release: r.Release,
		Resume: func(ctx context.Context) error {
			if !waits.IsZero() {
				r.waited += r.engine.config.Now().Sub(waits)
			}
			waits = time.Time{}
			if r.Snapshot != nil {
				return nil
			}
			return r.pin(ctx)
		},
		Waits: func(place int) {
			if waits.IsZero() {
				waits = r.engine.config.Now()
			}
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
