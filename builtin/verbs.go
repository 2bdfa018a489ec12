package builtin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/rdf"
	"trails/schema"
)

// verb is a capability that does for any type what the typed ones do for one. It forwards to them, so that there is
// only one way to write a node.
func verb[In any](d capability.Descriptor, forward func(context.Context, *invoke.Request, In) (string, invoke.Arguments, error)) invoke.Capability {
	d.Idempotent, d.CostEstimate, d.Reasoning = d.ID != "create", capability.CostChange, capability.ReasoningSubclasses
	d.PolicyRequired.Action = policy.Change
	return invoke.Define[In, capability.NodeWritten](d, nil, invoke.On("compact"), invoke.Forwards(forward))
}

var verbs = []invoke.Capability{
	verb(capability.Descriptor{ID: "create", Description: "Create a node. describe tells its properties.", SideEffects: capability.Writes}, createAny),
	verb(capability.Descriptor{ID: "update", Description: "Change the given properties of a node.",
		InputShape: details(capability.Field{Name: "type", Description: "Of a local id or label."}, capability.Field{Name: "id", Description: "Type/id, IRI, local id or exact label."})}, updateAny),
	verb(capability.Descriptor{ID: "delete", Description: "Delete a node.", ConsentRequired: true}, deleteAny),
	verb(capability.Descriptor{ID: "link", Description: "Link a node to another by a property."}, link("add")),
	verb(capability.Descriptor{ID: "unlink", Description: "Remove a link between nodes."}, link("remove")),
}

// creating is a node to be made.
type creating struct {
	Type string         `json:"type"`
	ID   string         `json:"id,omitempty" doc:"Made when left out."`
	Data map[string]any `json:"data" doc:"Values by property; references as Type/id."`
	capability.WriteArguments
}

// nodeGiven names a node.
type nodeGiven struct {
	Type string `json:"type,omitempty" doc:"Of a local id."`
	ID   string `json:"id" doc:"Local id, Type/id or IRI."`
}

// changing is a node to be changed.
type changing struct {
	nodeGiven
	Set    map[string]any `json:"set,omitempty" doc:"Values by property; an array replaces all."`
	Add    map[string]any `json:"add,omitempty" doc:"Values to add to lists."`
	Remove map[string]any `json:"remove,omitempty" doc:"Values to take out of lists."`
	Unset  []string       `json:"unset,omitempty" max:"1000" doc:"Properties to remove."`
	capability.AskArgument
	capability.ChangeArguments
}

// deleting is a node that goes.
type deleting struct {
	nodeGiven
	Detach bool `json:"detach" is:"brief" default:"false" doc:"Remove the links to it, too."`
	capability.AskArgument
	capability.ChangeArguments
}

// linking are two nodes, and a property by which the first one refers to the other.
type linking struct {
	From                      string `json:"from" doc:"Type/id, IRI or exact label."`
	Property                  string `json:"property"`
	To                        string `json:"to"`
	capability.WriteArguments        // it removes one link at most
}

// changeArguments are read in every call.
var changeArguments = slices.Concat(capability.FieldsOf[capability.ChangeArguments](), capability.FieldsOf[capability.AskArgument]())

// writeArguments are the arguments of a verb that are passed to the typed capability unchanged.
func writeArguments(r *invoke.Request) invoke.Arguments {
	out := invoke.Arguments{}
	for _, f := range append(slices.Clip(changeArguments), capability.Field{Name: "id"}, capability.Field{Name: capability.DetachVerb}) {
		if v, given := r.Args[f.Name]; given {
			out[f.Name] = v
		}
	}
	return out
}

// typed returns the id of a capability of the type that the call names, or of the node's type.
func typed(ctx context.Context, r *invoke.Request, op, name, id string) (string, *schema.Type, error) {
	s := r.Snapshot.Schema()
	if of, _, _ := strings.Cut(id, "/"); name == "" && (s.Type(of) != nil || s.Renamed(of) != nil) {
		name = of
	} else if name == "" && rdf.IsAbsoluteIRI(id) {
		d, err := nodeOf(ctx, r, "id", id)
		if err == nil && d.Type == nil {
			err = fault.Argument("id", fault.Class, id, fmt.Sprintf("%s has no declared type; change it with mutate", id))
		}
		if err != nil {
			return "", nil, err
		}
		name = d.Type.Name
	} else if name == "" {
		return "", nil, fault.Argument("type", fault.Required, nil, "type is required, unless id is Type/id or an IRI")
	}
	t := s.Type(name)
	switch {
	case t == nil:
		concrete := slices.DeleteFunc(slices.Clone(s.Types), func(t *schema.Type) bool { return t.Abstract })
		return "", nil, fault.Argument("type", fault.OneOf, name, s.NoType(name, concrete...))
	case t.Abstract:
		return "", nil, fault.Arguments(fault.FieldError{Field: "type", Code: fault.OneOf, Value: name, Constraint: schema.NamesOf(s.Concrete(t)),
			Message: fmt.Sprintf("%s is abstract; write one of its subtypes: %s", name, strings.Join(schema.NamesOf(s.Concrete(t)), ", "))})
	}
	return schema.SnakeName(t.Name) + "." + op, t, nil
}

// merge adds values by property to the arguments of a typed capability; a name that is an argument of the call itself
// is not a property.
func merge(s *schema.Schema, t *schema.Type, args invoke.Arguments, values map[string]any, argument string) error {
	for name, v := range values {
		if _, taken := args[name]; taken || s.Property(t, name) == nil && (name == "id" || slices.ContainsFunc(changeArguments, func(f capability.Field) bool { return f.Name == name })) {
			return fault.Argument(argument+"."+name, fault.Closed, v, fmt.Sprintf("%s has no property %q", t.Name, name))
		}
		args[name] = v
	}
	return nil
}

func createAny(ctx context.Context, r *invoke.Request, in creating) (string, invoke.Arguments, error) {
	id, t, err := typed(ctx, r, "create", in.Type, in.ID)
	if err != nil {
		return "", nil, err
	}
	args := writeArguments(r)
	return id, args, merge(r.Snapshot.Schema(), t, args, in.Data, "data")
}

func updateAny(ctx context.Context, r *invoke.Request, in changing) (string, invoke.Arguments, error) {
	id, t, err := typed(ctx, r, "update", in.Type, in.ID)
	if err != nil {
		return "", nil, err
	}
	if p := r.Snapshot.Schema().Property(t, capability.Ask); p != nil && in.Ask {
		return "", nil, fault.Argument(capability.Ask, fault.Closed, true, fmt.Sprintf("%s has a property %s, so nobody can be asked for this; change it with mutate", t.Name, p.Name))
	}
	args := writeArguments(r)
	delete(args, capability.Ask)
	if in.Ask {
		args[capability.Ask] = true
	}
	set := map[string]any{}
	maps.Copy(set, in.Set)
	for _, name := range in.Unset {
		if _, twice := set[name]; twice {
			return "", nil, fault.Argument(capability.UnsetVerb, fault.Unique, name, fmt.Sprintf("%q is in set and in unset", name))
		}
		set[name] = nil
	}
	if err := merge(r.Snapshot.Schema(), t, args, set, "set"); err != nil {
		return "", nil, err
	}
	for _, verb := range []struct {
		name   string
		values map[string]any
	}{{"add", in.Add}, {"remove", in.Remove}} {
		if len(verb.values) == 0 {
			continue
		}
		if r.Snapshot.Schema().Property(t, verb.name) != nil {
			return "", nil, fault.Argument(verb.name, fault.Closed, nil, fmt.Sprintf("%s has a property %s, so its values are set as a whole, or changed with mutate", t.Name, verb.name))
		}
		args[verb.name] = verb.values
	}
	return id, args, nil
}

func deleteAny(ctx context.Context, r *invoke.Request, in deleting) (string, invoke.Arguments, error) {
	id, _, err := typed(ctx, r, "delete", in.Type, in.ID)
	return id, writeArguments(r), err
}

// withTarget adds to what is wrong with a link that the node it leads to is unknown, if it is.
func withTarget(ctx context.Context, r *invoke.Request, in linking, wrong error) error {
	_, err := nodeOf(ctx, r, "to", in.To)
	if !fault.Is(wrong, fault.InvalidArguments) || !fault.Is(err, fault.InvalidArguments) {
		return wrong
	}
	return fault.Arguments(slices.Concat(fault.Of(wrong).Fields, fault.Of(err).Fields)...)
}

// link adds a value to a reference or removes it. A reference with a single value is set, or emptied if it has this
// value.
func link(op string) func(context.Context, *invoke.Request, linking) (string, invoke.Arguments, error) {
	return func(ctx context.Context, r *invoke.Request, in linking) (string, invoke.Arguments, error) {
		s := r.Snapshot.Schema()
		from, err := nodeOf(ctx, r, "from", in.From)
		if err != nil {
			return "", nil, withTarget(ctx, r, in, err)
		}
		name, to := in.Property, in.To
		if from.Type == nil || from.Type.Abstract {
			return "", nil, fault.Argument("from", fault.Class, in.From, fmt.Sprintf("%s has no declared type; change it with mutate", from.ID))
		}
		p := s.Property(from.Type, name)
		if p == nil || p.Class == "" {
			message, known := s.NoReference(from.Type, name)
			return "", nil, withTarget(ctx, r, in, fault.Arguments(fault.FieldError{Field: "property", Code: fault.OneOf, Value: name, Constraint: known, Message: message}))
		}
		args := writeArguments(r)
		args["id"] = from.ID
		switch {
		case p.Many():
			if s.Property(from.Type, op) != nil {
				return "", nil, fault.Argument("property", fault.Closed, name, fmt.Sprintf("%s has a property %s; change %s with mutate", from.Type.Name, op, name))
			}
			args[op] = map[string]any{name: []any{to}}
		case op == "add":
			args[name] = to
		default:
			iri, err := s.ResolveRef(p, to)
			if err != nil {
				return "", nil, fault.Argument("to", fault.NodeKind, to, err.Error())
			}
			refers := false
			for _, err := range r.Snapshot.Match(ctx, rdf.Quad{Subject: from.Term, Predicate: p.IRI, Object: iri, Label: rdf.DefaultGraph}) {
				if err != nil {
					return "", nil, err
				}
				args[name], refers = nil, true
			}
			if !refers {
				r.Warn("this changes nothing: %s does not refer to %s by %s", r.Snapshot.Name(from.Term), s.Short(iri), name)
			}
		}
		return schema.SnakeName(from.Type.Name) + ".update", args, nil
	}
}
