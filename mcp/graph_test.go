package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/builtin"
	"trails/example"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/mcp"
	"trails/text/outline"
)

// openGraph returns an engine on a new file with the example's schema and data.
func openGraph(t testing.TB) *invoke.Engine {
	t.Helper()
	e := openSchema(t, string(example.Schema))
	load := invoke.Call{Capability: "load", Principal: policy.Local("ana", ""), Via: "go", Args: json.RawMessage(`{"format":"ndjson"}`),
		Inputs: []invoke.Input{{Name: "data.ndjson", Reader: bytes.NewReader(example.Data)}}}
	if _, err := e.Call(t.Context(), load); err != nil {
		t.Fatal(err)
	}
	return e
}

// openStarter is openGraph under the policies that graphs begin with, so that tokens write, too.
func openStarter(t testing.TB) *invoke.Engine {
	t.Helper()
	e := openGraph(t)
	if _, err := e.Graph().Session(policy.Local("ana", "")).ChangePolicies(t.Context(), kg.PolicyChange{Text: cedar.Starter}); err != nil {
		t.Fatal(err)
	}
	return e
}

// openSchema makes an empty graph with this schema and opens it.
func openSchema(t testing.TB, schema string) *invoke.Engine {
	t.Helper()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "g.trails")
	invoketest.Create(t, path, kg.CreateOptions{Name: "example", Schema: []byte(schema), By: policy.Local("ana", "")})
	g, err := kg.Open(ctx, path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := invoke.New(g, invoke.Config{Providers: builtin.Providers(), Version: "0.1.0"})
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// checked is an engine whose answers and refusals are checked against the output schemas of its tools.
type checked struct {
	mcp.Engine
	t testing.TB
}

func (e checked) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	return invoketest.CheckedCall(ctx, e.t, e.Engine, c)
}

// conversation is a conversation with a server over stdio, one question at a time.
type conversation struct {
	t   testing.TB
	in  io.Writer
	out *json.Decoder
	id  int
}

func converse(t testing.TB, e mcp.Engine, opts mcp.Options) *conversation {
	t.Helper()
	return converseAs(t, e, opts, "{}")
}

// converseAs is a conversation with a client that has these capabilities.
func converseAs(t testing.TB, e mcp.Engine, opts mcp.Options, capabilities string) *conversation {
	t.Helper()
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	done := make(chan error, 1)
	ctx := context.WithoutCancel(t.Context()) // the session ends with its input
	go func() { done <- mcp.New(checked{e, t}, opts).RunStdio(ctx, inR, outW) }()
	t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out) // it may be telling something, which nobody reads any more
		if err := <-done; err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
	s := &conversation{t: t, in: in, out: json.NewDecoder(out)}
	fmt.Fprintln(in, strings.Replace(hello("2025-11-25", tokenFor(opts)), `"capabilities":{}`, `"capabilities":`+capabilities, 1))
	if a := s.next(); a.Error != nil {
		t.Fatalf("initialize: %+v", a.Error)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *conversation) next() answer {
	s.t.Helper()
	var a answer
	if err := s.out.Decode(&a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *conversation) ask(method string, params map[string]any) answer {
	s.t.Helper()
	s.id++
	text := ask("2025-11-25", s.id, method, params, "")
	go fmt.Fprintln(s.in, text) // the server may be telling something, which nobody reads yet
	return s.reply()
}

// reply is the next answer or question; what else is told is passed over.
func (s *conversation) reply() answer {
	s.t.Helper()
	for {
		if a := s.next(); !strings.HasPrefix(a.Method, "notifications/") {
			return a
		}
	}
}

// call calls a tool and returns its structured content.
func (s *conversation) call(name string, args map[string]any) map[string]any {
	s.t.Helper()
	a := s.ask("tools/call", callTool(name, args))
	if a.Error != nil {
		s.t.Fatalf("%s: %d %s %s", name, a.Error.Code, a.Error.Message, a.Error.Data)
	}
	var res struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(a.Result, &res); err != nil {
		s.t.Fatal(err)
	}
	if len(res.Content) != 1 || !res.IsError && res.Content[0].Text != outline.TextOf(res.StructuredContent) {
		s.t.Errorf("%s: text and structured content differ: %s", name, a.Result)
	}
	var structured map[string]any
	if err := json.Unmarshal(res.StructuredContent, &structured); err != nil {
		s.t.Fatal(err)
	}
	structured["isError"] = res.IsError
	return structured
}

func (s *conversation) read(uri string) string {
	s.t.Helper()
	a := s.ask("resources/read", map[string]any{"uri": uri})
	if a.Error != nil {
		s.t.Fatalf("%s: %d %s %s", uri, a.Error.Code, a.Error.Message, a.Error.Data)
	}
	var res struct{ Contents []struct{ Text string } }
	if err := json.Unmarshal(a.Result, &res); err != nil || len(res.Contents) != 1 {
		s.t.Fatal(err, string(a.Result))
	}
	return res.Contents[0].Text
}

func TestAnAgentWritesIsRefusedCorrectsAndReadsBack(t *testing.T) {
	s := converse(t, openGraph(t), options(""))
	wrong := s.ask("tools/call", callTool("requirement_create", map[string]any{"code": "R1", "title": "x", "status": "done", "priority": 9}))
	if wrong.Error == nil || wrong.Error.Code != -32602 || !strings.HasPrefix(wrong.Error.Message, "validation failed on 4 fields\n") {
		t.Fatalf("got %+v", wrong.Error)
	}
	var data struct {
		Fields []struct{ Field, Code string }
	}
	if err := json.Unmarshal(wrong.Error.Data, &data); err != nil || len(data.Fields) != 4 || data.Fields[0].Field != "code" || data.Fields[0].Code != "pattern" {
		t.Errorf("got %s", wrong.Error.Data)
	}

	right := map[string]any{"code": "R-900", "title": "Be written by an agent", "status": "accepted", "priority": 2}
	made := s.call("requirement_create", right)
	if made["isError"] == true || made["commit"] == nil {
		t.Fatalf("got %v", made)
	}
	id := fmt.Sprint(made["id"])
	if doc := s.read("trails://kg/Requirement/" + id); !strings.Contains(doc, "Be written by an agent") {
		t.Errorf("read back: %s", doc)
	}
	if page := s.read("trails://kg/Requirement?where=status=accepted&limit=1000"); !strings.Contains(page, "Be written by an agent") {
		t.Errorf("filtered: %s", page)
	}
	if prov := s.read("trails://prov/latest"); !strings.Contains(prov, `"author":"local:ana via tester"`) || !strings.Contains(prov, "urn:trails:client:tester/1") {
		t.Errorf("provenance: %.2000s", prov)
	}
	right["code"], right["if_commit"] = "R-901", strings.Repeat("f", 64)
	if late := s.call("requirement_create", right); late["isError"] != true || late["kind"] != "precondition_failed" {
		t.Errorf("on a head that has moved: %v", late)
	}
	if gone := s.ask("resources/read", map[string]any{"uri": "trails://kg/Requirement/nothing"}); gone.Error == nil || gone.Error.Message != "Resource not found" {
		t.Errorf("nothing: %+v", gone.Error)
	}
	bad := s.ask("resources/read", map[string]any{"uri": "trails://kg/Requirement?where=priority=high"})
	if bad.Error == nil || string(bad.Error.Data) != `{"expected_datatype":"xsd:integer","field":"priority","reason":"type_mismatch"}` {
		t.Errorf("filter: %+v %s", bad.Error, bad.Error.Data)
	}
}

func TestAnAppliedSchemaIsToldAndListed(t *testing.T) {
	opts := optionsOf(auth.Options{Token: token, Scopes: policy.AllScopes()})
	s := converse(t, openStarter(t), opts)
	schema := string(example.Schema) + "\n  Risk:\n    properties:\n      name: {type: string, required: true}\n"
	s.id++
	fmt.Fprintln(s.in, ask("2025-11-25", s.id, "tools/call", callTool("schema_apply", map[string]any{"schema": schema}), ""))
	var told int
	for answered := false; told < 2 || !answered; {
		switch a := s.next(); {
		case strings.HasSuffix(a.Method, "/list_changed"): // of tools, and of resources
			told++
		case a.Error != nil:
			t.Fatalf("schema_apply: %s %s", a.Error.Message, a.Error.Data)
		default:
			answered = true
		}
	}
	if list := s.ask("tools/list", nil); !strings.Contains(string(list.Result), `"name":"risk_create"`) {
		t.Errorf("listed: %.300s", list.Result)
	}
}

// The SDK's own client negotiates the newest version on both transports.
func TestTheSDKsClientWorksOnStdioAndHTTP(t *testing.T) {
	e := openGraph(t)
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcp.New(e, options("")).RunStdio(t.Context(), inR, outW) }()
	defer func() { <-done }()
	web := httptest.NewServer(mcp.New(e, options("")).Handler())
	defer web.Close()
	for name, transport := range map[string]sdk.Transport{
		"stdio": &sdk.IOTransport{Reader: out, Writer: in},
		"http":  &sdk.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()},
	} {
		t.Run(name, func(t *testing.T) {
			client := sdk.NewClient(&sdk.Implementation{Name: "go", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) < 10 {
				t.Fatal(err, tools)
			}
			res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "health"})
			if err != nil || res.IsError {
				t.Fatal(err, res)
			}
			read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "trails://kg/Component?limit=1"})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].MIMEType != "application/json" {
				t.Fatal(err, read)
			}
		})
	}
}

// What a model is told at the handshake is about this graph, in every version and
// at both doors.
func TestTheHandshakeCarriesTheGuideToThisGraph(t *testing.T) {
	e := openGraph(t)
	h := mcp.New(e, options("")).Handler()
	for _, version := range versions {
		line, method := hello(version, ""), "initialize"
		if version == "2026-07-28" {
			line, method = ask(version, 0, "server/discover", nil, ""), "server/discover"
		}
		for door, text := range map[string]string{
			"http":  post(t, h, line, versionHeaders(version, method, "")...).Body.String(),
			"stdio": firstAnswer(t, e, line),
		} {
			var hello struct{ Instructions string }
			if err := json.Unmarshal(parse(t, text).Result, &hello); err != nil {
				t.Fatal(err, text)
			}
			if !strings.Contains(hello.Instructions, `the knowledge graph "example"`) || !strings.Contains(hello.Instructions, "- Requirement 12 ") {
				t.Errorf("%s over %s: %s", version, door, hello.Instructions)
			}
		}
	}
}

// firstAnswer sends one line to a session of its own.
func firstAnswer(t testing.TB, e mcp.Engine, line string) string {
	t.Helper()
	var out buffer
	if err := mcp.New(e, options("")).RunStdio(t.Context(), strings.NewReader(line+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	got := out.take()
	if len(got) != 1 {
		t.Fatalf("%s\n  has %d answers: %v", line, len(got), got)
	}
	return got[0]
}

func TestAQueryThatIsOutOfTimeTellsTheModelItsLimit(t *testing.T) {
	values := strings.Repeat("1 ", 3000)
	slow := "SELECT (COUNT(*) AS ?n) { VALUES ?a {" + values + "} VALUES ?b {" + values + "} VALUES ?c {" + values + "} FILTER(CONCAT(STR(?a), STR(?b), STR(?c)) != \"\") }"
	got := converse(t, openGraph(t), optionsOf(auth.Options{Scopes: policy.NewScopes(policy.Runtime)})).call("query", map[string]any{"query": slow, "timeout_ms": 50})
	message, _ := got["message"].(string)
	if got["isError"] != true || got["kind"] != "timed_out" || !strings.Contains(message, "50 ms") || !strings.Contains(message, "timeout_ms") {
		t.Errorf("got %v", got)
	}
}
