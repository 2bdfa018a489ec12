package schema_test

import (
	"slices"
	"testing"

	"trails/schema"
)

const namedSchema = `
base: "urn:t:"
types:
  Actor:
    label: name
    properties:
      name: {type: string, required: true}
      alias: {type: string, many: true}
      size: integer
  Group:
    extends: Actor
    properties:
      leader: {class: Actor}
`

func parsed(t *testing.T, text []byte) *schema.Schema {
	t.Helper()
	s, err := schema.ParseYAML(text, "urn:t:")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}

func patched(t *testing.T, s *schema.Schema, patch string) *schema.Schema {
	t.Helper()
	p, err := s.Patch([]byte(patch))
	if err != nil {
		t.Fatalf("%s: %v", patch, err)
	}
	return p.Schema
}

// What patches renamed is renamed by the schema that they led to, as it is written, and by
// the one before it on the way back; what only looks alike goes and comes.
func TestASchemaSaysWhatWasRenamed(t *testing.T) {
	for name, c := range map[string]struct {
		patches     []string
		there, back []string
	}{
		"a property":               {[]string{"rename_property: {Actor.alias: nickname}"}, []string{"rename property Actor.alias to nickname"}, []string{"rename property Actor.nickname to alias"}},
		"a property of short form": {[]string{"rename_property: {Actor.size: height}"}, []string{"rename property Actor.size to height"}, []string{"rename property Actor.height to size"}},
		"twice":                    {[]string{"rename_property: {Actor.alias: nickname}", "rename_property: {Actor.nickname: aka}"}, []string{"rename property Actor.alias to aka"}, []string{"rename property Actor.aka to alias"}},
		"there and back":           {[]string{"rename_property: {Actor.alias: nickname}", "rename_property: {Actor.nickname: alias}"}, nil, nil},
		"a type":                   {[]string{"rename_type: {Actor: Player}"}, []string{"rename type Actor to Player"}, []string{"rename type Player to Actor"}},
		"a type and a property of it, with more": {
			[]string{"- rename_type: {Group: Team}\n- rename_property: {Team.leader: head}\n- add_property: {Team.motto: string}"},
			[]string{"rename type Group to Team", "rename property Team.leader to head", "add property Team.motto (string)"},
			[]string{"rename type Team to Group", "rename property Group.head to leader", "drop property Group.motto"},
		},
		"the name is taken anew": {
			[]string{"rename_property: {Actor.alias: nickname}", "add_property: {Actor.alias: integer}"},
			[]string{"change Actor.alias max_count: none → 1", "change Actor.alias type: string → integer", "add property Actor.nickname (string, many)"}, nil,
		},
		"goes and comes": {
			[]string{"drop_property: Actor.alias", "add_property: {Actor.nickname: {type: string, many: true}}"},
			[]string{"add property Actor.nickname (string, many)", "drop property Actor.alias"},
			[]string{"add property Actor.alias (string, many)", "drop property Actor.nickname"},
		},
	} {
		from := parsed(t, []byte(namedSchema))
		to := from
		for _, patch := range c.patches {
			to = patched(t, to, patch)
		}
		steps := func(from, to *schema.Schema) (said []string) {
			for _, step := range from.Towards(parsed(t, to.YAML())).Steps(from) {
				if step.Kind != schema.ChangeOrder && step.Kind != schema.ChangeWas && step.Kind != schema.ChangeIDs {
					said = append(said, step.String())
				}
			}
			return said
		}
		if got := steps(from, to); !slices.Equal(sortedCopy(got), sortedCopy(c.there)) {
			t.Errorf("%s: there %q, want %q", name, got, c.there)
		}
		if got := steps(to, from); c.back != nil && !slices.Equal(sortedCopy(got), sortedCopy(c.back)) {
			t.Errorf("%s: back %q, want %q", name, got, c.back)
		}
		again, err := schema.FromQuads(to.Quads(), "urn:t:")
		if err != nil || len(schema.Diff(to, again)) > 0 || string(again.YAML()) != string(to.YAML()) {
			t.Errorf("%s: quads say something else: %v", name, err)
		}
		patch, err := from.PatchTo(to)
		if err != nil || len(schema.Diff(to, patched(t, from, string(patch)))) > 0 {
			t.Errorf("%s: the patch is %s, %v", name, patch, err)
		}
	}
}

// Where the names of two schemas cross, no step claims that values follow; patch by patch there is
// nothing that crosses.
func TestNamesThatCrossAreTold(t *testing.T) {
	crossing := func(from, to *schema.Schema) (all []string) {
		for _, step := range from.Towards(parsed(t, to.YAML())).Steps(from) {
			if step.Crosses != "" {
				all = append(all, step.Type+"."+step.Property+" "+step.Crosses)
			}
		}
		return all
	}
	for name, c := range map[string]struct{ patches, want []string }{
		"properties are swapped":  {[]string{"rename_property: {Actor.alias: a}", "rename_property: {Actor.size: alias}", "rename_property: {Actor.a: size}"}, []string{"Actor.alias size", "Actor.size alias"}},
		"three go round":          {[]string{"rename_property: {Actor.alias: a}", "rename_property: {Actor.size: alias}", "rename_property: {Actor.name: size}", "rename_property: {Actor.a: name}"}, []string{"Actor.alias size", "Actor.name alias", "Actor.size name"}},
		"types are swapped":       {[]string{"rename_type: {Actor: A}", "rename_type: {Group: Actor}", "rename_type: {A: Group}"}, []string{"Actor. Group", "Group. Actor"}},
		"the name is taken anew":  {[]string{"rename_property: {Actor.alias: nickname}", "add_property: {Actor.alias: integer}"}, []string{"Actor.nickname alias"}},
		"a dropped name is taken": {[]string{"drop_property: Actor.size", "rename_property: {Actor.alias: size}"}, []string{"Actor.size alias"}},
		"a chain":                 {[]string{"rename_property: {Actor.alias: a}", "rename_property: {Actor.a: b}", "rename_property: {Actor.b: c}"}, nil},
		"there and back":          {[]string{"rename_property: {Actor.alias: a}", "rename_property: {Actor.a: alias}"}, nil},
		"in two types":            {[]string{"- rename_property: {Actor.name: a}\n- rename_property: {Group.leader: b}"}, nil},
		"with another word":       {[]string{"- rename_property: {Actor.alias: a}\n- alter_property: {Actor.a: {many: true, min_length: 2}}"}, nil},
	} {
		from := parsed(t, []byte(namedSchema))
		to := from
		for _, patch := range c.patches {
			next := patched(t, to, patch)
			if one := crossing(to, next); len(one) > 0 {
				t.Errorf("%s, %s: %q", name, patch, one)
			}
			to = next
		}
		if got := crossing(from, to); !slices.Equal(sortedCopy(got), c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func sortedCopy(list []string) []string { return slices.Sorted(slices.Values(list)) }

// Whoever writes a schema whole need not know the names of before, and they stay.
func TestASchemaWrittenWholeKeepsTheNamesOfBefore(t *testing.T) {
	head := patched(t, parsed(t, []byte(namedSchema)), "rename_property: {Actor.alias: nickname}")
	written := patched(t, head, "alter_property: {Actor.nickname: {was: null, min_length: 2}}")
	kept := head.KeepNames(written)
	if p := kept.Property(kept.Type("Actor"), "nickname"); !slices.Equal(p.Was, []string{"alias"}) || p.MinLength == nil {
		t.Errorf("got %+v", p)
	}
	if written.Property(written.Type("Actor"), "nickname").Was != nil {
		t.Error("what was given is changed")
	}
}
