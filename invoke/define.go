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
	c := shaped(d, reflect.TypeFor[In](), reflect.TypeFor[Out]())
	read := argumentsOf(&c, reflect.TypeFor[In]())
	c.Handle = func(ctx context.Context, r *Request) (any, error) {
		var in In
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return do(ctx, r, in)
	}
	for _, option := range options {
		option(&c)
	}
	return c
}

// shaped is a capability with the shapes of two structs. What is not of their types stands here and
// not in [Define], which is compiled for each pair.
func shaped(d capability.Descriptor, takes, answers reflect.Type) Capability {
	c := Capability{Descriptor: d}
	c.InputShape.Fields = capability.Detailed(capability.FieldsOfType(takes), d.InputShape.Fields)
	c.OutputShape.Fields = capability.Detailed(capability.FieldsOfType(answers), d.OutputShape.Fields)
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
	return c
}

func embeds(t, part reflect.Type) bool {
	return t == part || slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous && f.Type == part })
}

// argumentsOf returns what reads the arguments of calls of c into a struct, whose members are some of
// them.
func argumentsOf(c *Capability, t reflect.Type) func(r *Request, into any) error {
	read := capability.ValuesOf(t, c.InputShape.Fields)
	return func(r *Request, into any) error {
		if err := read(r.Args, into); err != nil {
			// A number that the shape lets through can be too large for the Go type.
			return fault.Argument("", fault.Datatype, nil, "the arguments cannot be read: "+err.Error())
		}
		return nil
	}
}

// Option says of a capability that [Define] makes what its descriptor does not.
type Option func(*Capability)

// Hidden makes it callable by name, and no tool.
func Hidden(c *Capability) { c.Hidden = true }

// Bare makes it answer without a snapshot.
func Bare(c *Capability) { c.Bare = true }

// Streams makes it callable where there is an output to stream to.
func Streams(c *Capability) { c.Streams = true }

// On names the lists of tools that have it; without names it is found by the gateway alone.
func On(surfaces ...string) Option {
	return func(c *Capability) { c.Surfaces = append([]string{}, surfaces...) }
}

// Inputs names the argument in the place of which a call may bring [Call.Inputs].
func Inputs(argument string) Option { return func(c *Capability) { c.Inputs = argument } }

// Asks finds out by the arguments what a call would remove, so that a person can be asked before.
func Asks[In any](loses func(context.Context, *Request, In, kg.ChangeSet) (*Loss, error)) Option {
	return func(c *Capability) {
		read := argumentsOf(c, reflect.TypeFor[In]())
		c.Loses = func(ctx context.Context, r *Request, set kg.ChangeSet) (*Loss, error) {
			var in In
			if err := read(r, &in); err != nil {
				return nil, nil //nolint:nilerr // the handler says it
			}
			return loses(ctx, r, in, set)
		}
	}
}

// Forwards finds by the arguments the id of the capability that does what a call asks for, and what
// that takes; "" is this one.
func Forwards[In any](forward func(context.Context, *Request, In) (string, Arguments, error)) Option {
	return func(c *Capability) {
		read := argumentsOf(c, reflect.TypeFor[In]())
		c.Forward = func(ctx context.Context, r *Request) (*Capability, Arguments, error) {
			var in In
			if err := read(r, &in); err != nil {
				return nil, nil, err
			}
			id, args, err := forward(ctx, r, in)
			if id == "" || err != nil {
				return nil, nil, err
			}
			c, err := r.Named(id)
			return c, args, err
		}
	}
}
