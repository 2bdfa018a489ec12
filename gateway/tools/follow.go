package tools

import (
	"context"
	"net/url"
	"strings"

	"trails/fault"
	"trails/gateway"
	"trails/invoke"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Caller makes calls; *invoke.Engine is one.
type Caller interface {
	Call(ctx context.Context, c invoke.Call) (invoke.Result, error)
}

// Follow tells of changes of a resource of an upstream server: it calls updated, which must not
// wait, until stop is called. The address is the id of the resource, and of a template its params
// behind it as the query of an address. It is a call of resource_read on the way, so that who may
// read a resource may follow it; c says who asks. The fault NotFound is for what has no such form.
func (t *Tools) Follow(ctx context.Context, engine Caller, c invoke.Call, address string, updated func()) (stop func(), err error) {
	id, query, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(query)
	if meant, malformed := gateway.ParseID(id); err != nil || malformed != nil || meant.Kind != gateway.Resource {
		return nil, fault.New(fault.NotFound, "Resource not found").With("uri", address)
	}
	args := map[string]any{"resource_id": id}
	if len(values) > 0 {
		params := map[string]any{}
		for name := range values {
			params[name] = values.Get(name)
		}
		args["params"] = params
	}
	if c.Args, err = jsontext.Marshal(args); err != nil {
		return nil, err
	}
	c.Capability = "resource_read"
	f := &following{updated: updated}
	_, err = engine.Call(context.WithValue(ctx, followingKey{}, f), c)
	switch {
	case fault.Is(err, fault.UnknownTool):
		return nil, fault.New(fault.NotFound, "Resource not found").With("uri", address)
	case err != nil && f.stop != nil:
		f.stop()
		return nil, err
	}
	return f.stop, err
}

// following is in the context of a call of resource_read that follows a resource in the place
// of reading it.
type following struct {
	updated func()
	stop    func() // that ends it
}

type followingKey struct{}

// follow follows the resource of an entry.
func (t *Tools) follow(ctx context.Context, r *invoke.Request, f *following) (any, error) {
	id := r.Args.Text("resource_id")
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, err
	}
	d, err := t.directoryFor(ctx, r)
	if err != nil {
		return nil, err
	}
	e, selected, err := d.resolve(s, gateway.Resource, id)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	if selected != nil { // a client hears of the address that it gave, and so that has to be right
		return nil, gateway.AsFault(gateway.Fail(gateway.ResourceNotFound, id, "no resource has the id %s; there is %s", quote.Text(id, 120), e.Item.ID))
	}
	uri, err := address(id, e.Offered, r.Args.Object("params"))
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	if f.stop, err = t.pool.Subscribe(ctx, d.servers[e.Server], uri, f.updated); err != nil {
		return nil, gateway.AsFault(err)
	}
	return passed{}, nil
}
