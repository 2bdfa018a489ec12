package project_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/capability"
	"trails/capability/project"
)

// lintOf returns what is found of a capability, as "field rule".
func lintOf(t testing.TB, d capability.Descriptor) (found []string) {
	t.Helper()
	all, err := project.Lint(d, project.Process{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Capability != d.ID || f.Says == "" || f.Mend == "" {
			t.Errorf("%+v", f)
		}
		found = append(found, f.Field+" "+f.Rule)
	}
	return found
}

func TestLintFindsWhatStrictClientsRefuse(t *testing.T) {
	nested := capability.Field{Name: "last", Type: capability.Object, Fields: []capability.Field{{Name: "x", Type: capability.String}}}
	for range 5 {
		nested = capability.Field{Name: "o", Type: capability.Object, Fields: []capability.Field{nested}}
	}
	for _, c := range []struct {
		what string
		d    capability.Descriptor
		want []string
	}{
		{"a plain capability", capability.Descriptor{ID: "find", Description: "Find it."}, nil},
		{"a long name", capability.Descriptor{ID: "a" + strings.Repeat("b", 64) + ".create", Description: "Make one."}, []string{"id tool-name"}},
		{"no description", capability.Descriptor{ID: "find"}, []string{"description description"}},
		{"a long description", capability.Descriptor{ID: "find", Description: strings.Repeat("é", 1001)}, []string{"description description"}},
		{"a description as long as it may be", capability.Descriptor{ID: "find", Description: strings.Repeat("é", 1000)}, nil},
		{"a value of any type", capability.Descriptor{ID: "find", Description: "Find it.", InputShape: capability.Shape{Fields: []capability.Field{{Name: "v", Type: capability.Any}}}}, []string{"input_shape.v schema-type"}},
		{"what may be null", capability.Descriptor{ID: "find", Description: "Find it.", InputShape: capability.Shape{Fields: []capability.Field{{Name: "v", Type: capability.String, Nullable: true}}}}, nil},
		{"a property with a space", capability.Descriptor{ID: "find", Description: "Find it.", InputShape: capability.Shape{Fields: []capability.Field{{Name: "a b", Type: capability.String}}}}, []string{"input_shape.a b property-name"}},
		{"objects in objects", capability.Descriptor{ID: "find", Description: "Find it.", InputShape: capability.Shape{Fields: []capability.Field{nested}}}, []string{"input_shape.o.o.o.o.o schema-depth"}},
		{"what few calls need", capability.Descriptor{ID: "find", Description: "Find it.", InputShape: capability.Shape{Fields: []capability.Field{{Name: "a b", Type: capability.Any, Rare: true}}}}, []string{"input_shape.a b property-name", "input_shape.a b schema-type"}},
	} {
		if got := lintOf(t, c.d.Completed()); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// Whatever a descriptor is, its tool has no combination of schemas, no strange format and no
// array without items: of a random one nothing is found but values of any type, and bytes.
func TestRandomDescriptorsAreTakenByStrictClients(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := randomDescriptor(rt)
		for _, found := range lintOf(t, d) {
			if field, rule, _ := strings.Cut(found, " "); rule != "schema-type" && rule != "schema-keyword" && (field != "description" || strings.TrimSpace(d.Description) != "") {
				rt.Fatal(fmt.Sprintf("%s of %+v", found, d))
			}
		}
	})
}
