// Package gateway is what an agent sees of thousands of tools: ids that stay the same, cards
// of bounded size, paths from namespaces to single tools, and which tools a request means. It
// calls nothing and keeps nothing in a file; what an upstream server says is data to it, which
// it bounds and cleans. Read [ID] first, then [Card] and [Catalog].
package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"trails/fault"
	"trails/text/quote"
)

// Kind is what a thing of the catalog is.
type Kind string

// The kinds. Only tools, resources and prompts have an [ID].
const (
	Tool     Kind = "tool"
	Resource Kind = "resource"
	Prompt   Kind = "prompt"
	Agent    Kind = "agent"
	Skill    Kind = "skill"
	Internal Kind = "internal" // what is no tool: a namespace, a cluster, a mark
)

// ID names a tool, a resource or a prompt of an upstream server. It is the same after that
// server has started anew, and when nothing but prose has changed. Its text is the only form
// in which it leaves the program:
//
//	[resource:: | prompt::] namespace:name [@version] [#hash]
//
// The zero ID names nothing and has no text.
type ID struct {
	Kind      Kind   // Tool, Resource or Prompt
	Namespace string // of whom it is
	Name      string // how its server calls it, without the namespace before a dot or a slash
	Version   string // as its server declares it, "" for none
	Hash      string // of its shape: eight hexadecimal digits, "" for none
}

var grammar = regexp.MustCompile(`^(?:(resource|prompt)::)?` +
	`([a-z][a-z0-9_-]{0,63}):([A-Za-z_][A-Za-z0-9_.-]{0,127})(?:@([A-Za-z0-9._-]{1,32}))?(?:#([0-9a-f]{8}))?$`)

// ParseID reads the text of an ID. Another text is fault.Malformed.
func ParseID(text string) (ID, error) {
	m := grammar.FindStringSubmatch(text)
	if m == nil {
		return ID{}, fault.New(fault.Malformed, "%s is no id of a tool, a resource or a prompt, such as github:create_issue#34afee88", quote.Text(text, 80))
	}
	id := ID{Kind: Kind(m[1]), Namespace: m[2], Name: m[3], Version: m[4], Hash: m[5]}
	if id.Kind == "" {
		id.Kind = Tool
	}
	return id, nil
}

// String returns the text of the ID.
func (id ID) String() string {
	var b strings.Builder
	if id.Kind == Resource || id.Kind == Prompt {
		b.WriteString(string(id.Kind) + "::")
	}
	b.WriteString(id.Namespace + ":" + id.Name)
	if id.Version != "" {
		b.WriteString("@" + id.Version)
	}
	if id.Hash != "" {
		b.WriteString("#" + id.Hash)
	}
	return b.String()
}

// checked returns an ID that has been made of what a server says, when it has a text.
func (id ID) checked(said string) (ID, error) {
	if parsed, err := ParseID(id.String()); err != nil || parsed != id {
		return ID{}, fault.New(fault.Malformed, "%s of %s can have no id: a name begins with a letter or _, goes on with letters, digits, _ . and -, and has at most 128 characters",
			quote.Text(said, 80), quote.Text(id.Namespace, 64))
	}
	return id, nil
}

// Said is what a server says of one of its tools, as far as the id depends on it.
type Said struct {
	// Server is the name under which the server is registered. When it is "", the name of
	// the tool tells the namespace.
	Server string
	Name   string
	// Version is "" when none is declared. One that an id cannot have counts as none.
	Version string
	// InputSchema is JSON; none is the same as {}.
	InputSchema json.RawMessage
}

var versions = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// ToolID returns the id of a tool. One whose name an id cannot have is fault.Malformed.
func ToolID(s Said) (ID, error) { return s.id(shapeOf(s.InputSchema)) }

func (s Said) id(of shape) (ID, error) {
	namespace, name := divided(s.Server, s.Name)
	id := ID{Kind: Tool, Namespace: namespace, Name: name}
	if versions.MatchString(s.Version) {
		id.Version = s.Version
	} else {
		id.Hash = hash8(s.Name + "\n" + of.String())
	}
	return id.checked(s.Name)
}

// PromptID returns the id of a prompt with arguments of these names.
func PromptID(server, prompt string, arguments []string) (ID, error) {
	namespace, name := divided(server, prompt)
	id := ID{Kind: Prompt, Namespace: namespace, Name: name, Hash: hash8("prompt\n" + prompt + "\n" + jsonList(arguments))}
	return id.checked(prompt)
}

// ResourceID returns the id of a resource. Names of resources are written for people, so
// what an id cannot have becomes _; the URI is what tells two of them apart.
func ResourceID(server, resource, uri string) ID {
	namespace, name := divided(server, resource)
	named := []byte(nil)
	for _, r := range name {
		if len(named) == 128 {
			break
		}
		if r < 0x80 && (nameByte(byte(r))) {
			named = append(named, byte(r))
		} else if len(named) == 0 || named[len(named)-1] != '_' {
			named = append(named, '_')
		}
	}
	if len(named) == 0 || named[0] != '_' && !letter(named[0]) {
		named = append([]byte{'_'}, named[:min(len(named), 127)]...)
	}
	if !grammar.MatchString(namespace + ":x") {
		namespace = anyone
	}
	return ID{Kind: Resource, Namespace: namespace, Name: string(named), Hash: hash8("resource\n" + uri)}
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

func nameByte(b byte) bool {
	return letter(b) || b >= '0' && b <= '9' || b == '_' || b == '.' || b == '-'
}

// OwnNamespace is that of the graph's own tools. No server has it.
const OwnNamespace = "trails"

// anyone is the namespace of what says nothing of its server.
const anyone = "mcp"

// divided returns the namespace and the name of what a server offers. A prefix before a dot
// or a slash is the namespace and no part of the name. One before an underscore stays in the
// name, which may have underscores of its own, and is none when only one word follows it.
func divided(server, said string) (namespace, name string) {
	for _, sign := range []string{".", "/"} {
		prefix, rest, is := strings.Cut(said, sign)
		if is && prefix != "" && (server == "" || strings.EqualFold(prefix, server)) {
			return strings.ToLower(prefix), rest
		}
	}
	if server != "" {
		return strings.ToLower(server), said
	}
	if parts := strings.Split(said, "_"); len(parts) >= 3 && parts[0] != "" {
		return strings.ToLower(parts[0]), said
	}
	return anyone, said
}

func hash8(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// shape is that of a schema: the names of its properties, sorted, and which are required.
type shape struct{ properties, required []string }

// shapeOf is the shape of a schema. Anything else in it, and what is not of the right type,
// counts for nothing.
func shapeOf(schema json.RawMessage) shape {
	var outer map[string]json.RawMessage
	var properties map[string]passed
	var required []string
	_ = json.Unmarshal(schema, &outer) // what cannot be read has no shape
	if json.Unmarshal(outer["properties"], &properties) != nil {
		properties = nil
	}
	if json.Unmarshal(outer["required"], &required) != nil {
		required = nil
	}
	return shape{slices.Sorted(maps.Keys(properties)), required}
}

// passed is JSON of any kind, which is not looked at.
type passed struct{}

// UnmarshalJSON takes everything.
func (*passed) UnmarshalJSON([]byte) error { return nil }

// String writes the shape as it is hashed.
func (s shape) String() string {
	return `{"properties":` + jsonList(s.properties) + `,"required":` + jsonList(s.required) + `}`
}

// jsonList writes names as a JSON array, sorted and without spaces. All but ASCII is escaped, as
// Python's json does: it is the text that is hashed, so every sign counts.
func jsonList(names []string) string {
	names = slices.Sorted(slices.Values(names))
	var b strings.Builder
	b.WriteByte('[')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for _, r := range name {
			switch short := strings.IndexRune("\"\\\n\r\t\b\f", r); {
			case short >= 0:
				b.WriteByte('\\')
				b.WriteByte(`"\nrtbf`[short])
			case r >= ' ' && r <= '~', r == 0x7F:
				b.WriteRune(r)
			default:
				for _, unit := range utf16.Encode([]rune{r}) {
					fmt.Fprintf(&b, `\u%04x`, unit)
				}
			}
		}
		b.WriteByte('"')
	}
	b.WriteByte(']')
	return b.String()
}
