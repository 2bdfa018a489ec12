package project_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/auth/policy"
	"trails/capability"
	"trails/capability/project"
	"trails/capability/project/projecttest"
	"trails/schema"
)

func fixture(t testing.TB) []capability.Descriptor {
	t.Helper()
	src, err := os.ReadFile("testdata/fixture.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.ParseYAML(src, "http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	return capability.ForSchema(s)
}

// kinds are the fixture, a capability that reads, and one about the system.
func kinds(t testing.TB) []capability.Descriptor {
	read := capability.Descriptor{
		ID: "find", Description: "Find <things>.", Preconditions: []string{"There is a graph."},
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "text", Type: capability.String, Required: true}, {Name: "wide", Type: capability.Boolean, Rare: true},
			{Name: "where", Type: capability.Object, Many: true, Fields: []capability.Field{{Name: "property", Type: capability.String, Nullable: true}, {Name: "value", Type: capability.Any}}},
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "found", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{{Name: "id", Type: capability.IRI, Required: true}, {Name: "rank", Type: capability.Number, Nullable: true}}},
			{Name: "rows", Type: capability.Any, Cells: []capability.Cell{{Name: "who", Says: "Person", Types: []string{"string"}}, {Name: "due", Types: []string{"string", "null"}}, {Name: "size", Types: []string{"string", "integer", "null"}}, {Name: "other"}}},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	}
	meta := capability.Descriptor{
		ID: "trails.meta.gen.type", Description: "Write a type.", SideEffects: capability.Destroys, ConsentRequired: true, Deprecates: []string{"trails.meta.type"},
		CostEstimate: capability.CostChange, PolicyRequired: capability.Requirement{Scope: policy.Dev, Action: "schema_apply", Remote: true},
	}
	return append(fixture(t), read.Completed(), meta.Completed())
}

// TestToolsAreTheirGoldenFiles compares each tool byte for byte. The files are
// rewritten only with TRAILS_UPDATE_MCP_SNAPSHOTS=1.
func TestToolsAreTheirGoldenFiles(t *testing.T) {
	texts := map[string][]byte{}
	for _, d := range kinds(t) {
		text, err := project.Tools(project.Process{}).Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		texts[capability.ToolName(d.ID)] = text
	}
	projecttest.Golden(t, "testdata/mcp_schemas", texts)
}

// The columns of a table are schemas by their places, as JSON Schema and as WoT has them.
func TestTheColumnsOfATableHaveTypes(t *testing.T) {
	for _, d := range kinds(t) {
		if d.ID != "find" {
			continue
		}
		action, err := project.Actions(project.Process{}).Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		wrong := project.Tools(project.Process{})
		encode := wrong.Encode
		wrong.Encode = func(d capability.Descriptor) ([]byte, error) {
			text, err := encode(d)
			return bytes.Replace(text, []byte(`"who: Person"`), []byte(`"who: Place"`), 1), err
		}
		if found, err := wrong.Check(d); err != nil || len(found) != 1 || found[0].Field != "output_shape.rows.cells.who" {
			t.Errorf("of a column that is of another type the doctor finds %v, %v", found, err)
		}
		const rows = `"rows":{"items":{"prefixItems":[{"description":"who: Person","type":"string"},{"description":"due","type":["string","null"]},{"description":"size","type":["string","integer","null"]},{"description":"other"}]},"type":"array"}`
		for text, want := range map[string]string{
			string(project.MCPTool(d, project.Process{}).OutputSchema): rows,
			string(project.AnswerSchema(d)):                            rows,
			string(action):                                             `{"description":"due","oneOf":[{"type":"string"},{"type":"null"}]},{"description":"size","oneOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},{"description":"other"}`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	}
}

// An output schema has the types of members at every level, and descriptions only of those without another word about
// them. It is open and requires nothing. Long descriptions are left out and, if it would be too long, what is within
// members.
func TestAnOutputSchemaIsShortAndOpen(t *testing.T) {
	d := capability.Descriptor{ID: "count", OutputShape: capability.Shape{Closed: true, Fields: []capability.Field{
		{Name: "total", Type: capability.BigInteger, Required: true, Description: "How many.", MinLength: new(1)},
		{Name: "state", Type: capability.String, Nullable: true, OneOf: []any{"on", "off"}},
		{Name: "facts", Type: capability.Object, Description: "By name."},
		{Name: "value", Type: capability.Any, Description: strings.Repeat("Long. ", 20)},
		{Name: "others", Type: capability.Object, Many: true, Rare: true, Description: "As parts.", Fields: []capability.Field{{Name: "at", Type: capability.DateTime}}},
		{Name: "parts", Type: capability.Object, Many: true, Required: true, MinCount: new(1), Fields: []capability.Field{{Name: "at", Type: capability.DateTime, Required: true, Description: "When."}}},
	}}}
	const usual = `"kind":{"type":"string"},"message":{"type":"string"}`
	const tail = `"state":{"enum":["on","off",null],"type":["string","null"]},"total":{"type":"string"},"value":{},"warnings":{"items":{"type":"string"},"type":"array"}},"type":"object"}`
	check := func(want string) {
		t.Helper()
		text, err := project.Tools(project.Process{}).Encode(d)
		if err != nil || !bytes.Contains(text, []byte(`"outputSchema":`+want)) {
			t.Errorf("got %s, %v, want %s", text, err, want)
		}
		if found, err := project.Tools(project.Process{}).Check(d); err != nil || len(found) != 0 {
			t.Errorf("the doctor finds %v, %v", found, err)
		}
	}
	check(`{"properties":{"cut":{"type":"string"},"facts":{"description":"By name.","type":"object"},` + usual +
		`,"others":{"description":"As parts.","items":{"type":"object"},"type":"array"},"parts":{"items":{"properties":{"at":{"type":"string"}},"type":"object"},"type":"array"},` + tail)

	for i := range 150 {
		d.OutputShape.Fields[5].Fields = append(d.OutputShape.Fields[5].Fields, capability.Field{Name: fmt.Sprint("part", i), Type: capability.String})
	}
	d.OutputShape.Fields = append(d.OutputShape.Fields, capability.Field{Name: "rows", Type: capability.Any, Cells: []capability.Cell{{Name: "who"}}})
	check(`{"properties":{"cut":{"type":"string"},"facts":{"type":"object"},` + usual +
		`,"others":{"items":{"type":"object"},"type":"array"},"parts":{"items":{"type":"object"},"type":"array"},"rows":{"description":"columns names the cells.","items":{},"type":"array"},` + tail)
}

// A doctor sees every edit of an output schema.
func TestAnEditedOutputSchemaIsFound(t *testing.T) {
	for _, edit := range [][2]string{
		{`"found":{`, `"find":{`},
		{`"rank":{"type":["number","null"]}`, `"rank":{"type":"number"}`},
		{`"rank":{"type":["number","null"]}`, `"rank":{"type":["string","null"]}`},
		{`"kind":{"type":"string"},"message"`, `"message"`},
		{`"id":{"type":"string"},"rank"`, `"rank"`},
		{`"warnings":{"items":{"type":"string"},"type":"array"}},"type":"object"`, `"warnings":{"items":{"type":"string"},"type":"array"}},"required":["found"],"type":"object"`},
	} {
		for _, d := range kinds(t) {
			if d.ID != "find" {
				continue
			}
			wrong := project.Tools(project.Process{})
			encode := wrong.Encode
			wrong.Encode = func(d capability.Descriptor) ([]byte, error) {
				text, err := encode(d)
				i := bytes.Index(text, []byte(`"outputSchema"`))
				edited := bytes.Replace(text[i:], []byte(edit[0]), []byte(edit[1]), 1)
				if bytes.Equal(edited, text[i:]) {
					t.Errorf("there is no %s in %s", edit[0], text[i:])
				}
				return append(text[:i:i], edited...), err
			}
			if found, err := wrong.Check(d); err != nil || len(found) == 0 {
				t.Errorf("of %s instead of %s the doctor finds %v, %v", edit[1], edit[0], found, err)
			}
		}
	}
}

// TestGoldenSchemasAreDraft07 compiles every golden file of a tool, those of the example included.
func TestGoldenSchemasAreDraft07(t *testing.T) {
	var paths []string
	for _, dir := range []string{"testdata/mcp_schemas", "../../testdata/mcp_schemas"} {
		files, err := filepath.Glob(dir + "/*.json")
		if err != nil || len(files) == 0 {
			t.Fatalf("no golden files in %s: %v", dir, err)
		}
		paths = append(paths, files...)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var tool struct{ InputSchema, OutputSchema json.RawMessage }
		if err := json.Unmarshal(src, &tool); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		projecttest.Compile(t, tool.InputSchema)
		projecttest.Compile(t, tool.OutputSchema)
	}
}

// A schema decides as the shape does, but for what another tool of the type tells in full, for
// arguments that few calls need, of which it has the type alone, and for null.
func TestInputSchemasDecideAsTheShapesDo(t *testing.T) {
	tools := map[string]*jsonschema.Schema{}
	for _, d := range fixture(t) {
		tools[d.ID] = projecttest.Compile(t, project.MCPTool(d, project.Process{}).InputSchema)
	}
	const least = `{"name":"n","integer":1,"maker":"http://e/m","tags":["a"],"kind":"sample","labels":["main"]`
	for _, c := range []struct {
		name, id, args string
		accept         bool
	}{
		{"what is required is enough; defaults need not be given", "sample.create", least + `}`, true},
		{"a required property", "sample.create", `{"name":"n"}`, false},
		{"an unknown argument", "sample.create", least + `,"colour":"red"}`, false},
		{"arguments of every write", "sample.create", least + `,"id":"x","message":"m","dry_run":true}`, true},
		{"min_length", "sample.create", least + `,"string":"a"}`, false},
		{"pattern", "sample.create", least + `,"string":"xxx"}`, false},
		{"pattern matched", "sample.create", least + `,"string":"a<b>&c"}`, true},
		{"max_value", "sample.create", strings.Replace(least, `"integer":1`, `"integer":101`, 1) + `}`, false},
		{"min_value of a decimal", "sample.create", least + `,"decimal":0.04}`, false},
		{"an integer is no number with a fraction", "sample.create", strings.Replace(least, `"integer":1`, `"integer":1.5`, 1) + `}`, false},
		{"big integers are digits", "sample.create", least + `,"big_integer":"12a"}`, false},
		{"big integers are strings", "sample.create", least + `,"big_integer":"-9007199254740992"}`, true},
		{"one_of", "sample.create", least + `,"status":"draft"}`, false},
		{"one_of with numbers", "sample.create", least + `,"grade":2}`, true},
		{"has_value", "sample.create", strings.Replace(least, `"kind":"sample"`, `"kind":"other"`, 1) + `}`, false},
		{"max_count", "sample.create", strings.Replace(least, `["a"]`, `["a","b","c","a"]`, 1) + `}`, false},
		{"min_count", "sample.create", strings.Replace(least, `["a"]`, `[]`, 1) + `}`, false},
		{"many takes arrays only", "sample.create", strings.Replace(least, `["a"]`, `"a"`, 1) + `}`, false},
		{"members keep one_of", "sample.create", strings.Replace(least, `["a"]`, `["z"]`, 1) + `}`, false},
		{"a date is a date", "sample.create", least + `,"date":"31.5.2024"}`, false},
		{"a vector of its dimension", "sample.create", least + `,"vector":[1,2.5,3]}`, true},
		{"a vector of another dimension", "sample.create", least + `,"vector":[1,2]}`, false},
		{"a vector of any dimension", "sample.create", least + `,"free_vector":[1]}`, true},
		{"null when creating", "sample.create", least + `,"string":null}`, false},
		{"update needs the id", "sample.update", `{"string":"a<b>&"}`, false},
		{"update needs nothing else", "sample.update", `{"id":"x"}`, true},
		{"update removes by unset", "sample.update", `{"id":"x","unset":["string","vector"]}`, true},
		{"a property of an update has one type; null is in the description", "sample.update", `{"id":"x","string":null}`, false},
		{"update removes no value that is required", "sample.update", `{"id":"x","kind":null}`, false},
		{"update removes no list that is required", "sample.update", `{"id":"x","tags":null}`, false},
		{"update keeps the types", "sample.update", `{"id":"x","status":1}`, false},
		{"update leaves the constraints to create", "sample.update", `{"id":"x","status":"draft"}`, true},
		{"delete needs the id", "sample.delete", `{}`, false},
		{"delete takes no properties", "sample.delete", `{"id":"x","name":"n"}`, false},
		{"preserved ids are required", "page.create", `{"title":"t"}`, false},
		{"content ids are not offered", "note.create", `{"text":"t","id":"x"}`, false},
		{"key ids may be left out", "maker.create", `{"name":"n","code":"AB1"}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			args, err := jsonschema.UnmarshalJSON(strings.NewReader(c.args))
			if err != nil {
				t.Fatal(err)
			}
			if err := tools[c.id].Validate(args); (err == nil) != c.accept {
				t.Errorf("%s: got %v, want accepted %t", c.args, err, c.accept)
			}
		})
	}
}

func TestMetaToolsSayWhatTheyAreTwice(t *testing.T) {
	d := capability.Descriptor{
		ID: "trails.meta.gen.type", Version: "1.0.0", Description: "Write a type.", Idempotent: true,
		InputShape:     capability.Shape{Closed: true},
		SideEffects:    capability.None,
		PolicyRequired: capability.Requirement{Scope: policy.Dev},
	}
	got, err := json.Marshal(project.MCPTool(d, project.Process{}))
	if err != nil {
		t.Fatal(err)
	}
	const trails = `{"id":"trails.meta.gen.type","idempotent":true,"kind":"meta","namespace":"gen","op":"type","scope":"dev"}`
	want := `{"_meta":{"trails":` + trails + `},` +
		`"annotations":{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true},` +
		`"description":"Write a type.","inputSchema":{"additionalProperties":false,"properties":{},"type":"object"},` +
		`"name":"trails_meta_gen_type","outputSchema":{"type":"object"},"title":"Gen type","trails":` + trails + `}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestTitlesReadAsPeopleSpeak(t *testing.T) {
	for id, want := range map[string]string{
		"ready": "Ready", "commits.list": "List commits", "commits_list": "List commits: log of versions", "schema.get": "Get schema",
		"trails.meta.ping": "Ping", "trails.meta.schema.plan": "Schema plan",
	} {
		if got := project.MCPTool(capability.Descriptor{ID: id}, project.Process{}).Title; got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

func TestNestedObjectsAndAnyValuesAreLowered(t *testing.T) {
	got := project.Lower(capability.Shape{Fields: []capability.Field{
		{Name: "rows", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
			{Name: "n", Type: capability.Integer, Required: true},
			{Name: "at", Type: capability.DateTime, Nullable: true},
		}},
		{Name: "details", Type: capability.Object},
		{Name: "extra", Type: capability.Any, Nullable: true},
	}})
	want := `{"properties":{"details":{"type":"object"},"extra":{},"rows":{"items":{"additionalProperties":false,` +
		`"properties":{"at":{"format":"date-time","type":"string"},"n":{"type":"integer"}},"required":["n"],"type":"object"},` +
		`"type":"array"}},"required":["rows"],"type":"object"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestTheCacheAnswersAsTheViewsDo(t *testing.T) {
	var cache project.Cache
	for range 2 {
		for _, v := range project.Encodings(project.Process{}) {
			for _, d := range fixture(t) {
				want, err := v.Encode(d)
				if err != nil {
					t.Fatal(err)
				}
				got, err := cache.Encode(v, d)
				if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
					t.Fatal(err, diff)
				}
			}
		}
	}
}

// Whether a tool reaches other hosts is the descriptor's to say, and then, unless they are
// servers that the file names, the process's.
func TestAToolIsOpenToTheWorldWhereItsProcessIs(t *testing.T) {
	var cache project.Cache
	for _, d := range fixture(t)[:1] {
		for _, reaches := range []string{"nothing", "hosts", "servers"} {
			d.PolicyRequired.Remote, d.PolicyRequired.Upstream = reaches == "hosts", reaches == "servers"
			d = d.Stamped("1.0.0")
			for _, in := range []project.Process{{}, {Remote: true}} {
				text, err := cache.Encode(project.Tools(in), d)
				want := fmt.Sprintf(`"openWorldHint":%t`, reaches == "hosts" && in.Remote || reaches == "servers")
				if err != nil || !strings.Contains(string(text), want) {
					t.Errorf("descriptor %s, process %t: %v, got %s", reaches, in.Remote, err, text)
				}
			}
		}
	}
}

func TestAChangedVersionIsAnotherCacheEntry(t *testing.T) {
	var cache project.Cache
	d := fixture(t)[0]
	view := project.Tools(project.Process{})
	before, err := cache.Encode(view, d)
	if err != nil {
		t.Fatal(err)
	}
	d.Description = "Another."
	d = d.Stamped("1.0.0")
	if after, err := cache.Encode(view, d); err != nil || bytes.Equal(before, after) {
		t.Errorf("got %s from before the change, error %v", after, err)
	}
}

func BenchmarkMCPTool(b *testing.B) {
	all := fixture(b)
	for b.Loop() {
		for _, d := range all {
			project.MCPTool(d, project.Process{})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/tool")
}
