package invoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/kg"
	"trails/text/jsontext"
)

// maxDepth bounds the nesting of arguments.
const maxDepth = 64

// decode parses the JSON object of arguments. Errors in its text are reported by the stage arguments, so that callers
// without permission do not see them.
func (r *Request) decode(context.Context) error {
	r.badText = r.decodeText()
	return nil
}

// errNoObject is told with an example of the capability that is called.
var errNoObject = errors.New("the arguments are no JSON object")

func (r *Request) decodeText() error {
	if text, ok := jsontext.ObjectInText(r.call.Args); ok {
		r.call.Args = text
		r.Warn("the arguments came as one JSON text, and were read as the object in it")
	}
	if !utf8.Valid(r.call.Args) {
		return fault.Argument("", fault.Datatype, nil, "the arguments are not valid UTF-8")
	}
	if lone, found := jsontext.LoneSurrogate(r.call.Args); found {
		return fault.Argument(lone.Field, fault.Datatype, nil, lone.Error())
	}
	if jsontext.TooDeep(r.call.Args, maxDepth) {
		return fault.New(fault.TooLarge, "the arguments nest deeper than %d", maxDepth)
	}
	if jsontext.TooWide(r.call.Args, jsontext.MaxMembers) {
		return fault.New(fault.TooLarge, "an object or an array of the arguments has more than %d members; send them in several calls, or as NDJSON or RDF with load", jsontext.MaxMembers).
			With("limit", jsontext.MaxMembers)
	}
	d := json.NewDecoder(bytes.NewReader(r.call.Args))
	d.UseNumber()
	if err := d.Decode(&r.Args); err != nil || r.Args == nil {
		return errNoObject
	}
	if _, err := d.Token(); err != io.EOF {
		return fault.Argument("", fault.Datatype, nil, "there is text after the JSON object of arguments; send one object only")
	}
	if name, twice := jsontext.Repeated(r.call.Args); twice {
		return fault.Argument(name, fault.Unique, nil, fmt.Sprintf("%q is given twice in one object", name))
	}
	return nil
}

// checkArgs checks the arguments against the shape of the capability, and refuses those that the caller may not give.
// For a typed write, whose arguments are the values of a node, the handler reports these errors together with those
// from the graph.
func (r *Request) checkArgs(ctx context.Context) error {
	if r.call.Reads && r.Capability.SideEffects != capability.None {
		return fault.New(fault.InvalidArguments, "%s may change something; call it by POST", r.Capability.ID)
	}
	if errors.Is(r.badText, errNoObject) {
		return fault.Argument("", fault.Datatype, nil, "the arguments must be one JSON object"+r.Capability.InputShape.SuchAs())
	}
	if r.badText != nil {
		return r.badText
	}
	if !r.Capability.Typed {
		if err := r.fitsShape(); err != nil {
			return err
		}
	}
	for _, f := range r.Capability.InputShape.Fields {
		v, given := r.Args[f.Name]
		if f.Scope == "" || !given || v == f.Default {
			continue
		}
		err := r.MayGive(f)
		if err != nil && r.Capability.Keeps && r.Args.Flag(capability.Ask) {
			refused := *fault.Of(err)
			refused.Message = fault.Add(refused.Message, fmt.Sprintf("; or leave %s out: whoever approves the request decides that", f.Name))
			return &refused
		}
		if err != nil {
			return err
		}
	}
	if from := r.Capability.Forks; from != "" && r.Args.Has(from) {
		return r.fork(ctx, from)
	}
	return r.badRef
}

// fitsShape refuses arguments that do not fit the shape of the capability. Streams stand in for the argument that they
// replace.
func (r *Request) fitsShape() error {
	if r.Inputs != nil && r.Capability.Inputs != "" {
		r.Args[r.Capability.Inputs] = ""
	}
	if wrong := r.Capability.InputShape.Check(r.Args); len(wrong) > 0 {
		return fault.Arguments(wrong...)
	}
	return nil
}

// fork makes the request one of a branch that is made from what an argument names, unless the branch is there.
func (r *Request) fork(ctx context.Context, argument string) error {
	name := r.Args.Text("branch")
	switch {
	case refOf(name) == "":
		return fault.Argument(argument, fault.Pattern, r.Args.Text(argument), "this is what a new branch is made from; name the branch as branch")
	case r.badRef == nil:
		r.Warn("there is a branch %s, so it was not made from %s", name, r.Args.Text(argument))
		return nil
	}
	from, err := r.Session().StateNamed(ctx, r.Args.Text(argument))
	if err != nil {
		return err
	}
	if err := r.authority.MayDo(policy.BranchCreate, kg.Branch{Name: name}); err != nil {
		return err
	}
	r.Release()
	r.Ref.Branch, r.forked, r.badRef = name, &from, nil
	return r.pin(ctx)
}
