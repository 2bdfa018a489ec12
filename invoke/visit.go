package invoke

import (
	"context"
	"sync"

	"trails/kg"
)

// visit gathers the calls of one page, which are one activity at most.
type visit struct {
	mu      sync.Mutex
	ended   bool
	written bool // a commit has the activity already
	read    *kg.Activity
	refusal *kg.Activity
	keep    func(kg.Activity)
}

type (
	visitKey     struct{}
	furnitureKey struct{}
)

// Visit returns a context whose calls are one activity together: a page asks for
// many things, and a person has looked at one. That activity is the write, when one of
// them committed; else the first refusal; else the first read that is no [Furniture].
// It is recorded when end is called, which must be.
func Visit(ctx context.Context) (_ context.Context, end func()) {
	v := new(visit)
	return context.WithValue(ctx, visitKey{}, v), v.end
}

// Furniture returns a context in which calls that only read are no activities: what
// surrounds a page, and what its scripts ask for to serve the reader. Writes and
// refusals are recorded as ever.
func Furniture(ctx context.Context) context.Context {
	return context.WithValue(ctx, furnitureKey{}, true)
}

// record notes in provenance that the call was made. Here alone it is decided what is
// an activity: every call, but for reads of furniture, and what else a visit has done.
func (r *Request) record(ctx context.Context, err error) {
	v, visiting := ctx.Value(visitKey{}).(*visit)
	if r.recorded {
		if visiting {
			v.wrote()
		}
		return
	}
	r.finish(err)
	furniture, _ := ctx.Value(furnitureKey{}).(bool)
	switch {
	case furniture && err == nil:
	case visiting:
		v.note(r.activity, r.engine.prov.add)
	default:
		r.engine.prov.add(r.activity)
	}
}

func (v *visit) wrote() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.written = true
}

// note keeps the activity for the end of the visit, or passes it on when that is over.
func (v *visit) note(a kg.Activity, keep func(kg.Activity)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keep = keep
	switch {
	case v.ended:
		keep(a)
	case a.Refused() && v.refusal == nil:
		v.refusal = &a
	case !a.Refused() && v.read == nil:
		v.read = &a
	}
}

func (v *visit) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = true
	switch {
	case v.written:
	case v.refusal != nil:
		v.keep(*v.refusal)
	case v.read != nil:
		v.keep(*v.read)
	}
}
