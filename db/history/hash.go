package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"

	"trails/fault"
	"trails/rdf"
)

// CommitID names a commit by its content. The zero value names none.
//
// It is the SHA-256 of this text, lines ending in a newline, version 1:
//
//	trails-commit-1
//	parent <hex id>                one line for each parent, in order; none for the first commit
//	author "<who>"
//	time 2006-01-02T15:04:05.000000Z
//	message "<text>"
//	schema <version>
//	changes <added> <removed> <hex SHA-256 of the change lines>
//
// Quoted text is escaped as in a canonical N-Quads literal, which is a JSON string.
// The change lines are "+ " or "- " before each canonical N-Quads line of the net
// change, newline included, in the bytewise order of the N-Quads lines; no line
// occurs twice. Nothing in it belongs to one file, so a history has the same ids
// in every file that holds it.
type CommitID [sha256.Size]byte

// toldDigits is how many of the 64 hexadecimal digits of an id are shown.
const toldDigits = 12

// String returns the first 12 hexadecimal digits, which answers show and arguments accept; "" for the zero id.
func (id CommitID) String() string {
	whole := id.Whole()
	return whole[:min(toldDigits, len(whole))]
}

// Whole returns all 64 hexadecimal digits, for IRIs, for the file and for comparing ids; "" for the zero id.
func (id CommitID) Whole() string {
	if id.IsZero() {
		return ""
	}
	return hex.EncodeToString(id[:])
}

// CommitPrefix is the beginning of the IRIs of commits.
const CommitPrefix = "urn:trails:commit:"

// IRI returns the IRI of the commit.
func (id CommitID) IRI() rdf.IRI { return rdf.IRI(CommitPrefix + id.Whole()) }

// IsZero reports whether id names no commit.
func (id CommitID) IsZero() bool { return id == CommitID{} }

// Bytes returns the id, nil for the zero id.
func (id CommitID) Bytes() []byte {
	if id.IsZero() {
		return nil
	}
	return id[:]
}

// ParseCommitID parses the 64 hexadecimal digits of an id; "" is the zero id. Any other text is the fault Malformed.
func ParseCommitID(s string) (CommitID, error) {
	var id CommitID
	if s == "" {
		return id, nil
	}
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return id, fault.New(fault.Malformed, "%q is not a commit id of %d hexadecimal digits", s, 2*len(id))
	}
	copy(id[:], b)
	return id, nil
}

// ChangeHash is the running hash over a change set's lines.
type ChangeHash struct {
	sum            hash.Hash
	line, last     []byte
	Added, Removed int64
}

// NewChangeHash returns the hash of no changes.
func NewChangeHash() *ChangeHash { return &ChangeHash{sum: sha256.New()} }

// Next begins the change of q; quads must come in the order of their lines.
func (h *ChangeHash) Next(q rdf.Quad) error {
	h.line, h.last = h.last, h.line
	h.line = append(h.line[:0], "? "...)
	h.line = rdf.AppendQuad(h.line, q)
	if len(h.last) > 0 && bytes.Compare(h.last[2:], h.line[2:]) >= 0 {
		return fmt.Errorf("changes out of order: %s after %s", h.line[2:], h.last[2:])
	}
	return nil
}

// Keep adds the change of q to the hash, because it is a net change.
func (h *ChangeHash) Keep(op byte) {
	h.line[0] = op
	h.line = append(h.line, '\n')
	h.sum.Write(h.line)
	h.line = h.line[:len(h.line)-1]
	h.count(op)
}

// KeepLine adds a change whose line is known to be in order.
func (h *ChangeHash) KeepLine(op byte, line []byte) {
	h.line = append(append(append(h.line[:0], op, ' '), line...), '\n')
	h.sum.Write(h.line)
	h.count(op)
}

func (h *ChangeHash) count(op byte) {
	if op == OpAdd {
		h.Added++
	} else {
		h.Removed++
	}
}

// CommitID returns the id of c with the changes so far; c.ID is not used.
func (h *ChangeHash) CommitID(c Commit) CommitID {
	text := []byte("trails-commit-1\n")
	for _, parent := range []CommitID{c.Parent, c.Parent2} {
		if !parent.IsZero() {
			text = append(text, "parent "+parent.Whole()+"\n"...)
		}
	}
	text = append(rdf.AppendTerm(append(text, "author "...), rdf.String(c.Author)), '\n')
	text = append(text, "time "+c.Time.UTC().Format(timeForm)+"\n"...)
	text = append(rdf.AppendTerm(append(text, "message "...), rdf.String(c.Message)), '\n')
	text = append(text, "schema "+strconv.FormatInt(c.SchemaVersion, 10)+"\n"...)
	text = fmt.Appendf(text, "changes %d %d %x\n", h.Added, h.Removed, h.sum.Sum(nil))
	return sha256.Sum256(text)
}

const timeForm = "2006-01-02T15:04:05.000000Z"
