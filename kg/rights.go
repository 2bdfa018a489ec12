package kg

import (
	"context"
	"errors"
	"iter"
	"slices"

	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
)

// What an author with rights changes is what it sees; see docs/decisions/0114-the-rights-of-a-view.md. The changed graph is
// held against all rules, and only what breaks one in the part that the author sees is told.

// refuseHidden refuses a change of a node that adds what its author may not see, or that takes the type, or all that
// the author sees, of a node of which there is more.
func (t *transaction) refuseHidden(ctx context.Context, n node, deltas []change.Delta) error {
	if !t.w.Restricted() {
		return nil
	}
	ends := n.whole && len(deltas) == len(n.before) && len(deltas) > 0
	for _, d := range deltas {
		if !d.Added {
			ends = ends || isType(d.Quad)
			continue
		}
		hidden, err := t.w.Seen().Hides(ctx, d.Quad)
		if err != nil {
			return err
		}
		if hidden {
			return fault.New(fault.Denied, "%s may not add %s: it names what %[1]s may not see; leave it out", t.session.principal.Author(), statement(t.schema.schema, d.Quad))
		}
	}
	if !ends {
		return nil
	}
	for q, err := range t.w.Match(ctx, rdf.Quad{Subject: n.Subject}) {
		if err != nil {
			return err
		}
		hidden, err := t.w.Seen().Hides(ctx, q)
		if err != nil {
			return err
		}
		if hidden {
			name := t.schema.schema.NodeName(n.Subject)
			return fault.New(fault.Denied, "there is more of %s than %s may see, which would be left without its type; ask somebody who may see all of it", name, t.session.principal.Author()).With("node", name)
		}
	}
	return nil
}

// seenProblems are the problems of the change in the part of the graph that its author sees, by the rules that it sees. If
// there are none, the change breaks a rule about the rest, and is refused without saying which.
func (t *transaction) seenProblems(ctx context.Context) ([]problem, error) {
	c := newChecking(seenData{t.w}, t.schema.shapes, t.job.limit())
	c.found = t.undeclared
	if err := t.check(ctx, c, t.schema); err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	if len(c.found) > 0 {
		return c.found, nil
	}
	if err := t.failed(ctx); err != nil {
		return nil, err
	}
	return nil, fault.New(fault.Denied, "the change breaks a rule about what %s may not see, and nothing was changed; ask somebody who may see all", t.session.principal.Author())
}

// seenData is the changed graph as the author of a transaction sees it.
type seenData struct{ w *db.Writer }

// Match implements [rdf.Source].
func (d seenData) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for q, err := range d.w.Match(ctx, pattern) {
			hidden := false
			if err == nil {
				hidden, err = d.w.Seen().Hides(ctx, q)
			}
			if !hidden && !yield(q, err) || err != nil {
				return
			}
		}
	}
}

// Having implements [validate.Data].
func (d seenData) Having(ctx context.Context, pairs []rdf.PredicateObject, limit int) (seen []rdf.Term, err error) {
	for asked := limit; ; asked *= 2 {
		list, err := d.w.Having(ctx, pairs, asked)
		if err != nil {
			return nil, err
		}
		seen = seen[:0]
		for _, subject := range list {
			hidden := slices.ContainsFunc(pairs, func(pair rdf.PredicateObject) bool {
				is, failed := d.w.Seen().Hides(ctx, rdf.Quad{Subject: subject, Predicate: pair.P, Object: pair.O})
				err = errors.Join(err, failed)
				return is
			})
			if !hidden && len(seen) < limit {
				seen = append(seen, subject)
			}
		}
		if err != nil || len(seen) == limit || len(list) < asked {
			return seen, err
		}
	}
}
