package db

import (
	"context"
	"sync"
)

// place is what readers hold while they are open: those of a context of [File.AsOne] share one, any other has its own.
type place struct {
	mu sync.Mutex
	// tokens are those of [File.readers] that are held: never more than readers are open, and one at least while any is.
	// There are several only if several readers were the first at once.
	open, tokens int
}

type placeKey struct{ file *File }

// AsOne returns a context whose readers of this file count as one of [Options.Readers], however many of them are open at
// once. Who has one of them open does not wait for another: callers that hold one each and wait for one more would wait for
// each other for ever, once they hold all that there may be.
func (f *File) AsOne(ctx context.Context) context.Context {
	if ctx.Value(placeKey{f}) != nil {
		return ctx
	}
	return context.WithValue(ctx, placeKey{f}, &place{})
}

// admit waits until one more reader may be open.
func (f *File) admit(ctx context.Context) (*place, error) {
	p, shared := ctx.Value(placeKey{f}).(*place)
	if !shared {
		p = &place{}
	}
	if p.join() {
		return p, nil
	}
	if err := f.readers.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
	p.tokens++
	return p, nil
}

// join counts one more reader if another is open, whose token is enough.
func (p *place) join() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == 0 {
		return false
	}
	p.open++
	return true
}

// dismiss gives up what a reader held of a place.
func (f *File) dismiss(p *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if p.tokens > p.open {
		p.tokens--
		f.readers.Release(1)
	}
}
