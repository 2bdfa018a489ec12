package project

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trails/capability"
)

// What is said of a host was reported by somebody, where it can be read.
func TestEveryRefusalHasAPublicReport(t *testing.T) {
	report := regexp.MustCompile(`^https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+$`)
	for _, r := range Refusals {
		if r.Rule == "" || r.Host == "" || r.What == "" || !report.MatchString(r.Report) {
			t.Errorf("%+v", r)
		}
	}
	for _, rule := range []string{ruleName, ruleDescription, ruleRoot, ruleCombination, ruleType, ruleTypes, ruleItems, ruleProperty, ruleAdditional, ruleEnum, ruleConst, ruleFormat, ruleDepth} {
		if whoRefuse(rule) == "" {
			t.Errorf("nobody is known to refuse what the rule %s finds", rule)
		}
	}
}

// Schemas that trails does not make, as those of a bug, are found by the rule that names them,
// wherever they stand.
func TestWhatAHostRefusesIsFoundWhereverItStands(t *testing.T) {
	for rule, schema := range map[string]map[string]any{
		ruleCombination: {"type": "string", "anyOf": []any{}},
		ruleType:        {"description": "anything"},
		ruleTypes:       {"type": []any{"string", "null"}},
		ruleItems:       {"type": "array"},
		ruleAdditional:  {"type": "object", "additionalProperties": map[string]any{"type": "string"}},
		ruleEnum:        {"type": "integer", "enum": []any{1, 2}},
		ruleConst:       {"type": "string", "const": "a"},
		ruleFormat:      {"type": "string", "format": "vector"},
	} {
		for place, around := range map[string]func(map[string]any) map[string]any{
			"a member": func(s map[string]any) map[string]any { return s },
			"an item":  func(s map[string]any) map[string]any { return map[string]any{"type": "array", "items": s} },
			"a member of an item": func(s map[string]any) map[string]any {
				return map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{"inner": s}}}
			},
		} {
			l := linting{}
			l.schema("input_shape", map[string]any{"type": "object", "properties": map[string]any{"v": around(schema)}}, 1)
			if len(l.found) != 1 || l.found[0].Rule != rule || !strings.Contains(l.found[0].Says, whoRefuse(rule)) {
				t.Errorf("%s as %s: %+v", rule, place, l.found)
			}
		}
	}
	empty := linting{}
	if empty.schema("input_shape", map[string]any{"type": "string", "enum": []any{"a", ""}}, 1); len(empty.found) != 1 || empty.found[0].Rule != ruleEnum {
		t.Errorf("an empty text: %+v", empty.found)
	}
}

// No argument of any type has a list of types, whatever may be null.
func TestArgumentsHaveOneType(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(jsonForms)) {
		for _, many := range []bool{false, true} {
			for _, flags := range []capability.Field{{}, {Brief: true}, {Rare: true}, {OneOf: []any{"a"}}, {HasValue: "a"}} {
				f := flags
				f.Name, f.Type, f.Many, f.Nullable = "v", kind, many, true
				d := capability.Descriptor{ID: "find", Description: "Find it.", InputShape: capability.Shape{Fields: []capability.Field{f}}}.Completed()
				found, err := Lint(d, Process{})
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range found {
					if one.Rule == ruleTypes || one.Rule == ruleType && kind != capability.Any {
						t.Errorf("%+v: %s", f, one)
					}
				}
			}
		}
	}
}
