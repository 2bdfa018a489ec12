package form_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/admin/form"
	"trails/capability"
	"trails/fault"
	"trails/text/jsontext"
)

func ptr[T any](v T) *T { return &v }

func shapeOf(fields ...capability.Field) capability.Shape {
	return capability.Shape{Fields: fields, Closed: true}
}

// browse is what a browser posts of a form that nobody touched.
func browse(m form.Form) url.Values {
	posted := url.Values{}
	for _, f := range m.Fields {
		if f.Was != "" {
			posted.Add(form.WasPrefix+f.Name, f.Was)
		}
		if f.Removed {
			posted.Add(form.NullPrefix+f.Name, "1")
		}
		if f.Whole {
			posted.Add(form.JSONPrefix+f.Name, "1")
		}
		for _, r := range f.Rows {
			posted.Add(form.ArgPrefix+f.Name, asPosted(f.Control, r.Text))
			if f.Control == form.Moment {
				posted.Add(form.ZonePrefix+f.Name, r.Zone)
			}
		}
	}
	return posted
}

// asPosted is what a browser makes of a value (HTML, value sanitization and the
// submission of line ends).
func asPosted(c form.Control, text string) string {
	text = strings.ReplaceAll(text, "\x00", "\ufffd")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	switch c {
	case form.Moment:
		return strings.TrimSuffix(text, ":00")
	case form.Clock:
		if len(text) == len("12:00:00") {
			return strings.TrimSuffix(text, ":00")
		}
		return text
	case form.Lines, form.JSON:
		return strings.ReplaceAll(text, "\n", "\r\n")
	case form.Line, form.Number, form.Date, form.Reference:
		return strings.ReplaceAll(text, "\n", "")
	case form.Select, form.Radios, form.Switch:
	}
	return text
}

// values are generators of JSON for each type, on and off what it takes.
var values = map[capability.Type]*rapid.Generator[any]{
	capability.String:     texts.AsAny(),
	capability.Boolean:    rapid.Bool().AsAny(),
	capability.Integer:    numbers(`-?(0|[1-9][0-9]{0,14})`),
	capability.Number:     numbers(`-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,2})?`),
	capability.Decimal:    numbers(`-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?`),
	capability.BigInteger: rapid.StringMatching(`-?[1-9][0-9]{0,60}`).AsAny(),
	capability.Date:       rapid.StringMatching(`[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])Z?`).AsAny(),
	capability.DateTime:   rapid.StringMatching(`20[0-9]{2}-0[1-9]-[0-2][0-9]T[01][0-9]:[0-5][0-9]:(00|[0-5][0-9])(\.[0-9]{1,6})?(Z|[+-]0[0-9]:00|)`).AsAny(),
	capability.Time:       rapid.StringMatching(`[01][0-9]:[0-5][0-9]:[0-5][0-9]Z?`).AsAny(),
	capability.Duration:   rapid.StringMatching(`P[1-9]D(T[1-9]H)?`).AsAny(),
	capability.Year:       rapid.StringMatching(`-?[0-9]{4}`).AsAny(),
	capability.URI:        rapid.StringMatching(`https://[a-z]{1,9}\.example/[a-z?=&+%#]{0,9}`).AsAny(),
	capability.IRI:        rapid.StringMatching(`([A-Z][a-z]{1,5}/|urn:x:)[a-zé]{1,9}`).AsAny(),
	capability.Bytes:      rapid.StringMatching(`([A-Za-z0-9+/]{4}){1,40}`).AsAny(),
	capability.LangString: rapid.Map(texts, func(text string) any { return map[string]any{"value": text, "lang": "en-GB"} }),
	capability.Vector:     rapid.SliceOfN(numbers(`-?(0|1)\.[0-9]{1,9}`), 0, 5).AsAny(),
	capability.Object:     rapid.MapOfN(texts, texts, 0, 3).AsAny(),
	capability.Any:        rapid.OneOf(texts.AsAny(), rapid.Bool().AsAny(), numbers(`[1-9][0-9]{0,30}`), rapid.Just[any](nil)),
}

var texts = rapid.OneOf(
	rapid.String(),
	rapid.StringMatching(`[a-z"<>&'\\ ]{0,12}`),
	rapid.SampledFrom([]string{"", " ", "a\nb", "a\r\nb", "\n", "true", "null", "12", "[1]", "\u202eabc", "\x00", strings.Repeat("long ", 60)}),
)

func numbers(pattern string) *rapid.Generator[any] {
	return rapid.Map(rapid.StringMatching(pattern), func(s string) any { return json.Number(s) })
}

// TestAFormSaysWhatTheArgumentsSaid draws a shape and arguments, makes the form,
// lets a browser post it untouched, and expects the arguments back.
func TestAFormSaysWhatTheArgumentsSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape, args := drawCall(t)
		model := form.New(shape, form.Fill(shape, args), nil)
		posted := form.Read(shape, browse(model))
		if len(posted.Problems) > 0 {
			t.Fatalf("a form of ours posts what it does not take: %v", posted.Problems)
		}
		got, wrong := form.Arguments(shape, posted.Entries)
		if len(wrong) > 0 {
			t.Fatalf("wrong: %v", wrong)
		}
		if diff := cmp.Diff(plain(args), plain(members(got))); diff != "" {
			t.Fatalf("%s\n%+v", diff, model)
		}
	})
}

// TestAnUntouchedUpdateChangesNothing is the same for a form that began with values.
func TestAnUntouchedUpdateChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape, args := drawCall(t)
		for i := range shape.Fields {
			shape.Fields[i].Nullable = true
		}
		posted := form.Read(shape, browse(form.New(shape, form.Begin(shape, args, nil), nil)))
		got, wrong := form.Arguments(shape, posted.Entries)
		if len(got) > 0 || len(wrong) > 0 {
			t.Fatalf("got %v, %v, want nothing", got, wrong)
		}
	})
}

func drawCall(t *rapid.T) (capability.Shape, map[string]json.RawMessage) {
	shape, args := capability.Shape{Closed: true}, map[string]json.RawMessage{}
	for _, typ := range slices.Sorted(maps.Keys(values)) {
		generator := values[typ]
		f := capability.Field{
			Name: string(typ), Type: typ, Many: rapid.Bool().Draw(t, "many"),
			Nullable: rapid.Bool().Draw(t, "nullable"), Required: rapid.Bool().Draw(t, "required"),
		}
		if rapid.Bool().Draw(t, "enum") && typ == capability.String {
			f.OneOf = []any{"", "a", "b"}
		}
		shape.Fields = append(shape.Fields, f)
		if !rapid.Bool().Draw(t, "given") {
			continue
		}
		args[f.Name] = drawValue(t, f, generator)
	}
	return shape, args
}

func drawValue(t *rapid.T, f capability.Field, generator *rapid.Generator[any]) json.RawMessage {
	var v any
	switch {
	case f.Nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0:
	case rapid.IntRange(0, 9).Draw(t, "misfit") == 0:
		v = rapid.OneOf(values[capability.String], values[capability.Decimal], values[capability.Vector]).Draw(t, "other")
	case f.Many:
		v = rapid.SliceOfN(generator, 0, 4).Draw(t, f.Name)
	default:
		v = generator.Draw(t, f.Name)
	}
	raw, err := jsontext.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func members(args []form.Argument) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, a := range args {
		out[a.Name] = a.Value
	}
	return out
}

// plain makes JSON comparable and keeps every digit of its numbers.
func plain(args map[string]json.RawMessage) map[string]any {
	out := map[string]any{}
	for name, raw := range args {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			v = err.Error()
		}
		out[name] = v
	}
	return out
}

func TestControls(t *testing.T) {
	enum := []any{"a", "b", "c", "d"}
	for _, c := range []struct {
		name  string
		field capability.Field
		args  string
		want  form.Control
	}{
		{"a title is one line", capability.Field{Name: "title", Type: capability.String}, `{}`, form.Line},
		{"a text without a bound gets several", capability.Field{Name: "reason", Type: capability.String}, `{}`, form.Lines},
		{"so does a title that has several", capability.Field{Name: "title", Type: capability.String}, `{"title":"a\nb"}`, form.Lines},
		{"a bounded text is one line", capability.Field{Name: "x", Type: capability.String, MaxLength: ptr(80)}, `{}`, form.Line},
		{"a short list shows its values", capability.Field{Name: "x", Type: capability.String, OneOf: enum}, `{}`, form.Radios},
		{"a longer one is a select", capability.Field{Name: "x", Type: capability.String, OneOf: append(enum, "e")}, `{}`, form.Select},
		{"many of a list are selects", capability.Field{Name: "x", Type: capability.String, OneOf: enum, Many: true}, `{}`, form.Select},
		{"a boolean may be left open", capability.Field{Name: "x", Type: capability.Boolean}, `{}`, form.Switch},
		{"an integer", capability.Field{Name: "x", Type: capability.Integer}, `{"x":5}`, form.Number},
		{"a number that browsers drop", capability.Field{Name: "x", Type: capability.Number}, `{"x":1e400}`, form.Line},
		{"a decimal keeps its digits", capability.Field{Name: "x", Type: capability.Decimal}, `{}`, form.Line},
		{"a day", capability.Field{Name: "x", Type: capability.Date}, `{"x":"2024-02-29"}`, form.Date},
		{"a day that is in no calendar stays readable", capability.Field{Name: "x", Type: capability.Date}, `{"x":"2023-02-29"}`, form.Line},
		{"a moment", capability.Field{Name: "x", Type: capability.DateTime}, `{"x":"2024-05-31T12:00:00+02:00"}`, form.Moment},
		{"a moment with a fraction", capability.Field{Name: "x", Type: capability.DateTime}, `{"x":"2024-05-31T12:00:00.5Z"}`, form.Line},
		{"a reference", capability.Field{Name: "x", Type: capability.IRI, NodeType: "Note"}, `{}`, form.Reference},
		{"an object", capability.Field{Name: "x", Type: capability.Object}, `{}`, form.JSON},
		{"what its field cannot show", capability.Field{Name: "x", Type: capability.Boolean}, `{"x":"yes or no"}`, form.Switch},
		{"an empty text", capability.Field{Name: "x", Type: capability.String}, `{"x":""}`, form.JSON},
	} {
		t.Run(c.name, func(t *testing.T) {
			shape := shapeOf(c.field)
			var args map[string]json.RawMessage
			if err := json.Unmarshal([]byte(c.args), &args); err != nil {
				t.Fatal(err)
			}
			if got := form.New(shape, form.Fill(shape, args), nil).Fields[0].Control; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	shape := shapeOf(
		capability.Field{Name: "title", Type: capability.String, Required: true},
		capability.Field{Name: "size", Type: capability.Integer},
		capability.Field{Name: "price", Type: capability.Decimal},
		capability.Field{Name: "done", Type: capability.Boolean},
		capability.Field{Name: "tags", Type: capability.String, Many: true},
		capability.Field{Name: "extra", Type: capability.Any},
		capability.Field{Name: "day", Type: capability.Date, Nullable: true},
		capability.Field{Name: "at", Type: capability.DateTime},
	)
	for _, c := range []struct{ name, posted, args, wrong string }{
		{"an empty form says nothing", "arg.title=&arg.size=&arg.tags=&arg.tags=&zone.at=Z", `{}`, ""},
		{"a form without fields says nothing", "", `{}`, ""},
		{"values are of their type", "arg.title=T&arg.size=+5+&arg.done=false&arg.tags=a&arg.tags=&arg.tags=b", `{"title":"T","size":5,"done":false,"tags":["a","b"]}`, ""},
		{"every digit is kept", "arg.price=10.1000000000000000000000001", `{"price":10.1000000000000000000000001}`, ""},
		{"what does not fit goes on as text", "arg.size=five&arg.price=1,5&arg.done=maybe", `{"size":"five","price":"1,5","done":"maybe"}`, ""},
		{"spaces belong to a text", "arg.title=+a+", `{"title":" a "}`, ""},
		{"line ends are of one kind", "arg.title=a%0D%0Ab", `{"title":"a\nb"}`, ""},
		{"a value is removed on purpose", "null.day=1", `{"day":null}`, ""},
		{"a required one is not", "null.title=1", `{}`, "title cannot be removed"},
		{"a moment is put together", "arg.at=2024-05-31T12:00&zone.at=%2B02:00", `{"at":"2024-05-31T12:00:00+02:00"}`, ""},
		{"one value, not two", "arg.title=a&arg.title=b", `{}`, "title takes one value, not 2"},
		{"JSON keeps its digits", `arg.extra={"n":1.10}`, `{"extra":{"n":1.10}}`, ""},
		{"broken JSON is told with its place", "arg.extra=%7B%0A++%22a%22:+oops%0A%7D", `{}`, "extra is not JSON: invalid character 'o' looking for beginning of value (line 2, column 8)"},
		{"JSON that is cut short", `arg.extra=[1,`, `{}`, "extra is not JSON: unexpected end of JSON input (line 1, column 3)"},
		{"two JSON values", `arg.extra=1+2`, `{}`, "extra is not JSON: invalid character '2' after top-level value (line 1, column 3)"},
		{"what is not UTF-8", "arg.title=%ff", `{}`, "title is not valid UTF-8"},
		{"a field that is not there", "arg.colour=red", `{}`, `the form has no field "colour"; what it said ("red") was not used`},
		{"a name that is none", "title=x", `{}`, `the form has no field "title"; what it said ("x") was not used`},
		{"the page's own names are its own", "_key=x&_do=y", `{}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, err := url.ParseQuery(c.posted)
			if err != nil {
				t.Fatal(err)
			}
			posted := form.Read(shape, values)
			args, wrong := form.Arguments(shape, posted.Entries)
			if got := string(form.Object(capability.Shape{}, args)); got != c.args {
				t.Errorf("got %s, want %s", got, c.args)
			}
			if got := messages(append(posted.Problems, wrong...)); got != c.wrong {
				t.Errorf("got %q, want %q", got, c.wrong)
			}
		})
	}
}

func messages(list []fault.FieldError) string {
	var all []string
	for _, p := range list {
		all = append(all, p.Message)
	}
	return strings.Join(all, "; ")
}

func TestAnUpdateSaysOnlyWhatWasTouched(t *testing.T) {
	field := func(name string) capability.Field {
		return capability.Field{Name: name, Type: capability.String, Nullable: true}
	}
	shape := shapeOf(capability.Field{Name: "id", Type: capability.String, Required: true}, field("title"), field("status"), field("note"), field("long"), field("kept"))
	now := map[string]json.RawMessage{"id": json.RawMessage(`"a"`), "title": json.RawMessage(`"old"`), "status": json.RawMessage(`"draft"`), "note": json.RawMessage(`"n"`)}
	held := map[string]string{"long": "a text of 1000000 characters", "kept": "too long"}
	posted := browse(form.New(shape, form.Begin(shape, now, held), nil))
	posted.Set("arg.title", "new")
	posted.Set("arg.status", "")
	posted.Set("null.note", "1")
	posted.Set("arg.long", "short now")
	args, wrong := form.Arguments(shape, form.Read(shape, posted).Entries)
	if got, want := string(form.Object(capability.Shape{}, args)), `{"id":"a","title":"new","note":null,"long":"short now"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := messages(wrong); !strings.Contains(got, "status has a value, and the field is empty now") {
		t.Errorf("got %q", got)
	}
}

func TestRebaseKeepsWhatWasTouched(t *testing.T) {
	shape := shapeOf(
		capability.Field{Name: "mine", Type: capability.String, Nullable: true},
		capability.Field{Name: "theirs", Type: capability.String, Nullable: true},
		capability.Field{Name: "both", Type: capability.String, Nullable: true},
	)
	object := func(text string) (out map[string]json.RawMessage) {
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	posted := browse(form.New(shape, form.Begin(shape, object(`{"mine":"a","theirs":"a","both":"a"}`), nil), nil))
	posted.Set("arg.mine", "m")
	posted.Set("arg.both", "m")
	now := form.Begin(shape, object(`{"mine":"a","theirs":"t","both":"t"}`), nil)
	rebased := form.Rebase(shape, form.Read(shape, posted).Entries, now)
	again := browse(form.New(shape, rebased, nil))
	if got, want := again.Get("arg.mine")+again.Get("arg.theirs")+again.Get("arg.both"), "mtm"; got != want {
		t.Errorf("the form shows %s, want %s", got, want)
	}
	args, _ := form.Arguments(shape, form.Read(shape, again).Entries)
	if got, want := string(form.Object(capability.Shape{}, args)), `{"mine":"m","both":"m"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRowsAreAddedAndDroppedWithoutAScript(t *testing.T) {
	shape := shapeOf(capability.Field{Name: "tags", Type: capability.String, Many: true})
	rows := func(query string) (texts []string, pressed bool) {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		posted := form.Read(shape, values)
		for _, r := range form.New(shape, posted.Entries, nil).Fields[0].Rows {
			texts = append(texts, r.Text)
		}
		return texts, posted.Rows
	}
	for query, want := range map[string][]string{
		"arg.tags=a&arg.tags=&add.tags=1":          {"a", "", "", ""},
		"arg.tags=a&arg.tags=b&drop.tags=0":        {"b", ""},
		"arg.tags=a&arg.tags=b&drop.tags=7":        {"a", "b", ""},
		"arg.tags=a&arg.tags=b&drop.tags=-1":       {"a", "b", ""},
		"arg.tags=a&arg.tags=&arg.tags=b&add.tags": {"a", "b", "", "", ""},
	} {
		got, pressed := rows(query)
		if diff := cmp.Diff(want, got); diff != "" || !pressed {
			t.Errorf("%s: pressed %v\n%s", query, pressed, diff)
		}
	}
}

func TestErrorsStandAtTheirFields(t *testing.T) {
	shape := shapeOf(
		capability.Field{Name: "title", Type: capability.String},
		capability.Field{Name: "tags", Type: capability.String, Many: true},
		capability.Field{Name: "decided", Type: capability.Date},
	)
	entries := map[string]form.Entry{"tags": {Texts: []string{"ok", "BAD"}}}
	m := form.New(shape, entries, []fault.FieldError{
		{Field: "tags", Message: "tags: BAD does not match", Value: "BAD"},
		{Field: "title,decided", Message: "title and decided together are taken"},
		{Field: "", Message: "the arguments must be one JSON object"},
	})
	at := map[string]form.Field{}
	for _, f := range m.Fields {
		at[f.Name] = f
	}
	want := []form.Problem{
		{Field: "f-title", Of: at["title"], Message: "title and decided together are taken"},
		{Field: "f-tags-2", Of: at["tags"], Message: "tags: BAD does not match"},
		{Field: "f-decided", Of: at["decided"], Message: "title and decided together are taken"},
		{Message: "the arguments must be one JSON object"},
	}
	if diff := cmp.Diff(want, m.Problems); diff != "" {
		t.Error(diff)
	}
	if rows := m.Fields[1].Rows; rows[0].Bad || !rows[1].Bad {
		t.Errorf("the wrong row is marked: %+v", rows)
	}
}

func TestAValueOutsideOfItsListStays(t *testing.T) {
	shape := shapeOf(capability.Field{Name: "status", Type: capability.String, OneOf: []any{"draft", "final"}, Required: true})
	m := form.New(shape, map[string]form.Entry{"status": {Texts: []string{"<b>odd"}}}, nil)
	want := []form.Option{
		{ID: "f-status.0", Label: "choose one"}, {ID: "f-status.1", Value: "draft", Label: "draft"}, {ID: "f-status.2", Value: "final", Label: "final"},
		{ID: "f-status.3", Value: "<b>odd", Label: "<b>odd", Foreign: true},
	}
	if diff := cmp.Diff(want, m.Fields[0].Options); diff != "" {
		t.Error(diff)
	}
}

func TestAFormWithTooManyValuesIsRefused(t *testing.T) {
	posted := form.Read(shapeOf(capability.Field{Name: "a", Type: capability.String, Many: true}), url.Values{"arg.a": make([]string, form.MaxValues+1)})
	if len(posted.Problems) != 1 {
		t.Errorf("got %v", posted.Problems)
	}
}

// A value that is chosen from a list has one control for no value: the list's own entry.
// What is typed has the box beside it.
func TestThereIsOneControlForNoValue(t *testing.T) {
	few, many := []any{"a", "b"}, []any{"a", "b", "c", "d", "e"}
	for _, c := range []struct {
		field  capability.Field
		choice bool
	}{
		{capability.Field{Name: "x", Type: capability.String, OneOf: few, Nullable: true}, true},
		{capability.Field{Name: "x", Type: capability.String, OneOf: many, Nullable: true}, true},
		{capability.Field{Name: "x", Type: capability.Boolean, Nullable: true}, true},
		{capability.Field{Name: "x", Type: capability.String, Nullable: true}, false},
		{capability.Field{Name: "x", Type: capability.Date, Nullable: true}, false},
		{capability.Field{Name: "x", Type: capability.String, OneOf: many, Nullable: true, Many: true}, false},
	} {
		value := map[capability.Type]string{capability.Boolean: "true", capability.Date: `"2024-02-03"`}[c.field.Type]
		if value == "" {
			value = `"a"`
		}
		if c.field.Many {
			value = `["a"]`
		}
		shape := shapeOf(c.field)
		m := form.New(shape, form.Begin(shape, map[string]json.RawMessage{"x": json.RawMessage(value)}, nil), nil)
		f := m.Fields[0]
		offers := len(f.Options) > 0 && f.Options[0].Value == "" && f.Options[0].Label == "no value"
		if f.CanRemove() == c.choice || offers != c.choice {
			t.Errorf("%s %v: box %t, entry %t (%s)", c.field.Type, c.field.OneOf, f.CanRemove(), offers, f.Control)
		}
		posted := browse(m)
		if args, wrong := form.Arguments(shape, form.Read(shape, posted).Entries); len(args)+len(wrong) != 0 {
			t.Errorf("%s: untouched it says %s %v", c.field.Type, form.Object(capability.Shape{}, args), wrong)
		}
		if c.choice {
			posted.Set(form.ArgPrefix+"x", "")
		} else {
			posted.Set(form.NullPrefix+"x", "1")
		}
		read := form.Read(shape, posted)
		args, wrong := form.Arguments(shape, read.Entries)
		if got := string(form.Object(capability.Shape{}, args)); got != `{"x":null}` || wrong != nil {
			t.Errorf("%s: no value says %s %v", c.field.Type, got, wrong)
		}
		if again := form.New(shape, read.Entries, nil).Fields[0]; c.choice && (again.Rows[0].Text != "" || again.CanRemove()) {
			t.Errorf("%s: the choice is not shown again: %+v", c.field.Type, again.Rows)
		}
	}
	// A new node has nothing to remove, and what it cannot be without is not taken away.
	shape := shapeOf(capability.Field{Name: "x", Type: capability.String, OneOf: few, Nullable: true}, capability.Field{Name: "y", Type: capability.String, OneOf: few, Required: true})
	m := form.New(shape, nil, nil)
	if x, y := m.Fields[0], m.Fields[1]; x.Options[0].Label != "not set" || y.Options[0].Label != "choose one" {
		t.Errorf("an empty form offers %q and %q", x.Options[0].Label, y.Options[0].Label)
	}
}
