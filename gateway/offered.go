package gateway

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"trails/text/jsontext"
	"trails/text/quote"
)

// Offered is a tool, resource or prompt of an upstream server. All of it is untrusted data, never instructions.
type Offered struct {
	Kind Kind `json:"kind"` // Tool, Resource or Prompt
	// Definition has the arguments of a prompt as its input schema, all of them strings.
	Definition
	// URI is the address of a resource; a template of RFC 6570 when Template is set.
	URI      string          `json:"uri,omitempty"`
	Template bool            `json:"template,omitempty"`
	MIME     string          `json:"mimeType,omitempty"`
	Output   json.RawMessage `json:"outputSchema,omitempty"`
	// NeedsTask means that the tool can only be called as a task.
	NeedsTask bool `json:"needsTask,omitempty"`
}

// Item converts it to an item of a catalog, in the namespace of its server. A name that no id can have is
// fault.Malformed.
func (o Offered) Item(namespace string) (Item, error) {
	if o.Kind == Resource {
		id := ResourceID(namespace, o.Name, o.URI)
		return Item{
			ID: id.String(), Kind: Resource, Namespace: id.Namespace, Name: o.Name, Tags: []string{"mcp"},
			Description: cmp.Or(quote.Line(o.Description, maxDescription), o.Title, o.URI),
		}, nil // the name is not part of its id
	}
	item, err := o.Definition.Item(namespace)
	if o.Kind != Prompt || err != nil {
		return item, err
	}
	id, err := PromptID(namespace, o.Name, item.Parameters)
	item.ID, item.Kind, item.SideEffects = id.String(), Prompt, false
	return item, err
}

// Digest is a digest of the whole definition, to detect changes.
func (o Offered) Digest() string {
	text, err := jsontext.Canonical(o)
	if err != nil {
		text = []byte(o.Name) // a schema that is no JSON was refused before
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Limits on definitions from an upstream server. A description keeps its line breaks.
const (
	maxName        = 128
	maxTitle       = 200
	maxProse       = 8_000
	maxURI         = 4_000
	maxSchema      = 256 << 10
	maxSchemaDepth = 64
)

// Bounded returns the definition with its texts bounded and invisible characters removed. The error SchemaInvalid or
// UpstreamError says why it cannot be used.
func (o Offered) Bounded(server string) (Offered, *Error) {
	name := o.Name
	o.Name, o.Title, o.Meta.Version, o.MIME = visible(o.Name, maxName), visible(o.Title, maxTitle), visible(o.Meta.Version, 32), visible(o.MIME, maxName)
	o.Annotations.Title = visible(o.Annotations.Title, maxTitle)
	o.Description = visible(o.Description, maxProse)
	o.InputSchema, o.Output = visibleSchema(o.InputSchema), visibleSchema(o.Output)
	switch {
	case o.Kind == Tool && (o.Name != name || name == ""):
		why := "its name is empty"
		switch {
		case utf8.RuneCountInString(name) > maxName:
			why = fmt.Sprintf("its name is longer than %d characters", maxName)
		case strings.TrimSpace(name) != name:
			why = "its name begins or ends with white space"
		case name != "":
			why = "its name is not printable"
		}
		return o, leftOut(server, Tool, name, why)
	case o.Kind == Resource && o.URI == "":
		return o, leftOut(server, Resource, name, "it has no address")
	case len(o.URI) > maxURI || visible(o.URI, maxURI) != o.URI:
		return o, leftOut(server, Resource, name, fmt.Sprintf("its address is longer than %d bytes or not printable", maxURI))
	}
	for _, schema := range []json.RawMessage{o.InputSchema, o.Output} {
		if len(schema) > maxSchema || jsontext.TooDeep(schema, maxSchemaDepth) {
			problem := leftOut(server, o.Kind, name, fmt.Sprintf("a schema of it has more than %d bytes or is nested deeper than %d", maxSchema, maxSchemaDepth))
			problem.Code = SchemaInvalid
			return o, problem
		}
	}
	return o, nil
}

// visibleSchema escapes invisible characters in the texts of a schema. Argument names may then differ from the
// server's, which is visible.
func visibleSchema(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return schema
	}
	return VisibleJSON(schema)
}

// Joiners are a necessary part of some languages and emoji.
const (
	joiner    = '\u200d'
	nonJoiner = '\u200c'
)

// isSeen reports whether a character is visible and does not change the direction of text.
func isSeen(r rune) bool {
	return r == '\n' || r == '\t' || r == joiner || r == nonJoiner || unicode.IsPrint(r)
}

// escape writes an invisible character as an escape sequence.
func escape(r rune) string {
	switch {
	case r == '\r':
		return `\r`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Visible escapes control characters (except line breaks and tabs) and invisible or direction-changing characters in
// a text from a server: they could hide instructions from people, and some control a terminal.
func Visible(text string) string {
	text = strings.TrimPrefix(strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n"), byteOrderMark)
	if strings.IndexFunc(text, func(r rune) bool { return !isSeen(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case isSeen(r):
			b.WriteRune(r)
		case unicode.IsSpace(r) && !unicode.IsControl(r):
			b.WriteByte(' ')
		default:
			b.WriteString(escape(r))
		}
	}
	return b.String()
}

// byteOrderMark says how a text is encoded, and is no part of it.
const byteOrderMark = "\ufeff"

// jsonEscape matches one escape of a JSON string, or a surrogate pair (RFC 8259, section 7), or an escaped backslash.
var jsonEscape = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\r\\n|\\.`)

// VisibleJSON is JSON whose names and texts are treated like [Visible].
func VisibleJSON(text []byte) []byte {
	var b bytes.Buffer
	shown := func(raw []byte) {
		for _, r := range string(raw) {
			if isSeen(r) {
				b.WriteRune(r)
			} else if r != '\r' { // between values
				b.WriteString(`\` + escape(r))
			}
		}
	}
	for at := 0; at < len(text); {
		found := jsonEscape.FindIndex(text[at:])
		if found == nil {
			shown(text[at:])
			break
		}
		shown(text[at : at+found[0]])
		written := text[at+found[0] : at+found[1]]
		at += found[1]
		var meant string
		switch {
		case string(written) == `\r\n`:
			b.WriteString(`\n`)
		case json.Unmarshal(slices.Concat([]byte{'"'}, written, []byte{'"'}), &meant) != nil || strings.IndexFunc(meant, func(r rune) bool { return !isSeen(r) }) < 0:
			b.Write(written)
		default:
			for _, r := range meant {
				b.WriteString(`\` + escape(r))
			}
		}
	}
	return b.Bytes()
}

// visible is Visible without joiners, of at most most characters.
func visible(text string, most int) string {
	text = Visible(strings.NewReplacer(string(joiner), "", string(nonJoiner), "").Replace(strings.ToValidUTF8(text, "")))
	if runes := []rune(text); len(runes) > most {
		text = string(slices.Concat(runes[:most-1], []rune{'…'}))
	}
	return strings.TrimSpace(text)
}
