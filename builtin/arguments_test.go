package builtin_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trails/capability"
	"trails/capability/project"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// inputSchemas are the schemas of a capability's arguments in the documents that have one.
func inputSchemas(t *testing.T, d capability.Descriptor) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, v := range project.Encodings(project.Process{}) {
		text, err := v.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		var shown struct {
			InputSchema map[string]any // tools/list
			Input       map[string]any // Thing Description
			RequestBody struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
		if err := json.Unmarshal(text, &shown); err != nil {
			t.Fatal(err)
		}
		for _, schema := range []map[string]any{shown.InputSchema, shown.Input, shown.RequestBody.Content["application/json"].Schema} {
			if schema != nil {
				out[v.Name] = schema
			}
		}
	}
	if len(out) != 3 {
		t.Fatalf("%s has schemas in %d documents", d.ID, len(out))
	}
	return out
}

// members calls look with every field of a list, and with its schema.
func members(at string, fields []capability.Field, schema map[string]any, look func(at string, f capability.Field, schema map[string]any)) {
	properties, _ := schema["properties"].(map[string]any)
	for _, f := range fields {
		shown, _ := properties[f.Name].(map[string]any)
		look(at+"."+f.Name, f, shown)
		inner := shown
		if items, isList := shown["items"].(map[string]any); isList {
			inner = items
		}
		members(at+"."+f.Name, f.Fields, inner, look)
	}
}

// A client that validates its arguments can send all that a call takes, whichever document it
// read: every argument, and every member of one, has a schema with one type in each.
func TestEveryDocumentNamesEveryArgument(t *testing.T) {
	testrun.Alone(t)
	for _, d := range invoketest.Example(t).Callable(t) {
		for document, schema := range inputSchemas(t, d) {
			if schema["additionalProperties"] != false {
				t.Errorf("%s in %s takes other arguments", d.ID, document)
			}
			members(d.ID, d.InputShape.Fields, schema, func(at string, f capability.Field, shown map[string]any) {
				if _, one := shown["type"].(string); !one && f.Type != capability.Any {
					t.Errorf("%s in %s is %v", at, document, shown)
				}
			})
		}
	}
}

// An object says what its members are: in its schema, in its description, or in that of the tool.
func TestEveryObjectSaysWhatItsMembersAre(t *testing.T) {
	testrun.Alone(t)
	for _, d := range invoketest.Example(t).Callable(t) {
		schema := inputSchemas(t, d)["tools/list"]
		members(d.ID, d.InputShape.Fields, schema, func(at string, f capability.Field, shown map[string]any) {
			if items, isList := shown["items"].(map[string]any); isList {
				shown = items
			}
			_, described := shown["description"]
			_, listed := shown["properties"]
			told := regexp.MustCompile(`\b` + f.Name + `\b`).MatchString(d.Description)
			if f.Type == capability.Object && !described && !listed && !told {
				t.Errorf("nobody says what %s has in it", at)
			}
		})
	}
}

// Whoever sends no object as the arguments of a call is shown one that its shape takes.
func TestArgumentsThatAreNoObjectAreAnsweredWithOne(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for _, d := range e.Callable(t) {
		for _, given := range []string{`[]`, `7`, `"text"`, `null`} {
			_, err := e.Call(t.Context(), invoke.Call{Capability: d.ID, Args: json.RawMessage(given), Principal: invoketest.Ana})
			f := fault.Of(err)
			if !fault.Is(err, fault.InvalidArguments) || len(f.Fields) != 1 {
				t.Errorf("%s of %s: %v", d.ID, given, err)
				continue
			}
			if f.Fields[0].Message == "the arguments must be one JSON object; describe with type \""+d.InputShape.NodeType+"\" tells what it takes" {
				e.Must(t, "describe", `{"type": "`+d.InputShape.NodeType+`"}`)
				continue
			}
			_, text, shown := strings.Cut(f.Fields[0].Message, "the arguments must be one JSON object, such as ")
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			var example map[string]any
			if err := decoder.Decode(&example); !shown || err != nil {
				t.Errorf("%s: %s, %v", d.ID, f.Fields[0].Message, err)
			}
			if wrong := d.InputShape.Check(example); len(wrong) > 0 {
				t.Errorf("%s: %s is refused: %+v", d.ID, text, wrong)
			}
		}
	}
}

// Whoever gives a value of another JSON type than is taken is shown one that is taken, unless any text is: where
// texts have a form of their own, as sort has, they have an example.
func TestARefusedTypeIsAnsweredWithAnExampleThatIsAccepted(t *testing.T) {
	testrun.Alone(t)
	given := []any{json.Number("7.5"), true, "text", map[string]any{"name": "desc"}, []any{map[string]any{"field": "name", "desc": true}}}
	tried := 0
	for _, d := range invoketest.Example(t).Callable(t) {
		members(d.ID, d.InputShape.Fields, nil, func(at string, f capability.Field, _ map[string]any) {
			for _, v := range given {
				for _, wrong := range f.Check(v) {
					_, text, shown := strings.Cut(wrong.Message, ", such as ")
					member := wrong.Field == f.Name+"[0]"
					if !strings.Contains(wrong.Message, " must be a JSON ") || wrong.Field != f.Name && !member {
						continue
					}
					if tried++; !shown {
						if f.Type != capability.String || f.Many && !member || f.Name == "sort" || f.Name == "select" {
							t.Errorf("%s: %s", at, wrong.Message)
						}
						continue
					}
					decoder := json.NewDecoder(strings.NewReader(text))
					decoder.UseNumber()
					var example any
					if err := decoder.Decode(&example); err != nil {
						t.Errorf("%s: %s: %v", at, wrong.Message, err)
					}
					if member {
						example = []any{example}
					}
					if again := f.Check(example); len(again) > 0 {
						t.Errorf("%s: %s is refused: %+v", at, text, again)
					}
				}
			}
		})
	}
	if tried == 0 {
		t.Error("no argument is a list or an object")
	}
	e := invoketest.Example(t)
	for id, field := range map[string]string{"schema_apply": "patch", "trails.meta.schema.plan": "schema"} { // YAML, which JSON is too
		given, err := json.Marshal(map[string]any{field: map[string]any{"add_type": map[string]any{}}})
		if err != nil {
			t.Fatal(err)
		}
		says := e.Refused(t, invoke.Call{Capability: id, Args: given, Principal: invoketest.Ana}, fault.InvalidArguments).Fields[0].Message
		_, example, _ := strings.Cut(says, ", such as ")
		e.Must(t, "trails.meta.schema.plan", `{"`+field+`":`+strings.ReplaceAll(example, "Task", "Requirement")+`}`)
	}
	f := e.Refused(t, invoke.Call{Capability: "list", Args: json.RawMessage(`{"type":"Requirement","where":{"a":1}}`), Principal: invoketest.Ana}, fault.InvalidArguments)
	if says := f.Fields[0].Message; !strings.Contains(says, `[{"op":"contains","property":"name","value":"text"}]`) {
		t.Errorf("a condition is shown as %s", says)
	}
}

// An object whose members the gateway knows answers in the same way.
func TestUnknownMembersOfTheGatewayAreAnsweredWithTheKnownOnes(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for call, want := range map[string]string{
		`trails.meta.gateway.add {"definition":{"name":"a","htp":"http://127.0.0.1/mcp"}}`:                       `definition.htp there are name, command, http, sse`,
		`trails.meta.gateway.configure {"settings":{"retry":{"max_atempts":2}}}`:                                 `settings.retry.max_atempts there are max_attempts, base_delay_ms`,
		`trails.meta.gateway.configure {"settings":{"rate_limits":{"tools":{"a:b#00000000":{"per_minute":2}}}}}`: `settings.rate_limits.tools.a:b#00000000.per_minute there are max_calls_per_minute`,
		`trails.meta.gateway.configure {"settings":{"nothing":1}}`:                                               `settings.nothing there are tolerant_args, cache_stable`,
	} {
		name, args, _ := strings.Cut(call, " ")
		f := e.Refused(t, invoke.Call{Capability: name, Args: json.RawMessage(args), Principal: invoketest.Ana}, fault.InvalidData)
		field, known, _ := strings.Cut(want, " ")
		if len(f.Fields) != 1 || f.Fields[0].Field != field || f.Fields[0].Code != fault.Closed || !strings.Contains(f.Fields[0].Message, known) {
			t.Errorf("%s: %+v, want %s", call, f.Fields, want)
		}
	}
}

// What an object takes is told to whoever gives it something else.
func TestUnknownMembersAreAnsweredWithTheKnownOnes(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	tried := 0
	for _, d := range e.Callable(t) {
		for _, f := range d.InputShape.Fields {
			if f.Type != capability.Object || len(f.Fields) == 0 {
				continue
			}
			tried++
			var given any = map[string]any{"nothing_like_it": 1}
			if f.Many {
				given = []any{given}
			}
			wrong := f.Check(given)
			at := slices.IndexFunc(wrong, func(w fault.FieldError) bool { return regexp.MustCompile("nothing_like_it").MatchString(w.Field) })
			if at < 0 {
				t.Errorf("%s of %s takes anything", f.Name, d.ID)
				continue
			}
			if !strings.Contains(wrong[at].Message, `"`+wrong[at].Field+`"`) {
				t.Errorf("%s of %s: %s does not say where", f.Name, d.ID, wrong[at].Message)
			}
			for _, known := range f.Fields {
				if !regexp.MustCompile(`\b` + known.Name + `\b`).MatchString(wrong[at].Message) {
					t.Errorf("%s of %s: %s does not name %s", f.Name, d.ID, wrong[at].Message, known.Name)
				}
			}
		}
	}
	if tried < 5 {
		t.Errorf("%d objects were tried", tried)
	}
}
