package project_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/capability"
	"trails/capability/project"
	"trails/capability/project/projecttest"
	"trails/rdf/rdftest"
)

const thingDir = "../../testdata/td"

func TestActionsAreTheirGoldenFiles(t *testing.T) {
	texts := map[string][]byte{}
	for _, d := range kinds(t) {
		text, err := project.Actions(project.Process{}).Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		texts[d.ID] = text
	}
	projecttest.Golden(t, thingDir, texts)
}

func validates(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestThingsAreThingDescriptions(t *testing.T) {
	schema := projecttest.ThingSchema(t, rdftest.Dir(t))
	for _, in := range []project.Process{{Graph: "samples"}, {Graph: "a graph", Token: true, Changes: "admin/events", Remote: true}} {
		l := listing(t)
		l.Process = in
		for _, all := range [][]capability.Descriptor{l.Descriptors, nil} {
			l.Descriptors = all
			text, err := l.Thing()
			if err != nil {
				t.Fatal(err)
			}
			if err := validates(t, schema, text); err != nil {
				t.Errorf("%+v: %v", in, err)
			}
		}
	}
}

// The validator itself takes the valid examples of Eclipse Thingweb and refuses the invalid
// ones, but for those whose fault no JSON Schema can say.
func TestTheThingSchemaKnowsTheExamples(t *testing.T) {
	beyondSchema := []string{"duplicatePropertyAffordanceNames.json", "duplicateSecurityDefinitions.json", "invalidSecuMatch.json", "multipleRelType.json", "usingTM.json"}
	schema := projecttest.ThingSchema(t, rdftest.Dir(t))
	root := filepath.Join(rdftest.Dir(t), "wot", "thingweb")
	seen := map[bool]int{}
	check := func(path string, valid bool) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen[valid]++
		if err := validates(t, schema, text); (err == nil) != valid {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, valid := range []bool{true, false} {
		dir := filepath.Join(root, "packages", "core", "examples", "tds", map[bool]string{true: "valid", false: "invalid"}[valid])
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			check(file, valid || slices.Contains(beyondSchema, filepath.Base(file)))
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "examples", "td"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".td.json") {
			check(path, true)
		}
		return err
	})
	if err != nil || seen[true] < 40 || seen[false] < 15 {
		t.Errorf("%d valid and %d invalid examples, error %v", seen[true], seen[false], err)
	}
}

// shared are the fields that more than one view has, as each shows them.
func shared(t *testing.T, d capability.Descriptor) map[string]map[string]json.RawMessage {
	t.Helper()
	in := project.Process{Token: true, Changes: "admin/events"}
	of := func(v project.Encoding, into any) {
		text, err := v.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		again, err := v.Encode(d)
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("%s is not stable: %s, then %s", v.Name, text, again)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	var tool, action, entry map[string]json.RawMessage
	type content struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
	var o struct {
		OperationID, Summary, Description json.RawMessage
		RequestBody                       content
		Responses                         map[string]content
		Trails                            map[string]json.RawMessage `json:"x-trails"`
	}
	of(project.Tools(in), &tool)
	of(project.Actions(in), &action)
	of(project.Operations(in), &o)
	of(project.Encodings(in)[1], &entry)
	plain := func(schema json.RawMessage) json.RawMessage {
		text, err := project.Plain(schema)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var hints, trails map[string]json.RawMessage
	if err := json.Unmarshal(tool["annotations"], &hints); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(tool["trails"], &trails); err != nil {
		t.Fatal(err)
	}
	x := o.Trails
	return map[string]map[string]json.RawMessage{
		"id":               {"tool": trails["id"], "entry": entry["id"], "operation": x["id"], "action": action["trails:id"]},
		"tool_name":        {"tool": tool["name"], "entry": entry["tool_name"], "operation": o.OperationID},
		"title":            {"tool": tool["title"], "operation": o.Summary, "action": action["title"]},
		"description":      {"tool": tool["description"], "entry": entry["description"], "operation": o.Description, "action": action["description"]},
		"idempotent":       {"tool": hints["idempotentHint"], "entry": entry["idempotent"], "operation": x["idempotent"], "action": action["idempotent"]},
		"reads only":       {"tool": hints["readOnlyHint"], "action": action["safe"]},
		"input_shape":      {"tool": tool["inputSchema"], "operation": o.RequestBody.Content["application/json"].Schema, "action": plain(action["input"])},
		"output_shape":     {"operation": o.Responses["200"].Content["application/json"].Schema, "action": plain(action["output"])},
		"version":          {"entry": entry["version"], "operation": x["version"], "action": action["trails:version"]},
		"side_effects":     {"entry": entry["side_effects"], "operation": x["side_effects"], "action": action["trails:sideEffects"]},
		"preconditions":    {"entry": entry["preconditions"], "operation": x["preconditions"], "action": action["trails:preconditions"]},
		"cost_estimate":    {"entry": entry["cost_estimate"], "operation": x["cost_estimate"], "action": action["trails:costEstimate"]},
		"policy_required":  {"entry": entry["policy_required"], "operation": x["policy_required"], "action": action["trails:policyRequired"]},
		"reasoning":        {"entry": entry["reasoning"], "operation": x["reasoning"], "action": action["trails:reasoning"]},
		"deprecates":       {"entry": entry["deprecates"], "operation": x["deprecates"], "action": action["trails:deprecates"]},
		"assurance":        {"entry": entry["assurance"], "operation": x["assurance"], "action": action["trails:assurance"]},
		"consent_required": {"entry": entry["consent_required"], "operation": x["consent_required"], "action": action["trails:consentRequired"]},
	}
}

func agree(t *testing.T, d capability.Descriptor) {
	t.Helper()
	for field, views := range shared(t, d) {
		first, from := json.RawMessage(nil), ""
		for view, text := range views {
			if len(text) == 0 {
				t.Errorf("%s: the %s has no %s", d.ID, view, field)
			}
			if from != "" && !bytes.Equal(first, text) {
				t.Errorf("%s: of %s the %s shows %s, and the %s %s", d.ID, field, from, first, view, text)
			}
			first, from = text, view
		}
	}
}

// Members that belong to one protocol are in no view of another, at any depth outside of
// descriptions and of the shapes, whose members have names of their own.
func TestNoViewHasWhatIsAnothersAlone(t *testing.T) {
	own := map[string][]string{
		"tools/list":       {"annotations", "_meta", "inputSchema", "outputSchema", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"},
		"/capabilities":    {"input_shape", "output_shape", "tool_name"},
		"/openapi.json":    {"operationId", "requestBody", "responses", "x-trails", "security"},
		"/.well-known/wot": {"forms", "href", "htv:methodName", "contentType", "subprotocol", "safe", "securityDefinitions", "trails:sideEffects", "trails:assurance", "trails:costEstimate", "trails:policyRequired"},
	}
	var names func(v any, into map[string]bool)
	names = func(v any, into map[string]bool) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				into[name] = true
				names(member, into)
			}
		case []any:
			for _, member := range v {
				names(member, into)
			}
		}
	}
	for _, v := range project.Encodings(project.Process{Token: true, Changes: "admin/events"}) {
		for _, d := range kinds(t) {
			text, err := v.Encode(d)
			if err != nil {
				t.Fatal(err)
			}
			var entry any
			if err := json.Unmarshal(text, &entry); err != nil {
				t.Fatal(err)
			}
			there := map[string]bool{}
			names(entry, there)
			for view, members := range own {
				for _, name := range members {
					if view != v.Name && there[name] {
						t.Errorf("%s of %s has %s, which is of %s alone", v.Name, d.ID, name, view)
					}
				}
			}
		}
	}
}
