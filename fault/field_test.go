package fault_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
)

func TestFieldsAreSortedAndRepeatsAreDropped(t *testing.T) {
	at := func(field string, code fault.Code, source string) fault.FieldError {
		return fault.FieldError{Field: field, Code: code, Message: field + " is wrong", Source: source}
	}
	err := fault.Invalid([]fault.FieldError{
		at("b", fault.Required, ""), at("a", fault.Required, "f:10"), at("a", fault.Required, "f:9"), at("a", fault.Pattern, "f:11"),
		at("a", fault.Required, "f:9"), {Node: "Note/1", Field: "a"},
	})
	twice := at("a", fault.Required, "f:9")
	twice.Times, twice.Places = 2, []string{"f:9", "f:10"}
	want := []fault.FieldError{
		at("a", fault.Pattern, "f:11"), twice, at("b", fault.Required, ""), {Node: "Note/1", Field: "a"},
	}
	if diff := cmp.Diff(want, err.Fields); diff != "" {
		t.Error(diff)
	}
	if got := err.Message; got != "validation failed on 5 fields" {
		t.Errorf("the message counts otherwise than the list: %s", got)
	}
}

func TestAFieldErrorSaysWhereAndOfWhat(t *testing.T) {
	for want, f := range map[string]fault.FieldError{
		"title is required":                      {Message: "title is required"},
		"Note/1: title is required":              {Message: "title is required", Node: "Note/1"},
		"notes:3: Note/1: title is required":     {Message: "title is required", Node: "Note/1", Source: "notes:3"},
		"notes:3: Note/1 does not exist":         {Message: "Note/1 does not exist", Node: "Note/1", Source: "notes:3"},
		"notes:3: the line is not valid UTF-8 …": {Message: "the line is not valid UTF-8 …", Source: "notes:3"},
	} {
		if got := f.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAFaultCountsAllFieldsAndKeepsTheFirst(t *testing.T) {
	fields := make([]fault.FieldError, 5000)
	for i := range fields {
		fields[i] = fault.FieldError{Field: fmt.Sprintf("f%04d", 4999-i), Code: fault.Closed}
	}
	err := fault.Arguments(fields...)
	shown, more := err.Shown()
	if err.Count != 5000 || err.Message != "invalid arguments: 5000 fields" || len(err.Fields) != 1000 || len(shown) != 100 || !more || shown[99].Field != "f0099" {
		t.Errorf("got %d of %d, shown %d: %s", len(err.Fields), err.Count, len(shown), err.Message)
	}
	if shown, more := fault.Arguments(fields[:100]...).Shown(); len(shown) != 100 || more {
		t.Errorf("of a hundred: %d, %v", len(shown), more)
	}
}

func TestAFaultTellsWhatIsAlikeOnce(t *testing.T) {
	fields := []fault.FieldError{{Field: "title", Code: fault.Required, Message: "title is required"}}
	for i := range 20 {
		fields = append(fields, fault.FieldError{Field: fmt.Sprintf("platform[%02d]", i), Code: fault.OneOf, Message: "platform must be one of a, b", Value: i})
	}
	all := fault.Of(fault.Invalid(fields))
	for most, want := range map[int]string{
		2000: "validation failed on 21 fields\nplatform must be one of a, b (and so 19 more: platform[01], platform[02], …)\ntitle is required",
		120:  "validation failed on 21 fields\nplatform must be one of a, b (and so 19 more: platform[01], platform[02], …)\nand 1 more",
	} {
		if got := all.Told(most); got != want {
			t.Errorf("%d: got %q", most, got)
		}
	}
	if got := fault.New(fault.Conflict, "R1 exists").Told(2000); got != "R1 exists" {
		t.Errorf("got %q", got)
	}
}

// Whatever is wrong with a hundred fields, an answer has room for them.
func TestShownFieldsAreBounded(t *testing.T) {
	long := strings.Repeat("\x01é\"", 1_000)
	for _, n := range []int{1, 7, 100, 1000} {
		var fields []fault.FieldError
		for i := range n {
			fields = append(fields, fault.FieldError{Field: fmt.Sprintf("%d%s", i, long), Code: fault.OneOf, Message: long, Value: []string{long}, Constraint: strings.Split(long, ""), Node: long, Source: long})
		}
		e := fault.Invalid(fields)
		shown, _ := e.Shown()
		text, err := json.Marshal(shown)
		if err != nil || len(text) > 16_100 || !utf8.Valid(text) {
			t.Errorf("%d fields are %d bytes, %v", n, len(text), err)
		}
		if told := e.Told(2_000); len(told) > 2_100 || !utf8.ValidString(told) {
			t.Errorf("%d fields are told in %d bytes", n, len(told))
		}
	}
	if told := fault.New(fault.Conflict, "%s", long).Told(2_000); len(told) > 2_010 {
		t.Errorf("a message of %d bytes", len(told))
	}
}

// Mistakes of one kind are one entry, whatever the values, nodes and places are, and others
// are not: a message that says something else is another kind.
func TestMistakesOfOneKindAreOneEntry(t *testing.T) {
	var fields []fault.FieldError
	for i := range 200 {
		fields = append(fields, fault.FieldError{Field: "Full time", Code: fault.Datatype, Value: fmt.Sprint("yes", i), Constraint: "boolean",
			Message: fmt.Sprintf(`Full time: "yes%d" is no boolean`, i), Source: fmt.Sprintf("p.csv:%d:7", i+2)})
	}
	for _, id := range []string{"a", "b"} {
		node := "Person/" + id
		fields = append(fields, fault.FieldError{Field: "id", Code: fault.Unique, Value: node, Node: node, Message: node + " exists already"},
			fault.FieldError{Field: "id", Code: fault.Unique, Value: node, Node: node, Message: node + " is given twice"})
	}
	e := fault.Invalid(fields)
	want := "validation failed on 204 fields\n" +
		`p.csv:2:7: Full time: "yes0" is no boolean (and so 199 more: p.csv:3:7, p.csv:4:7, …)` +
		"\nPerson/a exists already (and so 1 more: Person/b)\nPerson/a is given twice (and so 1 more: Person/b)"
	if got := e.Told(2000); got != want || e.Count != 204 {
		t.Errorf("%d: %s", e.Count, got)
	}
	if again := fault.Invalid(append(e.Fields, fault.FieldError{Field: "Full time", Code: fault.Datatype, Constraint: "boolean", Message: `Full time: "no" is no boolean`})); again.Count != 205 || len(again.Fields) != 3 {
		t.Errorf("of entries that are several already: %d, %v", again.Count, again.Fields)
	}
	if text, err := json.Marshal(e.Fields); err != nil || len(text) > 1000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// Names that do not exist are each an entry, however often one is written.
func TestUnknownNamesAreEntriesOfTheirOwn(t *testing.T) {
	var fields []fault.FieldError
	for i, name := range []string{"titel", "statis", "titel"} {
		fields = append(fields, fault.FieldError{Field: fmt.Sprintf("where[%d].property", i), Code: fault.Closed, Value: name, Message: fmt.Sprintf("Note has no property %q", name)})
	}
	want := "Note has no property \"titel\" (and so 1 more: where[2].property)\nNote has no property \"statis\""
	if e := fault.Arguments(fields...); e.Count != 3 || !strings.HasSuffix(e.Told(2000), want) {
		t.Errorf("%d: %s", e.Count, e.Told(2000))
	}
}
