package invoke

import (
	"context"
	"maps"
	"slices"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/kg"
	"trails/text/jsontext"
)

// ReadResource is the id of the capability behind [Engine.Read].
const ReadResource = "resources_read"

// ErrNoResource is the error for an address that does not exist.
var ErrNoResource = fault.New(fault.NotFound, "Resource not found")

// mayRead returns the refusal of reads of a view by p, or nil.
func (e *Engine) mayRead(ctx context.Context, a *kg.Authority, p policy.Principal, v Ref, c *catalog) error {
	if err := policy.Allow(p, policy.Runtime, ReadResource); err != nil {
		return err
	}
	read := c.lookup(ReadResource)
	if read == nil || !a.Calls(read.Descriptor, kg.Branch{Name: v.Name()}).Allowed {
		return ErrNoResource
	}
	return nil
}

// Resources lists the addresses that p can read, in the order of the providers; none if p may not read.
func (e *Engine) Resources(ctx context.Context, p policy.Principal) (list []Resource, err error) {
	defer e.survive(&err, "resources")
	err = e.withCatalog(ctx, p, kg.Main, func(c *catalog, a *kg.Authority) error {
		if e.mayRead(ctx, a, p, Ref{}, c) == nil {
			list = slices.Clone(c.resources)
		}
		return nil
	})
	if err != nil {
		return nil, e.fail(err, "", "resources")
	}
	return list, nil
}

// Read reads a trails:// address through the same stages as any call; of c it uses Principal, Via, TraceID, Format,
// Context and Whole. An address that does not exist is fault.NotFound, an unavailable format fault.InvalidArguments.
func (e *Engine) Read(ctx context.Context, uri string, c Call) (Document, error) {
	asked := map[string]any{"uri": uri, "format": c.Format, "context": c.Context, capability.MaxChars().Name: capability.DefaultChars}
	maps.DeleteFunc(asked, func(_ string, v any) bool { return v == "" || c.Whole && v == capability.DefaultChars })
	args, err := jsontext.Marshal(asked)
	if err != nil {
		return Document{}, e.fail(err, c.TraceID, uri)
	}
	c.Capability, c.Args = ReadResource, args
	result, err := e.Call(ctx, c)
	if err != nil {
		return Document{}, err
	}
	d := result.document
	d.URI, d.Head, d.Warnings = uri, result.Head, result.Warnings
	return d, nil
}
