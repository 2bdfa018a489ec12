package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"trails/jsontext"
	"trails/quote"
)

// Offered is one thing that an upstream server offers. All of it is what that server says:
// data, never instructions.
type Offered struct {
	Kind Kind `json:"kind"` // Tool, Resource or Prompt
	// Definition has the arguments of a prompt as its input schema, in which all are texts.
	Definition
	// URI is the address of a resource; a template of RFC 6570 when Template is set.
	URI      string          `json:"uri,omitempty"`
	Template bool            `json:"template,omitempty"`
	MIME     string          `json:"mimeType,omitempty"`
	Output   json.RawMessage `json:"outputSchema,omitempty"`
}

// Item returns it as an item of a catalog, under the namespace of its server. What has a name
// that no id can have is fault.Malformed.
func (o Offered) Item(namespace string) (Item, error) {
	if o.Kind == Resource {
		id := ResourceID(namespace, o.Name, o.URI)
		return Item{
			ID: id.String(), Kind: Resource, Namespace: id.Namespace, Name: o.Name, Tags: []string{"mcp"},
			Description: cmp.Or(quote.Line(o.Description, maxDescription), o.Title, o.URI),
		}, nil // any name will do
	}
	item, err := o.Definition.Item(namespace)
	if o.Kind != Prompt || err != nil {
		return item, err
	}
	id, err := PromptID(namespace, o.Name, item.Parameters)
	item.ID, item.Kind, item.SideEffects = id.String(), Prompt, false
	return item, err
}

// Digest names everything that is said of it, so that a change is noticed.
func (o Offered) Digest() string {
	text, err := jsontext.Canonical(o)
	if err != nil {
		text = []byte(o.Name) // a schema that is no JSON was refused before
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Limits of what an upstream says of one thing. A description keeps its line ends.
const (
	maxName        = 128
	maxTitle       = 200
	maxProse       = 8_000
	maxURI         = 4_000
	maxSchema      = 256 << 10
	maxSchemaDepth = 64
)

// Bounded returns o with its texts bounded and free of characters that cannot be seen. The
// error SchemaInvalid or UpstreamError says why it cannot be taken at all.
func (o Offered) Bounded() (Offered, *Error) {
	name := o.Name
	o.Name, o.Title, o.Meta.Version, o.MIME = visible(o.Name, maxName), visible(o.Title, maxTitle), visible(o.Meta.Version, 32), visible(o.MIME, maxName)
	o.Annotations.Title = visible(o.Annotations.Title, maxTitle)
	o.Description = visible(o.Description, maxProse)
	switch {
	case o.Kind == Tool && (o.Name != name || name == ""):
		return o, Fail(UpstreamError, name, "a tool whose name is empty, longer than %d characters or not printable is left out", maxName)
	case len(o.URI) > maxURI || visible(o.URI, maxURI) != o.URI:
		return o, Fail(UpstreamError, name, "a resource whose address is longer than %d bytes or not printable is left out", maxURI)
	}
	for _, schema := range []json.RawMessage{o.InputSchema, o.Output} {
		if len(schema) > maxSchema || jsontext.TooDeep(schema, maxSchemaDepth) {
			return o, Fail(SchemaInvalid, name, "the schema of %s has more than %d bytes or is nested deeper than %d", name, maxSchema, maxSchemaDepth)
		}
	}
	return o, nil
}

// What joins letters or keeps them apart is a part of how some languages and signs are written.
const (
	joiner    = '\u200d'
	nonJoiner = '\u200c'
)

// seen is a character as it is shown, -1 for one that cannot be seen or that changes the
// direction of a text.
func seen(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == joiner || r == nonJoiner || unicode.IsPrint(r):
		return r
	case unicode.IsSpace(r) && r != '\r':
		return ' '
	}
	return -1
}

// Visible is a text that a server has sent without control characters, but line ends and tabs,
// and without what cannot be seen or changes the direction of the text, in which instructions
// could hide from whoever looks at the same text.
func Visible(text string) string { return strings.Map(seen, strings.ToValidUTF8(text, "\ufffd")) }

// visible is a text without control characters but line ends and tabs, without characters
// that cannot be seen or that change its direction, and of at most most characters.
func visible(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r == joiner || r == nonJoiner {
			return -1
		}
		return seen(r)
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > most {
		text = string(slices.Concat(runes[:most-1], []rune{'…'}))
	}
	return strings.TrimSpace(text)
}
