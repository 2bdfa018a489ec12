package kg

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/kg/bundle"
	"trails/kg/change"
	"trails/rdf"
)

// Arrival is a request to take the commits of a bundle into the graph.
type Arrival struct {
	Bundle io.Reader
	// Into is the branch that they continue, which is made if it is not there; "" is the one that the bundle names.
	Into string
	// Beside is the name of a branch for them if Into has other commits; "" refuses that.
	Beside string
	// DryRun does everything except for keeping them.
	DryRun bool
	// MaxRemoved is that of a [ChangeSet], for the branch that moves.
	MaxRemoved int64
	// Activity is the call that brings them; it is recorded with the last one.
	Activity Activity
	Progress func(Progress)
}

// Arrived is what was taken from a bundle.
type Arrived struct {
	// Branch has the commits now: Into, or Beside if Into has other commits, which Diverged reports.
	Branch   string
	Diverged bool
	// Into is the branch that was asked for.
	Into string
	// Before is the head of Branch before, the zero Commit if it was made; After is its head now.
	Before, After Commit
	// Commits counts those that were new, and Added and Removed their changes.
	Commits        int
	Added, Removed int64
	// UpToDate reports that Into has all commits, so that nothing changed.
	UpToDate bool
}

// arriving is a bundle that is being applied, in one transaction.
type arriving struct {
	Arrival
	session *Session
	w       *db.Arrival
	bundle  *bundle.Reader
	// lines are those of the bundle that have new commits.
	lines map[int]db.Line
	// base is the head that the new state is compared with, to see what has to be validated, and before its schema.
	base   Commit
	before *compiled
	done   Arrived
	mass   MassChange // what goes from the branch, so far
	nodes  []rdf.Term // the first that change
	report func(int64)
}

// Apply takes the commits of a bundle into the graph: those that are new, each with the id that it has elsewhere. If they
// continue a branch, its head moves; else they become a branch beside it, if the request names one. The state that the
// branch has then must fit the schema that it has then. All of it happens or nothing.
//
// A bundle of another graph, one that needs commits that are not here, and one that continues nothing are refused with
// fault.Conflict, fault.Missing and fault.Precondition; one that is not what its digest and ids say with fault.Malformed.
func (s *Session) Apply(ctx context.Context, a Arrival) (Arrived, error) {
	if err := s.may(ctx, policy.BundleApply, s.branch); err != nil {
		return Arrived{}, err
	}
	b, err := bundle.NewReader(a.Bundle)
	if err != nil {
		return Arrived{}, err
	}
	if base := string(s.graph.Base()); b.Header.Base != base {
		return Arrived{}, fault.New(fault.Conflict, "the bundle is of another graph: its base is %.200q, and that of this file %q", b.Header.Base, base)
	}
	a.Into = cmp.Or(a.Into, b.Header.Branch, Main)
	for argument, name := range map[string]string{"into": a.Into, "beside": cmp.Or(a.Beside, Main)} {
		if err := nameFits(argument, name); err != nil {
			return Arrived{}, err
		}
	}
	w, err := s.graph.file.Arrive(ctx)
	if err != nil {
		return Arrived{}, err
	}
	defer w.Close()
	if policy.May(s.principal, policy.Builder) {
		w.Decide()
	}
	run := &arriving{Arrival: a, session: s, w: w, bundle: b, lines: map[int]db.Line{}, done: Arrived{Into: a.Into}}
	run.report = reporter(a.Progress, "apply", "commits", int64(b.Header.Commits))
	if err := run.run(ctx); err != nil || a.DryRun || run.done.UpToDate {
		return run.done, err
	}
	if err := w.Keep(ctx); err != nil {
		return Arrived{}, err
	}
	s.graph.bell.ring()
	return run.done, nil
}

func (a *arriving) run(ctx context.Context) error {
	if err := a.needed(ctx); err != nil {
		return err
	}
	if err := a.compareWith(ctx, Main); err != nil {
		return err
	}
	for {
		c, err := a.bundle.Next()
		if errors.Is(err, io.EOF) {
			return a.end(ctx)
		}
		if err != nil {
			return err
		}
		if err := a.take(ctx, c); err != nil {
			return err
		}
		a.report(1)
	}
}

// needed refuses a bundle that needs commits which are not here.
func (a *arriving) needed(ctx context.Context) error {
	const told = 3
	var missing []string
	for _, text := range a.bundle.Header.Needs {
		id, err := history.ParseCommitID(text)
		if err != nil {
			return err
		}
		_, known, err := a.w.Known(ctx, id)
		if err != nil {
			return err
		}
		if !known && len(missing) < told {
			missing = append(missing, id.String())
		}
	}
	if len(missing) > 0 {
		return fault.New(fault.Missing, "the bundle begins behind commits that are not here: %s; make one that begins earlier, or apply the one before", strings.Join(missing, ", ")).With("needs", missing)
	}
	return nil
}

// compareWith makes the head of a branch the state that the new one is compared with.
func (a *arriving) compareWith(ctx context.Context, branch string) error {
	line, err := a.w.LineOf(ctx, branch)
	if err != nil {
		return err
	}
	if err := a.w.Show(ctx, line); err != nil {
		return err
	}
	a.base = line.Head
	a.before, err = a.session.graph.schemaOf(ctx, a.w)
	return err
}

// take applies a commit, unless it is here.
func (a *arriving) take(ctx context.Context, c *bundle.Commit) error {
	if _, known, err := a.w.Known(ctx, c.ID); known || err != nil {
		return err
	}
	on, open := a.lines[c.Line]
	if !open {
		from, _, err := a.w.Known(ctx, c.Parent)
		if err != nil {
			return err
		}
		if on, err = a.open(ctx, c.Line, from); err != nil {
			return err
		}
	}
	var activity *Activity
	if c.ID.Whole() == a.bundle.Header.Head {
		done := a.session.completed(a.Activity)
		activity = &done
	}
	var err error
	if on.Head, err = a.w.Apply(ctx, on, c.Commit, checked(c.Changes()), activity); err != nil {
		return err
	}
	a.lines[c.Line] = on
	a.done.Commits++
	a.done.Added += on.Head.Added
	a.done.Removed += on.Head.Removed
	return nil
}

func (a *arriving) headID() history.CommitID {
	id, _ := history.ParseCommitID(a.bundle.Header.Head) // its reader has checked it
	return id
}

// checked refuses changes of graphs that trails keeps itself.
func checked(changes iter.Seq2[db.Change, error]) iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		for c, err := range changes {
			if err == nil {
				err = change.CheckGraph(c.Label)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// open returns the line of the file for one of the bundle, whose first new commit comes after from: a branch that is to
// have the head if it is at from, else a line without a name.
func (a *arriving) open(ctx context.Context, line int, from Commit) (on db.Line, err error) {
	for _, branch := range a.targets() {
		if line != 0 {
			break
		}
		on, err = a.w.LineOf(ctx, branch)
		switch {
		case fault.Is(err, fault.Missing):
		case err != nil:
			return on, err
		case on.Head.ID == from.ID:
			a.done.Branch, a.done.Before = branch, on.Head
			return on, a.compareWith(ctx, branch)
		}
	}
	switch {
	case from.Seq == 0 && a.base.Seq == 0:
		return on, fault.New(fault.Precondition, "this file has no commit yet, and a branch is made from one; take main first")
	case from.Seq == 0:
		return on, fault.New(fault.Conflict, "the bundle begins with a first commit, and this file has another one: they are two graphs, though of one base; load an export of the other one instead")
	}
	return a.w.LineBehind(ctx, from)
}

// targets are the branches that may have the head, the better one first.
func (a *arriving) targets() []string {
	if a.Beside == "" || a.Beside == a.Into {
		return []string{a.Into}
	}
	return []string{a.Into, a.Beside}
}

// end gives a branch the head, and validates what it has then.
func (a *arriving) end(ctx context.Context) error {
	head, _, err := a.w.Known(ctx, a.headID())
	if err != nil {
		return err
	}
	a.done.After = head
	if a.done.Branch == "" {
		if err := a.place(ctx, head); err != nil || a.done.UpToDate {
			return err
		}
	}
	a.done.Diverged = a.done.Branch != a.Into
	if a.done.Commits == 0 {
		if err := a.w.AddActivity(ctx, a.session.completed(a.Activity)); err != nil {
			return err
		}
	}
	line, err := a.w.LineOf(ctx, a.done.Branch)
	if err != nil {
		return err
	}
	if err := a.w.Show(ctx, line); err != nil {
		return err
	}
	return a.validate(ctx, head)
}

// place finds the branch for a head that none has been moved to: Into if that is behind it, else Beside.
func (a *arriving) place(ctx context.Context, head Commit) error {
	for _, branch := range a.targets() {
		line, err := a.w.LineOf(ctx, branch)
		missing := fault.Is(err, fault.Missing)
		if err != nil && !missing {
			return err
		}
		behind := missing
		if !missing {
			bases, err := a.w.MergeBases(ctx, line.Head, head)
			if err != nil {
				return err
			}
			a.done.UpToDate = slices.ContainsFunc(bases, func(c Commit) bool { return c.Seq == head.Seq })
			behind = branch != Main && slices.ContainsFunc(bases, func(c Commit) bool { return c.Seq == line.Head.Seq })
		}
		if a.done.UpToDate || behind {
			a.done.Branch, a.done.Before = branch, line.Head
			a.done.Diverged = branch != a.Into
		}
		if a.done.UpToDate {
			return nil
		}
		if behind {
			_, err := a.w.PutBranch(ctx, branch, head)
			return err
		}
	}
	return fault.New(fault.Precondition, "%s has commits that are not in the bundle, so the bundle does not continue it; take those into the other file and merge them there, or give the commits a branch of their own", strings.Join(a.targets(), " and ")).
		With("branch", a.Into)
}

// validate checks the state of the head as far as it differs from the base, which was valid: the nodes that are not the
// same, those that refer to one that lost its type and, if the schema is another one, the instances of every type that is
// stricter. States in between were valid where they were made, and are not checked again.
func (a *arriving) validate(ctx context.Context, head Commit) (err error) {
	after := a.before
	if head.SchemaSeq != a.base.SchemaSeq {
		if after, err = a.session.graph.compile(ctx, a.w); err != nil {
			return err
		}
	}
	if err := cmp.Or(after.unenforced(), keepNamed(a.before, after), a.permitted(ctx, after)); err != nil {
		return err
	}
	c := newChecking(a.w, after.shapes, defaultMaxErrors)
	c.report = reporter(a.Progress, "validate", "nodes", 0)
	if head.Quads > 2*a.base.Quads { // most nodes are checked
		c.memo.Shared, c.memo.Instances = a.w.Shared, a.w.Instances
	}
	if err := a.check(ctx, c, after, head); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if len(c.found) == 0 {
		return a.refuseMass(after)
	}
	fields := make([]fault.FieldError, len(c.found))
	for i, p := range c.found {
		fields[i] = p.field
		fields[i].Node, fields[i].Value = after.schema.NodeName(p.focus), fault.Bounded(p.field.Value)
	}
	return fault.Invalid(fields)
}

// refuseMass refuses commits that take more from a branch than they may.
// permitted refuses what policies do not permit: to take commits into the branches that may move, and to bring policies.
func (a *arriving) permitted(ctx context.Context, after *compiled) error {
	return a.session.On("").View(ctx, func(snap *Snapshot) error {
		for _, name := range a.targets() {
			b, err := snap.BranchNamed(ctx, name)
			if err != nil {
				return err
			}
			b.Name = name // also of one that is made now
			if err := snap.authority.MayDo(policy.BundleApply, b); err != nil {
				return err
			}
		}
		if after.policyText == a.before.policyText {
			return nil
		}
		return snap.authority.MayDo(policy.Administer, Branch{})
	})
}

func (a *arriving) refuseMass(after *compiled) error {
	m := a.mass
	if a.MaxRemoved == 0 || a.DryRun || a.done.Before.Seq == 0 || m.Removes <= a.MaxRemoved {
		return nil
	}
	m.Head = a.done.Before
	m.Nodes = after.schema.NodeNames(a.nodes)
	return m.refusal(a.MaxRemoved)
}

func (a *arriving) check(ctx context.Context, c *checking, after *compiled, head Commit) error {
	there := func(_ context.Context, q rdf.Quad) ([]rdf.Quad, error) { return []rdf.Quad{q}, nil }
	if after != a.before {
		if err := c.schemaChange(ctx, a.before.schema, after.schema); err != nil {
			return err
		}
		if err := c.closeBase(ctx, a.w.Reader, a.before.schema, after.schema, there); err != nil {
			return err
		}
	}
	var last rdf.Term
	var unknown []rdf.Quad
	for d, err := range a.w.Difference(ctx, a.base, head) {
		if err != nil {
			return err
		}
		if d.Subject != last {
			last = d.Subject
			if a.mass.NodeCount++; len(a.nodes) < MaxNodes {
				a.nodes = append(a.nodes, last)
			}
			if !c.shapes.Empty() {
				if err := c.node(ctx, last); err != nil {
					return err
				}
			}
		}
		if d.Op == history.OpRemove && d.Label != rdf.SchemaGraph {
			a.mass.Removes++
		}
		switch lost := d.Op == history.OpRemove; {
		case lost && isType(d.Quad) && !c.shapes.Empty():
			if err := c.referrers(ctx, d.Subject); err != nil {
				return err
			}
		case !lost && d.Label != rdf.SchemaGraph && after.schema.Undeclared(d.Quad) && a.before.schema.Undeclared(d.Quad):
			unknown = append(unknown, d.Quad)
		}
		if len(unknown) == batchSize {
			if err := c.closeOut(ctx, a.w.Reader, after.schema, unknown, there); err != nil {
				return err
			}
			unknown = unknown[:0]
		}
	}
	return c.closeOut(ctx, a.w.Reader, after.schema, unknown, there)
}
