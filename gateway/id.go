// Package gateway presents thousands of tools to an agent: stable ids, short cards, paths from namespaces to single
// tools, and search. It makes no calls and writes no files. What upstream servers send is untrusted data, which it
// bounds and cleans. Read [ID] first, then [Card] and [Catalog].
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

// Kind is the kind of an entry of a catalog.
type Kind string

// The kinds. Only tools, resources and prompts have an [ID].
const (
	Tool     Kind = "tool"
	Resource Kind = "resource"
	Prompt   Kind = "prompt"
	Agent    Kind = "agent"
	Skill    Kind = "skill"
	Internal Kind = "internal" // not a tool: a namespace, a cluster, a separator
)

// ID identifies a tool, resource or prompt of an upstream server. It survives restarts of the server and changes of
// descriptions. Outside the program it is a text:
//
//	[resource:: | prompt::] namespace:name [@version] [#hash]
//
// The zero ID is none, and has no text.
type ID struct {
	Kind      Kind   // Tool, Resource or Prompt
	Namespace string // namespace of its server
	Name      string // its name at the server, without the namespace before a dot or a slash
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

// checked returns an ID made from a server's data, if it has a valid text.
func (id ID) checked(original string) (ID, error) {
	if parsed, err := ParseID(id.String()); err != nil || parsed != id {
		return ID{}, fault.New(fault.Malformed, "%s of %s can have no id: a name begins with a letter or _, goes on with letters, digits, _ . and -, and has at most 128 characters",
			quote.Text(original, 80), quote.Text(id.Namespace, 64))
	}
	return id, nil
}

// Signature is the part of a tool's definition that its id depends on.
type Signature struct {
	// Server is the name under which the server is registered. If it is "", the tool's name contains the namespace.
	Server string
	Name   string
	// Version is "" if none is declared; an invalid one counts as none.
	Version string
	// InputSchema is JSON; empty is the same as {}.
	InputSchema json.RawMessage
}

var versions = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// ToolID returns the id of a tool. An unsuitable name is fault.Malformed.
func ToolID(s Signature) (ID, error) { return s.id(shapeOf(s.InputSchema)) }

func (s Signature) id(of shape) (ID, error) {
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

// ResourceID returns the id of a resource. Names of resources are for people, so other characters become _; the URI
// distinguishes equal names.
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

// OwnNamespace is the namespace of the graph's own tools. No server may have it.
const OwnNamespace = "trails"

// anyone is the namespace of definitions without a server.
const anyone = "mcp"

// divided splits a name at a server into namespace and name. A prefix before a dot or a slash is the namespace. A
// prefix before an underscore stays in the name, and does not count if only one word follows.
func divided(server, original string) (namespace, name string) {
	for _, sign := range []string{".", "/"} {
		prefix, rest, is := strings.Cut(original, sign)
		if is && prefix != "" && (server == "" || strings.EqualFold(prefix, server)) {
			return strings.ToLower(prefix), rest
		}
	}
	if server != "" {
		return strings.ToLower(server), original
	}
	if parts := strings.Split(original, "_"); len(parts) >= 3 && parts[0] != "" {
		return strings.ToLower(parts[0]), original
	}
	return anyone, original
}

func hash8(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// shape is the sorted property names of a schema, and which of them are required.
type shape struct{ properties, required []string }

// shapeOf returns the shape of a schema. Everything else in it, and values of wrong types, are ignored.
func shapeOf(schema json.RawMessage) shape {
	var outer map[string]json.RawMessage
	var properties map[string]passed
	var required []string
	_ = json.Unmarshal(schema, &outer) // an unreadable schema has no shape
	if json.Unmarshal(outer["properties"], &properties) != nil {
		properties = nil
	}
	if json.Unmarshal(outer["required"], &required) != nil {
		required = nil
	}
	return shape{slices.Sorted(maps.Keys(properties)), required}
}

// passed is JSON of any kind that is not parsed.
type passed struct{}

// UnmarshalJSON takes everything.
func (*passed) UnmarshalJSON([]byte) error { return nil }

// String writes the shape in the form that is hashed.
func (s shape) String() string {
	return `{"properties":` + jsonList(s.properties) + `,"required":` + jsonList(s.required) + `}`
}

// jsonList writes names as a sorted JSON array without spaces. Non-ASCII characters are escaped, as Python's json
// does: the text is hashed, so every character counts.
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
