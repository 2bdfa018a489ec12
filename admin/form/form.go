// Package form turns the input shape of a capability into a form that a person
// fills in, and what a browser posts of it back into the arguments of a call. It
// draws nothing and calls nothing: pages draw the model and make the call.
//
// It judges as little as it can. What does not fit its field goes on as text, for
// the call to refuse in the same words as at every other door; only what cannot be
// said in JSON at all is refused here.
//
// Read [Entry] first: it is a field's value between JSON and a browser. Then
// [Fill], which makes entries of arguments, [Read], which makes them of a posted
// form, [Arguments], which makes JSON of them, and [New], which makes the model.
package form

import (
	"slices"
	"strings"

	"trails/capability"
	"trails/fault"
)

// Form is what a page draws. The zero Form has no field.
type Form struct {
	Fields []Field
	// Problems are all errors in the order of the fields, those of no field last.
	Problems []Problem
}

// Problem is one error with the place where it can be mended.
type Problem struct {
	// Field is the id of the element to go to; empty when no field is to blame.
	Field string
	// Of is that field.
	Of      Field
	Message string
}

// Field is one field as a page shows it.
type Field struct {
	// Name is the argument's; ID is what elements of the page are called by.
	Name, ID string
	// Title is what the schema calls the field; "" leaves it to [Field.Label].
	Title       string
	Description string
	Hints       []string // what the constraints ask, in words
	Type        capability.Type
	Control     Control
	Required    bool
	Many        bool
	// Rows are the values, at least one; a field of one value has exactly one row.
	Rows    []Row
	Options []Option
	// NodeType names the type that a reference points to.
	NodeType string
	// Nullable offers to remove the value; Removed says that this was chosen.
	Nullable, Removed bool
	// Whole means that the one row is the whole value as JSON.
	Whole bool
	// Was is the mark of the value that the form began with; "" when it began empty.
	Was string
	// Held is the note on a value that is there and was not sent along; "" for none.
	Held string
	// HasErrors and Errors are what is wrong with it.
	Errors []string

	Min, Max, Step       string
	MinLength, MaxLength string
	Pattern              string
	InputMode            string
	Placeholder          string
}

// Row is one value.
type Row struct {
	ID   string
	Text string
	// Zone is the offset of a date-time whose Text is the local part.
	Zone string
	// Bad reports that an error is about this value.
	Bad bool
}

// Option is one value of a closed list.
type Option struct {
	ID, Value, Label string
	// Foreign marks a value that is not of the list but stands in the field.
	Foreign bool
}

// Wrong reports whether anything is wrong with the field.
func (f Field) Wrong() bool { return len(f.Errors) > 0 }

// Label is the name as people read it: of a field of an object, the field's.
func (f Field) Label() string { return f.Name[strings.LastIndexByte(f.Name, '.')+1:] }

// New returns the model of a form for shape with these entries and errors. Fields
// without an entry are empty.
func New(shape capability.Shape, entries map[string]Entry, problems []fault.FieldError) Form {
	var out Form
	for _, f := range shape.Fields {
		field := fieldOf(f, entries[f.Name], problems)
		out.Fields = append(out.Fields, field)
		for _, message := range field.Errors {
			out.Problems = append(out.Problems, Problem{Field: field.Target(), Of: field, Message: message})
		}
	}
	for _, p := range problems {
		if !slices.ContainsFunc(shape.Fields, func(f capability.Field) bool { return isAbout(p, f.Name) }) {
			out.Problems = append(out.Problems, Problem{Message: p.String()})
		}
	}
	return out
}

// isAbout reports whether an error is about a field; one of a compound key is about
// each of its properties.
func isAbout(p fault.FieldError, name string) bool {
	return p.Field == name || strings.Contains(p.Field, ",") && slices.Contains(strings.Split(p.Field, ","), name)
}

// Target is the id of the element that takes the focus when something is wrong.
func (f Field) Target() string {
	if f.Control == Radios || f.Control == Switch {
		return f.Options[0].ID
	}
	for _, r := range f.Rows {
		if r.Bad {
			return r.ID
		}
	}
	return f.Rows[0].ID
}

// ID is what the elements of a field are called by.
func ID(field string) string { return "f-" + strings.ReplaceAll(field, ".", "-") }

func fieldOf(f capability.Field, e Entry, problems []fault.FieldError) Field {
	out := Field{
		Name: f.Name, ID: ID(f.Name), Title: f.Label, Description: f.Description, Hints: hints(f), Type: f.Type, Required: f.Required,
		Many: f.Many && !e.JSON, NodeType: f.NodeType, Nullable: f.Nullable, Removed: e.Removed, Whole: e.JSON, Was: e.Was, Held: e.Held,
		Control: controlOf(f, e),
	}
	// The constraints that HTML can express help the person who types; the call judges.
	out.MinLength, out.MaxLength, out.Pattern = count(f.MinLength), count(f.MaxLength), anywhere(f.Pattern)
	if out.Control != Moment { // bounds of a moment have an offset, which HTML does not take
		out.Min, out.Max = bound(f.MinValue), bound(f.MaxValue)
	}
	out.Step, out.InputMode, out.Placeholder = steps[f.Type], inputModes[f.Type], placeholders[f.Type]
	if f.NodeType != "" {
		out.Placeholder = f.Reference()
	}
	bad := map[string]bool{}
	for _, p := range problems {
		if !isAbout(p, f.Name) {
			continue
		}
		out.Errors = append(out.Errors, p.Message)
		if p.Value != nil {
			bad[textOf(p.Value)] = true
		}
	}
	if out.Removed && out.closed() {
		e.Texts = nil
	}
	out.Rows = rowsOf(out, e, bad)
	out.Options = optionsOf(f, out)
	return out
}

// Group reports a field of several elements: rows, or choices.
func (f Field) Group() bool { return f.Many || f.Control == Radios || f.Control == Switch }

// DescribedBy are the ids of what says more about the field.
func (f Field) DescribedBy() string {
	if f.Wrong() {
		return f.ID + "-errors " + f.ID + "-about"
	}
	return f.ID + "-about"
}

// CanRemove reports that there is a value to remove, and no choice that says so.
func (f Field) CanRemove() bool {
	return f.Nullable && !f.closed() && (f.Removed || began(f.Was))
}

// closed reports a field whose one value is chosen from a list: to choose none of it is
// to have no value.
func (f Field) closed() bool { return !f.Many && isClosed(f.Control) }

// Height is how many lines of a row's text are shown at once.
func (f Field) Height(r Row) int { return min(max(2, 1+strings.Count(r.Text, "\n")), 20) }
