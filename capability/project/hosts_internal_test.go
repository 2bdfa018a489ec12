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
	for _, rule := range []string{ruleName, ruleDescription, ruleRoot, ruleCombination, ruleType, ruleTypes, ruleItems, ruleProperty, ruleAdditional, ruleEnum, ruleConst, ruleFormat, ruleDepth, ruleBound, rulePattern, ruleKeyword, ruleList} {
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
		ruleBound:       {"type": "integer", "maximum": "9223372036854775807"},
		rulePattern:     {"type": "string", "pattern": "(?i)a"},
		ruleKeyword:     {"type": "string", "contentEncoding": "base64"},
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

// The way out speaks of bytes where a type of the schema language leads to the keyword, which is bytes alone.
func TestTheWayOutOfAKeywordIsOfItsType(t *testing.T) {
	made := map[string]bool{}
	for _, form := range jsonForms {
		made["contentEncoding"] = made["contentEncoding"] || form.encoding != ""
	}
	for _, keyword := range keywords {
		l := linting{}
		l.schema("input_shape", map[string]any{"type": "string", keyword: "x"}, 1)
		if len(l.found) != 1 || strings.Contains(l.found[0].Mend, "bytes") != made[keyword] || (l.found[0].Mend == ourBug) == made[keyword] {
			t.Errorf("%s: %+v", keyword, l.found)
		}
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

// A pattern stands in a schema if JavaScript takes it, which is asked for here by a list that it has been tried on.
func TestPatternsThatJavaScriptTakesStandInSchemas(t *testing.T) {
	for pattern, want := range map[string]bool{
		`^[A-Z]{2}-\d{4}$`: true, `^-?\d+$`: true, `^(?:a|b)+?(c)*$`: true, `^(?<year>\d{4})$`: true, `[^@\s]+@[\w.\-]+`: true, `a{2,}`: true, `\p{Lu}\P{N}`: true,
		`^https?:\/\/`: true, `\x41`: true, `é{1,3}`: true, `[\^\]]`: true, `a\.b\\`: true, ``: true, `\(a\)`: true,
		`(?i)^a`: false, `(?P<n>a)`: false, `(?s:.)`: false, `\Aa\z`: false, `\pL`: false, `\p{Greek}`: false, `\p{Yi}`: false, `\x{1F600}`: false, `[[:alpha:]]`: false,
		`\Qa.b\E`: false, `a\:b`: false, `\-`: false, `a{`: false, `{a}`: false, `a]`: false, `[]a]`: false, `\a`: false, `\101`: false, `[a\z]`: false, `\_`: false,
	} {
		if got := portable(pattern) == pattern; got != want {
			t.Errorf("%s: %v", pattern, got)
		}
		if _, err := regexp.Compile(pattern); err != nil && pattern != `[a\z]` {
			t.Errorf("%s is none of RE2 either: %v", pattern, err)
		}
	}
}
