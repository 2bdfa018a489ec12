package policy

import (
	"net/url"
	"slices"
	"strings"

	"trails/rdf"
)

// Origin is the class of source that a statement comes from. A higher value is trusted more, so the lowest of several is
// the class of what was derived from all of them. The zero value is Unknown.
type Origin uint8

// The classes, from the one that is trusted least.
const (
	Unknown  Origin = iota // nobody can tell
	Upstream               // another server: a tool behind the gateway, a SPARQL service, a document that was fetched
	Import                 // data that was loaded, or that came in a bundle
	Agent                  // an agent or another program
	Person                 // a person at a page or at a terminal
	origins
)

var originNames = [origins]string{"unknown", "upstream", "import", "agent", "person"}

// String returns the name of the class, such as "agent".
func (o Origin) String() string { return originNames[o] }

// OriginNames returns the names of the classes, from the one that is trusted most.
func OriginNames() []string {
	names := slices.Clone(originNames[:])
	slices.Reverse(names)
	return names
}

// ParseOrigin returns the class with a name; ok is false if there is none.
func ParseOrigin(name string) (o Origin, ok bool) {
	i := slices.Index(originNames[:], name)
	return Origin(max(i, 0)), i >= 0
}

// Terminal is the door of the command line when a person sits at a terminal.
const Terminal = "terminal"

// doors is the class of what comes through each door, from a caller who is not known and from one who is. Another door is
// Unknown for both.
var doors = map[string]struct{ anonymous, known Origin }{
	Terminal:    {Person, Person},
	"admin":     {Unknown, Person}, // a program can send a form, too
	"cli":       {Agent, Agent},    // a script, or an agent with a shell
	"mcp-stdio": {Agent, Agent},
	"mcp-http":  {Agent, Agent},
	"mcp-sse":   {Agent, Agent},
	"http":      {Agent, Agent},
}

// importing are the capabilities whose data comes from elsewhere, whoever calls them.
var importing = []string{"load", "restore", "import", "import_types", "trails.meta.bundle.apply"}

// OriginOf returns the class of what a call writes, by what is recorded of it: the door, the author, the capability, and
// the IRIs of what it used. Of what it used, those that [Origin.IRI] made count; they can only lower the class.
func OriginOf(door, author, capability string, used []string) Origin {
	o := doors[door].known
	if author == "" || author == anonymous || strings.HasPrefix(author, anonymous+via) {
		o = doors[door].anonymous
	}
	o = Principal{Origin: o}.Calling(capability).Origin
	for _, iri := range used {
		if name, is := strings.CutPrefix(iri, rdf.OriginGraphs); is {
			taken, _ := ParseOrigin(name)
			o = min(o, taken)
		}
	}
	return o
}

// MayAgree reports whether the caller of a call may agree to what an agent asks for: a person may, and somebody with the
// scope builder. What they agree to must be theirs to do as well.
func MayAgree(p Principal) bool { return p.Origin == Person || May(p, Builder) }

// Through returns the caller as one that came through a door; every transport names its own.
func (p Principal) Through(door string) Principal {
	p.Origin = OriginOf(door, p.Author(), "", nil)
	return p
}

// Calling returns the caller as the author of what a capability writes.
func (p Principal) Calling(capability string) Principal {
	if slices.Contains(importing, capability) {
		p.Origin = min(p.Origin, Import)
	}
	return p
}

// IRI names the class, in provenance and as a graph of a query.
func (o Origin) IRI() string { return rdf.OriginGraphs + o.String() }

// SourceIRI names in provenance what a call has read of elsewhere: a file, a server, an endpoint or a document.
func SourceIRI(name string) string { return "urn:trails:source:" + url.PathEscape(name) }
