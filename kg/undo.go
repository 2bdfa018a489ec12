package kg

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/text/quote"
)

// Undo is a request to undo one commit.
type Undo struct {
	// Commit is that commit.
	Commit CommitID
	// Guard, when set, is called with the steps by which [Session.UndoSchema] loosens the schema.
	Guard Guard
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// Undo takes back what a commit changed, as one new commit: what it added is removed, and
// what it removed is added. The time grows with that commit; the one of a large load, which
// has no change log, is looked for in the whole table. The memory is bounded.
//
// Nothing is changed when all of it is taken back already. It is refused with
// fault.Conflict, and nothing is changed either, when later commits touched the same values,
// with the first [MaxClashes] nodes as "clashes" and the "count" of all; and for the first
// commit, a merge that brought definitions, and a commit that changed the schema, which
// [Session.UndoSchema] takes back. A merge is taken back as what it changed on its own branch. What the schema
// forbids at the end is refused as [Session.Commit] does, an unknown commit with
// fault.Missing.
func (s *Session) Undo(ctx context.Context, u Undo) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	var undo undoing
	err := s.View(ctx, func(snap *Snapshot) (err error) {
		if undo.commit, err = snap.FindCommit(ctx, u.Commit.Whole()); err != nil {
			return err
		}
		if err := undoable(ctx, snap, undo.commit); err != nil {
			return err
		}
		return snap.inverse(ctx, undo.commit, &spool)
	})
	if err != nil {
		return Result{}, err
	}
	return s.write(ctx, job{action: policy.Change, spool: &spool, set: u.Set, prepare: undo.find, undo: &undo, progress: u.Progress})
}

// inverse spools the inverse of a commit.
func (s *Snapshot) inverse(ctx context.Context, c Commit, spool *change.Spool) error {
	return spoolChanges(s.Changes(ctx, c.Seq, 0), history.OpRemove, spool)
}

// spoolChanges adds changes as edits: those with the op asserted assert their statements, the others retract them.
func spoolChanges(changes iter.Seq2[db.Change, error], asserted byte, into *change.Spool) error {
	for c, err := range changes {
		if err != nil {
			return err
		}
		e := change.Edit{Op: change.Retract, Quad: c.Quad}
		if c.Op == asserted {
			e.Op = change.Assert
		}
		if err := into.Add(e); err != nil {
			return err
		}
	}
	return nil
}

// undoable refuses commits that cannot be undone as commits of data.
func undoable(ctx context.Context, snap *Snapshot, c Commit) error {
	refused := func(why string) error {
		return fault.New(fault.Conflict, "commit %s %s", c.ID.String(), why).With("commit", c.ID.String())
	}
	switch {
	case c.Parent.IsZero():
		return refused("is the first of this graph, with nothing before it to go back to; delete what it made, or begin a new file")
	case !c.Parent2.IsZero() && changedSchema(c):
		return refused("is a merge that brought definitions with it, and is not taken back as one; change the schema back, or go on from a branch made from the commit before it")
	case changedSchema(c):
		by, why, err := snap.definitionsBy(ctx, c)
		if err != nil {
			return err
		}
		if by != bySchema {
			return refused(why)
		}
		return refused("changed the schema; the call undo takes it back")
	}
	return nil
}

// changedSchema reports that the commit changed the schema's graph.
func changedSchema(c Commit) bool { return c.SchemaSeq == c.Seq }

// definer is the kind of change that changed definitions in a commit.
type definer int

const (
	bySchema definer = iota
	byPromotion
	byMigration
)

// definitionsBy returns what kind of change changed the definitions in a commit, and how it is undone, unless it is a
// plain schema change.
func (s *Snapshot) definitionsBy(ctx context.Context, c Commit) (definer, string, error) {
	promoted, err := s.isPromotion(ctx, c)
	if err != nil || promoted {
		return byPromotion, "promoted the definitions of another file; " + undoPromotion, err
	}
	by, err := s.AppliedBy(ctx)
	if err != nil {
		return bySchema, "", err
	}
	for i, m := range s.Applied() {
		if by[m.Number].ID != c.ID {
			continue
		}
		if later := len(s.Applied()) - i - 1; later > 0 {
			return byMigration, fmt.Sprintf("applied the migration %s, and %d came after it; migrate rollback (trails.meta.migrate.rollback) takes all of them back, the newest first", m.File(), later), nil
		}
		return byMigration, fmt.Sprintf("applied the migration %s; migrate rollback (trails.meta.migrate.rollback) takes it back", m.File()), nil
	}
	return bySchema, "", nil
}

// ChangedSchemaAlone reports whether a commit is a change of the schema that
// [Session.UndoSchema] can take back.
func (s *Snapshot) ChangedSchemaAlone(ctx context.Context, c Commit) (bool, error) {
	if !changedSchema(c) || c.Parent.IsZero() || !c.Parent2.IsZero() {
		return false, nil
	}
	by, _, err := s.definitionsBy(ctx, c)
	return by == bySchema, err
}

// UndoSchema takes back what the commit of a change of the schema did, to data, too, as one
// commit. It is refused with fault.Conflict when definitions were changed since, or data that it
// changed, and with fault.InvalidData when data contradicts the schema before.
func (s *Session) UndoSchema(ctx context.Context, u Undo) (Result, error) {
	return s.undoDefinitions(ctx, u, func(snap *Snapshot, c Commit) error {
		alone, err := snap.ChangedSchemaAlone(ctx, c)
		if err != nil {
			return err
		}
		if !alone {
			return fault.New(fault.Conflict, "commit %s did not change the schema, or is the first commit; give a later one that did", c.ID.String())
		}
		quads, err := snap.schemaBefore(ctx, c)
		if err != nil {
			return err
		}
		before, err := schema.FromQuads(quads, snap.Schema().Base)
		if err != nil {
			return err
		}
		if len(schema.Diff(snap.Schema(), before)) == 0 {
			return snap.undoneBy(ctx, c)
		}
		return u.Guard.ask(loosenedBack(snap.Schema(), before))
	})
}

// undoneBy is the refusal of a commit that changed what the schema's graph keeps beside the schema, with the calls that
// take it back.
func (s *Snapshot) undoneBy(ctx context.Context, c Commit) error {
	what, calls := "stored queries", "trails query add and query rm (trails.meta.query.add, trails.meta.query.remove)"
	for change, err := range s.Changes(ctx, c.Seq, 0) {
		if err != nil {
			return err
		}
		switch kind, _ := schema.RecordOf(change.Quad); kind {
		case schema.QueryRecord, schema.PromotionRecord:
		case schema.MigrationRecord:
			what, calls = "which migrations are applied", "trails migrate apply (trails.meta.migrate.apply)"
		case schema.UpstreamRecord, schema.GatewayRecord:
			what, calls = "upstream servers or settings of the gateway", "the calls of trails gateway (trails.meta.gateway.add, trails.meta.gateway.remove, trails.meta.gateway.configure)"
		}
	}
	return fault.New(fault.Conflict, "commit %s changed %s, and not the schema; take it back by %s", c.ID.String(), what, calls)
}

// loosenedBack returns the steps back to the previous schema that loosen it. Removed types and properties do not
// count, unless others are added, which may be the same ones renamed.
func loosenedBack(now, before *schema.Schema) []schema.Step {
	comes := slices.ContainsFunc(schema.Diff(now, before), func(s schema.Step) bool { return s.Kind == schema.AddType || s.Kind == schema.AddProperty })
	return slices.DeleteFunc(schema.Patched{Schema: before, Renamed: now}.Loosening(now), func(s schema.Step) bool {
		return !comes && (s.Kind == schema.DropType || s.Kind == schema.DropProperty)
	})
}

// MaxClashes bounds the nodes that a refused undo names.
const MaxClashes = 20

// maxSaid bounds the characters of a name in a refusal.
const maxSaid = 200

// Clash is a node that later commits changed, so that a commit cannot be taken back.
type Clash struct {
	// Node is what people call it.
	Node string `json:"node"`
	// What describes what happened to it.
	What string `json:"what"`
	// Commit is the commit that did it; "" if unknown.
	Commit string `json:"commit,omitempty"`
}

// undoing compares, under the write lock, the state after a commit with the current state.
type undoing struct {
	commit  Commit
	clashes []Clash
	count   int
	moves   bool // undoing changes some of the nodes examined so far
}

// find checks that the history still has the commit: a backup may have been restored since it was read.
func (u *undoing) find(ctx context.Context, w *db.Writer, _ *compiled) error {
	_, err := w.Seen().CommitByID(ctx, u.commit.ID.Whole())
	return err
}

// fits reports whether the commit can be undone for this node and for all earlier ones. Clashes are counted.
func (u *undoing) fits(ctx context.Context, t *transaction, n node) (bool, error) {
	clash, err := u.clashOf(ctx, t, n)
	if err != nil {
		return false, err
	}
	if clash != nil {
		if u.count++; len(u.clashes) < MaxClashes {
			clash.Node = t.schema.schema.NodeName(n.Subject)
			u.clashes = append(u.clashes, *clash)
		}
	}
	if !u.moves {
		deltas, _ := n.Net(n.before)
		u.moves = len(deltas) > 0
	}
	return u.count == 0, nil
}

// takenBack says which commits already undid the commit, as far as known.
func (u *undoing) takenBack() string {
	var by []string
	for _, c := range u.clashes {
		if id := c.Commit; id != "" && !slices.Contains(by, id) {
			by = append(by, id)
		}
	}
	switch len(by) {
	case 0:
		return "already undone"
	case 1:
		return "already undone by " + by[0]
	}
	return fmt.Sprintf("already undone by %s and %s", by[0], fault.Counted(int64(len(by)-1), "other commit"))
}

// goesUnseen reports whether a node can be removed completely without affecting anything that stays: the commit
// removed nothing that would come back, and everything that refers to the node is removed as well. Then a dry run
// need not remove it to validate the rest.
func (u *undoing) goesUnseen(ctx context.Context, w *db.Writer, node rdf.Term) (bool, error) {
	if u.commit.Removed > 0 {
		return false, nil
	}
	referred, err := w.ReferredBesides(ctx, node, u.commit.Seq)
	return !referred, err
}

// wentUnseen reports whether a node that is there in a dry run is one that need not be removed: the commit added all
// that is said of it.
func (u *undoing) wentUnseen(ctx context.Context, w *db.Writer, node rdf.Term) (bool, error) {
	more, err := w.SaidBesides(ctx, node, u.commit.Seq)
	if err != nil || more {
		return false, err
	}
	return u.goesUnseen(ctx, w, node)
}

// refusal names the clashes.
func (u *undoing) refusal() error {
	var parts []string
	for _, c := range u.clashes {
		text := quote.Line(c.Node, maxSaid) + ": " + quote.Line(c.What, maxSaid)
		if c.Commit != "" {
			text += " (commit " + c.Commit + ")"
		}
		parts = append(parts, text)
	}
	if more := u.count - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return fault.New(fault.Conflict, "commit %s cannot be taken back, and nothing was changed: later commits changed %d of its nodes. Undo those commits first, the newest first, or change the nodes themselves. %s",
		u.commit.ID.String(), u.count, strings.Join(parts, "; ")).
		With("commit", u.commit.ID.String()).With("clashes", u.clashes).With("count", u.count)
}

// clashOf returns why the commit cannot be undone for one node; nil if it can.
func (u *undoing) clashOf(ctx context.Context, t *transaction, n node) (*Clash, error) {
	c := comparison{seen: t.w.Seen(), schema: t.schema, commit: u.commit, node: n, there: map[rdf.Quad]bool{}, removed: map[rdf.Quad]bool{}}
	for _, q := range n.before {
		c.there[q] = true
	}
	for _, e := range n.Edits {
		if e.Op == change.Retract {
			c.removed[e.Quad] = true
		}
	}
	if err := c.findTypes(ctx); err != nil {
		return nil, err
	}
	for _, look := range []func(context.Context) (*Clash, error){c.removedSince, c.valuesSince, c.saidSince} {
		if clash, err := look(ctx); clash != nil || err != nil {
			return clash, err
		}
	}
	return nil, nil
}

// comparison is the undo of one node.
type comparison struct {
	seen   *db.Reader
	schema *compiled
	commit Commit
	node
	there, removed map[rdf.Quad]bool // its current statements; those to be removed
	types, lost    []rdf.Quad        // the types that it will have, and those that it loses
}

func isType(q rdf.Quad) bool { return q.Predicate == rdf.Type && q.Label == nil }

func (c *comparison) findTypes(ctx context.Context) error {
	for q, err := range c.statements(ctx, c.seen, rdf.Type) {
		if err != nil {
			return err
		}
		if c.removed[q] {
			c.lost = append(c.lost, q)
		} else {
			c.types = append(c.types, q)
		}
	}
	for _, e := range c.Edits {
		if e.Op == change.Assert && isType(e.Quad) {
			c.types = append(c.types, e.Quad)
		}
	}
	return nil
}

// removedSince finds a node that had a type at the commit, has lost it since, and would get a value back without a
// type.
func (c *comparison) removedSince(ctx context.Context) (*Clash, error) {
	back := slices.ContainsFunc(c.Edits, func(e change.Edit) bool { return e.Op == change.Assert && e.Quad.Label == nil })
	if !back || len(c.types) > 0 {
		return nil, nil
	}
	if had, err := c.seen.HadValue(ctx, c.Subject, rdf.Type, c.commit.Seq); err != nil || !had {
		return nil, err
	}
	seq, err := c.seen.LastChange(ctx, c.Subject)
	if err != nil {
		return nil, err
	}
	return c.clash(ctx, seq, "it was removed since")
}

// valuesSince finds an added value that is gone, a removed value that exists again, or one that has been replaced by
// another.
func (c *comparison) valuesSince(ctx context.Context) (*Clash, error) {
	for _, e := range c.Edits {
		moved := c.there[e.Quad] != (e.Op == change.Retract)
		types := c.types
		if e.Op == change.Retract {
			types = append(slices.Clip(types), c.lost...)
		}
		other, err := c.another(ctx, e.Quad, types)
		switch {
		case err != nil:
			return nil, err
		case moved && isType(e.Quad) && e.Op == change.Retract:
			return c.clashAt(ctx, c.seen.Removed, e.Quad, "it is no "+c.schema.typeName(e.Quad.Object)+" any more")
		case moved && isType(e.Quad):
			return c.clashAt(ctx, c.seen.Added, e.Quad, "it is a "+c.schema.typeName(e.Quad.Object)+" again")
		case other != nil && (moved || e.Op == change.Assert):
			return c.clashAt(ctx, c.seen.Added, *other, c.name(*other)+" has another value now")
		case moved && e.Op == change.Retract:
			return c.clashAt(ctx, c.seen.Removed, e.Quad, c.name(e.Quad)+" has lost a value that the commit added")
		case moved:
			return c.clashAt(ctx, c.seen.Added, e.Quad, c.name(e.Quad)+" has a value again that the commit removed")
		}
	}
	return nil, nil
}

// another returns a value besides q, or in its place, of a property with a single value by these types; nil if there
// is none.
func (c *comparison) another(ctx context.Context, q rdf.Quad, types []rdf.Quad) (*rdf.Quad, error) {
	if p := c.property(q, c.schema.schema.TypesOf(types)); q.Label != nil || p == nil || p.Many() {
		return nil, nil
	}
	for other, err := range c.statements(ctx, c.seen, q.Predicate) {
		if err != nil {
			return nil, err
		}
		if other != q && !c.removed[other] {
			return &other, nil
		}
	}
	return nil, nil
}

// saidSince finds statements that later commits added to a node which the commit made: they would be left without a
// type.
func (c *comparison) saidSince(ctx context.Context) (*Clash, error) {
	if len(c.lost) == 0 || len(c.types) > 0 {
		return nil, nil
	}
	for q, err := range c.statements(ctx, c.seen, nil) {
		if err != nil {
			return nil, err
		}
		if c.removed[q] {
			continue
		}
		seq, err := c.seen.Added(ctx, q)
		if err != nil {
			return nil, err
		}
		if seq > c.commit.Seq {
			return c.clashAt(ctx, c.seen.Added, q, c.name(q)+" was added since")
		}
	}
	return nil, nil
}

// property returns the property of a statement, by the types of its node.
func (c *comparison) property(q rdf.Quad, of []*schema.Type) *schema.Property {
	predicate, _ := q.Predicate.(rdf.IRI)
	for _, t := range of {
		if p := c.schema.schema.PropertyByIRI(t, predicate); p != nil {
			return p
		}
	}
	return nil
}

// name is what people call the property of a statement.
func (c *comparison) name(q rdf.Quad) string {
	name := rdf.Lexical(q.Predicate)
	if p := c.property(q, c.schema.schema.Types); p != nil {
		name = p.Name
	}
	if q.Label != nil {
		name += fmt.Sprintf(" in graph <%s>", rdf.Lexical(q.Label))
	}
	return name
}

// clashAt is a clash about a statement that was changed by the commit that find returns; commits are only known for
// the default graph.
func (c *comparison) clashAt(ctx context.Context, find func(context.Context, rdf.Quad) (Seq, error), q rdf.Quad, what string) (*Clash, error) {
	if q.Label != nil {
		return &Clash{What: what}, nil
	}
	seq, err := find(ctx, q)
	if err != nil {
		return nil, err
	}
	return c.clash(ctx, seq, what)
}

// clash is a clash with a commit; 0 is an unknown one.
func (c *comparison) clash(ctx context.Context, seq Seq, what string) (*Clash, error) {
	if seq == 0 {
		return &Clash{What: what}, nil
	}
	by, err := c.seen.CommitBySeq(ctx, seq)
	return &Clash{What: what, Commit: by.ID.String()}, err
}
