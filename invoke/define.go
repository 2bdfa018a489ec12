package invoke

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"trails/capability"
	"trails/fault"
	"trails/kg"
)

// Define returns a capability that takes an In and answers an Out. Their shapes follow
// from the structs, see [capability.ShapeOf]; a field that d has in a shape of its own adds
// to the one of its name what a tag cannot say: bounds and lists that are in code. What every
// write takes (message, if_commit, dry_run, branch), or every read (branch), is added by the
// action in d, unless In embeds it: [capability.WriteArguments] and the like, for a read of no
// branch [capability.NoBranch]. Of d at least ID and Description are needed, and for what
// touches the graph PolicyRequired.Action; what is empty is filled in, see
// [capability.Descriptor.Completed]. Options say what else the capability is. Offer it by
// [Fixed].
//
// The arguments that do gets fit the shape, and those that were left out have their
// defaults. What it returns as an error is a fault for the caller if it is a
// [fault.Error]; any other error is ours, and is logged instead of shown. It panics on
// structs that have no shape.
func Define[In, Out any](d capability.Descriptor, do func(context.Context, *Request, In) (Out, error), options ...Option) Capability {
	return defined(d, reflect.ValueOf(do), options) // uses reflection, to be compiled only once for all pairs of types
}

func defined(d capability.Descriptor, do reflect.Value, options []Option) Capability {
	c, takes := Capability{Descriptor: d}, do.Type().In(2)
	c.InputShape.Fields = capability.Detailed(capability.FieldsOfType(takes), d.InputShape.Fields)
	c.OutputShape.Fields = capability.Detailed(capability.FieldsOfType(do.Type().Out(0)), d.OutputShape.Fields)
	var usual []capability.Field
	switch action := d.PolicyRequired.Action; {
	case action.Writes():
		usual, c.SideEffects = capability.FieldsOf[capability.ChangeArguments](), cmp.Or(d.SideEffects, capability.Destroys)
	case action != "" && !embeds(takes, reflect.TypeFor[capability.NoBranch]()):
		usual = capability.FieldsOf[capability.BranchArgument]()
	}
	if _, has := c.InputShape.Field("branch"); !has {
		c.InputShape.Fields = slices.Concat(c.InputShape.Fields, usual)
	}
	c.CostEstimate = cmp.Or(d.CostEstimate, capability.CostResult)
	call := typed(&c, do)
	c.Handle = func(ctx context.Context, r *Request) (any, error) {
		out, err := call(ctx, r)
		if err != nil {
			return nil, err
		}
		err, _ = out[1].Interface().(error)
		return out[0].Interface(), err
	}
	for _, option := range options {
		option(&c)
	}
	return c
}

func embeds(t, part reflect.Type) bool {
	return t == part || slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous && f.Type == part })
}

// typed returns a handler that calls a function with the arguments of a call of c in a struct, whose members are some
// of them.
func typed(c *Capability, do reflect.Value) func(ctx context.Context, r *Request, more ...reflect.Value) ([]reflect.Value, error) {
	t := do.Type().In(2)
	read := capability.ValuesOf(t, c.InputShape.Fields)
	return func(ctx context.Context, r *Request, more ...reflect.Value) ([]reflect.Value, error) {
		in := reflect.New(t)
		if err := read(r.Args, in.Interface()); err != nil {
			// A number that fits the shape can be too large for the Go type.
			return nil, fault.Argument("", fault.Datatype, nil, "the arguments cannot be read: "+err.Error())
		}
		return do.Call(append([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(r), in.Elem()}, more...)), nil
	}
}

// Option is a property of a capability that is not in its descriptor.
type Option func(*Capability)

// Hidden makes it callable by name, without being a tool.
func Hidden(c *Capability) { c.Hidden = true }

// Bare makes it answer without a snapshot.
func Bare(c *Capability) { c.Bare = true }

// Streams makes it callable where there is an output to stream to.
func Streams(c *Capability) { c.Streams = true }

// On names the lists of tools that have it; without names it is found by the gateway alone.
func On(surfaces ...string) Option {
	return func(c *Capability) { c.Surfaces = append([]string{}, surfaces...) }
}

// Inputs names the argument that [Call.Inputs] can replace.
func Inputs(argument string) Option { return func(c *Capability) { c.Inputs = argument } }

// Asks computes from the arguments what a call would remove, so that a person can be asked before.
func Asks[In any](loses func(context.Context, *Request, In, kg.ChangeSet) (*Loss, error)) Option {
	return asks(reflect.ValueOf(loses))
}

func asks(loses reflect.Value) Option {
	return func(c *Capability) {
		call := typed(c, loses)
		c.Loses = func(ctx context.Context, r *Request, set kg.ChangeSet) (*Loss, error) {
			out, err := call(ctx, r, reflect.ValueOf(set))
			if err != nil {
				return nil, nil //nolint:nilerr // the handler says it
			}
			loss, _ := out[0].Interface().(*Loss)
			err, _ = out[1].Interface().(error)
			return loss, err
		}
	}
}

// Forwards computes from the arguments the id of the capability that handles the call, and its arguments; "" is this
// capability itself.
func Forwards[In any](forward func(context.Context, *Request, In) (string, Arguments, error)) Option {
	return forwards(reflect.ValueOf(forward))
}

func forwards(forward reflect.Value) Option {
	return func(c *Capability) {
		call := typed(c, forward)
		c.Forward = func(ctx context.Context, r *Request) (*Capability, Arguments, error) {
			out, err := call(ctx, r)
			if err != nil {
				return nil, nil, err
			}
			if err, _ = out[2].Interface().(error); err != nil || out[0].String() == "" {
				return nil, nil, err
			}
			args, _ := out[1].Interface().(Arguments)
			c, err := r.Named(out[0].String())
			return c, args, err
		}
	}
}
