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

// sameLabel is how many nodes with one label are searched.
const sameLabel = 10

// nodeOf finds the node that a caller means by Type/id, by an IRI, or by its exact label.
// What is no node, or a label that several have, is an error for the argument.
func nodeOf(ctx context.Context, r *invoke.Request, argument, ref string) (browse.Described, error) {
	s := r.Snapshot.Schema()
	name, local, _ := strings.Cut(ref, "/")
	if t := cmp.Or(s.Type(name), s.Renamed(name)); local != "" && t != nil {
		d, err := r.Snapshot.Find(ctx, t, local)
		if !fault.Is(err, fault.NotFound) {
			return d, err
		}
		found, failed := labelled(ctx, r, s.Concrete(t), local)
		hint := ""
		if len(found) > 0 {
			hint = fmt.Sprintf("; %q is the label of %s", local, strings.Join(namesOf(r, found), ", "))
		}
		return d, cmp.Or(failed, error(fault.Argument(argument, fault.Class, ref, fault.Of(err).Message+hint)))
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
		return d, err
	}
	found, err := labelled(ctx, r, s.Types, ref)
	switch {
	case err != nil:
		return browse.Described{}, err
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return browse.Described{}, severalLabelled(r, argument, ref, found)
	}
	return browse.Described{}, fault.Argument(argument, fault.Class, ref, fmt.Sprintf("no node is %q: give Type/id, an IRI or an exact label; search finds nodes", ref))
}

// severalLabelled refuses a label that several nodes have, and names them.
func severalLabelled(r *invoke.Request, argument, label string, found []browse.Described) error {
	names := namesOf(r, found)
	return fault.Arguments(fault.FieldError{Field: argument, Code: fault.Unique, Value: label, Constraint: names,
		Message: fmt.Sprintf("%d nodes have the label %q: %s; say which", len(found), label, strings.Join(names, ", "))})
}

// namesOf are the names of nodes, which references take.
func namesOf(r *invoke.Request, found []browse.Described) []string {
	names := make([]string, len(found))
	for i, d := range found {
		names[i] = r.Snapshot.Name(d.Term)
	}
	return names
}

// labelled returns nodes of these types that have exactly this label.
func labelled(ctx context.Context, r *invoke.Request, types []*schema.Type, label string) ([]browse.Described, error) {
	s := r.Snapshot.Schema()
	var nodes []rdf.Term
	for _, t := range types {
		p := s.Property(t, s.LabelOf(t))
		if p == nil || t.Abstract {
			continue
		}
		found, err := r.Snapshot.Having(ctx, []rdf.PredicateObject{{P: p.IRI, O: rdf.Literal(label, "")}, {P: rdf.Type, O: t.IRI}}, sameLabel)
		if err != nil {
			return nil, err
		}
		for _, node := range found {
			if !slices.Contains(nodes, node) {
				nodes = append(nodes, node)
			}
		}
	}
	return r.Snapshot.DescribeAll(ctx, nodes)
}
