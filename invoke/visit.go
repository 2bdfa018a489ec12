package invoke

import (
	"context"
	"sync"

	"trails/kg"
)

// visit collects the calls of one page, which are at most one activity.
type visit struct {
	mu      sync.Mutex
	ended   bool
	written bool // a commit already has the activity
	read    *kg.Activity
	refusal *kg.Activity
	keep    func(kg.Activity)
}

type (
	visitKey     struct{}
	furnitureKey struct{}
)

// Visit returns a context whose calls become one activity: a page makes many calls for what is one visit. The
// activity is the write, if one was committed; otherwise the first refusal; otherwise the first read that is not
// [Furniture]. It is recorded when end is called, which is required.
func Visit(ctx context.Context) (_ context.Context, end func()) {
	v := new(visit)
	return context.WithValue(ctx, visitKey{}, v), v.end
}

// Furniture returns a context in which reads are not recorded: those for the surroundings of a page and for its
// scripts. Writes and refusals are recorded as usual.
func Furniture(ctx context.Context) context.Context {
	return context.WithValue(ctx, furnitureKey{}, true)
}

// record records the call in provenance, and decides whether it is an activity: every call, except for reads of
// furniture and for the other calls of a visit.
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

// note keeps the activity for the end of the visit, or records it if the visit has ended.
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
