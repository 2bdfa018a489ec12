package kg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
)

// Merge is a request to take into the session's branch what another branch changed since the two had a commit in
// common.
type Merge struct {
	// Source names the branch or the commit, as [Snapshot.FindState] takes it.
	Source string
	// Commit, when set, is the commit that is merged, and Source only what it is called.
	Commit CommitID
	// Take decides clashes that no resolution names; NoSide refuses the merge because of them.
	Take Side
	// Resolutions decide for single properties and nodes; the first that names one counts.
	Resolutions []Resolution
	// Squash makes a commit that does not name the merged commit as its parent.
	Squash bool
	// Defines, when set, is asked before anything of the source's schema, stored queries or other definitions is taken.
	Defines func() error
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// Merged is what a merge did.
type Merged struct {
	Result
	// Base is the commit that both had in common, the newest one if there are several; Source is the commit that was
	// merged.
	Base, Source Commit
	// UpToDate reports that the session's branch had all commits of the source already.
	UpToDate bool
	// Clashes are the first [MaxClashes] of ClashCount clashes: those that were decided or, in a dry run, those that
	// have to be.
	Clashes    []MergeClash
	ClashCount int
	// Open counts those that have to be decided, in a dry run.
	Open int
	// Protected reports that the session's principal may try this merge, but not make it.
	Protected bool
}

// merging is a merge, under the write lock.
type merging struct {
	Merge
	target string
	commit Commit // of the source
	head   Commit // of the branch that it is merged into
	base   Commit
	// sides returns what the branch and what the source changed since the base. Of its readers of the branch one reads all,
	// the other what may be seen of it.
	sides   func(ctx context.Context, all, seen *db.Reader, c *compiled) (ours, theirs iter.Seq2[db.Change, error], err error)
	picks   bool   // the branch need not have had what is at the base
	tells   bool   // clashes say who changed the branch
	idle    string // why nothing changes; by default that it is so already
	text    string // the message unless one is given
	current bool   // nothing is to be merged
	brings  bool   // the source changed something since the base, be it so on the branch already
	clashes clashing
	from    origins // of what is merged

	protected bool // from whoever merges
}

// Merge makes one commit of what the source changed since the newest commit that both have in common, with the source's
// commit as its second parent, also if the branch is so already; a squash makes none then, and neither does a source that
// changed nothing. Changes of different properties of one node go together, and so do values added to and removed from a
// property with many. All of it is written or nothing.
//
// Clashes that are not decided are the fault Conflict, with the first [MaxClashes] as "clashes" and the "count" of all;
// so is a merged state that the schema forbids. In a dry run the clashes are returned. An unknown source is the fault
// Missing, a resolution that names nothing the source changed is InvalidArguments.
func (s *Session) Merge(ctx context.Context, m Merge) (Merged, error) {
	if err := s.may(ctx, policy.BranchMerge, s.branch); err != nil {
		return Merged{}, err
	}
	name := m.Source
	if !m.Commit.IsZero() {
		name = m.Commit.Whole()
	}
	commit, err := s.StateNamed(ctx, name)
	if err != nil {
		return Merged{}, err
	}
	run := s.merging(m)
	run.commit, run.sides, run.text = commit, run.sinceCommon, fmt.Sprintf("merge %s into %s", m.Source, run.target)
	parent := commit.ID
	if m.Squash {
		parent = CommitID{}
	}
	return s.merge(ctx, run, job{
		action: policy.BranchMerge, merged: parent,
		joins: func() bool { return !m.Squash && run.brings },
	})
}

func (s *Session) merging(m Merge) *merging {
	return &merging{Merge: m, target: cmp.Or(s.branch, Main)}
}

// merge runs a merge as a job, of which the action and the merged commit are given.
func (s *Session) merge(ctx context.Context, m *merging, j job) (Merged, error) {
	var spool change.Spool
	defer spool.Close()
	if !j.restores {
		j.from = &m.from
	}
	j.spool, j.set, j.closes, j.progress, j.message = &spool, m.Set, true, m.Progress, m.message
	j.prepare = func(ctx context.Context, w *db.Writer, c *compiled) error { return m.find(ctx, w, c, &spool) }
	result, err := s.write(ctx, j)
	switch {
	case m.current:
		result.Warnings = []string{fmt.Sprintf("%s has all commits of %s already, so there is nothing to merge", m.target, m.Source)}
	case err == nil && !result.Replayed && result.AddedCount+result.RemovedCount == 0:
		result.Warnings = []string{m.unchanged(result.Changed)}
	}
	done := Merged{Result: result, Base: m.base, Source: m.commit, UpToDate: m.current, Clashes: m.clashes.list, ClashCount: m.clashes.count, Open: m.clashes.open, Protected: m.protected}
	switch {
	case errors.Is(err, errUndecided) && m.Set.DryRun:
		done.Before, done.After = m.head, m.head
		return done, nil
	case errors.Is(err, errUndecided):
		return Merged{}, m.refusal()
	case fault.Is(err, fault.InvalidData):
		return Merged{}, m.violated(err)
	}
	return done, err
}

// unchanged says why the branch stays as it is, and whether a commit records the merge.
func (m *merging) unchanged(recorded bool) string {
	decided := m.clashes.count > 0 && m.clashes.open == 0
	why := cmp.Or(m.idle, fmt.Sprintf("what %s changed is so on %s already", m.Source, m.target))
	if decided {
		why = fmt.Sprintf("all clashes were decided so that %s stays as it is", m.target)
	}
	switch {
	case recorded:
		return fmt.Sprintf("%s: the commit changes nothing, and records that %s is merged", why, m.Source)
	case m.Squash && m.brings:
		return why + ", so no commit is made; without squash a commit records it"
	case decided:
		return why + ", so no commit is made; asked again, they are clashes again"
	}
	return why + ", so no commit is made"
}

// errUndecided ends a merge whose clashes have to be decided first.
var errUndecided = errors.New("there are clashes")

// find adds the edits of the merge.
func (m *merging) find(ctx context.Context, w *db.Writer, c *compiled, spool *change.Spool) error {
	m.head, m.protected = w.Head(), w.MayCommit() != nil
	return m.edits(ctx, w.Reader, w.Seen(), c, spool)
}

func (m *merging) edits(ctx context.Context, all, seen *db.Reader, c *compiled, spool *change.Spool) error {
	own, its, err := m.sides(ctx, all, seen, c)
	if err != nil || m.current {
		return err
	}
	its = m.from.said(ctx, all, m.commit.Seq, its)
	var ours, theirs change.Spool
	defer ours.Close()
	defer theirs.Close()
	if err := spoolChanges(own, history.OpAdd, &ours); err != nil {
		return err
	}
	if err := spoolChanges(its, history.OpAdd, &theirs); err != nil {
		return err
	}
	m.brings = theirs.Len() > 0
	return m.join(ctx, seen, c, &ours, &theirs, spool)
}

// Clashes returns the first clashes that a merge of a commit into the snapshot's branch would have, and how many there are.
// Source is what the commit is called in them. It takes no lock. What breaks the schema only together is found by the merge
// itself, or a dry run of it. Commits that have none in common are the fault Conflict. The fault TooLarge is one of commits
// that are more than most changes apart, where each commit counts as one, too. It is for readers who may see everything; for
// others there are none.
func (s *Snapshot) Clashes(ctx context.Context, source string, commit Commit, most int64) (list []MergeClash, count int, err error) {
	if !s.SeesAll() {
		return nil, 0, nil
	}
	m := &merging{Merge: Merge{Source: source}, target: s.Branch(), commit: commit, head: s.Head()}
	read := &boundedHistories{Reader: s.source, left: most}
	read.tooLarge = fault.New(fault.TooLarge, "%s and %s are more than %d changes apart; branches_merge with dry_run looks for clashes among all", source, m.target, most)
	m.sides = func(ctx context.Context, _, _ *db.Reader, _ *compiled) (ours, theirs iter.Seq2[db.Change, error], err error) {
		return m.sinceBase(ctx, read)
	}
	var spool change.Spool
	defer spool.Close()
	if err = m.edits(ctx, s.source, s.source, s.compiled, &spool); errors.Is(err, errUndecided) {
		err = nil
	}
	return m.clashes.list, m.clashes.count, err
}

// histories are what a merge reads of commits and what they changed.
type histories interface {
	MergeBases(ctx context.Context, a, b Commit) ([]Commit, error)
	Difference(ctx context.Context, from, to Commit) iter.Seq2[db.Change, error]
}

// boundedHistories are histories of which so many changes are read, and no more.
type boundedHistories struct {
	*db.Reader
	left     int64
	tooLarge error
}

// room returns how many changes are between two commits, or tooLarge.
func (h *boundedHistories) room(ctx context.Context, a, b Commit) (n int64, err error) {
	if n, err = h.ChangesBetween(ctx, a, b, h.left); err == nil && n > h.left {
		err = h.tooLarge
	}
	return n, err
}

// MergeBases implements histories.
func (h *boundedHistories) MergeBases(ctx context.Context, a, b Commit) ([]Commit, error) {
	if _, err := h.room(ctx, a, b); err != nil {
		return nil, err
	}
	return h.Reader.MergeBases(ctx, a, b)
}

// Difference implements histories.
func (h *boundedHistories) Difference(ctx context.Context, from, to Commit) iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		n, err := h.room(ctx, from, to)
		if err != nil {
			yield(db.Change{}, err)
			return
		}
		h.left -= n
		h.Reader.Difference(ctx, from, to)(yield)
	}
}

// sinceCommon are what both changed since the newest commit that they have in common.
func (m *merging) sinceCommon(ctx context.Context, all, _ *db.Reader, _ *compiled) (ours, theirs iter.Seq2[db.Change, error], err error) {
	return m.sinceBase(ctx, all)
}

// sinceBase is sinceCommon of some histories.
func (m *merging) sinceBase(ctx context.Context, all histories) (ours, theirs iter.Seq2[db.Change, error], err error) {
	bases, err := all.MergeBases(ctx, m.head, m.commit)
	if err != nil {
		return nil, nil, err
	}
	if len(bases) == 0 {
		return nil, nil, fault.New(fault.Conflict, "%s and %s have no commit in common", m.Source, m.target)
	}
	m.base, m.current = bases[0], bases[0].Seq == m.commit.Seq
	if m.current {
		return nil, nil, nil
	}
	between, err := correctionOf(ctx, all, bases)
	if err != nil {
		return nil, nil, err
	}
	return between.difference(ctx, all, m.base, m.head), between.difference(ctx, all, m.base, m.commit), nil
}

// message is the commit's message: the one that was given or the one of the merge, and how clashes were decided.
func (m *merging) message() string {
	text := cmp.Or(m.Set.Message, m.text)
	var decided []string
	for _, c := range m.clashes.list {
		decided = append(decided, c.Name()+": "+string(c.Taken))
	}
	if more := m.clashes.count - len(decided); more > 0 {
		decided = append(decided, fmt.Sprintf("and %d more", more))
	}
	if len(decided) > 0 {
		text += "\n\nClashes: " + strings.Join(decided, "; ")
	}
	return text
}

// A correction of a commit is a set of statements that differ from its state, each with the change that leads to it.
// Histories that were merged with each other in turn have several newest commits in common. What both of two have in
// common is then the merge of these, which is no commit: it is one of them, corrected by what the others did since the
// one before.
type correction map[rdf.Quad]byte

// then adds a change behind those that are there; one that takes another back removes it.
func (c correction) then(next db.Change) {
	if op, changed := c[next.Quad]; changed && op != next.Op {
		delete(c, next.Quad)
		return
	}
	c[next.Quad] = next.Op
}

// inverts reports whether a correction takes back all of another one, and changes nothing else.
func (c correction) inverts(other correction) bool {
	if len(c) != len(other) {
		return false
	}
	for q, op := range other {
		if c[q] != inverseOf(op) {
			return false
		}
	}
	return true
}

// correctionOf returns the correction of the first of these commits that makes it the merge of all.
func correctionOf(ctx context.Context, r histories, bases []Commit) (correction, error) {
	between := correction{}
	for _, other := range bases[1:] {
		before, err := r.MergeBases(ctx, bases[0], other)
		if err != nil {
			return nil, err
		}
		if len(before) == 0 {
			continue
		}
		below, err := correctionOf(ctx, r, before)
		if err != nil {
			return nil, err
		}
		mine, err := differenceOf(ctx, r, before[0], bases[0], below)
		if err != nil {
			return nil, err
		}
		its, err := differenceOf(ctx, r, before[0], other, below)
		if err != nil {
			return nil, err
		}
		for q, op := range its {
			if mine[q] != op {
				between[q] = op
			}
		}
	}
	return between, nil
}

// differenceOf returns the changes from a corrected commit to another one.
func differenceOf(ctx context.Context, r histories, from, to Commit, corrected correction) (correction, error) {
	all := correction{}
	for c, err := range corrected.difference(ctx, r, from, to) {
		if err != nil {
			return nil, err
		}
		if len(all) == maxCorrected {
			return nil, fault.New(fault.TooLarge, "these branches were merged with each other in turn, and more than %d statements were changed in between; merge one of them into a new branch from the other's head", maxCorrected)
		}
		all[c.Quad] = c.Op
	}
	return all, nil
}

// maxCorrected bounds the statements of a correction, which is held in memory.
const maxCorrected = 1_000_000

// difference yields the changes from the corrected commit to another one.
func (c correction) difference(ctx context.Context, r histories, from, to Commit) iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		left := maps.Clone(c)
		for d, err := range r.Difference(ctx, from, to) {
			if err == nil && left[d.Quad] == d.Op { // the correction made this change before
				delete(left, d.Quad)
				continue
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
		for q, op := range left { // and this one is not in the other commit
			if !yield(db.Change{Op: inverseOf(op), Quad: q}, nil) {
				return
			}
		}
	}
}

func inverseOf(op byte) byte {
	if op == history.OpAdd {
		return history.OpRemove
	}
	return history.OpAdd
}
