package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

// callFields are the arguments of a typed write that are not properties.
var callFields = []string{"id", "branch", "message", "if_commit", "dry_run", capability.UnsetVerb, "add", "remove", capability.DetachVerb, capability.Ask, capability.AllowMassChange}

// plan makes the edits of a typed write.
type plan func(*schema.Schema, change.Entity) change.Edits

func createNode(typeName string) invoke.Handler { return typedWrite(typeName, change.CreateEntity) }

// updateNode accepts the exact label of a node instead of its id, if no node has that id.
func updateNode(typeName string) invoke.Handler {
	write := typedWrite(typeName, change.UpdateEntity)
	return func(ctx context.Context, r *invoke.Request) (any, error) {
		id, err := idOrLabel(ctx, r, "id", r.Snapshot.Schema().Type(typeName), r.Args.Text("id"))
		if err != nil {
			return nil, err
		}
		r.Args["id"] = id
		return write(ctx, r)
	}
}

// idOrLabel returns an id as it is if a node of a type has it, or if no node of the type has it as its exact label; and
// otherwise the IRI of the node that is labelled so.
func idOrLabel(ctx context.Context, r *invoke.Request, argument string, t *schema.Type, id string) (string, error) {
	if iri, err := r.Snapshot.Schema().ResolveID(t, id); err == nil {
		for _, err := range r.Snapshot.Match(ctx, rdf.Quad{Subject: iri, Predicate: rdf.Type, Label: rdf.DefaultGraph}) {
			return id, err // the node exists
		}
	}
	found, err := r.Snapshot.Labelled(ctx, r.Snapshot.Schema().Subtypes(t), id)
	if err != nil || len(found) == 0 {
		return id, err
	}
	if len(found) > 1 {
		return id, severalLabelled(r, argument, id, found)
	}
	return browse.Described{Term: found[0]}.IRI(), nil
}

func deleteNode(typeName string) invoke.Handler {
	write := typedWrite(typeName, deletion)
	return func(ctx context.Context, r *invoke.Request) (any, error) {
		if err := noVerb(r, typeName); err != nil {
			return nil, err
		}
		out, err := write(ctx, r)
		if !fault.Is(err, fault.InvalidData) {
			return out, err
		}
		if r.Args.Flag(capability.DetachVerb) {
			return nil, needed(fault.Of(err))
		}
		return nil, referredTo(ctx, r, typeName, err)
	}
}

// noVerb refuses what a delete of other types takes, and a property of this type is called.
func noVerb(r *invoke.Request, typeName string) error {
	s := r.Snapshot.Schema()
	for _, verb := range []struct{ name, does string }{
		{capability.Ask, "nobody can be asked for this"}, {capability.DetachVerb, "this does not remove the links to it"},
	} {
		if p := s.Property(s.Type(typeName), verb.name); p != nil && r.Args.Has(verb.name) {
			return fault.Argument(verb.name, fault.Closed, r.Args[verb.name], fmt.Sprintf("%s has a property %s, so %s; delete it with mutate", typeName, p.Name, verb.does))
		}
	}
	return nil
}

// deletion refuses properties, which a delete does not take.
func deletion(s *schema.Schema, n change.Entity) change.Edits {
	e := change.DeleteEntity(s, n)
	for name, v := range n.Values {
		e.Fields = append(e.Fields, fault.FieldError{Field: name, Code: fault.Closed, Message: "delete takes no properties", Value: v})
	}
	return e
}

// typedWrite runs a plan. If some arguments cannot be read, the rest is validated as well, so that all errors are
// reported at once.
func typedWrite(typeName string, make plan) invoke.Handler {
	return func(ctx context.Context, r *invoke.Request) (any, error) {
		s := r.Snapshot.Schema()
		t := s.Type(typeName)
		entity, fields := entity(r, t)
		edits := make(s, entity)
		fields = append(fields, unsaid(fields, edits.Fields)...)
		set, err := r.ChangeSet(ctx)
		if err != nil && (len(fields) == 0 || !fault.Is(err, fault.InvalidArguments)) {
			return nil, err
		} else if err != nil {
			fields = append(fields, fault.Of(err).Fields...)
		}
		if verb, isVerb := r.Capability.InputShape.Field(capability.DetachVerb); isVerb && r.Args.Flag(verb.Name) && edits.IRI != "" {
			links, err := detached(ctx, r, edits.IRI)
			if err != nil {
				return nil, err
			}
			edits.List = append(links, edits.List...)
		}
		set.Schema, set.Edits, set.Key.Note = s, edits.List, string(edits.IRI)
		r.Release() // a waiting write must not hold a snapshot
		if len(fields) > 0 {
			if edits.IRI == "" {
				set.Edits = nameless(r, s, entity, make)
			}
			return nil, withMeant(ctx, r, allViolations(ctx, r, set, fields))
		}
		result, err := r.Session().Commit(ctx, set)
		if err != nil {
			return nil, withMeant(ctx, r, err)
		}
		iri := edits.IRI
		if result.Replayed {
			iri = rdf.IRI(result.Note) // the first call may have made another id
		}
		out := capability.NodeWritten{ID: s.IDOf(t, iri), IRI: iri, Written: r.Committed(result, set.DryRun)}
		if set.DryRun || r.Capability.Op() != "delete" { // a deletion removes everything
			out.Changed = changesOf(s, result, set.DryRun)
		}
		return out, nil
	}
}

// needed explains a refused deletion with its links: the schema requires the links that other nodes would lose.
func needed(refused *fault.Error) error {
	fields := slices.Clone(refused.Fields)
	for i, f := range fields {
		if f.Node != "" {
			fields[i].Message = fault.Add(fields[i].Message, fmt.Sprintf("; without the links that go there is none left, so give %s another first, or delete it", f.Node))
		}
	}
	return fault.Invalid(fields)
}

// referrersNamed is how many nodes of each group a refused deletion names.
const referrersNamed = 3

// referredTo explains a refused deletion: which nodes still refer to the node. The refusal itself says that what
// these refer to does not exist, which would be confusing.
func referredTo(ctx context.Context, r *invoke.Request, typeName string, refused error) error {
	if err := r.Latest(ctx); err != nil {
		return err
	}
	s := r.Snapshot.Schema()
	iri, err := s.ResolveID(s.Type(typeName), r.Args.Text("id"))
	if err != nil {
		return refused
	}
	groups, err := r.Snapshot.IncomingLinks(ctx, iri, referrersNamed)
	if err != nil || len(groups) == 0 {
		return refused
	}
	way, err := detaching(ctx, r, iri)
	if err != nil {
		return err
	}
	var fields []fault.FieldError
	for _, g := range groups {
		names := make([]string, len(g.Nodes))
		for i, n := range g.Nodes {
			names[i] = r.Snapshot.Name(n.Term)
		}
		if more := g.Total - len(names); more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		fields = append(fields, fault.FieldError{
			Field: "id", Code: fault.Class, Value: r.Args.Text("id"), Constraint: orUntyped(g.Type) + "." + g.Property,
			Message: fmt.Sprintf("%s is referred to by %d of %s by %s: %s; change them first%s",
				s.Short(iri), g.Total, orUntyped(g.Type), g.Property, strings.Join(names, ", "), way),
		})
	}
	return fault.Invalid(fields)
}

// detaching says whether a node can be deleted with the links to it, or which nodes require these links.
func detaching(ctx context.Context, r *invoke.Request, node rdf.IRI) (string, error) {
	links, err := detached(ctx, r, node)
	if err != nil {
		return "", err
	}
	edits := append(links, change.Edit{Op: change.Erase, Quad: rdf.Quad{Subject: node}})
	_, err = r.Session().Commit(ctx, kg.ChangeSet{Edits: edits, DryRun: true})
	if !fault.Is(err, fault.InvalidData) {
		return ", or remove these links, too, with detach: true", err
	}
	f := fault.Of(err).Fields[0]
	return fmt.Sprintf(", for they cannot be without it (%s)", f), nil
}

func orUntyped(t *schema.Type) string {
	if t == nil {
		return "no type"
	}
	return t.Name
}

// mostDetached is how many links to a node are removed with it at most.
const mostDetached = 100_000

// detached are the edits that remove the links to a node.
func detached(ctx context.Context, r *invoke.Request, node rdf.IRI) (list []change.Edit, err error) {
	for q, err := range r.Snapshot.Match(ctx, rdf.Quad{Object: node}) {
		if err != nil {
			return nil, err
		}
		if q.Subject == rdf.Term(node) {
			continue // removed with the node
		}
		if len(list) == mostDetached {
			return nil, fault.New(fault.TooLarge, "more than %d links lead to %s; remove them with mutate first", mostDetached, r.Snapshot.Name(node))
		}
		list = append(list, change.Edit{Op: change.Retract, Quad: q})
	}
	return list, nil
}

// nameless returns the edits of a new node whose id is unknown, under an unused name, so that the rest can be
// validated.
func nameless(r *invoke.Request, s *schema.Schema, n change.Entity, make plan) []change.Edit {
	if r.Capability.Op() != "create" {
		return nil
	}
	n.ID = uuid.NewString()
	return make(s, n).List
}

// allViolations adds the errors of the rest to those of the unreadable arguments.
func allViolations(ctx context.Context, r *invoke.Request, set kg.ChangeSet, fields []fault.FieldError) error {
	set.DryRun, set.Key = true, kg.IdempotencyKey{}
	if _, err := r.Session().Commit(ctx, set); fault.Is(err, fault.InvalidData) {
		fields = append(fields, unsaid(fields, fault.Of(err).Fields)...)
	} else if err != nil {
		return err
	}
	return fault.Invalid(fields)
}

// unsaid returns the errors that were not reported yet.
func unsaid(told, more []fault.FieldError) []fault.FieldError {
	known := map[string]bool{}
	reported := map[string]bool{}
	for _, f := range told {
		for name := range strings.SplitSeq(f.Field, ",") {
			base, _, _ := strings.Cut(name, "[")
			known[base] = true
			reported[base+"\x00"+fmt.Sprint(f.Value)] = true
		}
	}
	var out []fault.FieldError
	for _, f := range more {
		if f.IsBeside(func(field string) bool { return known[field] }) && !reported[f.Field+"\x00"+fmt.Sprint(f.Value)] {
			out = append(out, f)
		}
	}
	return out
}

// entity reads the arguments of a typed write.
func entity(r *invoke.Request, t *schema.Type) (change.Entity, []fault.FieldError) {
	n := change.Entity{Type: t, Values: map[string]any{}}
	for name, v := range r.Args {
		n.Values[name] = v
	}
	var fields []fault.FieldError
	for _, name := range callFields {
		if r.Snapshot.Schema().Property(t, name) != nil {
			continue // a property may have the name of a verb
		}
		delete(n.Values, name)
		f, known := r.Capability.InputShape.Field(name)
		v, given := r.Args[name]
		switch {
		case given && !known && name == "id":
			fields = append(fields, fault.FieldError{Field: name, Code: fault.Closed, Message: t.Name + " makes its own ids", Value: v})
		case given && !known:
			fields = append(fields, fault.FieldError{Field: name, Code: fault.Closed, Message: fmt.Sprintf("%s takes no %s", r.Capability.ID, name), Value: v})
		case given:
			fields = append(fields, f.Check(v)...)
		}
	}
	n.ID = r.Args.Text("id")
	for name, into := range map[string]*map[string]any{"add": &n.Add, "remove": &n.Remove} {
		if _, isVerb := r.Capability.InputShape.Field(name); isVerb && r.Snapshot.Schema().Property(t, name) == nil {
			*into = r.Args.Object(name)
		}
	}
	if unset, isVerb := r.Capability.InputShape.Field(capability.UnsetVerb); isVerb && !unset.Nullable { // no property has the name
		for _, one := range r.Args.List(unset.Name) {
			name, _ := one.(string)
			if _, twice := n.Values[name]; twice && n.Values[name] != nil {
				fields = append(fields, fault.FieldError{Field: unset.Name, Code: fault.Unique, Value: name, Message: fmt.Sprintf("%q is given a value, and is in unset", name)})
				continue
			}
			n.Values[name] = nil
		}
	}
	return n, fields
}
