package capability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"trails/schema"
	"trails/text/jsontext"
)

// Lenient returns the members of a JSON object as the shape means them, where JSON Schema and
// hosts write them otherwise, and a sentence about each that was guessed:
//
//   - an integer may be written as 5.0 or 1e1, for JSON Schema says that it is one;
//   - null for what may be left out, and has no null of its own, is left out;
//   - a list or an object, and a number or a truth value, may come as its JSON text, which
//     several hosts make of it;
//   - one text stands for the list that it would be alone in.
//
// The values that it is given stay as they are. What is not of the shape stays, too, and
// [Shape.Check] refuses it.
func (s Shape) Lenient(values map[string]any) (map[string]any, []string) {
	l := lenience{typed: s.NodeType != ""}
	values = l.object("", s.Fields, values)
	if more := l.guesses - maxGuesses; more > 0 {
		l.sentences = append(l.sentences, fmt.Sprintf("so did %d more of the values", more))
	}
	return values, l.sentences
}

// maxGuesses is how many guesses are said one by one: a vector may have thousands.
const maxGuesses = 20

// lenience collects the sentences about guesses.
type lenience struct {
	typed     bool // a typed write accepts one value for a list itself
	guesses   int
	sentences []string
}

func (l *lenience) guess(place, format string) {
	if l.guesses++; l.guesses <= maxGuesses {
		l.sentences = append(l.sentences, fmt.Sprintf(format, place))
	}
}

func (l *lenience) object(place string, fields []Field, values map[string]any) map[string]any {
	out := maps.Clone(values)
	for i := range fields {
		f := &fields[i]
		v, given := out[f.Name]
		switch {
		case !given:
		case v == nil && !f.Required && !f.Nullable && f.Type != Any:
			delete(out, f.Name)
		case v != nil:
			out[f.Name] = l.value(place+f.Name, f, v)
		}
	}
	return out
}

func (l *lenience) value(place string, f *Field, v any) any {
	text, isText := v.(string)
	if !f.Many {
		return l.one(place, f, v)
	}
	list, isList := v.([]any)
	if isText {
		if list, isList = ListIn(text); isList {
			l.guess(place, "%s came as the text of a JSON array, and was read as the array; send the array itself")
		} else if !l.typed && (f.Type == String || f.Type == IRI) {
			list, isList = []any{text}, true
			l.guess(place, "%s came as one text, and was read as a list of it alone; send a JSON array")
		}
	}
	switch {
	case !isList && l.typed:
		return l.one(place, f, v)
	case !isList:
		return v
	}
	out := make([]any, len(list))
	for i, member := range list {
		out[i] = l.one(fmt.Sprintf("%s[%d]", place, i), f, member)
	}
	return out
}

// one reads one value of a field, a member of the list where it has many.
func (l *lenience) one(place string, f *Field, v any) any {
	switch f.Type { //nolint:exhaustive // the others are written in one way
	case Boolean:
		text, _ := v.(string)
		if text = strings.TrimSpace(text); text == "true" || text == "false" {
			l.guess(place, "%s came as the text of a JSON boolean, and was read as the boolean; send the boolean itself")
			return text == "true"
		}
	case Integer, Number, Decimal:
		v = l.number(place, f, v)
		if f.Type != Integer {
			return v
		}
		if n, isNumber := v.(json.Number); isNumber {
			digits, whole := schema.Whole(string(n))
			if _, err := strconv.ParseInt(digits, 10, 64); whole && err == nil {
				return json.Number(digits)
			}
		}
	case Vector:
		if text, isText := v.(string); isText {
			if list, isList := ListIn(text); isList {
				l.guess(place, "%s came as the text of a JSON array, and was read as the array; send the array itself")
				v = list
			}
		}
		if list, isList := v.([]any); isList {
			out, component := make([]any, len(list)), Field{Type: Number}
			for i := range list {
				out[i] = l.number(fmt.Sprintf("%s[%d]", place, i), &component, list[i])
			}
			return out
		}
	case Object, LangString:
		members, isObject := v.(map[string]any)
		if text, isText := v.(string); isText {
			if members, isObject = jsonIn[map[string]any](text, '{'); isObject {
				l.guess(place, "%s came as the text of a JSON object, and was read as the object; send the object itself")
			}
		}
		if isObject {
			return l.object(place+".", f.Fields, members)
		}
	}
	return v
}

// number reads one number that may be the text of it.
func (l *lenience) number(place string, f *Field, v any) any {
	text, _ := v.(string)
	n := json.Number(strings.TrimSpace(text))
	if digit := strings.TrimLeft(string(n), "-"); digit == "" || digit[0] < '0' || digit[0] > '9' || !json.Valid([]byte(n)) || f.checkType(n) != nil {
		return v
	}
	l.guess(place, "%s came as the text of a JSON number, and was read as the number; send the number itself")
	return n
}

// ListIn returns the list in a JSON text.
func ListIn(text string) ([]any, bool) { return jsonIn[[]any](text, '[') }

// jsonIn returns the value in a JSON text, if arguments may have it.
func jsonIn[T any](text string, begins byte) (v T, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != begins || jsontext.TooDeep([]byte(text), deepestText) || jsontext.TooWide([]byte(text), jsontext.MaxMembers) {
		return v, false
	}
	if _, lone := jsontext.LoneSurrogate([]byte(text)); lone {
		return v, false
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return v, false
	}
	if _, err := d.Token(); err != io.EOF {
		return v, false
	}
	_, twice := jsontext.Repeated([]byte(text))
	return v, !twice
}

// deepestText bounds the nesting of JSON that comes as a text.
const deepestText = 32
