// Package history is what a commit is: its number in one file, and its id, which a history has in every file that
// holds it. Read [CommitID] first.
package history

import "time"

// What a change did, in the change log and in the commit's hash.
const (
	OpAdd    = '+'
	OpRemove = '-'
)

// Seq is the number of a commit. The commits of a file count from 1, with gaps where some were
// dropped; the number means nothing in another file. Zero is none: before the first commit, or no bound.
type Seq int64

// Commit is one step of the history. The zero Commit is the state of a new file.
type Commit struct {
	Seq Seq
	ID  CommitID
	// Parent is the commit before; Parent2 is a merge's other side. Zero: none.
	Parent, Parent2 CommitID
	Line            int64
	Branch          string
	// Time is in UTC, to the microsecond.
	Time            time.Time
	Author, Message string
	// SchemaVersion counts the changes of the schema; SchemaSeq is the commit that made this version, 0 for none.
	SchemaVersion int64
	SchemaSeq     Seq
	// Added and Removed count the quads of the net change, Quads those of the new state.
	Added, Removed, Quads int64
	// Bulk marks a commit without a change log: it only added quads, and many.
	Bulk bool
}
