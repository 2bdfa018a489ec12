package capability_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/schema"
)

func descriptor(id string) capability.Descriptor {
	return capability.Descriptor{ID: id, InputShape: capability.Shape{Closed: true}}.Stamped("1.0.0")
}

func registry(t *testing.T, ids ...string) *capability.Registry {
	t.Helper()
	var all []capability.Descriptor
	for _, id := range ids {
		all = append(all, descriptor(id))
	}
	r, err := capability.New(all)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegistryFindsByIDAndTool(t *testing.T) {
	r := registry(t, "technique.create", "health", "trails.meta.gen.type")
	for _, name := range []string{"technique.create", "technique_create"} {
		if d, ok := r.Find(name); !ok || d.ID != "technique.create" {
			t.Errorf("Find(%s): got %s, %t", name, d.ID, ok)
		}
	}
	if _, ok := r.ByID("technique_create"); ok {
		t.Error("a tool name is no id")
	}
	if _, ok := r.ByTool("technique.create"); ok {
		t.Error("an id is no tool name")
	}
	if _, ok := new(capability.Registry).Find("health"); ok {
		t.Error("the zero registry has nothing")
	}
}

func TestRegistryOrderIsThatOfTheIDs(t *testing.T) {
	var got []string
	for _, d := range registry(t, "trails.meta.ping", "b.x", "a.z", "a.b").All() {
		got = append(got, d.ID)
	}
	if diff := cmp.Diff([]string{"a.b", "a.z", "b.x", "trails.meta.ping"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRegistryVersionFollowsContent(t *testing.T) {
	a, b := registry(t, "x.a", "x.b"), registry(t, "x.b", "x.a")
	if a.Version() != b.Version() {
		t.Error("the order of registration shows")
	}
	if a.Version() == registry(t, "x.a").Version() {
		t.Error("a missing capability does not show")
	}
}

func TestRegistryRefuses(t *testing.T) {
	open := descriptor("a.b")
	open.InputShape.Closed = false
	unversioned := descriptor("a.b")
	unversioned.Version = "1.0"
	for _, c := range []struct {
		name string
		all  []capability.Descriptor
		want string
	}{
		{"one id twice", []capability.Descriptor{descriptor("a.b"), descriptor("a.b")}, "capability a.b is declared twice"},
		{"one tool name for two ids", []capability.Descriptor{descriptor("a.b_c"), descriptor("a.b.c")}, "capabilities a.b.c and a.b_c have the same tool name a_b_c; rename one"},
		{"a version that is none", []capability.Descriptor{unversioned}, `capability a.b: version "1.0" is no semantic version, such as 1.0.0`},
		{"an open input shape", []capability.Descriptor{open}, "capability a.b: the input shape must be closed"},
		{"an id that breaks the grammar", []capability.Descriptor{descriptor("A.b")}, `capability id "A.b" must be dotted lower case, such as research.search`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := capability.New(c.all)
			if !fault.Is(err, fault.InvalidData) || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestCheckID(t *testing.T) {
	for id, ok := range map[string]bool{
		"health": true, "research.search": true, "attack_pattern.create": true, "find-by-name": true,
		"trails.meta.ping": true, "trails.meta.gen.type": true,
		"": false, ".": false, "a.": false, ".a": false, "a..b": false, "A": false, "a b": false, "a/b": false, "ä": false, "a\n": false,
		"trails.meta": false, "trails.meta.": false, "trails.meta.gen_x.type": false, "trails.meta.gen.new_type": false, "trails.meta.a.b.c": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if err := capability.CheckID(id); (err == nil) != ok {
			t.Errorf("%q: got %v, want ok %t", id, err, ok)
		}
	}
}

func TestKindNamespaceAndOpFollowFromTheID(t *testing.T) {
	for id, want := range map[string][3]string{
		"health":               {"runtime", "", "health"},
		"technique.create":     {"runtime", "technique", "create"},
		"trails.meta.ping":     {"meta", "", "ping"},
		"trails.meta.gen.type": {"meta", "gen", "type"},
	} {
		d := capability.Descriptor{ID: id}
		if got := [3]string{string(d.Kind()), d.Namespace(), d.Op()}; got != want {
			t.Errorf("%s: got %v, want %v", id, got, want)
		}
	}
}

func TestADescriptorHasFourteenFields(t *testing.T) {
	text, err := json.Marshal(capability.Descriptor{})
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range members {
		got = append(got, name)
	}
	slices.Sort(got)
	want := []string{
		"assurance", "consent_required", "cost_estimate", "deprecates", "description", "id", "idempotent",
		"input_shape", "output_shape", "policy_required", "preconditions", "reasoning", "side_effects", "version",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if string(members["preconditions"]) != "[]" || string(members["deprecates"]) != "[]" {
		t.Errorf("absent lists are not empty ones: %s", text)
	}
}

const base = "http://example.org/"

func forSchema(t *testing.T, src string) []capability.Descriptor {
	t.Helper()
	s, err := schema.ParseYAML([]byte(src), base)
	if err != nil {
		t.Fatal(err)
	}
	return capability.ForSchema(s)
}

func TestEveryConcreteTypeHasThreeWrites(t *testing.T) {
	var got []string
	for _, d := range forSchema(t, "types:\n  Thing: {abstract: true}\n  AttackPattern: {extends: [Thing], properties: {name: {type: string}}}\n") {
		got = append(got, d.ID)
		if d.PolicyRequired != (capability.Requirement{Scope: policy.Runtime, Action: "change"}) {
			t.Errorf("%s: policy %v", d.ID, d.PolicyRequired)
		}
	}
	want := []string{"attack_pattern.create", "attack_pattern.update", "attack_pattern.delete"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAChangedTypeChangesItsVersions(t *testing.T) {
	const before = "types:\n  A: {properties: {name: {type: string, max_length: 5}}}\n  B: {properties: {name: {type: string}}}\n"
	old, changed := forSchema(t, before), forSchema(t, strings.Replace(before, "5", "6", 1))
	for i, d := range old {
		touched := d.ID == "a.create" || d.ID == "a.update"
		if got := d.Version != changed[i].Version; got != touched {
			t.Errorf("%s: version changed %t, want %t", d.ID, got, touched)
		}
	}
	if diff := cmp.Diff(old, forSchema(t, before)); diff != "" {
		t.Errorf("the same schema gave other descriptors: %s", diff)
	}
}

func TestDescriptorsOfASchemaMakeARegistry(t *testing.T) {
	if _, err := capability.New(forSchema(t, "types:\n  A: {properties: {name: {type: string}}}\n")); err != nil {
		t.Error(err)
	}
}

func TestAnIDThatIsReplacedFindsWhatReplacesIt(t *testing.T) {
	search, old := descriptor("research.search"), descriptor("research.find")
	search.Deprecates = []string{"research.find"}
	r, err := capability.New([]capability.Descriptor{search})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"research.find", "research_find"} {
		if d, ok := r.Find(name); !ok || d.ID != "research.search" {
			t.Errorf("Find(%s): got %s, %t", name, d.ID, ok)
		}
	}
	again := descriptor("research.look")
	again.Deprecates = []string{"research.find"}
	for _, all := range [][]capability.Descriptor{{search, old}, {search, again}} {
		if _, err := capability.New(all); !fault.Is(err, fault.InvalidData) {
			t.Errorf("got %v", err)
		}
	}
}

func TestFieldsThatContradictEachOtherAreRefused(t *testing.T) {
	for want, change := range map[string]func(*capability.Descriptor){
		"side effects": func(d *capability.Descriptor) { d.PolicyRequired.Action = policy.Change },
		"of the action": func(d *capability.Descriptor) {
			d.SideEffects, d.Assurance = capability.Writes, capability.AssuranceValidated
		},
		"the assurance":       func(d *capability.Descriptor) { d.Assurance = capability.AssuranceValidated },
		"and removes nothing": func(d *capability.Descriptor) { d.ConsentRequired = true },
	} {
		d := descriptor("a.b")
		change(&d)
		if _, err := capability.New([]capability.Descriptor{d}); !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
