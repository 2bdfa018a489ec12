package db

import (
	"context"
	"iter"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
	"trails/rdf"
)

// Arrival is a write transaction for commits that were made elsewhere: as many as there are, on any lines of history, of
// which all are in the file afterwards or none. As a Reader it reads the line that was shown or changed last. It ends with
// Keep or Close.
type Arrival struct {
	*Writer
	of   *caches // those of the file
	main *history.Commit
	used map[int64]bool // the lines without a name that commits were to be behind
}

// Line is a line of history in this file.
type Line struct {
	number int64
	// Branch is its name, "" for none.
	Branch string
	Head   history.Commit
}

// Arrive begins the transaction, as [File.WriteOn] does. It reads main first.
func (f *File) Arrive(ctx context.Context) (*Arrival, error) {
	w, err := f.writeAs(ctx, Main, nil, branching)
	if err != nil {
		return nil, err
	}
	a := &Arrival{Writer: w, of: w.caches, used: map[int64]bool{}}
	w.caches = newCaches(a.of.epoch) // what is remembered of states in between must not outlast them
	w.caches.terms = a.of.terms
	return a, nil
}

// Keep makes all that arrived durable, and ends the transaction.
func (a *Arrival) Keep(ctx context.Context) error {
	err := a.Writer.Keep(ctx)
	if err == nil && a.main != nil {
		a.of.lastHead.Store(a.main)
	}
	return err
}

// Known returns the commit with an id, of whatever line; false if the file has none.
func (r *Reader) Known(ctx context.Context, id history.CommitID) (c history.Commit, ok bool, err error) {
	if err := r.ready(ctx); err != nil {
		return c, false, r.fail(ctx, "commit", err)
	}
	c, err = r.conn.identified(id)
	return c, c.Seq != 0, r.fail(ctx, "commit", err)
}

// identified reads the commit with an id, of whatever line; the zero Commit if there is none.
func (c *conn) identified(id history.CommitID) (found history.Commit, err error) {
	err = c.Exec("SELECT "+anyCommit+" WHERE c.id = ?", func(s *stmt.Stmt) error {
		found = scanCommit(s)
		return nil
	}, id[:])
	return found, err
}

// LineOf returns the line of a branch; an unknown branch is the fault Missing.
func (a *Arrival) LineOf(ctx context.Context, branch string) (Line, error) {
	if err := a.usable(ctx); err != nil {
		return Line{}, err
	}
	number, err := a.conn.lineOf(branch)
	if err != nil {
		return Line{}, a.fail(ctx, "find branch", err)
	}
	head, err := a.headOf(number)
	return Line{number, branch, head}, a.fail(ctx, "find branch", err)
}

func (a *Arrival) headOf(line int64) (head history.Commit, err error) {
	seq, err := a.conn.Seq("SELECT head FROM lines WHERE line = ?", line)
	if err != nil || seq == 0 {
		return head, err
	}
	return a.conn.commit(seq)
}

// LineBehind returns a line without a name whose head is a commit, and makes one if there is none. It is for commits that
// no branch has, and only others refer to. It never returns the same line twice: the commits of another row may go on
// behind the one that is its head now. A row of lines that is too long is the fault TooLarge.
func (a *Arrival) LineBehind(ctx context.Context, c history.Commit) (Line, error) {
	if err := a.usable(ctx); err != nil {
		return Line{}, err
	}
	number, err := a.namelessAt(c)
	if err == nil && (number == 0 || a.used[number]) {
		number, err = a.addLine(nil, c, false)
	}
	a.used[number] = true
	return Line{number: number, Head: c}, a.broken(ctx, "make line", err)
}

// PutBranch makes a commit the head of a branch, which is made if it is not there. Its commits stand where they are: what
// moves is the name. Main, whose statements are in tables of their own, is not moved: that is the fault Denied, and so is
// a branch that is protected from the transaction.
func (a *Arrival) PutBranch(ctx context.Context, branch string, c history.Commit) (Line, error) {
	if err := a.usable(ctx); err != nil {
		return Line{}, err
	}
	line, err := a.putBranch(branch, c)
	return line, a.broken(ctx, "move branch", err)
}

func (a *Arrival) putBranch(branch string, c history.Commit) (line Line, err error) {
	there, err := a.conn.Int64("SELECT count(*) FROM lines WHERE name = ?", branch)
	if err != nil {
		return line, err
	}
	var b lineRow
	if there == 0 {
		err = a.conn.refuseName(branch)
	} else if b, err = a.branchToChange(branch, "moved"); err == nil {
		err = a.nameLine(b, nil)
	}
	if err != nil {
		return line, err
	}
	number, err := a.pointBranch(branch, c, b.protected)
	return Line{number, branch, c}, err
}

// Show makes the transaction read the head of a line.
func (a *Arrival) Show(ctx context.Context, on Line) error {
	if err := a.usable(ctx); err != nil {
		return err
	}
	return a.broken(ctx, "show line", a.show(on))
}

func (a *Arrival) show(on Line) (err error) {
	if err := a.onLine(on.number); err != nil {
		return err
	}
	b, err := a.lineRow(on.number)
	if err != nil {
		return err
	}
	a.branch, a.protected = on.Branch, b.protected
	a.head, err = a.headOf(on.number)
	return err
}

// Apply writes a commit that was made elsewhere to the end of a line, and returns it as it is in this file: with the same
// id, and a number of this file. The parents, time, author, message and version of the schema are those of c, and changes
// are its net changes in the order of their N-Quads lines. All of them are covered by the id, which is computed anew. If
// the parents are not here, if the first is not the head of the line, if a change does not fit what is there, or if the
// id is another one, it is refused, and the transaction can only be closed. act, unless it is nil, is the activity that
// brought the commit into this file.
//
// Each change is logged, and memory is bounded. Whether the new state fits the schema is for the caller to find out.
func (a *Arrival) Apply(ctx context.Context, on Line, c history.Commit, changes iter.Seq2[Change, error], act *Activity) (history.Commit, error) {
	if err := a.usable(ctx); err != nil {
		return history.Commit{}, err
	}
	applied, err := a.apply(ctx, on, c, changes, act)
	return applied, a.broken(ctx, "apply commit", err)
}

func (a *Arrival) apply(ctx context.Context, on Line, c history.Commit, changes iter.Seq2[Change, error], act *Activity) (none history.Commit, err error) {
	if a.line != on.number {
		if err := a.show(on); err != nil {
			return none, err
		}
	}
	if err := a.MayCommit(); err != nil {
		return none, err
	}
	if a.head.ID != c.Parent {
		return none, fault.New(fault.Conflict, "commit %s comes after commit %s, and the line is at commit %s", c.ID, c.Parent, a.head.ID)
	}
	if !c.Parent2.IsZero() {
		merged, err := a.conn.identified(c.Parent2)
		if err == nil && merged.Seq == 0 {
			err = fault.New(fault.Missing, "commit %s merges commit %s, which is not here", c.ID, c.Parent2)
		}
		if err != nil {
			return none, err
		}
	}
	a.hash, a.log, a.start = history.NewChangeHash(), changeLog{}, a.next-1
	version := a.head.SchemaVersion
	schemaChanged, err := a.replay(ctx, c.ID, changes)
	if err != nil {
		return none, err
	}
	if schemaChanged {
		version++
	}
	applied := a.newCommit(CommitMeta{
		Merged: c.Parent2, Time: c.Time, Author: c.Author, Message: c.Message, SchemaVersion: version, SchemaChanged: schemaChanged,
	})
	if applied.ID != c.ID {
		return none, fault.New(fault.Malformed, "commit %s is not what its id says: its content has the id %s", c.ID.Whole(), applied.ID.Whole())
	}
	if err := a.finish(ctx); err != nil {
		return none, err
	}
	activity, err := a.addRecords(applied, CommitMeta{}, act)
	if err != nil {
		return none, err
	}
	if err := a.insertCommit(applied, activity); err != nil {
		return none, err
	}
	if applied.Line == mainLine {
		a.main = &applied
	}
	a.head, a.hash, a.log, a.seq = applied, history.NewChangeHash(), changeLog{}, a.seq+1
	return applied, nil
}

// replay makes the changes of a commit, and reports whether one is of the schema.
func (a *Arrival) replay(ctx context.Context, id history.CommitID, changes iter.Seq2[Change, error]) (ofSchema bool, err error) {
	for c, err := range changes {
		if err != nil {
			return false, err
		}
		change, was := a.Add, "is there before it"
		if c.Op == history.OpRemove {
			change, was = a.Remove, "is not there before it"
		}
		done, err := change(ctx, c.Quad)
		if err != nil {
			return false, err
		}
		if !done {
			return false, fault.New(fault.Malformed, "commit %s changes a statement about %s that %s", id, c.Subject, was)
		}
		ofSchema = ofSchema || c.Label == rdf.SchemaGraph
	}
	return ofSchema, nil
}
