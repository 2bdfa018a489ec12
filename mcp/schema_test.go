package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/capability/project/projecttest"
)

// Who sends a message.
const (
	client = "client"
	server = "server"
)

// kind is how the protocol calls a method's messages, and who may send the first;
// an empty from means both.
type kind struct{ from, request, result string }

// kinds names the definitions of each method. A revision that lacks one has no such
// message.
var kinds = map[string]kind{
	"initialize":               {client, "InitializeRequest", "InitializeResult"},
	"server/discover":          {client, "DiscoverRequest", "DiscoverResult"},
	"ping":                     {"", "PingRequest", "EmptyResult"},
	"tools/list":               {client, "ListToolsRequest", "ListToolsResult"},
	"tools/call":               {client, "CallToolRequest", "CallToolResult"},
	"resources/list":           {client, "ListResourcesRequest", "ListResourcesResult"},
	"resources/templates/list": {client, "ListResourceTemplatesRequest", "ListResourceTemplatesResult"},
	"resources/read":           {client, "ReadResourceRequest", "ReadResourceResult"},
	"resources/subscribe":      {client, "SubscribeRequest", "EmptyResult"},
	"resources/unsubscribe":    {client, "UnsubscribeRequest", "EmptyResult"},
	"prompts/list":             {client, "ListPromptsRequest", "ListPromptsResult"},
	"prompts/get":              {client, "GetPromptRequest", "GetPromptResult"},
	"completion/complete":      {client, "CompleteRequest", "CompleteResult"},
	"logging/setLevel":         {client, "SetLevelRequest", "EmptyResult"},
	"subscriptions/listen":     {client, "SubscriptionsListenRequest", "SubscriptionsListenResult"},
	"elicitation/create":       {server, "ElicitRequest", "ElicitResult"},
	"sampling/createMessage":   {server, "CreateMessageRequest", "CreateMessageResult"},

	"notifications/initialized":                {client, "InitializedNotification", ""},
	"notifications/cancelled":                  {"", "CancelledNotification", ""},
	"notifications/progress":                   {"", "ProgressNotification", ""},
	"notifications/message":                    {server, "LoggingMessageNotification", ""},
	"notifications/tools/list_changed":         {server, "ToolListChangedNotification", ""},
	"notifications/prompts/list_changed":       {server, "PromptListChangedNotification", ""},
	"notifications/resources/list_changed":     {server, "ResourceListChangedNotification", ""},
	"notifications/resources/updated":          {server, "ResourceUpdatedNotification", ""},
	"notifications/subscriptions/acknowledged": {server, "SubscriptionsAcknowledgedNotification", ""},
}

// revision is the protocol's JSON Schema of one version.
type revision struct {
	compiler *jsonschema.Compiler
	prefix   string // of the address of a definition
	defs     map[string]any
}

var revisions = struct {
	sync.Mutex
	known map[string]*revision
}{known: map[string]*revision{}}

// schemaOf returns the revision of a protocol version; in CI the suites' absence is
// a failure.
func schemaOf(t *testing.T, version string) *revision {
	t.Helper()
	dir := os.Getenv("TRAILS_SUITES")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "suites")
	}
	file := filepath.Join(dir, "mcp-schemas", "schema", version, "schema.json")
	if _, err := os.Stat(file); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no MCP schemas: %v; set TRAILS_SUITES", err)
		}
		t.Skipf("SKIPPED: NO MCP SCHEMAS: %v; set TRAILS_SUITES to hold messages to them", err)
	}
	revisions.Lock()
	defer revisions.Unlock()
	if revisions.known[version] == nil {
		revisions.known[version] = readRevision(t, file)
	}
	return revisions.known[version]
}

func readRevision(t *testing.T, file string) *revision {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	r := &revision{compiler: jsonschema.NewCompiler()}
	r.compiler.AssertFormat()
	for _, f := range formats {
		r.compiler.RegisterFormat(f)
	}
	for _, key := range []string{"definitions", "$defs"} {
		if defs, ok := doc.(map[string]any)[key].(map[string]any); ok {
			r.prefix, r.defs = "mcp.json#/"+key+"/", defs
		}
	}
	if err := r.compiler.AddResource("mcp.json", doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

// formats are those that the library does not know, or not whole: of templates it
// has no operators (RFC 6570, section 2.2).
var formats = []*jsonschema.Format{
	{Name: "uri-template", Validate: matches(regexp.MustCompile(`^([^{}<>"\s]|\{[+#./;?&]?\w[\w.]*(,\w[\w.]*)*\})*$`))},
	{Name: "byte", Validate: matches(regexp.MustCompile(`^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`))},
}

func matches(pattern *regexp.Regexp) func(any) error {
	return func(value any) error {
		if text, ok := value.(string); ok && !pattern.MatchString(text) {
			return fmt.Errorf("does not match %s", pattern)
		}
		return nil
	}
}

// validate holds a value to one definition.
func (r *revision) validate(definition string, text []byte) error {
	if r.defs[definition] == nil {
		return fmt.Errorf("this revision has no %s", definition)
	}
	revisions.Lock()
	schema, err := r.compiler.Compile(r.prefix + definition)
	revisions.Unlock()
	if err != nil {
		return fmt.Errorf("compile %s: %w", definition, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// firstOf returns the definition that this revision has.
func (r *revision) firstOf(definitions ...string) string {
	for _, d := range definitions {
		if r.defs[d] != nil {
			return d
		}
	}
	return definitions[0]
}

// errorKinds are the definitions of single errors, where a revision has them: of
// the whole answer or of its error.
var errorKinds = map[int]struct {
	definition string
	whole      bool
}{
	-32700: {"ParseError", false},
	-32600: {"InvalidRequestError", false},
	-32601: {"MethodNotFoundError", false},
	-32602: {"InvalidParamsError", false},
	-32603: {"InternalError", false},
	-32020: {"HeaderMismatchError", true},
	-32021: {"MissingRequiredClientCapabilityError", true},
	-32022: {"UnsupportedProtocolVersionError", true},
}

// wire is one message, as far as it says what it is.
type wire struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Code int }
}

// inspector reads a conversation message by message, and holds each to the one
// definition that is meant for it.
type inspector struct {
	t *testing.T
	// version is the one that was negotiated.
	version string
	// asked are the requests without an answer, by who asked and the id; answered are
	// the answers that may come again, because a stream that was cut is resumed.
	asked    map[string]question
	answered map[string]bool
	// seen counts the definitions that messages were held to.
	seen map[string]int
	// outputs are the output schemas of the tools in the list, nil before it was asked for.
	outputs map[string]json.RawMessage
}

// question is a request that waits for its answer; tool is the one that it calls.
type question struct{ method, version, tool string }

func newInspector(t *testing.T, version string) *inspector {
	return &inspector{t: t, version: version, asked: map[string]question{}, answered: map[string]bool{}, seen: map[string]int{}}
}

// inspect returns what is wrong with a message.
func (i *inspector) inspect(from string, text []byte) error {
	var m wire
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("no message: %w", err)
	}
	if m.Method != "" {
		return i.inspectCall(from, m, text)
	}
	asker := map[string]string{client: server, server: client}[from]
	key := asker + string(m.ID)
	q, known := i.asked[key]
	if !known {
		q = question{version: i.version}
	}
	delete(i.asked, key)
	if m.Error != nil {
		return i.inspectError(q, m.Error.Code, text)
	}
	if !known && !i.answered[string(text)] {
		return fmt.Errorf("an answer to nothing: nobody asked %s", m.ID)
	}
	if !known {
		return nil
	}
	i.answered[string(text)] = true
	return i.inspectResult(q, m.Result, text)
}

func (i *inspector) inspectCall(from string, m wire, text []byte) error {
	version := i.versionOf(m)
	k, known := kinds[m.Method]
	if !known || (k.from != "" && k.from != from) {
		return fmt.Errorf("a %s has no method %s", from, m.Method)
	}
	general := "JSONRPCNotification"
	if m.ID != nil {
		general = "JSONRPCRequest"
		var params struct{ Name string }
		_ = json.Unmarshal(m.Params, &params) // of another shape: no tool
		i.asked[from+string(m.ID)] = question{m.Method, version, params.Name}
	}
	return i.hold(version, text, general, k.request)
}

// versionOf is the version that a message names, or else the negotiated one.
func (i *inspector) versionOf(m wire) string {
	var params struct {
		Meta struct {
			Version      string          `json:"io.modelcontextprotocol/protocolVersion"`
			Subscription json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params) // of another shape: the session's version
	if params.Meta.Version != "" || params.Meta.Subscription != nil {
		return versions[len(versions)-1]
	}
	return i.version
}

func (i *inspector) inspectResult(q question, result, text []byte) error {
	r := schemaOf(i.t, q.version)
	if err := i.hold(q.version, text, r.firstOf("JSONRPCResultResponse", "JSONRPCResponse")); err != nil {
		return err
	}
	if err := i.hold(q.version, result, resultKind(q.method, result)); err != nil {
		return err
	}
	return i.inspectOutput(q, result)
}

// inspectOutput checks what a tool answers against its output schema.
func (i *inspector) inspectOutput(q question, result []byte) error {
	var r struct {
		Tools []struct {
			Name         string
			OutputSchema json.RawMessage
		}
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	for _, t := range r.Tools {
		if i.outputs == nil {
			i.outputs = map[string]json.RawMessage{}
		}
		i.outputs[t.Name] = t.OutputSchema
	}
	schema := i.outputs[q.tool]
	if q.method != "tools/call" || r.StructuredContent == nil || schema == nil {
		return nil
	}
	i.seen["outputSchema"]++
	if err := projecttest.FitsOutput(schema, r.StructuredContent, r.IsError); err != nil {
		return fmt.Errorf("the answer of %s: %w", q.tool, err)
	}
	return nil
}

// asking are the methods whose result may be that the client is asked first.
var asking = []string{"tools/call", "prompts/get", "resources/read"}

func resultKind(method string, result []byte) string {
	var r struct {
		Type string `json:"resultType"`
	}
	_ = json.Unmarshal(result, &r) // what is no object is refused by its schema
	if r.Type == "input_required" && slices.Contains(asking, method) {
		return "InputRequiredResult"
	}
	return kinds[method].result
}

func (i *inspector) inspectError(q question, code int, text []byte) error {
	r := schemaOf(i.t, q.version)
	if err := i.hold(q.version, text, r.firstOf("JSONRPCErrorResponse", "JSONRPCError")); err != nil {
		return err
	}
	k, known := errorKinds[code]
	if !known || r.defs[k.definition] == nil {
		return nil
	}
	if !k.whole {
		var answer struct{ Error json.RawMessage }
		if err := json.Unmarshal(text, &answer); err != nil {
			return err
		}
		text = answer.Error
	}
	return i.hold(q.version, text, k.definition)
}

func (i *inspector) hold(version string, text []byte, definitions ...string) error {
	for _, d := range definitions {
		if err := schemaOf(i.t, version).validate(d, text); err != nil {
			return fmt.Errorf("%s %s: %w", version, d, err)
		}
		i.seen[d]++
	}
	return nil
}
