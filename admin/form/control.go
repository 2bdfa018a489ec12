package form

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"trails/capability"
)

// Control is the kind of element that a field is filled in with.
type Control string

// The controls.
const (
	Line      Control = "line"      // one line of text
	Lines     Control = "lines"     // text of several lines
	JSON      Control = "json"      // one JSON value as text
	Select    Control = "select"    // one of a closed list
	Radios    Control = "radios"    // one of a short closed list
	Switch    Control = "switch"    // true, false, or not set
	Number    Control = "number"    // a number that browsers understand
	Date      Control = "date"      // a day that browsers understand
	Clock     Control = "clock"     // a time of day without an offset
	Moment    Control = "moment"    // a local date-time and its offset
	Reference Control = "reference" // a node, found by typing
)

const (
	fewOptions  = 4   // that radios show at once
	shortLine   = 200 // characters that one line holds
	longestLine = 100 // characters from which on a text gets several lines
)

// isClosed reports a control that offers a list with an entry for no value.
func isClosed(c Control) bool { return c == Select || c == Radios || c == Switch }

// controlOf chooses how a field is filled in. A browser drops a value that its date
// and number inputs do not understand; such a value stands in a plain line.
func controlOf(f capability.Field, e Entry) Control {
	switch {
	case e.JSON:
		return JSON
	case f.NodeType != "":
		return Reference
	case f.OneOf != nil && (f.Many || len(f.OneOf) > fewOptions):
		return Select
	case f.OneOf != nil:
		return Radios
	}
	choose, ok := controls[f.Type]
	if !ok {
		long := slices.ContainsFunc(e.Texts, func(text string) bool {
			return strings.Contains(text, "\n") || utf8.RuneCountInString(text) > longestLine
		})
		switch {
		case long:
			return Lines
		case f.Type != capability.String && f.Type != capability.LangString, f.Unique, f.Pattern != "", f.HasValue != nil, slices.Contains(oneLiners, strings.ToLower(f.Name)):
			return Line
		case f.MaxLength != nil:
			return either(*f.MaxLength <= shortLine, Line, Lines)
		}
		return either(f.Many, Line, Lines)
	}
	return choose(f, e)
}

var controls = map[capability.Type]func(capability.Field, Entry) Control{
	capability.Boolean: func(f capability.Field, _ Entry) Control { return either(f.Many, Select, Switch) },
	capability.Integer: numberControl,
	capability.Number:  numberControl,
	capability.Date: func(_ capability.Field, e Entry) Control {
		return either(e.all(isDay), Date, Line)
	},
	capability.DateTime: func(f capability.Field, e Entry) Control {
		return either(!f.Many && e.all(isMoment), Moment, Line)
	},
	capability.Decimal:    alwaysLine, // a number input may round
	capability.BigInteger: alwaysLine,
	capability.Time: func(_ capability.Field, e Entry) Control { // a time input has no offset
		return either(e.all(isClock), Clock, Line)
	},
	capability.Duration: alwaysLine,
	capability.Year:     alwaysLine,
	capability.Vector:   func(capability.Field, Entry) Control { return JSON },
	capability.Object:   func(capability.Field, Entry) Control { return JSON },
	capability.Any:      func(capability.Field, Entry) Control { return JSON },
	capability.Text:     func(capability.Field, Entry) Control { return JSON },
	capability.Bytes:    func(capability.Field, Entry) Control { return Lines },
}

func alwaysLine(capability.Field, Entry) Control { return Line }

func numberControl(_ capability.Field, e Entry) Control {
	return either(e.all(plainNumber.MatchString), Number, Line)
}

func either(ok bool, a, b Control) Control {
	if ok {
		return a
	}
	return b
}

// all reports whether every value that was typed is understood by the control.
func (e Entry) all(understood func(string) bool) bool {
	return !slices.ContainsFunc(e.Texts, func(text string) bool { return text != "" && !understood(text) })
}

// oneLiners are fields that hold one line by their very name.
var oneLiners = []string{"id", "name", "title", "label", "code", "key", "branch", "message", "if_commit", "before", "uri", "type", "property", "prefix"}

var (
	moment = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(Z|[+-]\d\d:\d\d|)$`)
	// minutes is a local date-time as browsers shorten it.
	minutes = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d$`)
	// clock is a time of day as browsers take it, with or without the seconds that they leave out.
	clock       = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$`)
	plainNumber = regexp.MustCompile(`^-?\d{1,15}(\.\d{1,15})?$`)
)

// isDay reports a day that a date input takes: it empties itself on all else.
func isDay(text string) bool {
	t, err := time.Parse(time.DateOnly, text)
	return err == nil && t.Year() >= 1
}

func isClock(text string) bool { return clock.MatchString(text) }

func isMoment(text string) bool { return moment.MatchString(text) && isDay(text[:len(time.DateOnly)]) }

// splitZone takes a date-time apart into what a browser's input holds and its offset.
func splitZone(text string) (local, zone string) {
	m := moment.FindStringSubmatch(text)
	if m == nil {
		return text, "Z"
	}
	return m[1], m[2]
}

// joinZone is the inverse of splitZone. Browsers leave out seconds that are zero.
func joinZone(local, zone string) string {
	if local == "" {
		return ""
	}
	if minutes.MatchString(local) {
		local += ":00"
	}
	return local + strings.TrimSpace(zone)
}

// rowsOf returns the rows of a field: its values, and in a list at least one to
// write the next into.
func rowsOf(f Field, e Entry, bad map[string]bool) []Row {
	texts, blank := e.Texts, 0
	switch {
	case f.Many:
		texts, blank = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }), max(e.blank, 1)
	case len(texts) > 1:
		texts = []string{strings.Join(texts, "\n")}
	}
	given := len(texts)
	rows := make([]Row, given+max(blank, 1-given))
	for i := range rows {
		rows[i].ID = f.ID
		if i < given {
			rows[i].Text, rows[i].Bad = texts[i], bad[texts[i]]
		}
		if i > 0 {
			rows[i].ID = fmt.Sprintf("%s-%d", f.ID, i+1)
		}
		if f.Control == Moment {
			rows[i].Text, rows[i].Zone = splitZone(rows[i].Text)
		}
	}
	return rows
}

// optionsOf lists what may be chosen. A value that is not of the list but stands in
// the field is offered, too: nothing that was given may vanish.
func optionsOf(f capability.Field, field Field) []Option {
	var values []string
	switch field.Control {
	case Switch:
		values = []string{"true", "false"}
	case Select, Radios:
		values = listed(f)
	case Line, Lines, JSON, Number, Date, Clock, Moment, Reference:
		return nil
	}
	options := []Option{{Value: "", Label: unset(f, field)}}
	for _, v := range values {
		options = append(options, Option{Value: v, Label: said(f, v)})
	}
	for _, r := range field.Rows {
		if !slices.ContainsFunc(options, func(o Option) bool { return o.Value == r.Text }) {
			options = append(options, Option{Value: r.Text, Label: r.Text, Foreign: true})
		}
	}
	for i := range options {
		options[i].ID = fmt.Sprintf("%s.%d", field.ID, i)
	}
	return options
}

// listed are the values of an enum as people read them.
func listed(f capability.Field) []string {
	if f.OneOf == nil {
		return []string{"true", "false"}
	}
	var values []string
	for _, v := range f.OneOf {
		if text := textOf(v); text != "" {
			values = append(values, text)
		}
	}
	return values
}

// said is a choice as people read it.
func said(f capability.Field, value string) string {
	if word, ok := map[string]string{"true": "yes", "false": "no"}[value]; ok && f.Type == capability.Boolean {
		return word
	}
	return value
}

// unset is the word for leaving a choice open.
func unset(f capability.Field, field Field) string {
	switch {
	case field.Nullable && !f.Many && began(field.Was):
		return "no value"
	case f.Default != nil:
		return "default (" + said(f, textOf(f.Default)) + ")"
	case f.Required:
		return "choose one"
	}
	return "not set"
}

// textOf is a JSON value as people type it.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool, int, int64, float64:
		return fmt.Sprint(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if text, tagged := taggedText(raw); tagged {
		return text
	}
	return string(raw)
}
