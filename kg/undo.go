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

// Undo is a request to take back what one or more commits changed.
type Undo struct {
	// Commit is that commit, or the last of several.
	Commit CommitID
	// After, unless it is zero, is the commit behind which they begin.
	After CommitID
	// Nodes, unless there are none, are those whose changes alone are taken back.
	Nodes []rdf.Term
	// Guard, when set, is called with the steps by which [Session.UndoSchema] loosens the schema.
	Guard Guard
	// Defines, when set, is asked before [Session.UndoSchema] takes back a change of stored queries.
	Defines func() error
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// Undo takes back what commits changed, as one new commit: what they added is removed, and
// what they removed is added. The time grows with these commits; the one of a large load, which
// has no change log, is looked for in the whole table. The memory is bounded.
//
// Nothing is changed when all of it is taken back already. It is refused with
// fault.Conflict, and nothing is changed either, when later commits touched the same values,
// with the first [MaxClashes] nodes as "clashes" and the "count" of all; and for those that changed definitions, of which
// [Session.UndoSchema] takes back the schema and stored queries. A merge is taken back as what it changed on its own
// branch. A node that they did not change, and commits that do not follow After, are the fault InvalidArguments. What the
// schema forbids at the end is refused as [Session.Commit] does, an unknown commit with fault.Missing.
func (s *Session) Undo(ctx context.Context, u Undo) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	var undo *undoing
	err := s.View(ctx, func(snap *Snapshot) (err error) {
		if undo, err = snap.undoing(ctx, u); err != nil {
			return err
		}
		if err := snap.ofData(ctx, undo); err != nil {
			return err
		}
		if err := snap.inverse(ctx, undo, &spool); err != nil {
			return err
		}
		return undo.untouched(u.Nodes, snap.Schema())
	})
	if err != nil {
		return Result{}, err
	}
	return s.write(ctx, job{action: policy.Change, spool: &spool, set: u.Set, prepare: undo.find, undo: undo, restores: true, progress: u.Progress})
}

// undoing finds the commits that are to be taken back.
func (s *Snapshot) undoing(ctx context.Context, u Undo) (*undoing, error) {
	last, err := s.FindCommit(ctx, u.Commit.Whole())
	if err != nil {
		return nil, err
	}
	undo := undoOf(last)
	if !u.After.IsZero() {
		if undo.after, err = s.FindCommit(ctx, u.After.Whole()); err != nil {
			return nil, err
		}
		if undo.after.Seq >= last.Seq {
			name := undo.after.ID.String() + ".." + last.ID.String()
			return nil, fault.Argument("commit", fault.Pattern, name, name+" has no commits: give the older one first, and the last that is taken back behind the dots")
		}
		undo.first = undo.after.Seq + 1
	}
	if len(u.Nodes) > 0 {
		undo.nodes = map[rdf.Term]bool{}
		for _, node := range u.Nodes {
			undo.nodes[node] = false
		}
	}
	return undo, nil
}

// inverse spools the inverse of what commits changed.
func (s *Snapshot) inverse(ctx context.Context, u *undoing, spool *change.Spool) error {
	changes := s.Changes(ctx, u.commit.Seq, 0)
	if u.isRange() {
		changes = s.source.Difference(ctx, u.after, u.commit)
	}
	for c, err := range changes {
		if err != nil {
			return err
		}
		if _, taken := u.nodes[c.Subject]; u.nodes != nil && !taken {
			continue
		}
		if u.definedBack && c.Label == rdf.SchemaGraph {
			continue
		}
		if u.nodes != nil {
			u.nodes[c.Subject] = true
		}
		if err := spool.Add(editOf(c, history.OpRemove)); err != nil {
			return err
		}
	}
	return nil
}

// untouched refuses nodes that the commits did not change.
func (u *undoing) untouched(nodes []rdf.Term, s *schema.Schema) error {
	var wrong []rdf.Term
	for _, node := range nodes {
		if !u.nodes[node] {
			wrong = append(wrong, node)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	names := s.NodeNames(wrong[:min(len(wrong), MaxClashes)])
	return fault.Arguments(fault.FieldError{Field: "nodes", Code: fault.Class, Value: names, Message: fmt.Sprintf("%s did not change %s; a dry run without nodes lists what was changed", u, quote.Line(strings.Join(names, ", "), maxSaid*MaxClashes))})
}

// spoolChanges adds changes as edits: those with the op asserted assert their statements, the others retract them.
func spoolChanges(changes iter.Seq2[db.Change, error], asserted byte, into *change.Spool) error {
	for c, err := range changes {
		if err != nil {
			return err
		}
		if err := into.Add(editOf(c, asserted)); err != nil {
			return err
		}
	}
	return nil
}

// editOf returns a change as an edit, which asserts the statement if the change has the op asserted.
func editOf(c db.Change, asserted byte) change.Edit {
	if c.Op == asserted {
		return change.Edit{Op: change.Assert, Quad: c.Quad}
	}
	return change.Edit{Op: change.Retract, Quad: c.Quad}
}

// ofData refuses commits that changed definitions, unless only what they did to some nodes is taken back.
func (s *Snapshot) ofData(ctx context.Context, u *undoing) error {
	if u.isRange() && u.nodes != nil || !u.isRange() && !changedSchema(u.commit) {
		return nil
	}
	taken, _, err := s.defined(ctx, u.first-1, u.commit)
	if err != nil || u.isRange() && len(taken) == 0 {
		return err
	}
	if err := s.mayTakeBack(ctx, u, taken); err != nil {
		return err
	}
	return fault.New(fault.Conflict, "%s changed definitions; the call undo takes that back, as a whole", u).
		With("commit", u.commit.ID.String())
}

// mayTakeBack refuses commits of which one changed definitions that have a way back of their own. What later ones among
// them took back does not count: taken is what all of them changed.
func (s *Snapshot) mayTakeBack(ctx context.Context, u *undoing, taken correction) error {
	for c, err := range s.definers(ctx, u.first-1, u.commit) {
		if err != nil {
			return err
		}
		why, err := s.wayBackOf(ctx, c, taken)
		switch {
		case err != nil:
			return err
		case why == "":
			continue
		case !u.isRange():
			return fault.New(fault.Conflict, "commit %s %s", c.ID.String(), why).With("commit", c.ID.String())
		}
		var steps []string
		if c.ID != u.commit.ID {
			steps = append(steps, fmt.Sprintf("take back %s..%s", c.ID, u.commit.ID))
		}
		steps = append(steps, "then that commit")
		if c.Parent != u.after.ID {
			steps = append(steps, fmt.Sprintf("then %s..%s", u.after.ID, c.Parent))
		}
		return fault.New(fault.Conflict, "%s are not taken back as one: commit %s %s. In parts, the newest first: %s", u, c.ID.String(), why, strings.TrimPrefix(strings.Join(steps, ", "), "then ")).
			With("commit", c.ID.String())
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

// wayBackOf describes how a commit is taken back that made some of these changes of definitions, if not by
// [Session.UndoSchema]; "" otherwise.
func (s *Snapshot) wayBackOf(ctx context.Context, c Commit, taken correction) (string, error) {
	made, what, calls := false, "", ""
	for change, err := range s.Changes(ctx, c.Seq, 0) {
		if err != nil {
			return "", err
		}
		if change.Label != rdf.SchemaGraph || taken[change.Quad] != change.Op {
			continue
		}
		made = true
		switch kind, _ := schema.RecordOf(change.Quad); kind {
		case schema.MigrationRecord:
			what, calls = "which migrations are applied", "trails migrate apply (trails.meta.migrate.apply)"
		case schema.UpstreamRecord, schema.GatewayRecord:
			what, calls = "upstream servers or settings of the gateway", "the calls of trails gateway (trails.meta.gateway.add, trails.meta.gateway.remove, trails.meta.gateway.configure)"
		case schema.PolicyRecord:
			what, calls = "policies", "setting those of before: trails policy show --at COMMIT, then trails policy set (trails.meta.policy.show, trails.meta.policy.apply)"
		case schema.QueryRecord, schema.PromotionRecord:
		}
	}
	if !made {
		return "", nil
	}
	by, why, err := s.definitionsBy(ctx, c)
	switch {
	case err != nil:
		return "", err
	case by != bySchema && !c.Parent2.IsZero():
		return "is a merge that brought migrations or a promotion with it, and is not taken back as one; go on from a branch made from the commit before it", nil
	case by != bySchema:
		return why, nil
	case what == "":
		return "", nil
	}
	return "changed " + what + ", and is not taken back as one; take that back by " + calls, nil
}

// ChangedSchemaAlone reports whether commits changed the schema or stored queries, and nothing else with them that has a
// way back of its own, such as a migration, so that [Session.UndoSchema] can take them back.
func (s *Snapshot) ChangedSchemaAlone(ctx context.Context, u Undo) (bool, error) {
	undo, err := s.undoing(ctx, u)
	if err != nil {
		return false, err
	}
	taken, _, err := s.defined(ctx, undo.first-1, undo.commit)
	if err != nil || len(taken) == 0 {
		return false, err
	}
	err = s.mayTakeBack(ctx, undo, taken)
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// UndoSchema takes back what changes of the schema or of stored queries did, or a merge that brought such changes, to
// data, too, as one commit. It is refused with fault.Conflict when definitions, or data that it changed, differ from
// what the commits left, and with fault.InvalidData when data contradicts the schema before.
func (s *Session) UndoSchema(ctx context.Context, u Undo) (Result, error) {
	return s.undoDefinitions(ctx, u, func(snap *Snapshot, undo *undoing, taken correction) error {
		if len(taken) == 0 {
			return fault.New(fault.Conflict, "%s did not change the schema; give one that did", undo)
		}
		if err := snap.mayTakeBack(ctx, undo, taken); err != nil {
			return err
		}
		for q := range taken {
			if kind, _ := schema.RecordOf(q); kind == schema.QueryRecord && u.Defines != nil {
				if err := u.Defines(); err != nil {
					return err
				}
				break
			}
		}
		quads, err := snap.schemaWithout(ctx, taken)
		if err != nil {
			return err
		}
		before, err := schema.FromQuads(quads, snap.Schema().Base)
		if err != nil {
			return err
		}
		return u.Guard.ask(loosenedBack(snap.Schema(), before))
	})
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
	// What describes what happened to it. It begins with Property, if it is about one.
	What     string `json:"what"`
	Property string `json:"property,omitempty"`
	// Commit is the commit that did it; "" if unknown.
	Commit string `json:"commit,omitempty"`
}

// undoing compares, under the write lock, the state after the commits that are taken back with the current state.
type undoing struct {
	commit Commit // the one that is taken back, or the last of several
	after  Commit // the one behind which they begin; zero for one alone
	first  Seq    // the number of the first
	// nodes are those whose changes alone are taken back, and whether they have any; nil for all.
	nodes map[rdf.Term]bool
	// definedBack means that what they changed of definitions is taken back already.
	definedBack bool

	clashes []Clash
	count   int
	moves   bool // undoing changes some of the nodes examined so far
}

// undoOf takes back one commit.
func undoOf(c Commit) *undoing { return &undoing{commit: c, first: c.Seq} }

func (u *undoing) isRange() bool { return u.after.Seq != 0 }

// String names the commits.
func (u *undoing) String() string {
	if u.isRange() {
		return "commits " + u.after.ID.String() + ".." + u.commit.ID.String()
	}
	return "commit " + u.commit.ID.String()
}

// find checks that the history still has the commits: a backup may have been restored since it was read.
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

// takenBack says why there is nothing to take back: which commits already undid the commit, as far as known.
func (u *undoing) takenBack() string {
	if !u.isRange() && u.commit.Added+u.commit.Removed == 0 {
		return u.String() + " changed nothing"
	}
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
	if u.isRange() || u.nodes != nil || u.commit.Removed > 0 {
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
	return fault.New(fault.Conflict, "%s cannot be taken back, and nothing was changed: later commits changed %d of its nodes. Undo those commits first, the newest first, or change the nodes themselves. %s",
		u, u.count, strings.Join(parts, "; ")).
		With("commit", u.commit.ID.String()).With("clashes", u.clashes).With("count", u.count)
}
