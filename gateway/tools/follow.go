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

// Follow watches a resource of an upstream server: it calls updated, which must not wait, until stop is called. The
// address is the id of the resource; for a template with its parameters as the query. It is checked like a call of
// resource_read, so whoever may read a resource may watch it; c is the caller. Other addresses are the fault
// NotFound.
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

// following in the context makes a call of resource_read watch a resource instead of reading it.
type following struct {
	updated func()
	stop    func() // ends watching
}

type followingKey struct{}

// follow watches the resource of an entry.
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
	if selected != nil { // the client will be notified with this address, so it must be exact
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
