package capability_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
)

// edit is one change of a descriptor, and the part of the version that must rise for it.
type edit struct {
	name string
	part capability.Part
	do   func(*capability.Descriptor)
}

func ptr(n int) *int { return &n }

// in and out return a field of a shape of a descriptor, whose fields nobody shares.
func in(d *capability.Descriptor, name string) *capability.Field {
	return at(&d.InputShape.Fields, name)
}

func out(d *capability.Descriptor, name string) *capability.Field {
	return at(&d.OutputShape.Fields, name)
}

func at(fields *[]capability.Field, name string) *capability.Field {
	*fields = slices.Clone(*fields)
	return &(*fields)[slices.IndexFunc(*fields, func(f capability.Field) bool { return f.Name == name })]
}

func without(fields []capability.Field, name string) []capability.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f capability.Field) bool { return f.Name == name })
}

// compared is what the edits change.
func compared() capability.Descriptor {
	number := func(text string) any { return json.Number(text) }
	return capability.Descriptor{
		ID: "note.find", Description: "Find.", Preconditions: []string{"A note is there."},
		InputShape: capability.Shape{Closed: true, NodeType: "Note", UniqueTogether: [][]string{{"a", "b"}}, Fields: []capability.Field{
			{Name: "word", Type: capability.String, Required: true, MinLength: ptr(2), MaxLength: ptr(20), Pattern: "^[a-z]+$", OneOf: []any{"aa", "bb"}, Description: "A word."},
			{Name: "limit", Type: capability.Integer, MinValue: number("1"), MaxValue: number("100"), Default: number("10"), Rare: true},
			{Name: "kinds", Type: capability.IRI, NodeType: "Kind", Many: true, MinCount: ptr(1), MaxCount: ptr(5)},
			{Name: "day", Type: capability.Date, MinValue: "2020-01-01"},
			{Name: "point", Type: capability.Vector, Dim: ptr(3), Nullable: true},
			{Name: "more", Type: capability.Object, Fields: []capability.Field{{Name: "deep", Type: capability.Boolean}}},
		}},
		OutputShape: capability.Shape{Closed: true, Fields: []capability.Field{
			{Name: "count", Type: capability.Integer, Required: true, MaxValue: number("100")},
			{Name: "titles", Type: capability.String, Many: true},
		}},
		SideEffects: capability.Writes, CostEstimate: capability.CostChange, Reasoning: capability.ReasoningNone, Assurance: capability.AssuranceValidated,
		PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Change}, Idempotent: true, Deprecates: []string{"note.search"},
	}
}

// edits change different places, so that those of one list can come together.
var edits = []edit{
	{"other words", capability.Patch, func(d *capability.Descriptor) { d.Description = "Find notes." }},
	{"other words of an argument", capability.Patch, func(d *capability.Descriptor) { in(d, "word").Description = "Any word." }},
	{"an argument is not rare any more", capability.Patch, func(d *capability.Descriptor) { in(d, "limit").Rare = false }},
	{"arguments in another order", capability.Patch, func(d *capability.Descriptor) {
		d.InputShape.Fields = slices.Clone(d.InputShape.Fields)
		slices.Reverse(d.InputShape.Fields)
	}},
	{"a precondition in other words", capability.Patch, func(d *capability.Descriptor) { d.Preconditions = []string{"There is a note."} }},
	{"a new optional argument", capability.Minor, func(d *capability.Descriptor) {
		d.InputShape.Fields = append(slices.Clip(d.InputShape.Fields), capability.Field{Name: "new", Type: capability.String})
	}},
	{"an argument that may be left out", capability.Minor, func(d *capability.Descriptor) { in(d, "word").Required = false }},
	{"a longer text", capability.Minor, func(d *capability.Descriptor) { in(d, "word").MaxLength = ptr(30) }},
	{"a shorter text", capability.Minor, func(d *capability.Descriptor) { in(d, "word").MinLength = nil }},
	{"a value more", capability.Minor, func(d *capability.Descriptor) { in(d, "word").OneOf = []any{"aa", "bb", "cc"} }},
	{"a greater number", capability.Minor, func(d *capability.Descriptor) { in(d, "limit").MaxValue = json.Number("1e3") }},
	{"numbers with fractions", capability.Minor, func(d *capability.Descriptor) { in(d, "limit").Type = capability.Number }},
	{"an earlier day", capability.Minor, func(d *capability.Descriptor) { in(d, "day").MinValue = "2019-12-31" }},
	{"a new member of the answer", capability.Minor, func(d *capability.Descriptor) {
		d.OutputShape.Fields = append(slices.Clip(d.OutputShape.Fields), capability.Field{Name: "new", Type: capability.String, Required: true})
	}},
	{"a member that is always there", capability.Minor, func(d *capability.Descriptor) { out(d, "titles").Required = true }},
	{"an id more that it replaces", capability.Minor, func(d *capability.Descriptor) { d.Deprecates = []string{"note.search", "note.look"} }},
	{"a lower scope", capability.Minor, func(d *capability.Descriptor) { d.PolicyRequired.Scope = policy.Runtime }},
	{"another cost", capability.Minor, func(d *capability.Descriptor) { d.CostEstimate = capability.CostGraph }},
	{"an argument is gone", capability.Major, func(d *capability.Descriptor) { d.InputShape.Fields = without(d.InputShape.Fields, "day") }},
	{"a member of an object is gone", capability.Major, func(d *capability.Descriptor) {
		in(d, "more").Fields = []capability.Field{{Name: "flat", Type: capability.Boolean}}
	}},
	{"a new required argument", capability.Major, func(d *capability.Descriptor) {
		d.InputShape.Fields = append(slices.Clip(d.InputShape.Fields), capability.Field{Name: "needed", Type: capability.String, Required: true})
	}},
	{"another type", capability.Major, func(d *capability.Descriptor) { in(d, "more").Type = capability.String }},
	{"a greater least number", capability.Major, func(d *capability.Descriptor) { in(d, "limit").MinValue = json.Number("2") }},
	{"another default", capability.Major, func(d *capability.Descriptor) { in(d, "limit").Default = json.Number("20") }},
	{"another pattern", capability.Major, func(d *capability.Descriptor) { in(d, "word").Pattern = "^[a-y]+$" }},
	{"fewer values", capability.Major, func(d *capability.Descriptor) { in(d, "kinds").MaxCount = ptr(4) }},
	{"a value instead of a list", capability.Major, func(d *capability.Descriptor) { in(d, "kinds").Many = false }},
	{"references to another type", capability.Major, func(d *capability.Descriptor) { in(d, "kinds").NodeType = "Sort" }},
	{"another dimension", capability.Major, func(d *capability.Descriptor) { in(d, "point").Dim = ptr(4) }},
	{"no null", capability.Major, func(d *capability.Descriptor) { in(d, "point").Nullable = false }},
	{"an argument that needs a scope", capability.Major, func(d *capability.Descriptor) { in(d, "kinds").Scope = policy.Dev }},
	{"unique together", capability.Major, func(d *capability.Descriptor) { d.InputShape.UniqueTogether = [][]string{{"a", "b"}, {"c", "d"}} }},
	{"a member of the answer is gone", capability.Major, func(d *capability.Descriptor) { d.OutputShape.Fields = without(d.OutputShape.Fields, "count") }},
	{"a member may be greater", capability.Major, func(d *capability.Descriptor) { out(d, "count").MaxValue = nil }},
	{"a precondition more", capability.Major, func(d *capability.Descriptor) { d.Preconditions = []string{"A note is there.", "It is short."} }},
	{"more side effects", capability.Major, func(d *capability.Descriptor) { d.SideEffects = capability.Destroys }},
	{"a higher scope", capability.Major, func(d *capability.Descriptor) { d.PolicyRequired.Scope = policy.Dev }},
	{"a higher action", capability.Major, func(d *capability.Descriptor) { d.PolicyRequired.Action = policy.SchemaApply }},
	{"other hosts", capability.Major, func(d *capability.Descriptor) { d.PolicyRequired.Remote = true }},
	{"other servers", capability.Major, func(d *capability.Descriptor) { d.PolicyRequired.Upstream = true }},
	{"not idempotent any more", capability.Major, func(d *capability.Descriptor) { d.Idempotent = false }},
	{"other reasoning", capability.Major, func(d *capability.Descriptor) { d.Reasoning = capability.ReasoningSubclasses }},
	{"an id that it replaces no more", capability.Major, func(d *capability.Descriptor) { d.Deprecates = nil }},
	{"a lower assurance", capability.Major, func(d *capability.Descriptor) { d.Assurance = capability.AssuranceNone }},
	{"consent", capability.Major, func(d *capability.Descriptor) { d.ConsentRequired = true }},
}

func TestAChangeRaisesThePartThatItMeans(t *testing.T) {
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			before, after := compared(), compared()
			e.do(&after)
			changes := capability.Compare(before, after)
			if most := capability.Greatest(changes); most.Part != e.part {
				t.Errorf("got %s of %v, want %s", most.Part, changes, e.part)
			}
			if got := capability.Compare(after, after); got != nil {
				t.Errorf("a descriptor differs from itself in %v", got)
			}
		})
	}
}

// Of changes of different places that come together the greatest counts, in whichever order
// they are made, and after the descriptor was written and read.
func TestChangesTogetherRaiseTheGreatestPart(t *testing.T) {
	place := func(e edit) string {
		after := compared()
		e.do(&after)
		parts := strings.SplitN(capability.Compare(compared(), after)[0].Field, ".", 3)
		return strings.Join(parts[:min(len(parts), 2)], ".")
	}
	rapid.Check(t, func(t *rapid.T) {
		after, want := compared(), capability.NoPart
		var names []string
		for _, e := range rapid.SliceOfNDistinct(rapid.SampledFrom(edits), 0, 6, place).Draw(t, "edits") {
			e.do(&after)
			want, names = max(want, e.part), append(names, e.name)
		}
		read, err := capability.Read(after.Content())
		if err != nil || string(read.Content()) != string(after.Content()) {
			t.Fatalf("%s reads back as %s, error %v", after.Content(), read.Content(), err)
		}
		changes := capability.Compare(compared(), read)
		if got := capability.Greatest(changes).Part; got != want {
			t.Errorf("%q raise the %s, want %s: %v", names, got, want, changes)
		}
	})
}

func TestNumbered(t *testing.T) {
	changed := func(name string) capability.Descriptor {
		d := compared()
		i := slices.IndexFunc(edits, func(e edit) bool { return e.name == name })
		edits[i].do(&d)
		return d
	}
	written := func(d capability.Descriptor, version string) capability.Descriptor {
		d.Version = version
		return d
	}
	base := func(d capability.Descriptor, version string) capability.Descriptor { return d.Stamped(version) }
	first, words, more, less := compared(), changed("other words"), changed("a new optional argument"), changed("an argument is gone")
	for _, c := range []struct {
		name  string
		known []capability.Descriptor
		d     capability.Descriptor
		want  string // the base of the version, or the beginning of the refusal
		fresh bool
	}{
		{"the first", nil, base(first, "1.0.0"), "1.0.0", true},
		{"known", []capability.Descriptor{base(first, "1.0.0"), base(more, "1.1.0")}, base(first, "1.0.0"), "1.0.0", false},
		{"words", []capability.Descriptor{base(first, "1.0.0")}, base(words, "1.0.0"), "1.0.1", true},
		{"more", []capability.Descriptor{base(first, "1.0.0"), base(words, "1.0.1")}, base(more, "1.0.0"), "1.1.0", true},
		{"less", []capability.Descriptor{base(first, "1.0.0"), base(more, "1.9.0")}, base(less, "1.0.0"), "2.0.0", true},
		{"before 1.0.0 a part lower", []capability.Descriptor{written(first, "0.3.1")}, base(less, "1.0.0"), "0.4.0", true},
		{"what was written before", []capability.Descriptor{written(first, "3.0.0")}, base(first, "1.0.0"), "3.0.0", false},
		{"written, the first", nil, written(first, "0.1.0"), "0.1.0", true},
		{"written, high enough", []capability.Descriptor{written(first, "1.0.0")}, written(less, "2.0.0"), "2.0.0", true},
		{"written, higher than needed", []capability.Descriptor{written(first, "1.0.0")}, written(words, "4.0.0"), "4.0.0", true},
		{"written, and nothing else is changed", []capability.Descriptor{written(first, "1.0.0")}, written(first, "1.1.0"), "1.1.0", true},
		{"an older program", []capability.Descriptor{written(first, "1.0.0"), written(more, "1.1.0")}, written(first, "1.0.0"), "1.0.0", false},
		{"anything of a pre-release", []capability.Descriptor{written(first, "2.0.0-rc.1")}, written(less, "2.0.0-rc.2"), "2.0.0-rc.2", true},
		{"one version for two contents", []capability.Descriptor{written(first, "1.0.0")}, written(less, "1.0.0"),
			"capability note.find: its input_shape.day is gone, and the file knows version 1.0.0 without that; give it version 2.0.0 or a higher one", false},
		{"too low", []capability.Descriptor{written(first, "1.4.0")}, written(less, "1.5.0"),
			"capability note.find: version 1.5.0 is too low, because the file knows version 1.4.0, since which its input_shape.day is gone (major); give it version 2.0.0 or a higher one", false},
		{"lowered", []capability.Descriptor{written(first, "1.4.0")}, written(first, "1.3.0"),
			"capability note.find: version 1.3.0 is too low, because the file knows version 1.4.0; give it version 1.4.0 or a higher one", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var known []string
			byVersion := map[string]capability.Descriptor{}
			for _, d := range c.known {
				known, byVersion[d.Version] = append(known, d.Version), d
			}
			read := func(version string) (capability.Descriptor, error) {
				d, ok := byVersion[version]
				if !ok {
					return d, fmt.Errorf("%s is not known", version)
				}
				return d, nil
			}
			got, fresh, err := c.d.Numbered(known, read)
			switch {
			case err != nil && (err.Error() != c.want || !fault.Is(err, fault.InvalidData)):
				t.Fatalf("got %v, want %s", err, c.want)
			case err == nil && (capability.Base(got.Version) != c.want || fresh != c.fresh):
				t.Errorf("got %s, %t, want %s, %t", got.Version, fresh, c.want, c.fresh)
			case err == nil && string(got.Content()) != string(c.d.Content()):
				t.Error("its content is another")
			}
		})
	}
}
