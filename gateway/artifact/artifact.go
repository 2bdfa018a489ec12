// Package artifact keeps large results of tools out of a model's context: a result becomes an [Envelope] of bounded
// size that describes it, and its content becomes artifacts, parts of which can be read with a [Selector]. The caller
// stores the bytes.
//
// Read [Wrap] and [Artifact.View] first.
package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"unicode/utf8"

	"trails/gateway"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Part is one part of the result of a tool.
type Part struct {
	// Kind is text, image, audio, resource, resource_link or structured; data of a
	// structured part is JSON.
	Kind      string
	MediaType string // "" for the usual one of its kind
	Data      []byte
}

// Ref describes an artifact to a model, with its handle.
type Ref struct {
	ContentHash string `json:"content_hash"` // SHA-256, in hexadecimal digits
	Handle      string `json:"handle"`
	Label       string `json:"label"`
	MediaType   string `json:"media_type"`
	SizeBytes   int    `json:"size_bytes"`
}

// Artifact is stored bytes, to be read with [Artifact.View].
type Artifact struct {
	Ref
	Data []byte
}

// Source is the call that a result comes from.
type Source struct {
	ToolID string // id of the tool for agents
	Tool   string // name of the tool at its server
	Failed bool   // the tool reported an error
	// Most is the maximum number of characters of a result that is passed on unchanged; at 0 every result becomes an
	// artifact.
	Most int
}

// Envelope is what a model sees of a result. Some hosts show the text of [Envelope.String], others the JSON, which
// has all members for up to briefChars characters of text, and for longer texts only those needed to read on.
type Envelope struct {
	Artifacts  []Ref          `json:"artifacts"`
	Facts      []string       `json:"facts"` // lines of the form name: value, at most 20
	Firewall   Firewall       `json:"firewall_stats"`
	Provenance map[string]any `json:"provenance"`
	// Shape describes structured data: names, types and numbers of elements.
	Shape   string `json:"shape,omitempty"`
	Status  string `json:"status"`  // ok or error
	Summary string `json:"summary"` // the beginning of the text, or all of it
	// Views are selectors for reading on.
	Views []Selector `json:"views"`
	// Structured is structured data besides a text, if both together are small enough to be passed on unchanged.
	Structured []byte `json:"-"`
}

// Firewall says how a text was treated.
type Firewall struct {
	ArtifactRef     string  `json:"artifact_ref"` // handle of the text, "" if it is not an artifact
	LLMProvider     *string `json:"llm_provider"` // null: no model is used
	OriginalChars   int     `json:"original_chars"`
	Strategy        string  `json:"strategy"` // summary, or passthrough
	SummarizedByLLM bool    `json:"summarized_by_llm"`
	SummaryChars    int     `json:"summary_chars"`
	ThresholdChars  int     `json:"threshold_chars"`
	Triggered       bool    `json:"triggered"`
}

const (
	summaryChars = 500
	mostFacts    = 20
	mostFact     = 200
	briefChars   = 8_000
)

// usual are the default media types of parts.
var usual = map[string]string{
	"text": "text/plain", "image": "image/png", "audio": "audio/wav", "structured": "application/json",
}

// Wrap returns the envelope of a result, and the artifacts to store. Secrets are removed from both. The texts of a
// result form one artifact, each other part one of its own; structured data is appended to the texts.
func Wrap(of Source, parts []Part) (Envelope, []Artifact) {
	e := Envelope{
		Artifacts: []Ref{}, Facts: []string{}, Views: []Selector{}, Status: "ok",
		Provenance: map[string]any{"protocol": "mcp", "tool": of.Tool, "tool_id": of.ToolID},
	}
	if of.Failed {
		e.Status = "error"
	}
	var kept []Artifact
	keep := func(kind, mediaType string, data []byte) Artifact {
		sum := sha256.Sum256(data)
		hash := hex.EncodeToString(sum[:])
		a := Artifact{Data: data, Ref: Ref{
			ContentHash: hash, Handle: kind + ":" + of.ToolID + ":" + hash[:16], Label: kind + " result from " + of.ToolID,
			MediaType: quote.Line(mediaType, 100), SizeBytes: len(data),
		}}
		kept = append(kept, a)
		e.Artifacts = append(e.Artifacts, a.Ref)
		return a
	}
	var texts []string
	textType, scrubbed := "", 0
	for _, part := range parts {
		mediaType := part.MediaType
		if mediaType == "" {
			mediaType = usual[part.Kind]
		}
		if mediaType == "" {
			mediaType = "application/octet-stream"
		}
		data := part.Data
		if isText(data) {
			clean, n := Scrub(data)
			data, scrubbed = clean, scrubbed+n
		}
		switch {
		case part.Kind == "text", part.Kind == "structured" && len(texts) == 0:
			texts = append(texts, string(data))
			if textType = mediaType; len(texts) > 1 {
				textType = "text/plain"
			}
		case part.Kind == "structured" && len(texts) == 1 && sameJSON([]byte(texts[0]), data):
			// Servers repeat structured data as text, for clients that only know that.
		case part.Kind == "structured" && len(data)+utf8.RuneCountInString(strings.Join(texts, "\n")) <= of.Most:
			e.Structured = gateway.VisibleJSON(data)
		case part.Kind == "structured" && len(texts) == 1 && isMember(data, texts[0]):
			// Some wrap the text in an object without other members.
		default:
			keep(part.Kind, mediaType, data)
		}
	}
	if scrubbed > 0 {
		e.Provenance["secrets_removed"] = scrubbed
	}
	text := strings.Join(texts, "\n")
	chars := utf8.RuneCountInString(text)
	e.Firewall = Firewall{OriginalChars: chars, Strategy: "passthrough", ThresholdChars: of.Most}
	e.Summary = text
	// Artifacts are stored unchanged; characters are escaped when a text is shown.
	if chars <= of.Most {
		e.Summary = gateway.Visible(text)
	}
	if utf8.RuneCountInString(e.Summary) > of.Most {
		a := keep("text", textType, []byte(text))
		e.Summary = begin(gateway.Visible(begin(text, summaryChars)), summaryChars)
		e.Firewall.ArtifactRef, e.Firewall.Strategy, e.Firewall.Triggered = a.Handle, "summary", true
		e.Shape, e.Views = a.shape(), a.offers()
		e.Facts = facts(text)
	}
	e.Firewall.SummaryChars = utf8.RuneCountInString(e.Summary)
	return e, kept
}

// begin is the first characters of a text.
func begin(text string, most int) string {
	n := 0
	for at := range text {
		if n == most {
			return text[:at]
		}
		n++
	}
	return text
}

// fact matches a line of the form name: value.
var fact = regexp.MustCompile(`^[\pL\pN"'][^:\n]{0,60}:\s+\S`)

// facts are such lines of a text, or such members of an object.
func facts(text string) []string {
	found := []string{}
	add := func(line string) bool {
		if utf8.RuneCountInString(line) < mostFact {
			found = append(found, quote.Line(line, mostFact))
		}
		return len(found) < mostFacts
	}
	if v, err := parse([]byte(text)); err == nil {
		if object, is := v.(map[string]any); is {
			for _, name := range names(object) {
				if isScalar(object[name]) && !add(name+": "+written(object[name])) {
					break
				}
			}
		}
		return found
	}
	for line := range strings.Lines(begin(text, 100_000)) {
		if line = strings.TrimSpace(line); fact.MatchString(line) && !add(line) {
			break
		}
	}
	return found
}

// isText reports that bytes are text: UTF-8 without NUL.
func isText(data []byte) bool {
	return utf8.Valid(data) && !strings.Contains(string(data[:min(len(data), 64<<10)]), "\x00")
}

// MarshalJSON writes the envelope. For a text of more than briefChars characters it has the content of String,
// without what is constant or follows from the handle.
func (e Envelope) MarshalJSON() ([]byte, error) {
	if e.Firewall.OriginalChars <= briefChars || !e.Firewall.Triggered {
		type whole Envelope
		return jsontext.Marshal(whole(e))
	}
	type ref struct {
		Handle    string `json:"handle"`
		MediaType string `json:"media_type,omitempty"`
		SizeBytes int    `json:"size_bytes"`
	}
	type firewall struct {
		OriginalChars int `json:"original_chars"`
		SummaryChars  int `json:"summary_chars"`
	}
	brief := struct {
		Artifacts  []ref          `json:"artifacts"`
		Facts      []string       `json:"facts,omitempty"`
		Firewall   firewall       `json:"firewall_stats"`
		Provenance map[string]any `json:"provenance,omitempty"`
		Shape      string         `json:"shape,omitempty"`
		Status     string         `json:"status"`
		Summary    string         `json:"summary"`
		Views      []Selector     `json:"views,omitempty"`
	}{Facts: e.shownFacts(), Provenance: maps.Clone(e.Provenance), Shape: e.Shape, Status: e.Status, Summary: e.shown(), Views: e.Views}
	brief.Firewall = firewall{e.Firewall.OriginalChars, utf8.RuneCountInString(brief.Summary)}
	for _, name := range []string{"protocol", "tool", "tool_id"} {
		delete(brief.Provenance, name)
	}
	for _, a := range e.Artifacts {
		r := ref{a.Handle, a.MediaType, a.SizeBytes}
		if r.MediaType == usual["text"] {
			r.MediaType = ""
		}
		brief.Artifacts = append(brief.Artifacts, r)
	}
	return jsontext.Marshal(brief)
}

// How many characters of an envelope a model sees. Structured data is described by its shape.
const (
	shownChars  = 200
	shapedChars = 120
	factsChars  = 400 // of all facts together
)

// shown is the beginning of the text for a model.
func (e Envelope) shown() string {
	if e.Shape != "" {
		return begin(e.Summary, shapedChars)
	}
	return begin(e.Summary, shownChars)
}

// shownFacts are the facts for a model.
func (e Envelope) shownFacts() []string {
	room := factsChars
	for i, f := range e.Facts {
		if room -= utf8.RuneCountInString(f); room < 0 {
			return e.Facts[:i]
		}
	}
	return e.Facts
}

// String is the envelope as text for a model: the beginning, a description, and how to read on.
func (e Envelope) String() string {
	var b strings.Builder
	if e.Firewall.Triggered {
		shown := e.shown()
		fmt.Fprintf(&b, "the first %d of %d characters of %s:\n%s", utf8.RuneCountInString(shown), e.Firewall.OriginalChars, e.Firewall.ArtifactRef, shown)
	} else {
		b.WriteString(e.Summary)
	}
	if e.Shape != "" {
		b.WriteString("\nshape: " + e.Shape)
	}
	for _, f := range e.shownFacts() {
		b.WriteString("\n- " + f)
	}
	for _, a := range e.Artifacts {
		if a.Handle != e.Firewall.ArtifactRef {
			fmt.Fprintf(&b, "\nkept: %s (%s, %d bytes)", a.Handle, a.MediaType, a.SizeBytes)
		}
	}
	for i, v := range e.Views {
		text, err := json.Marshal(v)
		if err != nil {
			continue // selectors only have texts and numbers
		}
		if i == 0 {
			b.WriteString("\ntool_view reads it by")
		}
		b.WriteString(" " + string(text))
	}
	return strings.TrimPrefix(b.String(), "\n")
}
