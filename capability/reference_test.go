package capability_test

import (
	"strings"
	"testing"

	"trails/capability"
	"trails/schema"
)

// What a reference is told to be written as names types that have nodes.
func TestReferencesAreToldWithTypesThatHaveNodes(t *testing.T) {
	s, err := schema.ParseYAML([]byte(`
types:
  Usable: {abstract: true}
  Tool: {extends: Usable}
  Malware: {extends: Usable}
  Any: {abstract: true}
  A: {extends: Any}
  B: {extends: Any}
  C: {extends: Any}
  D: {extends: Any}
  Group:
    properties:
      uses: {class: Usable, many: true, description: What it uses}
      knows: {class: Group}
      says: {class: Any}
      name: string
`), "http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	group := s.Type("Group")
	for name, want := range map[string]string{
		"uses": "Tool/id or Malware/id", "knows": "Group/id", "says": "A/id, B/id, C/id or another Any", "name": "",
	} {
		f := capability.FieldOf(s, s.Property(group, name))
		if got := f.Reference(); got != want {
			t.Errorf("%s is written as %q, want %q", name, got, want)
		}
		if !strings.Contains(f.Description, want) {
			t.Errorf("%s is described as %q", name, f.Description)
		}
	}
}
