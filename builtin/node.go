package builtin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
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
		hint, failed := r.Snapshot.LabelHint(ctx, t, local, func(rdf.Term) bool { return false })
		return nil, cmp.Or(failed, error(fault.Argument(argument, fault.Class, ref, fault.Of(err).Message+hint)))
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
	return nil, fault.Argument(argument, fault.Class, ref, fmt.Sprintf("no node is %q: give Type/id, an IRI or an exact label; search finds nodes", ref))
}

// severalLabelled refuses a label that several nodes have, and names them.
func severalLabelled(r *invoke.Request, argument, label string, found []rdf.Term) error {
	names := r.Snapshot.Schema().NodeNames(found)
	return fault.Arguments(fault.FieldError{Field: argument, Code: fault.Unique, Value: label, Constraint: names,
		Message: fmt.Sprintf("%d nodes have the label %q: %s; say which", len(found), label, strings.Join(names, ", "))})
}
