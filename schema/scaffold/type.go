package scaffold

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"trails/fault"
	"trails/schema"
)

// NewType describes a type to add.
type NewType struct {
	Name        string   `json:"type" doc:"Its name, such as Task."`
	Properties  []string `json:"properties,omitempty" doc:"Each as in the schema's YAML: due: date, or owner: {class: Person, required: true}."`
	Description string   `json:"description,omitempty" is:"brief" doc:"What the type is."`
	// Label is the property that people read; "" takes the first one named label, name or
	// title.
	Label string `json:"label,omitempty" doc:"The property that people read."`
}

// Type returns a patch that adds a type to the schema, for schema plan and schema apply. A type
// that the schema's rules refuse, such as one with a used name, is fault.InvalidData.
func Type(s *schema.Schema, n NewType) (Draft, error) {
	properties, problems := &yaml.Node{Kind: yaml.MappingNode}, []fault.FieldError(nil)
	for i, text := range n.Properties {
		name, says, found := strings.Cut(text, ":")
		var document yaml.Node
		err := yaml.Unmarshal([]byte(says), &document)
		if name = strings.TrimSpace(name); !found || name == "" || err != nil || len(document.Content) != 1 {
			problems = append(problems, fault.FieldError{Field: fmt.Sprintf("properties[%d]", i), Code: fault.Datatype, Value: text,
				Message: fmt.Sprintf("%q is not a name with what the schema says of it, such as due: date, or owner: {class: Person, required: true}", text)})
			continue
		}
		if n.Label == "" && (name == "label" || name == "name" || name == "title") {
			n.Label = name
		}
		properties.Content = append(properties.Content, word(name), document.Content[0])
	}
	if len(problems) > 0 {
		return Draft{}, fault.Arguments(problems...)
	}
	declared := &yaml.Node{Kind: yaml.MappingNode}
	for _, member := range []struct{ word, text string }{{"description", n.Description}, {"label", n.Label}} {
		if member.text != "" {
			declared.Content = append(declared.Content, word(member.word), word(member.text))
		}
	}
	declared.Content = append(declared.Content, word("properties"), properties)
	patch, err := yaml.Marshal(mapping("add_type", mapping(n.Name, declared)))
	if err != nil {
		return Draft{}, fmt.Errorf("write a patch: %w", err)
	}
	after, err := s.Patch(patch)
	if err != nil {
		return Draft{}, err
	}
	path := "schema/add_" + schema.SnakeName(n.Name) + ".yaml"
	var text strings.Builder
	fmt.Fprintf(&text, "# Adds the type %s: trails schema plan FILE --patch %s\n- add_type:\n", n.Name, path)
	for line := range strings.Lines(string(after.Schema.TypeYAML(after.Schema.Type(n.Name)))) {
		text.WriteString("    " + line)
	}
	return Draft{path, text.String()}, nil
}

// word returns a YAML string, quoted if necessary.
func word(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	return n
}

// mapping returns a mapping with one key.
func mapping(key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{word(key), value}}
}
