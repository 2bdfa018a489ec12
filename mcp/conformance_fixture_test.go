package mcp_test

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/mcp"
)

// What the conformance suite expects a server to have. Whatever our engine's
// interface can say comes through suiteEngine, on the road of every call; the rest
// (pictures, sound, calls to the client) comes from suiteFixture.

// The smallest picture and the smallest sound.
var (
	picture = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	sound   = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// suiteEngine is an engine with the suite's tools, resources and prompts, and the skills of a graph, if it has one.
type suiteEngine struct {
	fake
	graph *invoke.Engine
}

var suiteTools = []capability.Descriptor{
	tool("test_simple_text", policy.Runtime),
	tool("test_image_content", policy.Runtime),
	tool("test_audio_content", policy.Runtime),
	tool("test_embedded_resource", policy.Runtime),
	tool("test_multiple_content_types", policy.Runtime),
	tool("test_tool_with_logging", policy.Runtime),
	tool("test_error_handling", policy.Runtime),
	tool("test_tool_with_progress", policy.Runtime),
	tool("test_sampling", policy.Runtime, capability.Field{Name: "prompt", Type: capability.String, Required: true}),
	tool("test_elicitation", policy.Runtime, capability.Field{Name: "message", Type: capability.String, Required: true}),
	tool("test_elicitation_sep1034_defaults", policy.Runtime),
	tool("test_elicitation_sep1330_enums", policy.Runtime),
	tool("test_reconnection", policy.Runtime),
}

func (e *suiteEngine) Tools(context.Context, policy.Principal) (invoke.Tools, error) {
	return invoke.Tools{Version: "1", Descriptors: suiteTools}, nil
}

func (e *suiteEngine) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	switch c.Capability {
	case "skills_list":
		if e.graph != nil {
			return e.graph.Call(ctx, c)
		}
	case "test_simple_text":
		return answered("text", "This is a simple text response for testing.")
	case "test_error_handling":
		return invoke.Result{}, fault.New(fault.Conflict, "This tool intentionally returns an error for testing")
	case "test_tool_with_progress":
		return reportProgress(c)
	case "ask":
		return askUser(ctx, c)
	case "prompts_list":
		return invoke.Result{Structured: json.RawMessage(promptsList)}, nil
	case "prompts_get":
		return getPrompt(c.Args)
	case "suggest":
		return answered("items", []map[string]string{{"value": "test value"}})
	}
	return invoke.Result{}, fault.New(fault.UnknownTool, "unknown tool: %s", c.Capability)
}

func answered(name string, value any) (invoke.Result, error) {
	text, err := json.Marshal(map[string]any{name: value})
	return invoke.Result{Structured: text}, err
}

// reportProgress waits between its reports: those that come too fast are not sent, and the
// client drops one that it reads together with the answer.
func reportProgress(c invoke.Call) (invoke.Result, error) {
	for _, done := range []int64{1, 50, 100} {
		if c.Progress != nil {
			c.Progress(invoke.Progress{Phase: "count", Done: done, Total: 100, Unit: "steps"})
		}
		time.Sleep(300 * time.Millisecond)
	}
	return answered("done", 100)
}

func askUser(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	if c.Ask == nil {
		return invoke.Result{}, fault.New(fault.Precondition, "nobody can be asked")
	}
	yes, err := c.Ask(ctx, invoke.Question{Message: "Go on?"})
	if err != nil {
		return invoke.Result{}, err
	}
	return answered("answer", yes)
}

const promptsList = `{"prompts":[
	{"name":"test_simple_prompt","description":"A prompt."},
	{"name":"test_prompt_with_arguments","description":"A prompt with arguments.","arguments":[
		{"name":"arg1","description":"The first.","required":true,"completes":"types"},
		{"name":"arg2","description":"The second.","required":true}]},
	{"name":"test_prompt_with_embedded_resource","description":"A prompt with a resource.","arguments":[{"name":"resourceUri","required":true}]},
	{"name":"test_prompt_with_image","description":"A prompt with a picture."}]}`

func getPrompt(args json.RawMessage) (invoke.Result, error) {
	var p struct {
		Name      string
		Arguments map[string]string
	}
	if err := json.Unmarshal(args, &p); err != nil {
		return invoke.Result{}, err
	}
	switch p.Name {
	case "test_simple_prompt":
		return answered("messages", message("This is a simple prompt for testing."))
	case "test_prompt_with_arguments":
		return answered("messages", message(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", p.Arguments["arg1"], p.Arguments["arg2"])))
	}
	return invoke.Result{}, fault.Arguments(fault.FieldError{Field: "name", Code: fault.OneOf, Message: "there is no such prompt", Value: p.Name})
}

func message(text string) []map[string]string {
	return []map[string]string{{"role": "user", "text": text}}
}

func (e *suiteEngine) Resources(context.Context, policy.Principal) ([]invoke.Resource, error) {
	return []invoke.Resource{
		{URI: "test://static-text", Name: "static-text", Description: "A text.", MIME: "text/plain"},
		{URI: "test://static-binary", Name: "static-binary", Description: "A picture.", MIME: "image/png"},
		{URI: "test://template", Name: "template", Description: "Data.", MIME: "application/json", Template: "test://template/{id}/data"},
		{URI: "test://watched-resource", Name: "watched-resource", Description: "A text that changes.", MIME: "text/plain"},
	}, nil
}

func (e *suiteEngine) Read(ctx context.Context, uri string, c invoke.Call) (invoke.Document, error) {
	id, isTemplate := strings.CutPrefix(uri, "test://template/")
	switch {
	case strings.HasPrefix(uri, "skill://"):
		return e.graph.Read(ctx, uri, c)
	case uri == "test://static-text":
		return invoke.Document{URI: uri, MIME: "text/plain", Body: []byte("This is the content of the static text resource.")}, nil
	case uri == "test://static-binary":
		return invoke.Document{URI: uri, MIME: "image/png", Body: picture}, nil
	case uri == "test://watched-resource":
		return invoke.Document{URI: uri, MIME: "text/plain", Body: []byte("Watched.")}, nil
	case isTemplate:
		id = strings.TrimSuffix(id, "/data")
		body := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
		return invoke.Document{URI: uri, MIME: "application/json", Body: []byte(body)}, nil
	}
	return e.fake.Read(ctx, uri, c)
}

//go:embed testdata/conformance/json_schema_2020_12_tool.json
var schemaTool string

// suiteFixture answers what the engine cannot.
var suiteFixture = mcp.Fixture{Before: readdress, After: supply}

// readdress makes the suite's watched resource one that can be watched: only what
// is in a graph changes.
func readdress(req sdk.Request) {
	const watched = "trails://kg/Note"
	switch p := req.GetParams().(type) {
	case *sdk.SubscribeParams:
		p.URI = strings.Replace(p.URI, "test://watched-resource", watched, 1)
	case *sdk.UnsubscribeParams:
		p.URI = strings.Replace(p.URI, "test://watched-resource", watched, 1)
	}
}

func supply(ctx context.Context, req sdk.Request, res sdk.Result, err error) (sdk.Result, error) {
	switch p := req.GetParams().(type) {
	case *sdk.ListToolsParams:
		if err == nil {
			mcp.AddTool(res, schemaTool)
		}
	case *sdk.CallToolParamsRaw:
		if p.Name == "json_schema_2020_12_tool" {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "called"}}}, nil
		}
		if use := suiteCalls[p.Name]; use != nil && fault.Is(err, fault.UnknownTool) {
			session, _ := req.GetSession().(*sdk.ServerSession)
			return use(ctx, session, req)
		}
	case *sdk.GetPromptParams:
		if said := suitePrompts[p.Name]; said != nil && fault.Is(err, fault.InvalidArguments) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: said}}}, nil
		}
	}
	return res, err
}

// suiteCalls are the tools that the engine does not know.
var suiteCalls = map[string]func(context.Context, *sdk.ServerSession, sdk.Request) (sdk.Result, error){
	"test_image_content": contentOf(&sdk.ImageContent{Data: picture, MIMEType: "image/png"}),
	"test_audio_content": contentOf(&sdk.AudioContent{Data: sound, MIMEType: "audio/wav"}),
	"test_embedded_resource": contentOf(&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}}),
	"test_multiple_content_types": contentOf(
		&sdk.TextContent{Text: "Multiple content types test:"},
		&sdk.ImageContent{Data: picture, MIMEType: "image/png"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`}}),
	"test_tool_with_logging":            logThrice,
	"test_sampling":                     sample,
	"test_elicitation":                  elicit(userForm),
	"test_elicitation_sep1034_defaults": elicit(defaultsForm),
	"test_elicitation_sep1330_enums":    elicit(enumsForm),
	"test_reconnection":                 reconnect,
}

// suitePrompts are the prompts that the engine does not know.
var suitePrompts = map[string]sdk.Content{
	"test_prompt_with_image": &sdk.ImageContent{Data: picture, MIMEType: "image/png"},
	"test_prompt_with_embedded_resource": &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
		URI: "test://example-resource", MIMEType: "text/plain", Text: "Embedded resource content for testing."}},
}

func contentOf(content ...sdk.Content) func(context.Context, *sdk.ServerSession, sdk.Request) (sdk.Result, error) {
	return func(context.Context, *sdk.ServerSession, sdk.Request) (sdk.Result, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

func logThrice(ctx context.Context, s *sdk.ServerSession, _ sdk.Request) (sdk.Result, error) {
	for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := s.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil { //nolint:staticcheck // deprecated, and still asked for
			return nil, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return mcp.ToolText("logged"), nil
}

func sample(ctx context.Context, s *sdk.ServerSession, req sdk.Request) (sdk.Result, error) {
	var args struct{ Prompt string }
	if err := json.Unmarshal(req.GetParams().(*sdk.CallToolParamsRaw).Arguments, &args); err != nil {
		return nil, err
	}
	answer, err := s.CreateMessage(ctx, &sdk.CreateMessageParams{ //nolint:staticcheck // deprecated, and still asked for
		Messages:  []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: args.Prompt}}}, //nolint:staticcheck // likewise
		MaxTokens: 100,
	})
	if err != nil {
		return nil, err
	}
	text, _ := answer.Content.(*sdk.TextContent)
	return mcp.ToolText("LLM response: %s", text.Text), nil
}

const userForm = `{"type":"object","required":["username","email"],"properties":{
	"username":{"type":"string","description":"User's response"},
	"email":{"type":"string","description":"User's email address"}}}`

const defaultsForm = `{"type":"object","properties":{
	"name":{"type":"string","description":"User name","default":"John Doe"},
	"age":{"type":"integer","description":"User age","default":30},
	"score":{"type":"number","description":"User score","default":95.5},
	"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
	"verified":{"type":"boolean","description":"Verification status","default":true}}}`

const enumsForm = `{"type":"object","properties":{
	"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
	"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
	"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
	"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
	"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`

func elicit(form string) func(context.Context, *sdk.ServerSession, sdk.Request) (sdk.Result, error) {
	return func(ctx context.Context, s *sdk.ServerSession, _ sdk.Request) (sdk.Result, error) {
		answer, err := s.Elicit(ctx, &sdk.ElicitParams{Message: "Please fill in the form", RequestedSchema: json.RawMessage(form)})
		if err != nil {
			return nil, err
		}
		return mcp.ToolText("Elicitation completed: action=%s, content=%v", answer.Action, answer.Content), nil
	}
}

// reconnect closes the stream of its own answer, which the client then fetches.
func reconnect(_ context.Context, _ *sdk.ServerSession, req sdk.Request) (sdk.Result, error) {
	if extra := req.GetExtra(); extra != nil && extra.CloseSSEStream != nil {
		extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	time.Sleep(100 * time.Millisecond)
	return mcp.ToolText("Reconnection test completed successfully"), nil
}
