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

// verb is a capability that does for any type what the typed ones do for one. It forwards
// to them, so that there is one way to write a node.
func verb(id, description string, effects capability.SideEffects, forward func(context.Context, *invoke.Request) (string, invoke.Arguments, error), fields ...capability.Field) invoke.Capability {
	arguments := changeArguments
	if effects == capability.Writes { // nothing is removed
		arguments = capability.FieldsOf[capability.WriteArguments]()
	}
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: id, Description: description,
			InputShape:  capability.Shape{Fields: append(fields, arguments...)},
			OutputShape: capability.WriteResult(""), SideEffects: effects, Idempotent: id != "create", ConsentRequired: id == "delete",
			CostEstimate: capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.Change},
			Reasoning: capability.ReasoningSubclasses,
		},
		Forward: byID(forward), Surfaces: []string{"compact"},
	}
}

// changeArguments are read at every call.
var changeArguments = slices.Clip(capability.FieldsOf[capability.ChangeArguments]())

// byID forwards to a capability of the registry.
func byID(forward func(context.Context, *invoke.Request) (string, invoke.Arguments, error)) func(context.Context, *invoke.Request) (*invoke.Capability, invoke.Arguments, error) {
	return func(ctx context.Context, r *invoke.Request) (*invoke.Capability, invoke.Arguments, error) {
		id, args, err := forward(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		c, err := r.Named(id)
		return c, args, err
	}
}

var (
	typeField = capability.Field{Name: "type", Type: capability.String, Required: true}
	typeOfID  = capability.Field{Name: "type", Type: capability.String, Description: "Of a local id."}
	nodeField = capability.Field{Name: "id", Type: capability.String, Required: true, Description: "Local id, Type/id or IRI."}
	linkField = capability.Field{Name: "property", Type: capability.String, Required: true}
	valuesOf  = func(name, description string) capability.Field {
		return capability.Field{Name: name, Type: capability.Object, Description: description}
	}
	verbs = []invoke.Capability{
		verb("create", "Create a node of a type. describe tells its properties.", capability.Writes, createAny,
			typeField, capability.Field{Name: "id", Type: capability.String, Description: "Made when left out."},
			capability.Field{Name: "data", Type: capability.Object, Required: true, Description: "Values by property; references as Type/id."}),
		verb("update", "Change properties of a node; those not given stay.", capability.Destroys, updateAny,
			typeOfID, nodeField, valuesOf("set", "Values by property; an array replaces all."), valuesOf("add", "Values to add to lists."),
			valuesOf("remove", "Values to take out of lists."),
			capability.Field{Name: capability.UnsetVerb, Type: capability.String, Many: true, MaxCount: new(1000), Description: "Properties to remove."}),
		verb("delete", "Delete a node with its properties.", capability.Destroys, deleteAny,
			typeOfID, nodeField, capability.Field{Name: "detach", Type: capability.Boolean, Default: false, Description: "Remove the links to it, too."}),
		verb("link", "Make a node refer to another by a property.", capability.Destroys, link("add"),
			capability.Field{Name: "from", Type: capability.String, Required: true, Description: "Type/id, IRI or exact label."}, linkField,
			capability.Field{Name: "to", Type: capability.String, Required: true}),
		verb("unlink", "End that a node refers to another.", capability.Destroys, link("remove"),
			capability.Field{Name: "from", Type: capability.String, Required: true, Description: "Type/id, IRI or exact label."}, linkField,
			capability.Field{Name: "to", Type: capability.String, Required: true}),
	}
)

// writeArguments are the arguments of a verb that its typed capability takes as they are.
func writeArguments(r *invoke.Request) invoke.Arguments {
	out := invoke.Arguments{}
	for _, f := range append(changeArguments, capability.Field{Name: "id"}) {
		if v, given := r.Args[f.Name]; given {
			out[f.Name] = v
		}
	}
	return out
}

// typed returns the id of a capability of the type that the call names, or that the node has
// which its id names by Type/id or IRI.
func typed(ctx context.Context, r *invoke.Request, op string) (string, *schema.Type, error) {
	s := r.Snapshot.Schema()
	name, id := r.Args.Text("type"), r.Args.Text("id")
	if of, _, _ := strings.Cut(id, "/"); name == "" && s.Type(of) != nil {
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
	var known []string
	for _, one := range s.Types {
		if !one.Abstract {
			known = append(known, one.Name)
		}
	}
	switch {
	case t == nil:
		return "", nil, fault.Argument("type", fault.OneOf, name, fmt.Sprintf("there is no type %q%s", name, fault.DidYouMean(name, known)))
	case t.Abstract:
		names := []string{}
		for _, one := range s.Concrete(t) {
			names = append(names, one.Name)
		}
		return "", nil, fault.Arguments(fault.FieldError{Field: "type", Code: fault.OneOf, Value: name, Constraint: names,
			Message: fmt.Sprintf("%s is abstract; write one of its subtypes", name)})
	}
	return schema.SnakeName(t.Name) + "." + op, t, nil
}

// merge puts values by property among the arguments of a typed capability; a name that is
// an argument of the call itself is no property.
func merge(s *schema.Schema, t *schema.Type, args invoke.Arguments, values map[string]any, argument string) error {
	for name, v := range values {
		if _, taken := args[name]; taken || s.Property(t, name) == nil && (name == "id" || slices.ContainsFunc(changeArguments, func(f capability.Field) bool { return f.Name == name })) {
			return fault.Argument(argument+"."+name, fault.Closed, v, fmt.Sprintf("%s has no property %q", t.Name, name))
		}
		args[name] = v
	}
	return nil
}

func createAny(ctx context.Context, r *invoke.Request) (string, invoke.Arguments, error) {
	id, t, err := typed(ctx, r, "create")
	if err != nil {
		return "", nil, err
	}
	args := writeArguments(r)
	return id, args, merge(r.Snapshot.Schema(), t, args, r.Args.Object("data"), "data")
}

func updateAny(ctx context.Context, r *invoke.Request) (string, invoke.Arguments, error) {
	id, t, err := typed(ctx, r, "update")
	if err != nil {
		return "", nil, err
	}
	args := writeArguments(r)
	set := maps.Clone(r.Args.Object("set"))
	if set == nil {
		set = map[string]any{}
	}
	for _, name := range r.Args.List(capability.UnsetVerb) {
		text, _ := name.(string)
		if _, twice := set[text]; twice {
			return "", nil, fault.Argument(capability.UnsetVerb, fault.Unique, text, fmt.Sprintf("%q is in set and in unset", text))
		}
		set[text] = nil
	}
	if err := merge(r.Snapshot.Schema(), t, args, set, "set"); err != nil {
		return "", nil, err
	}
	for _, name := range []string{"add", "remove"} {
		values := r.Args.Object(name)
		if len(values) == 0 {
			continue
		}
		if r.Snapshot.Schema().Property(t, name) != nil {
			return "", nil, fault.Argument(name, fault.Closed, nil, fmt.Sprintf("%s has a property %s, so its values are set as a whole, or changed with mutate", t.Name, name))
		}
		args[name] = values
	}
	return id, args, nil
}

func deleteAny(ctx context.Context, r *invoke.Request) (string, invoke.Arguments, error) {
	id, _, err := typed(ctx, r, "delete")
	args := writeArguments(r)
	if v, given := r.Args["detach"]; given {
		args["detach"] = v
	}
	return id, args, err
}

// link adds a value to a reference, or takes one out of it. A reference that has one value
// is set, and emptied when it has this one.
func link(op string) func(context.Context, *invoke.Request) (string, invoke.Arguments, error) {
	return func(ctx context.Context, r *invoke.Request) (string, invoke.Arguments, error) {
		s := r.Snapshot.Schema()
		from, err := nodeOf(ctx, r, "from", r.Args.Text("from"))
		if err != nil {
			return "", nil, err
		}
		name, to := r.Args.Text("property"), r.Args.Text("to")
		if from.Type == nil || from.Type.Abstract {
			return "", nil, fault.Argument("from", fault.Class, r.Args.Text("from"), fmt.Sprintf("%s has no declared type; change it with mutate", from.ID))
		}
		p := s.Property(from.Type, name)
		if p == nil || p.Class == "" {
			var known []string
			for _, one := range s.PropertiesOf(from.Type) {
				if one.Class != "" {
					known = append(known, one.Name)
				}
			}
			return "", nil, fault.Arguments(fault.FieldError{Field: "property", Code: fault.OneOf, Value: name, Constraint: known,
				Message: fmt.Sprintf("%s has no reference %q%s", from.Type.Name, name, fault.DidYouMean(name, known))})
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
