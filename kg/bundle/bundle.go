// Package bundle is the text of a bundle: commits as one file, which another file with the same history can take. It
// reads and writes the text, and knows nothing of databases. Read [Header] first.
//
// A bundle is text in UTF-8, lines ending in a newline, or that compressed with gzip. The same commits give the same
// text:
//
//	{"trails_bundle":1,"base":…,"branch":…,"head":…,"commits":2,"needs":[…]}    a [Header]
//	{"commit":…,"parents":[…],"line":0,"time":…,"author":…,"message":…,"schema":1,"added":1,"removed":1}    a [Record] for each commit, and behind it
//	+ <s> <p> <o> .                               the statements that it added
//	- <s> <p> "old" .                             and those that it removed, as canonical N-Quads in bytewise order
//	{"sha256":…}                                  the digest of all lines before
//
// Commits come after their parents, the head last. An id covers all of its commit but the line, see [history.CommitID];
// the digest covers the rest, too.
package bundle

import (
	"bytes"
	"encoding/json"
	"time"

	"trails/db/history"
)

// Version is the version of the format.
const Version = 1

// Header says what a bundle contains.
type Header struct {
	Version int `json:"trails_bundle"`
	// Base is the namespace of the graph. A bundle fits only files with the same one.
	Base string `json:"base"`
	// Branch is the branch that the commits were read from.
	Branch string `json:"branch"`
	// Head is the last commit, and Commits how many there are.
	Head    string `json:"head"`
	Commits int    `json:"commits"`
	// Needs are the commits that a file must have: the parents that are not in the bundle, sorted.
	Needs []string `json:"needs"`
}

// Record is a commit without its changes.
type Record struct {
	Commit  string   `json:"commit"`
	Parents []string `json:"parents"`
	// Line is which line of history the commit stands on, within the bundle. 0 is that of the head and its first
	// parents, and every other one ends at the second parent of a merge.
	Line    int    `json:"line"`
	Time    string `json:"time"`
	Author  string `json:"author"`
	Message string `json:"message"`
	// Schema is the version of the schema.
	Schema  int64 `json:"schema"`
	Added   int64 `json:"added"`
	Removed int64 `json:"removed"`
}

// sum is the last line of a bundle.
type sum struct {
	SHA256 string `json:"sha256"`
}

// timeForm is how a record writes the time, in UTC.
const timeForm = "2006-01-02T15:04:05.000000Z"

// RecordOf returns the record of a commit on a line.
func RecordOf(c history.Commit, line int) Record {
	r := Record{
		Commit: c.ID.Whole(), Parents: []string{}, Line: line, Time: c.Time.UTC().Format(timeForm), Author: c.Author,
		Message: c.Message, Schema: c.SchemaVersion, Added: c.Added, Removed: c.Removed,
	}
	for _, parent := range []history.CommitID{c.Parent, c.Parent2} {
		if !parent.IsZero() {
			r.Parents = append(r.Parents, parent.Whole())
		}
	}
	return r
}

// commit returns the commit of a record, as far as its id covers it; false if the record is not well-formed.
func (r Record) commit() (c history.Commit, ok bool) {
	id, err := history.ParseCommitID(r.Commit)
	if err != nil || id.IsZero() || len(r.Parents) > 2 || r.Line < 0 || r.Added < 0 || r.Removed < 0 || r.Schema < 0 {
		return c, false
	}
	c = history.Commit{ID: id, Author: r.Author, Message: r.Message, SchemaVersion: r.Schema, Added: r.Added, Removed: r.Removed}
	for i, into := range []*history.CommitID{&c.Parent, &c.Parent2} {
		if i >= len(r.Parents) {
			break
		}
		if *into, err = history.ParseCommitID(r.Parents[i]); err != nil || into.IsZero() {
			return c, false
		}
	}
	if c.Time, err = time.Parse(timeForm, r.Time); err != nil {
		return c, false
	}
	return c, true
}

// encode returns the canonical line of a header, a record or a sum.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}

// decode reads a line into v, a pointer, and reports whether it is the canonical line of that.
func decode(line []byte, v any) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if d.Decode(v) != nil {
		return false
	}
	again, err := encode(v)
	return err == nil && bytes.Equal(bytes.TrimSuffix(again, []byte("\n")), line)
}
