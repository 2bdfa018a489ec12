package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// nodeOf finds the node that a caller means by Type/id, by an IRI, or by its exact label.
// What is no node, or a label that several have, is an error for the argument.
func nodeOf(ctx context.Context, r *invoke.Request, argument, ref string) (browse.Described, error) {
	found, err := nodesNamed(ctx, r, argument, ref, 1)
	if err != nil {
		return browse.Described{}, err
	}
	return found[0], nil
}

// nodesNamed is nodeOf for a label that several nodes may have, at most so many; if more have it, it is an error.
func nodesNamed(ctx context.Context, r *invoke.Request, argument, ref string, most int) ([]browse.Described, error) {
	s := r.Snapshot.Schema()
	name, local, _ := strings.Cut(ref, "/")
	if t := cmp.Or(s.Type(name), s.Renamed(name)); local != "" && t != nil {
		d, err := r.Snapshot.Find(ctx, t, local)
		if err == nil {
			return []browse.Described{d}, nil
		} else if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		return nil, noNode(ctx, r, argument, ref, t, local, err)
	}
	if rdf.IsAbsoluteIRI(ref) || strings.HasPrefix(ref, "_:") {
		var node rdf.Term = rdf.IRI(ref)
		if label, blank := strings.CutPrefix(ref, "_:"); blank {
			node = rdf.BNode(label)
		}
		d, err := r.Snapshot.Describe(ctx, node)
		if err == nil && !d.Exists {
			err = fault.Argument(argument, fault.Class, ref, fmt.Sprintf("nothing is said of %s", ref))
		}
		if err != nil {
			return nil, err
		}
		return []browse.Described{d}, nil
	}
	found, err := r.Snapshot.Labelled(ctx, s.Types, ref)
	switch {
	case err != nil:
		return nil, err
	case len(found) > most:
		return nil, severalLabelled(r, argument, ref, found)
	case len(found) > 0:
		return r.Snapshot.DescribeAll(ctx, found)
	}
	hint, err := r.Snapshot.NodeMeant(ctx, ref)
	return nil, cmp.Or(err, error(fault.Argument(argument, fault.Class, ref, fmt.Sprintf("no node is %q: give Type/id, an IRI or an exact label; search finds nodes%s", ref, hint))))
}

// noNode refuses an argument that names a node of a type which is not there. It names the nodes of the type that are
// labelled so, or else the node that was probably meant.
func noNode(ctx context.Context, r *invoke.Request, argument, ref string, t *schema.Type, id string, err error) error {
	hint, failed := r.Snapshot.LabelHint(ctx, t, id, func(rdf.Term) bool { return false })
	if failed == nil && hint == "" {
		hint, failed = r.Snapshot.NodeMeant(ctx, id, t)
	}
	return cmp.Or(failed, error(fault.Argument(argument, fault.Class, ref, fault.Of(err).Message+hint)))
}

// mostMeant is how many missing nodes of a refusal are looked for.
const mostMeant = 5

// withMeant adds to the refusal of a write, for nodes that are not there, those that were probably meant. What is labelled
// like a missing node was said by the write.
func withMeant(ctx context.Context, r *invoke.Request, refused error) error {
	missing, f := fault.Is(refused, fault.Missing), fault.Of(refused)
	refers := func(field fault.FieldError) bool { return field.Code == fault.Class }
	if !missing && !(fault.Is(refused, fault.InvalidData) && slices.ContainsFunc(f.Fields, refers)) || r.Latest(ctx) != nil {
		return refused
	}
	if missing {
		name, _ := f.Details["node"].(string)
		if hint := meantBy(ctx, r, name); hint != "" {
			return fault.New(fault.Missing, "%s does not exist%s", name, hint).With("node", name)
		}
		return refused
	}
	fields, looked, found := slices.Clone(f.Fields), 0, false
	for i, field := range fields {
		name, isText := field.Value.(string)
		if !refers(field) || !isText || looked == mostMeant {
			continue
		}
		looked++
		if hint := meantBy(ctx, r, name); hint != "" {
			fields[i].Message, found = fault.Add(field.Message, hint), true
		}
	}
	told := fault.Invalid(fields)
	if !found || told.Count != f.Count { // more mistakes than fields are kept
		return refused
	}
	for name, v := range f.Details {
		told = told.With(name, v)
	}
	return told
}

// meantBy asks for the node that was probably meant by Type/id, "" if this node is there, is the label of one, or nothing is
// found.
func meantBy(ctx context.Context, r *invoke.Request, name string) string {
	of, id, _ := strings.Cut(name, "/")
	t := r.Snapshot.Schema().Type(of)
	if t == nil || id == "" {
		return ""
	}
	if _, err := r.Snapshot.Find(ctx, t, id); !fault.Is(err, fault.NotFound) {
		return ""
	}
	if labelled, err := r.Snapshot.Labelled(ctx, r.Snapshot.Schema().Concrete(t), id); err != nil || len(labelled) > 0 {
		return ""
	}
	hint, err := r.Snapshot.NodeMeant(ctx, id, t)
	if err != nil {
		return "" // the refusal stands without it
	}
	return hint
}

// severalLabelled refuses a label that several nodes have, and names them.
func severalLabelled(r *invoke.Request, argument, label string, found []rdf.Term) error {
	names := r.Snapshot.Schema().NodeNames(found)
	return fault.Arguments(fault.FieldError{Field: argument, Code: fault.Unique, Value: label, Constraint: names,
		Message: fmt.Sprintf("%d nodes have the label %q: %s; say which", len(found), label, strings.Join(names, ", "))})
}
