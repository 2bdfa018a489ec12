package capability

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A field that is new in a descriptor, a shape or a field of one has a rule, or says nothing
// of versions: each is in the table of its kind.
func TestEveryFieldHasARule(t *testing.T) {
	names := func(v any) (list []string) {
		for f := range reflect.TypeOf(v).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "-" { // it is not written down
				list = append(list, name)
			}
		}
		return list
	}
	var descriptors, fields []string
	shapes := []string{"fields"} // by direction.fields
	for _, r := range descriptorRules {
		descriptors = append(descriptors, r.field)
	}
	for _, r := range shapeRules {
		shapes = append(shapes, r.member)
	}
	for _, r := range fieldRules {
		fields = append(fields, r.member)
	}
	for _, c := range []struct {
		of    any
		rules []string
	}{{Descriptor{}, descriptors}, {Shape{}, shapes}, {Field{}, fields}} {
		if want := names(c.of); !slices.Equal(c.rules, want) {
			t.Errorf("%T has the fields %q, and there are rules for %q", c.of, want, c.rules)
		}
	}
	required := []string{".scope", ".action", ".remote", ".upstream"}
	for i, name := range names(Requirement{}) {
		if i >= len(required) || required[i] != "."+name {
			t.Errorf("policy_required has %s, and the rule compares %q", name, required)
		}
	}
}
