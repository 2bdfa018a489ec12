package surface_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"trails/builtin/surface"
	"trails/capability"
	"trails/capability/project"
	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/tokens"
)

// listOf returns what a list of tools has under a schema, and how many tokens a model reads of
// it. The caller has the scope that a process gives by itself; builders and developers, who
// ask for more, are shown more.
func listOf(t *testing.T, m surface.Mode, schema string) ([]capability.Descriptor, int) {
	t.Helper()
	e := invoketest.New(t, schema, invoke.Config{Surface: m.Choose})
	tools, err := e.Tools(t.Context(), invoketest.Nobody)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, d := range tools.Listed {
		text += surface.Shown(d)
	}
	return tools.Listed, tokens.Count(text)
}

func manyTypes(n int) string {
	var b strings.Builder
	b.WriteString("types:\n")
	for i := range n {
		fmt.Fprintf(&b, "  Kind%d:\n    label: title\n    properties:\n      title: {type: string, required: true, description: What it is called}\n      about: {class: Kind0, many: true}\n", i)
	}
	return b.String()
}

func TestAListCostsWhatItMay(t *testing.T) {
	testrun.Alone(t)
	attack, err := os.ReadFile("../../testdata/attack/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, schema string
		mode         surface.Mode
		most         int
		typed        string // the id of a typed tool, and whether it is listed
		listed       bool
	}{
		{"attack in full", string(attack), surface.Full, 7_500, "technique.create", true},
		{"attack compact", string(attack), surface.Compact, 3_000, "technique.create", false},
		{"one type by itself", manyTypes(1), surface.Auto, surface.Budget, "kind0.create", true},
		{"sixty types by themselves", manyTypes(60), surface.Auto, 3_000, "kind0.create", false},
		{"no types compact", "", surface.Compact, 3_000, "kind0.create", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, tokens := listOf(t, c.mode, c.schema)
			t.Logf("%d tools, %d tokens", len(list), tokens)
			if tokens > c.most {
				t.Errorf("%d tokens, at most %d", tokens, c.most)
			}
			named := func(id string) bool {
				return slices.ContainsFunc(list, func(d capability.Descriptor) bool { return d.ID == id })
			}
			if named(c.typed) != c.listed || named("create") == c.listed {
				t.Errorf("%s is listed: %t; create is: %t", c.typed, named(c.typed), named("create"))
			}
			if len(list) > 40 {
				t.Errorf("%d tools", len(list))
			}
			for _, d := range list {
				if len(d.Description) > 1_000 {
					t.Errorf("the description of %s has %d characters", d.ID, len(d.Description))
				}
			}
		})
	}
}

// Output schemas are for code, and hosts do not show them to models beside the tools, so the bounds of lists do not count
// them. A program that generates code from them does: they are as short as is asked here on the average of any list,
// and linear.
func TestOutputSchemasAreShortAndLinear(t *testing.T) {
	testrun.Alone(t)
	attack, err := os.ReadFile("../../testdata/attack/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, schema string
		mode         surface.Mode
	}{
		{"attack in full", string(attack), surface.Full},
		{"attack compact", string(attack), surface.Compact},
		{"attack over the gateway", string(attack), surface.Gateway},
		{"sixty types in full", manyTypes(60), surface.Full},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, shown := listOf(t, c.mode, c.schema)
			all, size := 0, 0
			for _, d := range list {
				schema := string(project.MCPTool(d, project.Process{}).OutputSchema)
				all += tokens.Count(schema)
				size += len(schema)
				if len(schema) > 1_500 {
					t.Errorf("the output schema of %s has %d bytes", d.ID, len(schema))
				}
				for _, word := range []string{"$ref", "anyOf", "oneOf", "allOf", "if", "not", "required", "additionalProperties"} {
					if strings.Contains(schema, `"`+word+`":`) {
						t.Errorf("the output schema of %s has %s: %s", d.ID, word, schema)
					}
				}
			}
			t.Logf("%d tools: %d tokens, and with output schemas %d: %d bytes, %d tokens for each tool", len(list), shown, shown+all, size, all/len(list))
			if all > 150*len(list) {
				t.Errorf("output schemas have %.1f tokens on average, at most 150", float64(all)/float64(len(list)))
			}
		})
	}
}

// A typed tool is what the schema says of its type, its description, its properties and which
// are required, and the arguments that every write takes. A model pays at most a tenth more than
// for that.
func TestATypedToolCostsLittleMoreThanItsType(t *testing.T) {
	testrun.Alone(t)
	attack, err := os.ReadFile("../../testdata/attack/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.ParseYAML(attack, "https://attack.mitre.org/kg/")
	if err != nil {
		t.Fatal(err)
	}
	list, _ := listOf(t, surface.Full, string(attack))
	typed := 0
	for _, d := range list {
		if d.InputShape.NodeType == "" {
			continue
		}
		typed++
		declared := s.Type(d.InputShape.NodeType)
		of := capability.ShapeOfType(s, declared)
		of.Fields = append(of.Fields, capability.FieldsOf[capability.ChangeArguments]()...)
		said := struct {
			Description string          `json:"description"`
			Properties  json.RawMessage `json:"properties"`
			Required    []string        `json:"required"`
		}{Description: declared.Description}
		if err := json.Unmarshal(project.Lower(of), &said); err != nil {
			t.Fatal(err)
		}
		text, err := jsontext.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		ratio := float64(tokens.Count(surface.Shown(d))) / float64(tokens.Count(string(text)))
		t.Logf("%s: %.2f", d.ID, ratio)
		if ratio > 1.1 {
			t.Errorf("%s costs %.2f times what the schema says of %s", d.ID, ratio, declared.Name)
		}
	}
	if want := 3 * 7; typed != want { // create, update and delete of each type with instances
		t.Errorf("%d typed tools, want %d", typed, want)
	}
}

// hinted returns the names of the tools of a list that a host keeps loaded.
func hinted(list []capability.Descriptor) []string {
	var names []string
	for _, d := range list {
		if tool := project.MCPTool(d, project.Process{}); tool.Meta["anthropic/alwaysLoad"] == true {
			names = append(names, tool.Name)
		}
	}
	return names
}

// Hosts defer what has no hint. With hints on many tools a host would gain nothing by deferring.
func TestHostsKeepTheCoreToolsLoaded(t *testing.T) {
	testrun.Alone(t)
	for mode, want := range map[surface.Mode][]string{
		surface.Compact: {"search", "get", "query", "create", "update"},
		surface.Full:    {"search", "get", "query"}, // which type a session writes is unknown
	} {
		list, _ := listOf(t, mode, manyTypes(3))
		if got := hinted(list); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", mode, got, want)
		}
	}
}

// searched are the words that hosts search of a tool.
func searched(d capability.Descriptor) []string {
	tool := project.MCPTool(d, project.Process{})
	return strings.FieldsFunc(strings.ToLower(tool.Name+" "+tool.Title+" "+tool.Description), func(r rune) bool { return !('a' <= r && r <= 'z') })
}

// find returns the tool that a search finds first. As in BM25, which hosts use, a word counts less the more tools have it.
func find(list []capability.Descriptor, request string) string {
	var first string
	var best float64
	for _, d := range list {
		var score float64
		for word := range strings.FieldsSeq(request) {
			with := len(slices.DeleteFunc(slices.Clone(list), func(d capability.Descriptor) bool { return !slices.Contains(searched(d), word) }))
			if slices.Contains(searched(d), word) {
				score += 1 / float64(with)
			}
		}
		if score > best {
			first, best = d.ID, score
		}
	}
	return first
}

func TestASearchOfAHostFindsTheTool(t *testing.T) {
	testrun.Alone(t)
	list, _ := listOf(t, surface.Compact, manyTypes(3))
	for request, want := range map[string]string{
		"revert a commit":               "undo",
		"roll back the last change":     "undo",
		"restore what was there":        "undo",
		"import a csv file":             "load",
		"bulk insert of turtle":         "load",
		"audit who changed this":        "history",
		"who wrote this value":          "blame",
		"compare two versions":          "diff",
		"make a draft or sandbox":       "branches_create",
		"discard a draft":               "branches_delete",
		"accept a draft and merge":      "branches_merge",
		"rename a type":                 "schema_apply",
		"drop a property of a type":     "schema_apply",
		"the data model or ontology":    "schema_get",
		"fields of a type with example": "describe",
		"remove a record":               "delete",
		"connect two nodes by an edge":  "link",
		"disconnect two nodes":          "unlink",
		"filter and sort nodes":         "list",
		"statistics and counts by type": "snapshot",
		"poll the feed of changes":      "changes",
		"log of all commits":            "commits_list",
	} {
		if got := find(list, request); got != want {
			t.Errorf("%q finds %s first, want %s", request, got, want)
		}
	}
}
