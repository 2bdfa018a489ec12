package kg

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/kg/browse"
	"trails/rdf"
)

// FeedEntry is what one commit did to one property of one node in one graph.
type FeedEntry struct {
	Commit Commit
	// What became of the node: browse.NodeMade, NodeChanged or NodeRemoved.
	What string
	// Node is nil, and What "", in the entry of a commit that changed nothing.
	Node rdf.Term
	// Graph is the named graph, nil for the default graph.
	Graph rdf.Term
	// Property is "" if the node was made or removed without values of its own.
	Property rdf.IRI
	// Before are the values that the commit took away, After those that it added.
	Before, After []rdf.Term
	// Place is the one behind the entry.
	Place FeedPlace
	// Passed is set in an entry that is no change: so many changes before Place are none for the filter. There is one
	// behind each whole commit without a change for it, and one after every 1,000 changes.
	Passed int
}

// FeedFilter says of which nodes a feed has changes. The zero value is of all.
type FeedFilter struct {
	// Node is the only one; nil is any.
	Node rdf.Term
	// Origin is the class of commits, nil is any; see [Snapshot.CommitOrigin].
	Origin *Origin
	// Types are classes. A node must have had one of them before the commit, or have one after it; none is any.
	Types []rdf.IRI
}

// feedPassed is how many changes are passed over before an entry says so.
const feedPassed = 1000

// FeedPlace is a place between two entries of the feed of a branch. The zero value is its beginning.
type FeedPlace struct {
	// Commit is the last commit before the place; inside a commit it is that one.
	Commit Commit
	pass   feedPass // 0 is behind the whole commit
	at     db.Place // in the changes of the commit
	done   int      // entries there that are before the place
}

// feedPass is one of the readings of a commit. Together they have each of its changes once, in an order in which a node is
// made before others refer to it, and is removed after they have ceased to.
type feedPass int

const (
	nodesPass   feedPass = iota + 1 // values of the nodes that are there, with their types
	edgesPass                       // references
	removedPass                     // values of the nodes that went
)

// Bounds of one entry: the statements, and the bytes of values after which no further one is added.
const (
	maxEntryValues = 100
	maxEntryBytes  = 64 << 10
)

// Feed returns what the commits of the branch changed, from a place on, oldest first. Its cost is that of the changes that
// are read, also of those that the filter passes over; of a node it is that of the commits. An entry has at most 100 statements; a property with more has several entries, one after the other. A place
// that is not in this history is the fault InvalidArguments.
func (s *Snapshot) Feed(ctx context.Context, from FeedPlace, only FeedFilter) iter.Seq2[FeedEntry, error] {
	return func(yield func(FeedEntry, error) bool) {
		err := s.feed(ctx, from, only, func(e FeedEntry) bool { return yield(e, nil) })
		if err != nil {
			yield(FeedEntry{}, err)
		}
	}
}

func (s *Snapshot) feed(ctx context.Context, from FeedPlace, only FeedFilter, yield func(FeedEntry) bool) error {
	for {
		c := from.Commit
		found := only.Node == nil && len(only.Types) == 0 || from.pass != 0
		passes := false
		each := func(e FeedEntry) bool {
			found = found || e.Passed == 0
			return yield(e)
		}
		if from.pass == 0 {
			var err error
			if c, err = s.CommitAfter(ctx, c.Seq); fault.Is(err, fault.Missing) {
				return nil
			} else if err != nil {
				return err
			}
		}
		if only.Origin != nil {
			origin, err := s.CommitOrigin(ctx, c)
			if err != nil {
				return err
			}
			if passes = origin != *only.Origin; passes {
				found = false
			}
		}
		for pass := max(from.pass, nodesPass); pass <= removedPass && !passes; pass++ {
			if pass == removedPass && c.Removed == 0 {
				break
			}
			p := feedReading{Snapshot: s, only: only, place: FeedPlace{Commit: c, pass: pass}, yield: each}
			if pass == from.pass {
				p.place = from
			}
			if more, err := p.read(ctx); err != nil || !more {
				return err
			}
		}
		from = FeedPlace{Commit: c}
		last := FeedEntry{Commit: c, Place: from}
		if !found {
			last.Passed = 1
		}
		if changedNothing := s.SeesAll() && c.Added+c.Removed == 0; (changedNothing || !found) && !yield(last) {
			return nil
		}
	}
}

// feedReading is one pass over a commit.
type feedReading struct {
	*Snapshot
	only  FeedFilter
	yield func(FeedEntry) bool
	// place is how far the pass is: the subject, how many changes of it were read, and, in the beginning, how many entries
	// of the first group are before the place.
	place FeedPlace
	// what became of the subject, and whether it has had an entry or needs none.
	what string
	told bool
	// passes is whether the filter passes over the subject, passed over how many changes it did.
	passes bool
	passed int
	// group are changes of one property of the subject that make the next entries, from start on.
	group []db.Change
	bytes int
	start db.Place
}

// read goes on with the pass to its end. It reports whether the reader of the feed wants more.
func (p *feedReading) read(ctx context.Context) (more bool, err error) {
	from := p.place.at
	resumes := from.Subject != nil
	// The change before the place is read again: it shows that the place is one of this commit.
	again := db.Place{Subject: from.Subject, Skip: max(0, from.Skip-1)}
	if n := p.only.Node; n != nil && (!resumes || from.Subject == n) {
		again.Subject, again.Only = n, true
	}
	for c, err := range p.source.Changes(ctx, p.place.Commit.Seq, again) {
		if fault.Is(err, fault.Missing) {
			break
		}
		if err != nil {
			return false, err
		}
		if resumes {
			if resumes = false; c.Subject != from.Subject {
				return false, p.lost()
			}
			if err := p.begin(ctx, c.Subject); err != nil {
				return false, err
			}
			if p.told = true; from.Skip > 0 {
				continue
			}
		}
		if more, err := p.take(ctx, c); err != nil || !more {
			return false, err
		}
	}
	if resumes {
		return false, p.lost()
	}
	return p.endSubject(), nil
}

// begin begins with a subject: it finds out whether the feed has it, and then what became of it.
func (p *feedReading) begin(ctx context.Context, subject rdf.Term) (err error) {
	p.passes = p.only.Node != nil && subject != p.only.Node
	if !p.passes && len(p.only.Types) > 0 {
		types, err := p.source.TypesAround(ctx, subject, p.place.Commit.Seq)
		if err != nil {
			return err
		}
		p.passes = !slices.ContainsFunc(types, func(t rdf.Term) bool {
			class, named := t.(rdf.IRI)
			return named && slices.Contains(p.only.Types, class)
		})
	}
	if p.what = ""; !p.passes {
		p.what, err = p.WhatHappened(ctx, p.place.Commit, subject)
	}
	return err
}

// take reads a change. The group before it ends if it is of something else, or large.
func (p *feedReading) take(ctx context.Context, c db.Change) (more bool, err error) {
	if c.Subject != p.place.at.Subject {
		if !p.endSubject() {
			return false, nil
		}
		p.place.at = db.Place{Subject: c.Subject}
		if err := p.begin(ctx, c.Subject); err != nil {
			return false, err
		}
		p.told = p.passes || p.place.pass == edgesPass || p.what == browse.NodeChanged || (p.what == browse.NodeRemoved) != (p.place.pass == removedPass)
	}
	if p.passes {
		p.place.at.Skip++
		p.passed++
		return p.passed%feedPassed != 0 || p.yield(FeedEntry{Commit: p.place.Commit, Place: p.place, Passed: feedPassed}), nil
	}
	ended := len(p.group) > 0 && (c.Predicate != p.group[0].Predicate || len(p.group) == maxEntryValues || p.bytes > maxEntryBytes)
	if ended && !p.endGroup() {
		return false, nil
	}
	if p.wants(c) {
		if len(p.group) == 0 {
			p.start = p.place.at
		}
		p.group, p.bytes = append(p.group, c), p.bytes+len(rdf.Lexical(c.Object))
	}
	p.place.at.Skip++
	return true, nil
}

// wants reports whether a change is one of this pass. Types are values: a node is made with its type.
func (p *feedReading) wants(c db.Change) bool {
	edge := !rdf.IsLiteral(c.Object) && c.Predicate != rdf.Term(rdf.Type)
	if edge || p.place.pass == edgesPass {
		return edge && p.place.pass == edgesPass
	}
	return (p.what == browse.NodeRemoved) == (p.place.pass == removedPass)
}

// endGroup makes the entries of the group, one for each graph.
func (p *feedReading) endGroup() (more bool) {
	var entries []FeedEntry
	for _, c := range p.group {
		i := slices.IndexFunc(entries, func(e FeedEntry) bool { return e.Graph == c.Label })
		if i < 0 {
			property, _ := c.Predicate.(rdf.IRI)
			i, entries = len(entries), append(entries, FeedEntry{Graph: c.Label, Property: property})
		}
		if c.Op == history.OpAdd {
			entries[i].After = append(entries[i].After, c.Object)
		} else {
			entries[i].Before = append(entries[i].Before, c.Object)
		}
	}
	behind, done := p.place.at, p.place.done
	p.group, p.bytes, p.place.done = p.group[:0], 0, 0
	for i := done; i < len(entries); i++ {
		p.place.at, p.place.done = behind, 0
		if i < len(entries)-1 {
			p.place.at, p.place.done = p.start, i+1
		}
		if !p.tell(entries[i]) {
			return false
		}
	}
	p.place.at, p.place.done = behind, 0
	return true
}

// endSubject ends the last group of a subject. A node that was made or removed without values has an entry without them.
func (p *feedReading) endSubject() (more bool) {
	if len(p.group) > 0 && !p.endGroup() {
		return false
	}
	return p.told || p.place.at.Subject == nil || p.tell(FeedEntry{})
}

// tell yields an entry.
func (p *feedReading) tell(e FeedEntry) (more bool) {
	p.told = true
	e.Commit, e.What, e.Node, e.Place = p.place.Commit, p.what, p.place.at.Subject, p.place
	return p.yield(e)
}

// lost is the fault of a place inside a commit that there is not.
func (p *feedReading) lost() error {
	return noFeedPlace(p.Cursor(p.place), fmt.Sprintf("it is at no place of commit %s", p.place.Commit.ID))
}

const startAgain = "or begin again with start: beginning, now or after:COMMIT"

func noFeedPlace(cursor, why string) error {
	return fault.Argument("cursor", fault.Pattern, cursor, "the feed cannot go on from this cursor: "+why+"; "+startAgain)
}

// FeedStart returns the place that a text names: "beginning"; "now", behind the head; or "after:" with a commit of the
// branch, as [Snapshot.FindCommit] takes it, with its faults. Another text is the fault InvalidArguments.
func (s *Snapshot) FeedStart(ctx context.Context, start string) (FeedPlace, error) {
	switch name, after := strings.CutPrefix(start, "after:"); {
	case start == "beginning":
		return FeedPlace{}, nil
	case start == "now":
		return FeedPlace{Commit: s.Head()}, nil
	case after:
		c, err := s.FindCommit(ctx, name)
		return FeedPlace{Commit: c}, err
	}
	return FeedPlace{}, fault.Argument("start", fault.Pattern, start, "start is beginning, now, or after: with a commit, such as after:head~2")
}

// Cursor returns the text of a place, for [Snapshot.FeedAt]: the branch, the commit, and inside a commit the pass, how many
// changes of a subject and entries behind them were read, and the subject. It names nothing that its reader may not see.
func (s *Snapshot) Cursor(p FeedPlace) string {
	text := s.Branch() + "@" + p.Commit.ID.String()
	if p.pass == 0 {
		return text
	}
	subject := rdf.Lexical(p.at.Subject)
	if _, blank := p.at.Subject.(rdf.BNode); blank {
		subject = "_:" + subject
	}
	return fmt.Sprintf("%s.%d.%d.%d.%s", text, p.pass, p.at.Skip, p.done, subject)
}

// FeedAt returns the place of a cursor. One of another branch, one whose commit is not in the history of the branch, and
// any other text are the fault InvalidArguments, which says what to do.
func (s *Snapshot) FeedAt(ctx context.Context, cursor string) (FeedPlace, error) {
	branch, place, _ := strings.Cut(cursor, "@")
	id, p, ok := parsePlace(place)
	switch {
	case !ok || branch == "" || branch+"@"+place != cursor:
		return p, noFeedPlace(cursor, "it is not one that changes answered; give that whole")
	case branch != s.Branch():
		return p, s.foreignCursor(ctx, cursor, branch)
	case id == "":
		return p, nil
	}
	c, err := s.source.CommitByID(ctx, id)
	if fault.Is(err, fault.Missing) {
		err = noFeedPlace(cursor, fmt.Sprintf("there is no commit %s in the history of %s, which was reset, restored or made anew", id, branch))
	}
	p.Commit = c
	return p, err
}

// parsePlace reads what a cursor has behind the branch: the digits of a commit, and a place in it.
func parsePlace(text string) (id string, p FeedPlace, ok bool) {
	parts := strings.SplitN(text, ".", 5)
	id = parts[0]
	switch {
	case len(parts) == 1:
		return id, p, id == "" || isCommitDigits(id)
	case len(parts) != 5:
		return id, p, false
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.ParseUint(parts[i+1], 10, 31)
		if err != nil {
			return id, p, false
		}
		numbers[i] = int(n)
	}
	p.pass, p.at.Skip, p.done = feedPass(numbers[0]), numbers[1], numbers[2]
	subject := parts[4]
	if p.at.Subject = rdf.Term(rdf.IRI(subject)); strings.HasPrefix(subject, "_:") {
		p.at.Subject = rdf.BNode(subject[2:])
	}
	return id, p, isCommitDigits(id) && p.pass >= nodesPass && p.pass <= removedPass && subject != ""
}

func isCommitDigits(id string) bool {
	return len(id) == len(CommitID{1}.String()) && strings.Trim(id, "0123456789abcdef") == ""
}

// foreignCursor is the fault of a cursor of another branch.
func (s *Snapshot) foreignCursor(ctx context.Context, cursor, branch string) error {
	list, err := s.Branches(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(b Branch) bool { return b.Name == branch }) {
		return noFeedPlace(cursor, "it is of another branch, and there is none of that name any more")
	}
	return noFeedPlace(cursor, fmt.Sprintf("it is of branch %s, and this is a call of %s; give branch: %[1]s with it", branch, s.Branch()))
}
