package form

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"trails/capability"
	"trails/fault"
	"trails/rdf"
	"trails/text/jsontext"
)

// Entry is the value of one field on its way between JSON and a browser. The zero
// Entry is a field that is left empty.
type Entry struct {
	// Texts are the values as people type them; empty ones do not count.
	Texts []string
	// Removed is the explicit choice to remove the value: null.
	Removed bool
	// JSON means that the one text is the whole value as JSON.
	JSON bool
	// Was is the mark of the value that the form began with, see [Mark].
	Was string
	// Held says of what is there and was not sent along, because it is too long.
	Held string

	blank int // empty rows asked for
}

// moreRows is how many rows one press of the button adds.
const moreRows = 3

// began reports that a form began with a value under this mark.
func began(mark string) bool { return mark != "" && mark != wasAbsent }

// Marks of a value that the form began with, besides its digest.
const (
	wasAbsent = "-"
	wasHeld   = "held"
)

// Mark names a value without repeating it: a form carries it, so that it can be told
// later whether the field was touched. The empty value has one, too.
func Mark(value json.RawMessage) string {
	if value == nil {
		return wasAbsent
	}
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:12])
}

// value returns the JSON of the entry, nil when it is left empty.
func (e Entry) value(f capability.Field) (json.RawMessage, *fault.FieldError) {
	switch {
	case e.Removed && !f.Nullable:
		return nil, problem(f, fault.Required, nil, "%s cannot be removed", f.Name)
	case e.Removed:
		return json.RawMessage("null"), nil
	case e.JSON:
		return jsonValue(f, strings.Join(e.Texts, "\n"))
	case f.Many:
		var elements [][]byte
		for _, text := range e.Texts {
			v, wrong := single(f, text)
			if wrong != nil {
				return nil, wrong
			}
			if v != nil {
				elements = append(elements, v)
			}
		}
		if elements == nil {
			return nil, nil
		}
		return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']'), nil
	case len(e.Texts) > 1:
		return nil, problem(f, fault.MaxCount, nil, "%s takes one value, not %d", f.Name, len(e.Texts))
	case len(e.Texts) == 0:
		return nil, nil
	}
	return single(f, e.Texts[0])
}

// single reads one value as its type asks. Text that does not fit stays text.
func single(f capability.Field, text string) (json.RawMessage, *fault.FieldError) {
	if !utf8.ValidString(text) {
		return nil, problem(f, fault.Datatype, nil, "%s is not valid UTF-8", f.Name)
	}
	if f.Type != capability.String && f.Type != capability.LangString {
		text = strings.TrimSpace(text)
	}
	switch {
	case text == "":
		return nil, nil
	case f.Type == capability.Time && isClock(text) && len(text) == len("12:00"): // as browsers shorten it
		return quoted(text + ":00"), nil
	case isJSON(f.Type):
		return jsonValue(f, text)
	case f.Type == capability.LangString:
		return taggedValue(text), nil
	case f.Type == capability.Boolean && (text == "true" || text == "false"), isNumber(f.Type) && isJSONNumber(text):
		return json.RawMessage(text), nil
	}
	return quoted(text), nil
}

// isJSON reports whether people type values of the type as JSON.
func isJSON(t capability.Type) bool {
	return t == capability.Vector || t == capability.Object || t == capability.Any || t == capability.Text
}

// tagged is text with its language as JSON has it.
type tagged struct {
	Text *string `json:"value"`
	Lang *string `json:"lang"`
}

// taggedValue reads text with its language as people type it, or as JSON. What has none stays
// text.
func taggedValue(typed string) json.RawMessage {
	if _, isJSON := taggedText([]byte(typed)); isJSON {
		return json.RawMessage(typed)
	}
	text, tag, ok := rdf.SplitLang(typed)
	if !ok {
		return quoted(typed)
	}
	raw, err := jsontext.Marshal(tagged{&text, &tag})
	if err != nil {
		panic("form: text is not JSON: " + err.Error())
	}
	return raw
}

// taggedText is the inverse of taggedValue; false for JSON that is no text with a language.
func taggedText(raw []byte) (string, bool) {
	var v tagged
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&v) != nil || v.Text == nil || v.Lang == nil || d.InputOffset() != int64(len(raw)) {
		return "", false
	}
	return *v.Text + "@" + *v.Lang, true
}

func isNumber(t capability.Type) bool {
	return t == capability.Integer || t == capability.Number || t == capability.Decimal
}

// isJSONNumber reports whether text is a number as JSON writes it; every digit of it
// is kept.
func isJSONNumber(text string) bool {
	return (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
}

func quoted(text string) json.RawMessage {
	b, err := jsontext.Marshal(text)
	if err != nil {
		panic("form: a string is not JSON: " + err.Error())
	}
	return b
}

// maxDepth bounds the nesting of what is typed as JSON.
const maxDepth = 64

// jsonValue reads text as one JSON value; empty text is none.
func jsonValue(f capability.Field, text string) (json.RawMessage, *fault.FieldError) {
	switch {
	case !utf8.ValidString(text):
		return nil, problem(f, fault.Datatype, nil, "%s is not valid UTF-8", f.Name)
	case strings.TrimSpace(text) == "":
		return nil, nil
	case jsontext.TooDeep([]byte(text), maxDepth):
		return nil, problem(f, fault.Datatype, nil, "%s nests deeper than %d levels", f.Name, maxDepth)
	}
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil { // unlike Compact it says where
		return nil, problem(f, fault.Datatype, nil, "%s is not JSON: %s", f.Name, whereJSONBreaks(text, err))
	}
	return json.RawMessage(compact(raw)), nil
}

// whereJSONBreaks says what is wrong with a text and where: line and column from 1.
func whereJSONBreaks(text string, err error) string {
	syntax, ok := err.(*json.SyntaxError) //nolint:errorlint // as the decoder returns it
	if !ok {
		return err.Error()
	}
	line, column := fault.Position(text, int(syntax.Offset)-1)
	return fmt.Sprintf("%s (line %d, column %d)", err, line, column)
}

func problem(f capability.Field, code fault.Code, value any, format string, args ...any) *fault.FieldError {
	return &fault.FieldError{Field: f.Name, Code: code, Value: value, Message: fmt.Sprintf(format, args...)}
}
