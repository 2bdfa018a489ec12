package bundle

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"iter"
	"slices"

	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// Reader reads a bundle in one pass, in bounded memory. Whatever is not exactly what a [Writer] writes is the fault
// Malformed, with the line: also a commit whose content does not give its id. What was read before may have been acted
// upon, so a caller that changes something keeps the change only when Next has returned [io.EOF].
type Reader struct {
	Header Header
	// Line is the number of the last line that was read.
	Line int64

	in     *bufio.Reader
	hash   hash.Hash
	parser *rdfio.QuadParser
	long   []byte // a line that is longer than the buffer of in
	// parents are the commits that the next one may come after: those that were read and those that the bundle needs. Their
	// value is whether another one came after it.
	parents map[string]bool
	seen    int // commits
	last    string
	open    *Commit // whose changes are to be read first
}

// Commit is a commit of a bundle, as far as its id covers it.
type Commit struct {
	history.Commit
	// Line is which line of the bundle it stands on.
	Line int

	r    *Reader
	left int64 // changes to be read
	sum  *history.ChangeHash
	last []byte // the last line of N-Quads
	// canonical is what that should be.
	canonical []byte
}

// maxLine is the most bytes of a line.
const maxLine = rdfio.DefaultLineBytes

var newline = []byte("\n")

// NewReader reads the header of a bundle, plain or compressed.
func NewReader(r io.Reader) (*Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		zip, err := gzip.NewReader(in)
		if err != nil {
			return nil, fault.New(fault.Malformed, "the bundle is compressed, and cannot be read").Because(err)
		}
		in = bufio.NewReaderSize(zip, 64<<10)
	}
	b := &Reader{in: in, hash: sha256.New(), parser: rdfio.NewQuadParser(), parents: map[string]bool{}}
	line, err := b.next()
	if err != nil {
		return nil, err
	}
	var version struct {
		Version int `json:"trails_bundle"`
	}
	b.hash.Write(line)
	if json.Unmarshal(line, &version) == nil && version.Version > Version {
		return nil, fault.New(fault.Unusable, "the bundle has version %d, and this program reads version %d; use a newer trails", version.Version, Version)
	}
	if !decode(bytes.TrimSuffix(line, newline), &b.Header) || b.Header.Version != Version || b.Header.Commits < 0 || b.Header.Needs == nil {
		return nil, b.wrong("is not the first line of a bundle, which trails bundle create makes")
	}
	for _, id := range append([]string{b.Header.Head}, b.Header.Needs...) {
		if c, err := history.ParseCommitID(id); err != nil || c.Whole() != id || id == "" {
			return nil, b.wrong("names a commit that is none")
		}
	}
	for _, id := range b.Header.Needs {
		b.parents[id] = true
	}
	return b, nil
}

// wrong is the fault about the last line.
func (r *Reader) wrong(what string) *fault.Error {
	return fault.New(fault.Malformed, "line %d of the bundle %s", r.Line, what).With("line", r.Line)
}

// next reads a line, which is valid until the one after.
func (r *Reader) next() ([]byte, error) {
	r.Line++
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(r.long) > maxLine {
				return nil, fault.New(fault.TooLarge, "line %d of the bundle is longer than %d bytes", r.Line, maxLine)
			}
			line, err = r.in.ReadSlice('\n')
			r.long = append(r.long, line...)
		}
		line = r.long
	}
	var known *fault.Error
	switch {
	case errors.As(err, &known): // of who writes the bundle at the same time
		return nil, err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fault.New(fault.Malformed, "the bundle ends in line %d, before its end; it was cut, so take it anew", r.Line).With("line", r.Line)
	case err != nil:
		return nil, fault.New(fault.Malformed, "line %d of the bundle cannot be read", r.Line).Because(err)
	}
	return line, nil
}

// Next returns the next commit, and [io.EOF] at the end, when all was as it should be. The changes of a commit that
// were not read are passed over.
func (r *Reader) Next() (*Commit, error) {
	if r.open != nil {
		for _, err := range r.open.Changes() {
			if err != nil {
				return nil, err
			}
		}
	}
	line, err := r.next()
	if err != nil {
		return nil, err
	}
	if r.seen == r.Header.Commits {
		return nil, r.end(line)
	}
	r.hash.Write(line)
	var record Record
	if !decode(bytes.TrimSuffix(line, newline), &record) {
		return nil, r.wrong("is not what a commit begins with")
	}
	c, ok := record.commit()
	if !ok {
		return nil, r.wrong("is not a commit")
	}
	if _, again := r.parents[record.Commit]; again {
		return nil, r.wrong("is a commit that is there already")
	}
	for _, parent := range record.Parents {
		if _, there := r.parents[parent]; !there {
			return nil, r.wrong("is a commit whose parent is not before it")
		}
		r.parents[parent] = true
	}
	r.seen++
	r.parents[record.Commit], r.last = false, record.Commit
	r.open = &Commit{Commit: c, Line: record.Line, r: r, left: c.Added + c.Removed, sum: history.NewChangeHash()}
	return r.open, nil
}

// end checks the last line, and that nothing follows.
func (r *Reader) end(line []byte) error {
	digest := hex.EncodeToString(r.hash.Sum(nil))
	var last sum
	switch {
	case !decode(bytes.TrimSuffix(line, newline), &last):
		return r.wrong("should be the last one, with the digest")
	case last.SHA256 != digest:
		return r.wrong("has a digest that is not that of the bundle, which was changed on its way; take it anew")
	case r.seen == 0 && !slices.Contains(r.Header.Needs, r.Header.Head), r.seen > 0 && r.last != r.Header.Head:
		return r.wrong("is not behind the head")
	}
	for id, followed := range r.parents {
		if !followed && id != r.last {
			return r.wrong("is behind a commit that the head does not come from")
		}
	}
	if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
		r.Line++
		return r.wrong("comes after the end")
	}
	return io.EOF
}

// Changes yields the changes of the commit, in order, and then makes sure that they give its id. They are read once.
func (c *Commit) Changes() iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		c.r.open = nil
		for ; c.left > 0; c.left-- {
			change, err := c.change()
			if !yield(change, err) || err != nil {
				return
			}
		}
		if err := c.check(); err != nil {
			yield(db.Change{}, err)
		}
	}
}

// change reads a change.
func (c *Commit) change() (change db.Change, err error) {
	line, err := c.r.next()
	if err != nil {
		return change, err
	}
	c.r.hash.Write(line)
	line = bytes.TrimSuffix(line, newline)
	if len(line) < 2 || line[0] != history.OpAdd && line[0] != history.OpRemove || line[1] != ' ' {
		return change, c.r.wrong("is not a change, which begins with + or -")
	}
	change.Op = line[0]
	text := line[2:]
	if change.Quad, err = c.r.parser.Parse(text); err != nil {
		return change, c.r.wrong("is not a statement of N-Quads").Because(err)
	}
	switch c.canonical = rdf.AppendQuad(c.canonical[:0], change.Quad); {
	case !bytes.Equal(c.canonical, text):
		return change, c.r.wrong("is not canonical N-Quads")
	case bytes.Compare(c.last, text) >= 0:
		return change, c.r.wrong("is not in the order of the statements")
	}
	c.last = append(c.last[:0], text...)
	c.sum.KeepLine(change.Op, text)
	return change, nil
}

// check holds what was read against the record and the id.
func (c *Commit) check() error {
	if c.sum.Added != c.Added || c.sum.Removed != c.Removed {
		return c.r.wrong("is the end of a commit that counts its changes wrongly")
	}
	if id := c.sum.CommitID(c.Commit); id != c.ID {
		return c.r.wrong("is the end of commit " + c.ID.String() + ", whose content has the id " + id.String())
	}
	return nil
}
