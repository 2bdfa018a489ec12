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

// Define returns a capability with arguments In and answer Out. Their shapes follow from the structs, see
// [capability.ShapeOf]; a field in a shape of d adds what a tag cannot express, such as bounds and lists
// computed in code. Arguments common to all writes (message, if_commit, dry_run, branch) or all reads (branch, at)
// are added according to d's action, unless In embeds [capability.WriteArguments] or the like;
// [capability.NoView] is for reads without a view. d needs ID and Description, and PolicyRequired.Action if
// it uses the graph; [capability.Descriptor.Completed] fills in the rest. Offer the capability by [Fixed].
//
// do gets arguments that fit the shape, with defaults filled in. If it returns a [fault.Error], that goes to
// the caller; any other error is ours, logged and not shown. Define panics if a struct has no shape.
func Define[In, Out any](d capability.Descriptor, do func(context.Context, *Request, In) (Out, error), options ...Option) Capability {
	return defined(d, reflect.ValueOf(do), options) // uses reflection, to be compiled only once for all pairs of types
}

func defined(d capability.Descriptor, do reflect.Value, options []Option) Capability {
	c, takes := Capability{Descriptor: d}, do.Type().In(2)
	c.InputShape.Fields = capability.Detailed(capability.FieldsOfType(takes), d.InputShape.Fields)
	c.OutputShape.Fields = capability.Detailed(capability.FieldsOfType(do.Type().Out(0)), d.OutputShape.Fields)
	var usual []capability.Field
	switch action := d.PolicyRequired.Action; {
	case action.Commits():
		usual, c.SideEffects = capability.FieldsOf[capability.ChangeArguments](), cmp.Or(d.SideEffects, capability.Destroys)
	case action.Writes():
	case action != "" && !embeds(takes, reflect.TypeFor[capability.NoView]()):
		usual = capability.FieldsOf[capability.ReadArguments]()
	}
	if _, has := c.InputShape.Field("branch"); !has {
		c.InputShape.Fields = slices.Concat(c.InputShape.Fields, usual)
	}
	if embeds(takes, reflect.TypeFor[capability.AskArgument]()) {
		c.Keeps = true
		if number := capability.RequestNumber(); !slices.ContainsFunc(c.OutputShape.Fields, func(f capability.Field) bool { return f.Name == number.Name }) {
			c.OutputShape.Fields = append(slices.Clip(c.OutputShape.Fields), number)
		}
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

// typed returns a handler that decodes the arguments of a call of c into do's struct, which may have only some
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

// Option sets a property of a capability that is not in its descriptor.
type Option func(*Capability)

// Hidden makes a capability callable by name without listing it as a tool.
func Hidden(c *Capability) { c.Hidden = true }

// Newest is for a read that is of the newest state alone, such as a plan of what is to be written: it does not take at.
func Newest(c *Capability) {
	c.InputShape.Fields = slices.DeleteFunc(c.InputShape.Fields, func(f capability.Field) bool { return f.Name == "at" })
}

// Bare makes a capability work without a snapshot.
func Bare(c *Capability) { c.Bare = true }

// Streams makes a capability need an output stream.
func Streams(c *Capability) { c.Streams = true }

// On names the lists of tools that contain it; without names only the gateway's search finds it.
func On(surfaces ...string) Option {
	return func(c *Capability) { c.Surfaces = append([]string{}, surfaces...) }
}

// Forks names the argument from which the branch is made that the argument branch names, if that is not there.
func Forks(argument string) Option { return func(c *Capability) { c.Forks = argument } }

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
