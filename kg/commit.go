package kg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// ChangeSet is the input of one commit. Edits may be in any order; package [change] says what each does.
type ChangeSet struct {
	Edits   []change.Edit
	Message string
	// IfCommit, when set, must be the current head (the zero id for a file without commits); otherwise the change is
	// refused with fault.Precondition.
	IfCommit *CommitID
	// Schema, when set, must be the current schema; otherwise the change is refused with fault.Conflict.
	Schema *schema.Schema
	// DryRun does everything except for committing.
	DryRun bool
	// MaxRemoved, unless it is 0, bounds the statements that the change may remove: beyond it
	// nothing is changed, and the refusal, fault.Conflict, has a [MassChange] in its chain. A
	// dry run is not bounded.
	MaxRemoved int64
	// Key, when set, makes a repeated change return the result of the first one.
	Key IdempotencyKey
	// Settles is the number of the request that the commit is made for, 0 for none, and Reason why it was approved.
	Settles int64
	Reason  string
	// Activity is the call that makes the change; it is recorded with the commit. Missing fields are filled in.
	Activity Activity
}

// IdempotencyKey identifies one intended change. The zero value is none.
type IdempotencyKey struct {
	// Key is the caller's own name for the change, within its principal's owner.
	Key string
	// Digest identifies the request; the same key with another digest is refused.
	Digest [32]byte
	// Note is stored with the key, and returned in [Result.Note] when the change is repeated.
	Note string
}

// of returns the stored form of the key, which includes the owner. Its prefix is the method of computing digests, so
// that keys stored with another method are not found.
func (k IdempotencyKey) of(s *Session) string {
	return "2\x00" + s.owner() + "\x00" + k.Key
}

// remember returns what the commit stores under the key; nil without a key.
func (k IdempotencyKey) remember(s *Session) *db.IdempotentKey {
	if k.Key == "" {
		return nil
	}
	return &db.IdempotentKey{Key: k.of(s), Digest: k.Digest[:], Result: func(c Commit) ([]byte, error) {
		return []byte(c.ID.Whole() + k.Note), nil
	}}
}

// Result reports a finished change: the commits before and after, and the quads in between.
type Result struct {
	Before, After Commit
	// Added and Removed are the changed quads, up to MaxReported each.
	Added, Removed []rdf.Quad
	// AddedCount and RemovedCount count all of them.
	AddedCount, RemovedCount int64
	// Loses counts the removed statements outside the schema, without those that are only renamed.
	Loses int64
	// Goes counts the nodes that are of no type any more, by the type that they had.
	Goes Going
	// Nodes are the first [MaxNodes] changed subjects, of NodeCount.
	Nodes     []rdf.Term
	NodeCount int64
	// Met says, of records that were loaded, what their nodes were before.
	Met Met
	// Warnings are sentences about why the change or an operation of it changes nothing, and about probable mistakes.
	Warnings []string
	// Changed reports that a commit was made, or in a dry run would have been.
	Changed bool
	// Replayed reports that the idempotency key was used before: After is the first commit, and Note the note stored
	// with the key.
	Replayed bool
	Note     string
	// LeftOut are the statements in documents that cannot be expressed in RDF.
	LeftOut rdfio.LeftOut
	// Searched is what there is to say about the searches of an update.
	Searched []string
	// Doubts are sentences about probable mistakes in the data.
	Doubts []string
}

// Met counts nodes of records: those that are made, those that get another value, and those that stay as they are.
type Met struct{ New, Changed, Equal int64 }

// MaxReported bounds the quads that a Result lists.
const MaxReported = 10_000

// MaxNodes bounds the subjects that a Result lists.
const MaxNodes = 20

// Commit makes one commit of the change set, or none when it changes nothing.
// What the schema forbids is refused with fault.InvalidData and every field error,
// and nothing is changed.
func (s *Session) Commit(ctx context.Context, c ChangeSet) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	labels := change.NewLabels()
	for i, e := range c.Edits {
		if i%256 == 0 && ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		if err := cmp.Or(e.Check(), change.CheckGraph(e.Quad.Label)); err != nil {
			return Result{}, err
		}
		if err := spool.Add(labels.Edit(e)); err != nil {
			return Result{}, err
		}
	}
	return s.write(ctx, job{action: policy.Change, spool: &spool, set: c})
}

// job is one change, during the write transaction.
type job struct {
	action policy.Action // decides whether the change may edit the schema
	spool  *change.Spool
	set    ChangeSet
	// prepare adds edits that depend on the head, under the write lock.
	prepare func(context.Context, *db.Writer, *compiled) error
	// undo, when set, says for which nodes the change may be written.
	undo *undoing
	// from is where its content comes from besides the caller, which may be added until the commit is made.
	from *origins
	// skips means that records of nodes that exist are passed over.
	skips bool
	// restores means that statements which were there before count as from where they came then.
	restores bool
	// inputs name the sources of edits; nil for a change made in memory.
	inputs    []string
	records   int64 // number of records in the inputs
	maxErrors int
	// counts, when set, selects the errors that are reported.
	counts   func(fault.FieldError) bool
	progress func(Progress)
	// idle is what is known, besides the edits, about operations that change nothing.
	idle *idling
	// message, when set, returns the commit message, after the edits are known.
	message func() string
	// merged is the commit that the change takes in; zero for none.
	merged CommitID
	// joins, when set, reports that the commit joins two histories: it is made even if it adds and removes nothing.
	joins func() bool
	// losses, when set, returns which removed statements are not lost, and which are lost in between without being
	// among the removed ones. It is called after prepare.
	losses *losses
	// closes means that the edits of a schema change also write data, which may only use names that the new schema
	// declares.
	closes bool
	// changes means that this data is the author's own, who must be permitted to change it.
	changes bool
}

// write takes the write lock and runs the job: merge, validate, commit.
func (s *Session) write(ctx context.Context, j job) (Result, error) {
	if err := s.may(ctx, j.action, s.branch); err != nil {
		return Result{}, err
	}
	w, authority, err := s.writer(ctx)
	if err != nil {
		return Result{}, err
	}
	defer w.Close()
	if first, ok, err := s.replay(ctx, w, j.set.Key); ok || err != nil {
		return first, err
	}
	t := transaction{session: s, w: w, authority: authority, job: j, before: w.Seen().Head()}
	return t.run(ctx)
}

// writer begins a transaction on the session's branch that sees what the session may see, and decides for a protected
// branch if its principal may. Policies count as they are under the write lock.
func (s *Session) writer(ctx context.Context) (*db.Writer, *Authority, error) {
	for {
		w, err := s.begin(ctx)
		if err != nil {
			return nil, nil, err
		}
		a, known := s.authority(w.Reader)
		if !known {
			if err := errors.Join(w.Close(), s.graph.readLaw(ctx)); err != nil {
				return nil, nil, err
			}
			continue
		}
		if policy.May(s.principal, policy.Builder) {
			w.Decide()
		}
		rights := s.rights
		if rights == nil && a != nil {
			c, err := s.graph.schemaOf(ctx, w)
			if err != nil {
				return nil, nil, errors.Join(err, w.Close())
			}
			rights = a.rights(c)
		}
		if err := w.Restrict(ctx, rights); err != nil {
			return nil, nil, errors.Join(err, w.Close())
		}
		return w, a, nil
	}
}

func (s *Session) begin(ctx context.Context) (*db.Writer, error) {
	if s.fork == nil {
		return s.graph.file.WriteOn(ctx, s.branch)
	}
	if err := nameFits("branch", s.branch); err != nil {
		return nil, err
	}
	return s.graph.file.WriteNew(ctx, s.branch, *s.fork)
}

// replay answers a repeated idempotency key.
func (s *Session) replay(ctx context.Context, w *db.Writer, key IdempotencyKey) (Result, bool, error) {
	if key.Key == "" {
		return Result{}, false, nil
	}
	seen, ok, err := w.FindIdempotent(ctx, key.of(s))
	if err != nil || !ok {
		return Result{}, false, err
	}
	if !bytes.Equal(seen.Digest, key.Digest[:]) {
		return Result{}, false, fault.New(fault.Precondition, "idempotency key %q was used for another change; take a new key", key.Key)
	}
	id := min(len(seen.Result), hex.EncodedLen(len(CommitID{})))
	commit, err := w.Seen().CommitOfFile(ctx, string(seen.Result[:id]))
	if err != nil {
		return Result{}, false, err
	}
	return Result{
		Before: commit, After: commit, Changed: true, Replayed: true, Note: string(seen.Result[id:]),
		AddedCount: commit.Added, RemovedCount: commit.Removed, Loses: commit.Removed,
	}, true, nil
}

// transaction is one open write.
type transaction struct {
	session   *Session
	w         *db.Writer
	authority *Authority       // what policies let the author do
	refusals  map[string]error // what they have decided, by resource
	policies  []string         // what they used for that
	job       job
	before    Commit    // the head, as the author sees it
	schema    *compiled // as the author sees it; nil is that of the head
	going     going

	result       Result
	removedData  int64              // removed statements outside the schema
	movedData    int64              // those of them that are not lost, see moved
	lostTypes    bool               // some subjects lost a type
	begun        map[rdf.Term]int64 // nodes that became instances, by class
	emptied      ordinals           // whether each changed subject has no statements left
	created      ordinals           // whether each changed subject had no statements before
	changed      []string           // IRIs of changed subjects, bounded, for provenance
	schemaEdited bool
	failures     failures
	idle         idleness
	like         likeness
	untyped      untyped
	undeclared   []problem // statements that it may not add, see keepClosed
	unfit        []string  // sentences about stored queries that do not fit the merged schema
}

// decidedBefore is the fault Conflict if the commit is made for a request that somebody else has decided meanwhile. What
// they committed moved the head, of which whoever approves has named none.
func (t *transaction) decidedBefore(ctx context.Context) error {
	if t.job.set.Settles == 0 {
		return nil
	}
	q, err := t.w.Request(ctx, t.job.set.Settles)
	if err != nil {
		return err
	}
	return q.Over()
}

func (t *transaction) run(ctx context.Context) (Result, error) {
	if err := t.w.MayCommit(); err != nil && t.job.action != policy.BranchMerge {
		return Result{}, err
	} else if err != nil && !t.job.set.DryRun { // which those may try who ask for it then
		return Result{}, fault.New(fault.Denied, "%s is protected, and who may decide merges into it; give ask: true to request that", t.w.Branch()).With("branch", t.w.Branch())
	}
	if want := t.job.set.IfCommit; want != nil && *want != t.before.ID {
		if err := t.decidedBefore(ctx); err != nil {
			return Result{}, err
		}
		return Result{}, fault.New(fault.Precondition, "the head is %s, not %s as if_commit says; read again and repeat", t.before.ID, want).
			With("head", t.before.ID.String()).With("if_commit", want.String())
	}
	if t.job.idle == nil {
		t.job.idle = &idling{}
	}
	steps := []func(context.Context) error{t.readSchema, t.prepare, t.merge, t.validate, t.commit}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return Result{}, err
		}
	}
	return t.result, nil
}

func (t *transaction) readSchema(ctx context.Context) (err error) {
	if t.schema == nil {
		t.schema, err = t.session.graph.schemaOf(ctx, t.w.Seen())
	}
	if under := t.job.set.Schema; err == nil && under != nil && under != t.schema.schema && len(schema.Diff(under, t.schema.schema)) > 0 {
		return fault.New(fault.Conflict, "the schema changed while the data was read; run it again")
	}
	return err
}

func (t *transaction) prepare(ctx context.Context) error {
	if t.job.prepare == nil {
		return nil
	}
	return t.job.prepare(ctx, t.w, t.schema)
}

// merge applies the edits, subject by subject.
func (t *transaction) merge(ctx context.Context) error {
	t.result = Result{Before: t.before, After: t.before}
	report := t.job.reporter("write", "edits", t.job.spool.Len())
	for group, err := range t.job.spool.Groups(ctx) {
		if err != nil {
			return err
		}
		if err := t.mergeGroup(ctx, group); err != nil {
			return err
		}
		report(int64(len(group.Edits)))
	}
	if u := t.job.undo; u != nil && u.count > 0 && u.moves {
		return u.refusal()
	}
	t.result.Loses, t.result.Goes = t.loses(), t.going.list()
	if t.job.inputs == nil || t.isMass() { // for a load they are reported together with invalid lines
		if err := t.failed(ctx); err != nil || !t.isMass() {
			return err
		}
		return t.massRefusal()
	}
	return nil
}

func (t *transaction) mergeGroup(ctx context.Context, group *change.Group) error {
	n, err := t.nodeOf(ctx, group)
	if err != nil {
		return err
	}
	if u := t.job.undo; u != nil {
		if fits, err := u.fits(ctx, t, n); err != nil || !fits {
			return err
		}
	}
	ofRecord := t.job.isOfRecords() && slices.ContainsFunc(group.Edits, func(e change.Edit) bool {
		return e.Op == change.Assert && e.Quad.Predicate == rdf.Type && e.Quad.Label == nil
	})
	existed := !n.whole || slices.ContainsFunc(n.before, func(q rdf.Quad) bool { return q.Label == nil })
	if ofRecord && existed && t.job.skips {
		t.emptied.add(false)
		t.created.add(false)
		t.result.Met.Equal++
		return nil
	}
	deltas, failed := group.Net(n.before)
	switch {
	case !ofRecord:
	case !existed:
		t.result.Met.New++
	case len(deltas) > 0:
		t.result.Met.Changed++
	default:
		t.result.Met.Equal++
	}
	t.failures.requirements = append(t.failures.requirements, failed...)
	if len(t.failures.requirements) >= t.job.limit() {
		return t.failed(ctx)
	}
	told := len(t.undeclared)
	if err := t.keepClosed(ctx, n, deltas); err != nil {
		return err
	}
	if len(t.undeclared) == told { // what the author may not see is undeclared for it, and told as such
		if err := cmp.Or(t.refuseHidden(ctx, n, deltas), t.refuseForbidden(ctx, n, deltas)); err != nil {
			return err
		}
	}
	emptied := n.whole && len(deltas) == len(n.before) && !slices.ContainsFunc(deltas, func(d change.Delta) bool { return d.Added })
	t.emptied.add(emptied)
	t.created.add(n.whole && len(n.before) == 0 && !t.w.Restricted())
	counted := false
	ofSchema := func(d change.Delta) bool { return d.Quad.Label == rdf.SchemaGraph } // read as it will be
	if u := t.job.undo; u != nil && t.job.set.DryRun && emptied && !slices.ContainsFunc(deltas, ofSchema) {
		if counted, err = u.goesUnseen(ctx, t.w, group.Subject); err != nil {
			return err
		}
	}
	if t.job.losses == nil {
		t.movedData += moved(deltas)
	}
	for _, d := range deltas {
		if d.Quad.Label == rdf.SchemaGraph && !t.job.action.EditsSchema() {
			return schemaIsKept(t.job.placeIn(group, rdf.SchemaGraph))
		}
		if err := t.store(ctx, d, counted); err != nil {
			return err
		}
	}
	if len(deltas) > 0 {
		t.note(group.Subject)
	}
	t.going.add(t.schema.schema, deltas)
	changes := t.result.AddedCount+t.result.RemovedCount > 0
	if t.job.action.EditsSchema() || t.job.undo != nil || t.isMass() || changes && t.job.idle.replaces {
		return nil
	}
	if t.job.isOfRecords() {
		t.like.note(t.schema.schema, group, deltas)
		if changes {
			return nil
		}
	}
	return t.idle.note(ctx, t.w.Seen(), t.schema.schema, group, deltas)
}

// isOfRecords reports that the edits come from records of nodes, which are read by the schema.
func (j *job) isOfRecords() bool { return j.inputs != nil && j.set.Schema != nil }

// ordinals is a set of groups of a spool, by number, as bits.
type ordinals struct {
	bits []uint64
	n    int
}

// add appends whether the next group is in the set.
func (o *ordinals) add(in bool) {
	if o.n%64 == 0 {
		o.bits = append(o.bits, 0)
	}
	if in {
		o.bits[o.n/64] |= 1 << (o.n % 64)
	}
	o.n++
}

func (o *ordinals) has(i int) bool { return o.bits[i/64]&(1<<(i%64)) != 0 }

// hub is the number of statements from which only those statements of a subject are read on which the change depends.
// It is a variable, so that a test can reach it with little data.
var hub = 10_000

// node is a subject with its change and its statements before the change.
type node struct {
	*change.Group
	before []rdf.Quad
	// whole means that before has all statements, not only those on which the change depends.
	whole bool
}

// nodeOf reads the statements of a subject before the change; for a hub only those on which the change depends. A
// subject that is new in the file is not looked up, which keeps loads of new data fast.
func (t *transaction) nodeOf(ctx context.Context, group *change.Group) (n node, err error) {
	n.Group, n.whole = group, true
	if t.w.Head().Quads == 0 {
		return n, nil
	}
	if known, err := t.w.WasKnown(ctx, group.Subject); !known || err != nil {
		return n, err
	}
	n.before, n.whole, err = rdf.Collect(t.w.Seen().Match(ctx, rdf.Quad{Subject: group.Subject}), hub, heldBytes)
	if n.whole || err != nil {
		return n, err
	}
	n.before, err = collect(needed(ctx, t.w.Seen(), group))
	return n, err
}

// statements yields the statements of the node in the default graph before the change, with one predicate unless it is
// nil. Those that are not in memory are read from src.
func (n node) statements(ctx context.Context, src rdf.Source, predicate rdf.Term) iter.Seq2[rdf.Quad, error] {
	if !n.whole {
		return src.Match(ctx, rdf.Quad{Subject: n.Subject, Predicate: predicate, Label: rdf.DefaultGraph})
	}
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range n.before {
			if q.Label == nil && (predicate == nil || q.Predicate == predicate) && !yield(q, nil) {
				return
			}
		}
	}
}

// needed yields the statements of a subject on which a change depends.
func needed(ctx context.Context, src rdf.Source, group *change.Group) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for _, need := range group.Needs() {
			for q, err := range src.Match(ctx, need.Pattern) {
				if !yield(q, err) || err != nil {
					return
				}
				if need.One {
					break
				}
			}
		}
	}
}

// store writes one delta, unless it is only counted, and records what later steps need.
func (t *transaction) store(ctx context.Context, d change.Delta, counted bool) error {
	if d.Quad.Label == rdf.SchemaGraph {
		t.schemaEdited = true
	}
	if d.Added {
		t.doubt(d.Quad)
		t.result.AddedCount++
		t.result.Added = appendBounded(t.result.Added, d.Quad)
		if counted || t.isMass() {
			return nil
		}
		added, err := t.w.Add(ctx, d.Quad)
		if added && d.Quad.Predicate == rdf.Type && d.Quad.Label == nil {
			t.begin(d.Quad.Object)
		}
		return err
	}
	if d.Quad.Predicate == rdf.Type && d.Quad.Label == nil {
		t.lostTypes = true
	}
	if d.Quad.Label != rdf.SchemaGraph {
		t.removedData++
	}
	t.result.RemovedCount++
	t.result.Removed = appendBounded(t.result.Removed, d.Quad)
	if counted || t.isMass() {
		return nil
	}
	_, err := t.w.Remove(ctx, d.Quad)
	return err
}

// maxBegun bounds the classes of which instances are counted.
const maxBegun = 10_000

// begin counts a node that becomes an instance of a class.
func (t *transaction) begin(class rdf.Term) {
	if t.begun == nil {
		t.begun = map[rdf.Term]int64{}
	}
	if n := t.begun[class]; n > 0 || len(t.begun) < maxBegun {
		t.begun[class] = n + 1
	}
}

// doubt warns if data declares a subclass of a type: only the schema's subtypes count for constraints, lists and
// search.
func (t *transaction) doubt(q rdf.Quad) {
	if q.Predicate != rdf.SubClassOf || q.Label == rdf.SchemaGraph || len(t.result.Doubts) > 0 {
		return
	}
	class, _ := q.Object.(rdf.IRI)
	if super := t.schema.schema.TypeByIRI(class); super != nil {
		t.result.Doubts = append(t.result.Doubts, fmt.Sprintf("%s rdfs:subClassOf %s is a statement and makes no subtype: instances of the one are none of the other to constraints, lists and search; a type of the schema that extends %s is one",
			t.schema.schema.NodeName(q.Subject), super.Name, super.Name))
	}
}

func appendBounded(list []rdf.Quad, q rdf.Quad) []rdf.Quad {
	if len(list) < MaxReported {
		return append(list, q)
	}
	return list
}

// maxGenerated bounds the entities that provenance lists for one commit.
const maxGenerated = 100

func (t *transaction) note(subject rdf.Term) {
	t.result.NodeCount++
	if len(t.result.Nodes) < MaxNodes {
		t.result.Nodes = append(t.result.Nodes, subject)
	}
	if iri, ok := subject.(rdf.IRI); ok && len(t.changed) < maxGenerated {
		t.changed = append(t.changed, string(iri))
	}
}

// validate checks everything that the change can have made invalid: the changed subjects, the nodes that refer to one
// that lost its type and, after a change of the schema, the instances of every type that became stricter.
func (t *transaction) validate(ctx context.Context) error {
	if t.result.AddedCount+t.result.RemovedCount == 0 {
		return t.failed(ctx)
	}
	before := t.schema
	if t.schemaEdited {
		var err error
		if t.schema, err = t.session.graph.compile(ctx, t.w); err != nil {
			return err
		}
		if err := keepNamed(before, t.schema); err != nil {
			return err
		}
		if t.job.action == policy.BranchMerge {
			if t.unfit, err = unfit(ctx, before, t.schema); err != nil {
				return err
			}
		}
		if t.job.action == policy.Restore {
			if err := t.schema.schema.RefuseForeign(); err != nil && t.schema.uncheckable != nil {
				return fault.Invalid(append(fault.Of(err).Fields, fault.FieldError{Field: "shape", Code: fault.Shape, Message: t.schema.uncheckable.Error()}))
			} else if err != nil {
				return err
			}
		}
	}
	if err := t.schema.unenforced(); err != nil {
		return err
	}
	c := newChecking(t.w, t.schema.shapes, t.job.limit())
	if t.w.Restricted() {
		rules, err := t.session.graph.schemaOf(ctx, t.w)
		if err == nil {
			err = rules.unenforced()
		}
		if err != nil {
			return err
		}
		c = newChecking(t.w, rules.shapes, t.job.limit())
	}
	c.found = t.undeclared
	if !t.lostTypes { // so that what is counted is an instance still
		c.begun = t.begun
	}
	c.report = t.job.reporter("validate", "nodes", 0)
	if t.result.AddedCount > t.w.Head().Quads { // most nodes are checked
		c.memo.Shared, c.memo.Instances = t.w.Shared, t.w.Instances
	}
	err := t.check(ctx, c, before)
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if len(c.found) > 0 && t.w.Restricted() {
		if c.found, err = t.seenProblems(ctx); err != nil {
			return err
		}
	}
	return t.report(ctx, c.found)
}

func (t *transaction) check(ctx context.Context, c *checking, before *compiled) error {
	if t.schemaEdited {
		if err := c.schemaChange(ctx, before.schema, t.schema.schema); err != nil {
			return err
		}
		there := func(_ context.Context, q rdf.Quad) ([]rdf.Quad, error) { return []rdf.Quad{q}, nil }
		if err := c.closeBase(ctx, t.w.Reader, before.schema, t.schema.schema, there); err != nil {
			return err
		}
	}
	if err := t.checkChanged(ctx, c); err != nil {
		return err
	}
	if t.job.closes {
		if err := t.closeAdded(ctx, c, before.schema); err != nil {
			return err
		}
	}
	if !t.lostTypes {
		return nil
	}
	if u := t.job.undo; u != nil && t.job.set.DryRun {
		c.gone = func(ctx context.Context, node rdf.Term) (bool, error) { return u.wentUnseen(ctx, t.w, node) }
	}
	for target, err := range t.w.RemovedFrom(ctx, rdf.Type) {
		if err != nil {
			return err
		}
		if err := c.referrers(ctx, target); err != nil {
			return err
		}
	}
	return nil
}

// closeAdded finds new statements with names under the base that are declared neither by the old schema nor by the
// new one. Names that only the old one declares are found by closeBase.
func (t *transaction) closeAdded(ctx context.Context, c *checking, before *schema.Schema) error {
	s := t.schema.schema
	there := func(ctx context.Context, q rdf.Quad) ([]rdf.Quad, error) { return collect(t.w.Match(ctx, labelled(q))) }
	for group, err := range t.job.spool.Groups(ctx) {
		if err != nil {
			return err
		}
		var added []rdf.Quad
		for _, e := range group.Edits {
			if e.Op == change.Assert && e.Quad.Label != rdf.SchemaGraph && s.Undeclared(e.Quad) && before.Undeclared(e.Quad) {
				added = append(added, e.Quad)
			}
		}
		if err := c.closeOut(ctx, t.w.Reader, s, added, there); err != nil {
			return err
		}
	}
	return nil
}

// labelled is the pattern that matches only this quad.
func labelled(q rdf.Quad) rdf.Quad {
	if q.Label == nil {
		q.Label = rdf.DefaultGraph
	}
	return q
}

func (t *transaction) checkChanged(ctx context.Context, c *checking) error {
	if c.shapes.Empty() {
		return nil
	}
	i := -1
	for group, err := range t.job.spool.Groups(ctx) {
		if err != nil {
			return err
		}
		if i++; t.emptied.has(i) {
			continue // without a type nothing can be invalid
		}
		data := c.data
		if t.created.has(i) {
			data = created{c.data, group}
		}
		if err := c.nodeOf(ctx, data, group.Subject); err != nil {
			return err
		}
	}
	return nil
}

// commit makes the commit, unless there is nothing to record or this is a dry run.
func (t *transaction) commit(ctx context.Context) error {
	t.result.Changed = t.result.AddedCount+t.result.RemovedCount > 0 || t.job.joins != nil && t.job.joins()
	t.result.Warnings = slices.Concat(t.unchanged(), t.untyped.list(), t.unfit)
	if !t.result.Changed || t.job.set.DryRun {
		return nil
	}
	g, version := t.session.graph, t.w.Head().SchemaVersion
	if t.schemaEdited {
		version++
	}
	activity, message := t.session.completed(t.job.set.Activity), t.job.set.Message
	activity.Generated = append(slices.Clip(activity.Generated), t.changed...)
	activity.Used = slices.Clip(activity.Used)
	for _, iri := range t.policies {
		if !slices.Contains(activity.Used, iri) {
			activity.Used = append(activity.Used, iri)
		}
	}
	if err := t.tellOrigins(ctx, &activity); err != nil {
		return err
	}
	if t.job.message != nil {
		message = t.job.message()
	}
	if number := t.job.set.Settles; number != 0 {
		if err := t.w.DecideRequest(ctx, t.session.decided(number, Done, t.job.set.Reason), true); err != nil {
			return err
		}
	}
	after, err := t.w.Commit(ctx, db.CommitMeta{
		Merged:        t.job.merged,
		Time:          activity.Ended,
		Author:        t.session.principal.Author(),
		Message:       message,
		SchemaVersion: version,
		SchemaChanged: t.schemaEdited,
		Idempotent:    t.job.set.Key.remember(t.session),
	}, &activity)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if t.w.Restricted() {
		after.Parent, after.SchemaVersion, after.SchemaSeq, after.Quads = t.before.ID, t.before.SchemaVersion, t.before.SchemaSeq, t.before.Quads
	}
	t.result.After = after
	g.bell.ring()
	return nil
}

// tellOrigins records where the content comes from besides the caller.
func (t *transaction) tellOrigins(ctx context.Context, a *Activity) error {
	from := t.job.from
	if from == nil {
		from = &origins{}
	}
	if t.job.restores {
		class, err := t.w.RestoredOrigin(ctx)
		if err != nil {
			return err
		}
		from.add(class)
	}
	a.Used = append(slices.Clip(a.Used), from.used(*a)...)
	return nil
}

// completed fills in what is missing of a call that ends now.
func (s *Session) completed(a Activity) Activity {
	now := s.graph.now()
	if a.ID == "" {
		a.ID = uuid.Must(uuid.NewV7()).String()
	}
	if a.Started.IsZero() {
		a.Started = now
	}
	a.Agent = cmp.Or(a.Agent, s.principal.Author())
	a.Outcome = cmp.Or(a.Outcome, "ok")
	a.Ended, a.CostMicros = now, max(0, now.Sub(a.Started).Microseconds())
	return a
}

// limit is how many problems the job reports at most.
func (j job) limit() int { return cmp.Or(j.maxErrors, defaultMaxErrors) }
