package invoke

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/capability"
	"trails/text/outline"
)

// Result is the result of a finished call, in all the variants that a transport can show: [Result.Structured] and
// [Result.Unwarned] for programs, [Result.Told] and [Result.Pieces] for models and people, [Result.Tag] for caches. A
// transport chooses among them, and encodes what it has chosen.
type Result struct {
	// Structured is the result as one JSON object, the tool's structured content. If something is missing from it or
	// there are warnings, its first members are "cut" and "warnings"; that of a call which waits also has "request".
	Structured json.RawMessage
	Parts
	// Written says what a write did; nil for capabilities that do not write.
	Written *Written
	// TraceID is the call's, for logs and headers.
	TraceID string
	// Head is the commit for which the answer is valid: the one that was read or, for a write, the one it was based
	// on. It is empty before the first commit.
	Head string

	bare     []byte   // Structured without the members about it
	document Document // the document for Engine.Read
}

// Parts are the parts of an answer besides its structured value. The handler sets them in its [Request].
type Parts struct {
	// Text is the text of the answer for models; "" means the outline of the structured value.
	Text string
	// Failed means that a tool of another server reported an error.
	Failed bool
	// Content is additional content for the reader.
	Content []Content
	// Warnings are sentences about what the call probably did not mean.
	Warnings []string
	// Cut says what is missing from the answer, and how to get it; "" if it is complete.
	Cut string
	// Request is the number of the request that the call became instead of a change, 0 for none.
	Request int64
	// Records is how many records a load read, or an export wrote.
	Records int64
	// Existed reports that the graph which a load names was there before.
	Existed bool

	sources []source
}

// source is a resource with all of what an answer shows a part of.
type source struct {
	uri, name string
	short     bool // the handler shows a part
}

// AlsoCut says what else is missing.
func (p *Parts) AlsoCut(format string, args ...any) {
	if p.Cut != "" {
		p.Cut += "; "
	}
	p.Cut += fmt.Sprintf(format, args...)
}

// mostLinks is how many links an answer has.
const mostLinks = 3

// Source names the resource that has all of the answer, or of a node in it, in the view of the call. The result links
// to those of which short says that a part is shown; to all, if there are none and something is cut from the answer.
func (r *Request) Source(uri, name string, short bool) {
	params := url.Values{capability.MaxChars().Name: {strconv.Itoa(capability.MostChars)}}
	if r.at != "" {
		params.Set("at", r.at)
	}
	if r.Ref.Branch != "" {
		params.Set("branch", r.Ref.Branch)
	}
	r.Parts.sources = append(r.Parts.sources, source{uri + "?" + params.Encode(), name, short})
}

// links are the links of the answer; none if the caller may not read resources.
func (r *Request) links(ctx context.Context) (links []Content) {
	all := r.Parts.Cut != "" && !slices.ContainsFunc(r.Parts.sources, func(s source) bool { return s.short })
	for _, s := range r.Parts.sources {
		if len(links) < mostLinks && (s.short || all) && r.engine.mayRead(ctx, r.authority, r.Principal, r.Ref, r.catalog) == nil {
			links = append(links, Content{URI: s.uri, Name: s.name})
		}
	}
	return links
}

// Told is the answer as a text for a reader who is shown nothing else.
func (r Result) Told() string {
	if r.Text == "" {
		return outline.TextOf(r.Structured) // begins with the warnings
	}
	if len(r.Warnings) == 0 {
		return r.Text
	}
	return "warning: " + strings.Join(r.Warnings, "\nwarning: ") + "\n" + r.Text
}

// Pieces is the answer as a list for a reader who is not shown the structured value: its text first.
func (r Result) Pieces() []Content { return append([]Content{{Text: r.Told()}}, r.Content...) }

// Unwarned is the structured value without the warnings, for a reader who is shown these elsewhere.
func (r Result) Unwarned() json.RawMessage {
	if len(r.Warnings) == 0 {
		return r.Structured
	}
	r.Warnings = nil
	return r.noted(r.bare)
}

// Tag is [Tag] of the structured value.
func (r Result) Tag() string { return Tag(r.Head, r.Structured) }

// Tag names an answer that was read at a commit: by the commit, and by a digest of the answer, because an answer may
// also depend on the time, on who asks, and on what is in no commit. It is "" before the first commit.
func Tag(head string, answer []byte) string {
	if head == "" {
		return ""
	}
	sum := sha256.Sum256(answer)
	return head + "." + hex.EncodeToString(sum[:8])
}

// Content is a piece of an answer; its kind follows from the members that it has.
type Content struct {
	// URI is the address of a document or a link; "" for all others.
	URI string
	// Name is that of a link, which names what can be read at URI; "" for all others.
	Name string
	// MIME is the type of Data. If Data is empty, Text is used, as plain text if MIME is "".
	MIME string
	Text string
	Data []byte
}

// Kind is what a piece of an answer is.
type Kind string

// The kinds, by their names in the Model Context Protocol.
const (
	TextKind     Kind = "text"
	ImageKind    Kind = "image"
	AudioKind    Kind = "audio"
	DocumentKind Kind = "resource"
	LinkKind     Kind = "resource_link"
)

// Kind returns what the piece is. Data that is neither image nor sound and has no address is a document without an address.
func (c Content) Kind() Kind {
	kind, _, _ := strings.Cut(c.MIME, "/")
	switch {
	case c.Name != "":
		return LinkKind
	case c.URI == "" && len(c.Data) == 0:
		return TextKind
	case c.URI == "" && (Kind(kind) == ImageKind || Kind(kind) == AudioKind):
		return Kind(kind)
	}
	return DocumentKind
}

// String is the piece for a terminal: its text, or what it is and how long.
func (c Content) String() string {
	switch {
	case c.Name != "":
		return fmt.Sprintf("%s: %s", c.Name, c.URI)
	case len(c.Data) > 0:
		return strings.TrimSpace(fmt.Sprintf("(%s of %d bytes, %s) %s", c.Kind(), len(c.Data), c.MIME, c.URI))
	}
	return c.Text
}
