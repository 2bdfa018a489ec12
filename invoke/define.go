package invoke

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"trails/capability"
	"trails/fault"
	"trails/jsontext"
)

// Define returns a capability that takes an In and answers an Out. Their shapes follow
// from the structs, see [capability.ShapeOf]; what every write takes (message, if_commit,
// dry_run, branch), or every read (branch), follows from the action in d. Of d at least ID
// and Description are needed, and for what touches the graph PolicyRequired.Action; what
// is empty is filled in, see [capability.Descriptor.Completed]. Offer it by [Fixed].
//
// The arguments that do gets fit the shape, and those that were left out have their
// defaults. What it returns as an error is a fault for the caller if it is a
// [fault.Error]; any other error is ours, and is logged instead of shown. It panics on
// structs that have no shape.
func Define[In, Out any](d capability.Descriptor, do func(context.Context, *Request, In) (Out, error)) Capability {
	d.InputShape, d.OutputShape = capability.ShapeOf[In](), capability.ShapeOf[Out]()
	own := d.InputShape.Fields
	switch {
	case d.PolicyRequired.Action.Writes():
		d.InputShape.Fields = slices.Concat(own, capability.ChangeArguments())
		d.SideEffects = cmp.Or(d.SideEffects, capability.Destroys)
	case d.PolicyRequired.Action != "":
		d.InputShape.Fields = slices.Concat(own, []capability.Field{capability.ReadBranch()})
	}
	d.CostEstimate = cmp.Or(d.CostEstimate, capability.CostResult)
	return Capability{Descriptor: d, Handle: func(ctx context.Context, r *Request) (any, error) {
		given := maps.Clone(r.Args)
		for _, f := range own {
			if !given.Has(f.Name) && f.Default != nil {
				given[f.Name] = f.Default
			}
		}
		text, err := jsontext.Marshal(given)
		if err != nil {
			return nil, fmt.Errorf("encode arguments: %w", err)
		}
		var in In
		if err := json.Unmarshal(text, &in); err != nil {
			// A number that the shape lets through can be too large for the Go type.
			return nil, fault.Argument("", fault.Datatype, nil, "the arguments cannot be read: "+err.Error())
		}
		return do(ctx, r, in)
	}}
}
