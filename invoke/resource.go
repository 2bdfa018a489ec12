package invoke

import (
	"context"
	"encoding/json"
	"slices"

	"trails/fault"
	"trails/policy"
)

// ReadResource is the id of the capability behind [Engine.Read].
const ReadResource = "resource_read"

// ErrNoResource is for an address that is not there.
var ErrNoResource = fault.New(fault.NotFound, "Resource not found")

// mayRead is what a read of any address by p is refused with; nil when it is not.
func mayRead(p policy.Principal) error { return policy.Allow(p, policy.Runtime, ReadResource) }

// Resources lists the addresses that p can read, in the order of the providers. Whom a
// read would be refused sees none.
func (e *Engine) Resources(ctx context.Context, p policy.Principal) (_ []Resource, err error) {
	defer e.survive(&err, "resources")
	snap, err := e.graph.Session(p).Snapshot(ctx)
	if err != nil {
		return nil, e.fail(err, "", "resources")
	}
	defer snap.Close()
	if mayRead(p) != nil {
		return nil, nil
	}
	c, err := e.catalogs.of(snap)
	if err != nil {
		return nil, e.fail(err, "", "resources")
	}
	return slices.Clone(c.resources), nil
}

// Read reads one trails:// address through the same stages as any call; of c it
// uses Principal, Via, TraceID and Format. An address that is not there is
// fault.NotFound, a form that it cannot be had in fault.InvalidArguments.
func (e *Engine) Read(ctx context.Context, uri string, c Call) (Document, error) {
	asked := map[string]string{"uri": uri}
	if c.Format != "" {
		asked["format"] = c.Format
	}
	args, err := encodeJSON(asked)
	if err != nil {
		return Document{}, e.fail(err, c.TraceID, uri)
	}
	c.Capability, c.Args = ReadResource, args
	result, err := e.Call(ctx, c)
	if err != nil {
		return Document{}, err
	}
	var d struct {
		MIME string          `json:"mime"`
		Body json.RawMessage `json:"body"`
		Page *Page           `json:"page"`
	}
	if err := json.Unmarshal(result.Structured, &d); err != nil {
		return Document{}, e.fail(err, c.TraceID, uri)
	}
	body, err := unpack(d.MIME, d.Body)
	if err != nil {
		return Document{}, e.fail(err, c.TraceID, uri)
	}
	return Document{URI: uri, MIME: d.MIME, Body: body, Head: result.Head, Page: d.Page}, nil
}

func unpack(mime string, body json.RawMessage) ([]byte, error) {
	if mime == "application/json" || mime == "application/ld+json" {
		return body, nil
	}
	var text string
	err := json.Unmarshal(body, &text)
	return []byte(text), err
}
