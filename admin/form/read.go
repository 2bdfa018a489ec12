package form

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/text/outline"
)

// What stands before a field's name in the names that a form posts.
const (
	ArgPrefix  = "arg."  // a value
	ZonePrefix = "zone." // the offset of a date-time
	NullPrefix = "null." // the choice to remove the value
	JSONPrefix = "json." // the value is JSON as a whole
	WasPrefix  = "was."  // the mark of the value that the form began with
	AddPrefix  = "add."  // the button that adds rows
	DropPrefix = "drop." // the button that removes the row it names
)

// MaxValues bounds how many values one form may post.
const MaxValues = 20_000

// Posted is what a browser sent.
type Posted struct {
	Entries map[string]Entry
	// Problems are values that no field takes.
	Problems []fault.FieldError
	// Rows reports that a button was pressed that adds or removes rows.
	Rows bool
}

// Read sorts a posted form by fields. Names that begin with "_" are the page's own.
func Read(shape capability.Shape, posted url.Values) Posted {
	out := Posted{Entries: map[string]Entry{}}
	total := 0
	for _, name := range slices.Sorted(maps.Keys(posted)) {
		if total += len(posted[name]); total > MaxValues {
			out.Problems = append(out.Problems, fault.FieldError{Code: fault.MaxCount, Message: fmt.Sprintf("the form has more than %d values", MaxValues)})
			break
		}
		if strings.HasPrefix(name, "_") {
			continue
		}
		prefix, field, _ := strings.Cut(name, ".")
		_, known := shape.Field(field)
		step := readers[prefix+"."]
		if !known || step == nil {
			out.Problems = append(out.Problems, foreign(shape, field, name, posted.Get(name)))
			continue
		}
		e := out.Entries[field]
		step(&out, &e, posted[name])
		out.Entries[field] = e
	}
	for name, e := range out.Entries {
		f, _ := shape.Field(name)
		if open := len(e.Texts) == 1 && e.Texts[0] == ""; open && f.Nullable && !f.Many && began(e.Was) && isClosed(controlOf(f, e)) {
			e.Removed = true
			out.Entries[name] = e
		}
	}
	return out
}

// foreign is the problem of a value that no field takes.
func foreign(shape capability.Shape, field, name, value string) fault.FieldError {
	cut := func(text string) string { return outline.Begin(text, 40) }
	if field == "" {
		field = name
	}
	message := fmt.Sprintf("the form has no field %q", cut(field))
	if value != "" {
		message += fmt.Sprintf("; what it said (%q) was not used", cut(value))
	}
	var known []string
	for _, f := range shape.Fields {
		known = append(known, f.Name)
	}
	return fault.FieldError{Field: field, Code: fault.Closed, Message: message, Constraint: known}
}

// readers take the values of one name. Names come sorted: values before the button
// that drops one of them, and before offsets.
var readers = map[string]func(*Posted, *Entry, []string){
	ArgPrefix: func(_ *Posted, e *Entry, values []string) {
		e.Texts = append(e.Texts, Entry{Texts: values}.normal().Texts...)
	},
	ZonePrefix: func(_ *Posted, e *Entry, values []string) {
		if len(e.Texts) == 1 && len(values) == 1 {
			e.Texts[0] = joinZone(e.Texts[0], values[0])
		}
	},
	NullPrefix: func(_ *Posted, e *Entry, _ []string) { e.Removed = true },
	JSONPrefix: func(_ *Posted, e *Entry, _ []string) { e.JSON = true },
	WasPrefix:  func(_ *Posted, e *Entry, values []string) { e.Was = values[0] },
	AddPrefix:  func(p *Posted, e *Entry, _ []string) { p.Rows = true; e.blank = moreRows },
	DropPrefix: func(p *Posted, e *Entry, values []string) {
		p.Rows = true
		if i, err := strconv.Atoi(values[0]); err == nil && i >= 0 && i < len(e.Texts) {
			e.Texts = slices.Delete(slices.Clone(e.Texts), i, i+1)
		}
	},
}
