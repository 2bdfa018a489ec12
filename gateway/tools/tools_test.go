package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth/policy"
	"trails/builtin"
	"trails/builtin/surface"
	"trails/capability"
	"trails/capability/project"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/gatewaytest"
	"trails/gateway/tools"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
)

const people = "types:\n  Person:\n    label: name\n    properties:\n      name: {type: string, required: true}\n"

type asked struct {
	Text  string `json:"text,omitempty"`
	Count int    `json:"count,omitempty"`
	Title string `json:"title,omitempty"`
}

// github is a server that counts its calls.
func github(calls *atomic.Int64) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "github", Version: "1"}, nil)
	add := func(name, description string, readOnly bool, schema string, do func(asked) (*mcp.CallToolResult, any, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(_ context.Context, _ *mcp.CallToolRequest, in asked) (*mcp.CallToolResult, any, error) {
				calls.Add(1)
				return do(in)
			})
	}
	say := func(text string) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
	add("github.create_issue", "Open a new GitHub issue with a title.", false, `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`,
		func(asked) (*mcp.CallToolResult, any, error) {
			return say("ISSUE-42 opened. " + strings.Repeat("detail line for the created issue. ", 120))
		})
	add("github.list_repos", "List repositories for the authenticated user.", false, `{"type":"object","properties":{}}`, func(asked) (*mcp.CallToolResult, any, error) { return say("one, two") })
	add("count", "Count to a number.", true, `{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`, func(in asked) (*mcp.CallToolResult, any, error) {
		return nil, map[string]int{"counted": in.Count}, nil
	})
	add("break", "Break.", false, `{"type":"object"}`, func(asked) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("it\u202e broke\nin \x1b[31mtwo\U000e0041")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, _ asked) (*mcp.CallToolResult, any, error) {
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"}); err != nil {
			return nil, nil, err
		}
		a, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which?\nNow.", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"which": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, nil, err
		}
		return say(fmt.Sprint(a.Action, " ", a.Content["which"]))
	})
	s.AddResource(&mcp.Resource{URI: "github://readme", Name: "readme", Description: "What it is about."}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "read me"}}}, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "github://file/{path}{?ref}", Name: "file"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "at " + r.Params.URI}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Hello " + r.Params.Arguments["who"]}}}}, nil
	})
	return s
}

// gatewayOf is an engine whose file names the server github, and how often that was called.
func gatewayOf(t testing.TB, config invoke.Config, settings string, others ...gateway.Server) (*invoketest.Engine, *atomic.Int64) {
	t.Helper()
	calls := new(atomic.Int64)
	e := engineOf(t, config, append(others, gateway.Server{Name: "github", HTTP: serve(t, github(calls))})...)
	if settings != "" {
		e.Must(t, "trails.meta.gateway.configure", `{"settings":`+settings+`}`)
	}
	return e, calls
}

// gatewayWith is an engine whose file names the server github, with an embedder.
func gatewayWith(t testing.TB, config invoke.Config, embedder *embed.Embedder) (*invoketest.Engine, *atomic.Int64) {
	t.Helper()
	calls := new(atomic.Int64)
	return engineWith(t, config, embedder, gateway.Server{Name: "github", HTTP: serve(t, github(calls))}), calls
}

// serve is the address of a server.
func serve(t testing.TB, s *mcp.Server) string {
	t.Helper()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL
}

// engineOf is an engine whose file names servers.
func engineOf(t testing.TB, config invoke.Config, servers ...gateway.Server) *invoketest.Engine {
	t.Helper()
	return engineWith(t, config, embed.Open(embed.Config{}), servers...)
}

func engineWith(t testing.TB, config invoke.Config, embedder *embed.Embedder, servers ...gateway.Server) *invoketest.Engine {
	t.Helper()
	pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(pool.Close)
	config.Providers = builtin.Options{Upstreams: pool, Embedder: embedder, Gateway: tools.New(pool, embedder, false)}.Providers()
	e := invoketest.New(t, people, config)
	for _, server := range servers {
		e.Must(t, "trails.meta.gateway.add", `{"definition":`+server.Text()+`}`)
	}
	return e
}

// ask makes a call as an agent does.
func ask(t testing.TB, e *invoketest.Engine, name, args string) (invoke.Result, error) {
	t.Helper()
	return e.Call(t.Context(), invoke.Call{Capability: name, Args: json.RawMessage(args), Principal: invoketest.Ana, Via: "test"})
}

func answered(t testing.TB, e *invoketest.Engine, name, args string) (invoke.Result, map[string]any) {
	t.Helper()
	r, err := ask(t, e, name, args)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	var out map[string]any
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return r, out
}

func refused(t testing.TB, e *invoketest.Engine, name, args string, code gateway.Code) *fault.Error {
	t.Helper()
	_, err := ask(t, e, name, args)
	if err == nil || fault.Of(err).Details["error"] != code {
		t.Fatalf("%s %s: %v %v, want %s", name, args, err, fault.Of(err).Details, code)
	}
	return fault.Of(err)
}

// idOf browses for the id of a tool.
func idOf(t testing.TB, e *invoketest.Engine, browse, name string) string {
	t.Helper()
	_, out := answered(t, e, browse, fmt.Sprintf(`{"query":%q,"top_k":50}`, name))
	for _, card := range out["cards"].([]any) {
		if c := card.(map[string]any); c["name"] == name {
			return c["id"].(string)
		}
	}
	t.Fatalf("%s %s: %v", browse, name, out)
	return ""
}

// The session that was recorded with another gateway: ids, order, hashes and shapes are the
// same, scores and the threshold are ours.
func TestTheRecordedSession(t *testing.T) {
	var session struct {
		Entries []struct {
			Kind    string
			Request struct {
				Name      string
				Arguments json.RawMessage
			}
			Response json.RawMessage
		}
	}
	gatewaytest.Read(t, "gateway_session.json", &session)
	e, _ := gatewayOf(t, invoke.Config{Surface: surface.Gateway.Choose}, "")
	for _, entry := range session.Entries {
		if entry.Kind == "list_tools" {
			var want []struct {
				Name        string
				InputSchema struct {
					Properties map[string]any
					Required   []string
				}
			}
			if err := json.Unmarshal(entry.Response, &want); err != nil {
				t.Fatal(err)
			}
			list, err := e.Tools(t.Context(), invoketest.Ana)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				d := list.Listed[i]
				var required []string
				fields := map[string]bool{}
				for _, f := range d.InputShape.Fields {
					if fields[f.Name] = true; f.Required {
						required = append(required, f.Name)
					}
				}
				for name := range w.InputSchema.Properties {
					if !fields[name] {
						t.Errorf("%s takes no %s", w.Name, name)
					}
				}
				if d.ID != w.Name || fmt.Sprint(required) != fmt.Sprint(w.InputSchema.Required) {
					t.Errorf("the tool %d is %s and needs %v, want %s and %v", i, d.ID, required, w.Name, w.InputSchema.Required)
				}
			}
			continue
		}
		var want struct {
			Content []struct{ Text json.RawMessage }
			IsError bool
		}
		if err := json.Unmarshal(entry.Response, &want); err != nil {
			t.Fatal(err)
		}
		got, err := ask(t, e, entry.Request.Name, string(entry.Request.Arguments))
		if want.IsError != (err != nil) {
			t.Errorf("%s %s: %v", entry.Request.Name, entry.Request.Arguments, err)
			continue
		}
		text := want.Content[0].Text
		switch entry.Request.Name {
		case "tool_browse":
			var cards []map[string]any
			if err := json.Unmarshal(text, &cards); err != nil {
				t.Fatal(err)
			}
			var out struct{ Cards []map[string]any }
			if err := json.Unmarshal(got.Structured, &out); err != nil {
				t.Fatal(err)
			}
			var theirs []map[string]any // the file has tools of its own
			for _, card := range out.Cards {
				if card["namespace"] == "github" {
					theirs = append(theirs, card)
				}
			}
			for i, card := range cards {
				delete(card, "score")
				delete(theirs[i], "score")
				if fmt.Sprint(card) != fmt.Sprint(theirs[i]) {
					t.Errorf("card %d is %v, want %v", i, theirs[i], card)
				}
			}
		case "tool_execute":
			var envelope, out map[string]any
			if err := errors.Join(json.Unmarshal(text, &envelope), json.Unmarshal(got.Structured, &out)); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"artifacts", "facts", "provenance", "status", "summary"} {
				if fmt.Sprint(envelope[name]) != fmt.Sprint(out[name]) {
					t.Errorf("%s is %v, want %v", name, out[name], envelope[name])
				}
			}
		case "tool_view":
			if want.IsError {
				var failure map[string]any
				if err := json.Unmarshal(text, &failure); err != nil {
					t.Fatal(err)
				}
				d := fault.Of(err).Details
				if fmt.Sprint(failure["error"], failure["path"], failure["retryable"]) != fmt.Sprint(d["error"], d["path"], d["retryable"]) {
					t.Errorf("%v, want %v", d, failure)
				}
			} else if fmt.Sprintf("%q", got.Text) != string(text) {
				t.Errorf("%q, want %s", got.Text, text)
			}
		}
	}
}

func TestAToolOfAServerIsCalledAsOneOfTheFileIs(t *testing.T) {
	e, calls := gatewayOf(t, invoke.Config{}, "")
	issue := idOf(t, e, "tool_browse", "github.create_issue")
	if issue != "github:create_issue#34afee88" {
		t.Error(issue)
	}
	// The file's own tools stand beside them, and are called by their ids or their names.
	create := idOf(t, e, "tool_browse", "person.create")
	if _, out := answered(t, e, "tool_execute", `{"tool_id":"`+create+`","args":{"name":"Ann","id":"ann"}}`); out["id"] != "ann" {
		t.Error(out)
	}
	if _, out := answered(t, e, "tool_execute", `{"tool_id":"create","args":{"type":"Person","data":{"name":"Bob"}},"dry_run":true}`); out["dry_run"] != true {
		t.Error(out)
	}
	_, err := ask(t, e, "tool_execute", `{"tool_id":"person_create","args":{"nam":"Ann"}}`)
	if !fault.Is(err, fault.InvalidData) && !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("%v", err)
	}
	// What is wrong never reaches a server.
	f := refused(t, e, "tool_execute", `{"tool_id":"`+issue+`","args":{"titel":1}}`, gateway.ArgsInvalid)
	if !strings.Contains(f.Message, "title") {
		t.Error(f.Message)
	}
	refused(t, e, "tool_execute", `{"tool_id":"github:create_issue#00000000","args":{}}`, gateway.HydrateFailed)
	refused(t, e, "tool_execute", `{"tool_id":"tool_execute","args":{}}`, gateway.HydrateFailed)
	refused(t, e, "tool_browse", `{}`, gateway.ArgsInvalid)
	refused(t, e, "tool_browse", `{"path":"//"}`, gateway.PathInvalid)
	refused(t, e, "tool_browse", `{"path":"/nobody"}`, gateway.PathNotFound)
	if _, out := answered(t, e, "tool_execute", `{"tool_id":"`+issue+`","args":{"title":"x"},"dry_run":true}`); out["args_valid"] != true || calls.Load() != 0 {
		t.Error(out, calls.Load())
	}
	// A small answer passes as it is, a failure of the tool says so.
	count := idOf(t, e, "tool_browse", "count")
	if r, _ := answered(t, e, "tool_execute", `{"tool_id":"`+count+`","args":{"count":3}}`); string(r.Structured) != `{"result":{"counted":3}}` || r.Text != `{"counted":3}` {
		t.Errorf("%s %q", r.Structured, r.Text)
	}
	if r, _ := answered(t, e, "tool_execute", `{"tool_id":"`+idOf(t, e, "tool_browse", "break")+`","args":{}}`); !r.Failed || r.Text != `it\u202e broke`+"\n"+`in \x1b[31mtwo\U000e0041` {
		t.Errorf("%v %q", r.Failed, r.Text)
	}
	// A large one is kept, for its caller alone.
	_, out := answered(t, e, "tool_execute", `{"tool_id":"`+issue+`","args":{"title":"x"}}`)
	handle := out["artifacts"].([]any)[0].(map[string]any)["handle"].(string)
	view := fmt.Sprintf(`{"handle":%q,"selector":{"type":"head","chars":8}}`, handle)
	if r, _ := answered(t, e, "tool_view", view); r.Text != "ISSUE-42" || len(r.Content) != 1 {
		t.Errorf("%q %v", r.Text, r.Content)
	}
	for _, selector := range []string{`{"type":"head","chars":8000}`, `{"type":"bytes","offset":0,"length":8000}`, `{"type":"lines"}`} {
		short := fmt.Sprintf(`{"handle":%q,"selector":%s,"max_chars":%d}`, handle, selector, capability.LeastChars)
		r, out := answered(t, e, "tool_view", short)
		said := ""
		for _, piece := range r.Pieces() {
			said += piece.Text
		}
		if n := utf8.RuneCountInString(said); n > capability.LeastChars || n < 200 || out["cut"] == nil || !strings.Contains(said, "cut") {
			t.Errorf("%s: a text of %d characters: %s", selector, n, said)
		}
	}
	asText, err := json.Marshal(view)
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := answered(t, e, "tool_view", string(asText)); r.Text != "ISSUE-42" || !strings.HasPrefix(r.Told(), "warning: the arguments came as one JSON text") {
		t.Errorf("the text is not all that there is to read: %s", r.Told())
	}
	_, err = e.Call(t.Context(), invoke.Call{Capability: "tool_view", Args: json.RawMessage(view), Principal: invoketest.Callers["runtime"], Via: "test"})
	if fault.Of(err).Details["error"] != gateway.ViewFailed {
		t.Error(err)
	}
	// Provenance names the tool, not the way to it.
	seen := map[string]bool{}
	for _, a := range e.Activities(t) {
		seen[a.Capability+" "+a.Outcome] = true
	}
	if !seen[issue+" ok"] || !seen["person.create ok"] || !seen["tool_browse ok"] {
		t.Error(seen)
	}
}

// A server's question reaches the person behind the call, with the name of who asks, and how far
// it is reaches the caller.
func TestWhatAServerAsksAndTellsPassesThrough(t *testing.T) {
	e, _ := gatewayOf(t, invoke.Config{}, "")
	id := idOf(t, e, "tool_browse", "ask")
	var question string
	far := make(chan invoke.Progress, 1)
	r, err := e.Call(t.Context(), invoke.Call{
		Capability: "tool_execute", Args: json.RawMessage(`{"tool_id":"` + id + `","args":{}}`), Principal: invoketest.Ana, Via: "test",
		Elicit: func(_ context.Context, message string, _ any) (string, map[string]any, error) {
			question = message
			return "accept", map[string]any{"which": "this"}, nil
		},
		Progress: func(p invoke.Progress) { far <- p },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `The upstream server github asks: "Which? Now."`; r.Text != "accept this" || question != want {
		t.Errorf("%q, asked %s, want %s", r.Text, question, want)
	}
	if p := <-far; p != (invoke.Progress{Phase: "github", Done: 1, Total: 2, Unit: "half"}) {
		t.Error(p)
	}
	if r, _ := answered(t, e, "tool_execute", `{"tool_id":"`+id+`","args":{}}`); r.Text != "decline <nil>" {
		t.Errorf("%q where nobody can be asked", r.Text)
	}
}

func TestResourcesAndPromptsOfServers(t *testing.T) {
	e, _ := gatewayOf(t, invoke.Config{}, "")
	if r, _ := answered(t, e, "resource_read", `{"resource_id":"`+idOf(t, e, "resource_browse", "readme")+`"}`); r.Text != "read me" {
		t.Errorf("%q", r.Text)
	}
	file := idOf(t, e, "resource_browse", "file")
	if r, _ := answered(t, e, "resource_read", `{"resource_id":"`+file+`","params":{"path":"a b"}}`); r.Text != "at github://file/a%20b" {
		t.Errorf("%q", r.Text)
	}
	refused(t, e, "resource_read", `{"resource_id":"`+file+`"}`, gateway.ArgsInvalid)
	refused(t, e, "resource_read", `{"resource_id":"`+file+`","params":{"pat":"x"}}`, gateway.ArgsInvalid)
	refused(t, e, "resource_read", `{"resource_id":"resource::github:nothing#00000000"}`, gateway.ResourceNotFound)
	greet := idOf(t, e, "prompt_browse", "greet")
	if r, _ := answered(t, e, "prompt_get", `{"prompt_id":"`+greet+`","args":{"who":"you"}}`); r.Text != "user: Hello you" {
		t.Errorf("%q", r.Text)
	}
	refused(t, e, "prompt_get", `{"prompt_id":"`+greet+`","args":{}}`, gateway.ArgsInvalid)
	refused(t, e, "prompt_get", `{"prompt_id":"prompt::github:nothing#00000000"}`, gateway.PromptNotFound)
}

func TestSettingsOfTheGateway(t *testing.T) {
	e, calls := gatewayOf(t, invoke.Config{}, `{"tolerant_args":true,"cache_stable":true,"cache":{"read_only":true},"rate_limits":{"meta_tools":{"tool_execute":{"max_calls_per_session":3}}}}`)
	count := idOf(t, e, "tool_browse", "count")
	for i, args := range []string{`"{\"count\":\"3\"}"`, `{"count":3}`} {
		_, out := answered(t, e, "tool_execute", `{"tool_id":"`+count+`","args":`+args+`}`)
		provenance, _ := out["provenance"].(map[string]any)
		if (provenance["arg_repairs"] != nil) != (i == 0) || (provenance["cache_hit"] == true) != (i == 1) {
			t.Errorf("%d: %v", i, out)
		}
	}
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}
	// An id is repaired when one of those that were shown is meant.
	_, out := answered(t, e, "tool_execute", `{"tool_id":" GITHUB:count#","args":{"count":4}}`)
	if chosen, _ := out["provenance"].(map[string]any)["selection"].(map[string]any); chosen["selected_id"] != count || chosen["repair"] != "prefix" {
		t.Error(out)
	}
	_, out = answered(t, e, "tool_browse", `{"query":"count","selection":"json_schema"}`)
	if text := fmt.Sprint(out["selection_schema"]); !strings.Contains(text, count) {
		t.Error(text)
	}
	if f := refused(t, e, "tool_execute", `{"tool_id":"`+count+`","args":{"count":4}}`, gateway.RateLimited); f.Details["retryable"] != true {
		t.Error(f.Details)
	}
	// What was browsed before stands first, as it was.
	first, _ := answered(t, e, "tool_browse", `{"query":"count to a number","top_k":1}`)
	second, _ := answered(t, e, "tool_browse", `{"query":"open an issue, count","top_k":5}`)
	if begin := strings.Split(first.Text, "\n")[0]; !strings.Contains(second.Text, begin) {
		t.Errorf("%s\n%s", first.Text, second.Text)
	}
}

// An id without its hash is taken where one tool fits, for a server's as for the file's, and not where
// two do.
func TestAnIDWithoutItsHashIsTakenWhereOneFits(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "everything", Version: "1"}, nil)
	for _, name := range []string{"get-sum", "everything.twin", "everything/twin"} {
		schema := `{"type":"object","properties":{"` + strings.Repeat("a", len(name)) + `":{}, "` + name[len(name)-5:len(name)-4] + `":{}}}`
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(schema)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "called " + name}}}, nil
		})
	}
	e := engineOf(t, invoke.Config{}, gateway.Server{Name: "everything", HTTP: serve(t, s)})
	r, out := answered(t, e, "tool_execute", `{"tool_id":"everything:get-sum","args":{}}`)
	if r.Text != "called get-sum" || out["provenance"] != nil {
		t.Errorf("%q %s", r.Text, r.Structured)
	}
	if _, out := answered(t, e, "tool_hydrate", `{"tool_id":"everything:get-sum"}`); out["name"] != "get-sum" || !strings.HasPrefix(out["tool_id"].(string), "everything:get-sum#") {
		t.Error(out)
	}
	if r, _ := answered(t, e, "tool_execute", `{"tool_id":"trails:search","args":{"text":"x"}}`); strings.Contains(string(r.Structured), "is no id") {
		t.Errorf("%s", r.Structured)
	}
	f := refused(t, e, "tool_execute", `{"tool_id":"everything:twin","args":{}}`, gateway.HydrateFailed)
	details, _ := f.Details["details"].(map[string]any)
	if got, _ := details["selection"].(gateway.Selection); got.Reason != gateway.AmbiguousPrefix || len(got.Candidates) != 2 {
		t.Errorf("%+v", f.Details)
	}
}

// What is wrong with an id is told alike for tools of servers and of the file, resources and
// prompts, whatever the settings, and following it works.
func TestIDsThatAreNotQuiteRight(t *testing.T) {
	e, _ := gatewayOf(t, invoke.Config{}, "")
	count := idOf(t, e, "tool_browse", "count")
	chosen := func(out map[string]any) map[string]any {
		provenance, _ := out["provenance"].(map[string]any)
		selection, _ := provenance["selection"].(map[string]any)
		return selection
	}
	for given, repair := range map[string]string{" " + count: "strip", strings.ToUpper(count): "case_fold", "github:coun": "prefix", "\tGitHub:Count": "prefix"} {
		answered(t, e, "tool_browse", `{"query":"count to a number","top_k":1}`)
		_, out := answered(t, e, "tool_execute", fmt.Sprintf(`{"tool_id":%q,"args":{"count":1}}`, given))
		if got := chosen(out); got["selected_id"] != count || got["repair"] != repair || got["raw_id"] != given {
			t.Errorf("%q: %v", given, out)
		}
	}
	for _, given := range []string{" search", "SEARCH", "trails:search"} {
		r, _ := answered(t, e, "tool_execute", fmt.Sprintf(`{"tool_id":%q,"args":{"text":"x"}}`, given))
		if warned := strings.Contains(string(r.Structured), "search was called"); warned == (given == "trails:search") {
			t.Errorf("%q: %s", given, r.Structured)
		}
		if r, out := answered(t, e, "tool_hydrate", fmt.Sprintf(`{"tool_id":%q}`, given)); out["name"] != "search" || !strings.Contains(string(r.Structured), `"text"`) {
			t.Errorf("%q: %s", given, r.Structured)
		}
	}
	readme, greet := idOf(t, e, "resource_browse", "readme"), idOf(t, e, "prompt_browse", "greet")
	if _, out := answered(t, e, "resource_read", fmt.Sprintf(`{"resource_id":%q}`, readme+" ")); chosen(out)["selected_id"] != readme {
		t.Error(out)
	}
	if _, out := answered(t, e, "prompt_get", fmt.Sprintf(`{"prompt_id":%q,"args":{"who":"you"}}`, strings.ToUpper(greet))); chosen(out)["selected_id"] != greet {
		t.Error(out)
	}
	for call, want := range map[string]gateway.Reason{
		`tool_execute {"tool_id":"github:","args":{}}`: gateway.AmbiguousPrefix, `tool_execute {"tool_id":" GITHUB:","args":{}}`: gateway.AmbiguousPrefix,
		`tool_hydrate {"tool_id":"github:"}`: gateway.AmbiguousPrefix, `tool_execute {"tool_id":"serch","args":{}}`: gateway.NotACandidate, `tool_execute {"tool_id":" ","args":{}}`: gateway.EmptySelection,
	} {
		answered(t, e, "tool_browse", `{"query":"count open list break"}`)
		name, args, _ := strings.Cut(call, " ")
		f := refused(t, e, name, args, gateway.HydrateFailed)
		details, _ := f.Details["details"].(map[string]any)
		got, _ := details["selection"].(gateway.Selection)
		if got.Reason != want || len(got.Candidates) == 0 || want == gateway.AmbiguousPrefix && !strings.Contains(f.Message, got.Candidates[0]) {
			t.Errorf("%s: %+v %s", call, got, f.Message)
		}
	}
	f := refused(t, e, "tool_browse", `{"query":"zzzz","selection":"json_schema"}`, gateway.ArgsInvalid)
	if details, _ := f.Details["details"].(map[string]any); details["selection"].(gateway.Selection).Reason != gateway.NoCandidates {
		t.Error(f.Details)
	}
	refused(t, e, "tool_browse", `{"path":"/","selection":"openai"}`, gateway.ArgsInvalid)
}

func TestAServerThatIsDown(t *testing.T) {
	gone := gateway.Server{Name: "gone", HTTP: "http://127.0.0.1:1/mcp"}
	e, _ := gatewayOf(t, invoke.Config{}, "", gone)
	r, out := answered(t, e, "tool_browse", `{"query":"open an issue"}`)
	if len(out["cards"].([]any)) == 0 || !strings.Contains(r.Told(), "warning: the upstream gone is unavailable") {
		t.Error(r.Text)
	}
	refused(t, e, "tool_execute", `{"tool_id":"gone:do_it#00000000","args":{}}`, gateway.UpstreamUnavailable)
	refused(t, e, "resource_read", `{"resource_id":"resource::gone:one#00000000"}`, gateway.UpstreamUnavailable)
	gone.Required = true
	e, _ = gatewayOf(t, invoke.Config{}, "", gone)
	refused(t, e, "tool_browse", `{"query":"open an issue"}`, gateway.UpstreamUnavailable)
	answered(t, e, "tool_execute", `{"tool_id":"search","args":{"text":"x"}}`) // needs no server
}

// Policies hold for the tools of servers, by their ids without the hash of their definitions: those that a caller may not
// call are not found, and are not called.
func TestPoliciesHoldForToolsOfServers(t *testing.T) {
	e, calls := gatewayOf(t, invoke.Config{}, "")
	e.Govern(t, `permit (principal, action, resource); forbid (principal, action, resource == Capability::"github:create_issue");`)
	bot := policy.Principal{ID: "token:bot", Scopes: policy.AllScopes(), Authenticated: true}
	for _, id := range []string{"github:create_issue#34afee88", "github:create_issue"} {
		_, err := e.Call(t.Context(), invoke.Call{Capability: "tool_execute", Args: json.RawMessage(`{"tool_id":"` + id + `","args":{"title":"x"}}`), Principal: bot})
		if err == nil || strings.Contains(err.Error(), "policies") || calls.Load() != 0 {
			t.Errorf("%s: %v, %d calls", id, err, calls.Load())
		}
	}
	for p, want := range map[string]bool{"bot": false, "ana": true} {
		who := map[string]policy.Principal{"bot": bot, "ana": invoketest.Ana}[p]
		found, err := e.Call(t.Context(), invoke.Call{Capability: "tool_browse", Args: json.RawMessage(`{"query":"open an issue"}`), Principal: who})
		if err != nil || strings.Contains(string(found.Structured), "create_issue") != want {
			t.Errorf("%s: %v %s", p, err, found.Structured)
		}
	}
	if _, err := ask(t, e, "tool_execute", `{"tool_id":"github:create_issue#34afee88","args":{"title":"x"}}`); err != nil || calls.Load() != 1 {
		t.Errorf("who has the file: %v, %d calls", err, calls.Load())
	}
	e.Govern(t, `permit (principal, action in Action::"reads", resource);`)
	_, err := e.Call(t.Context(), invoke.Call{Capability: "tool_execute", Args: json.RawMessage(`{"tool_id":"github:create_issue","args":{"title":"x"}}`), Principal: bot})
	if err == nil || calls.Load() != 1 {
		t.Errorf("who may read alone: %v, %d calls", err, calls.Load())
	}
}

// Policy, budget and arguments refuse a call before it is counted, and a limit does before a
// person is asked.
func TestWhatIsRefusedOfTheFileIsNotCounted(t *testing.T) {
	e, _ := gatewayOf(t, invoke.Config{},
		`{"rate_limits":{"meta_tools":{"tool_execute":{"max_calls_per_session":3}}}}`)
	const of = `"actor":"local:ana","capability":"person.create","per":"day"`
	e.Must(t, "trails.meta.budget.set", `{`+of+`,"calls":1}`)
	e.Must(t, "person.create", `{"name":"Eve","id":"eve"}`)
	if _, err := ask(t, e, "tool_execute", `{"tool_id":"person_create","args":{"name":"Ann"}}`); !fault.Is(err, fault.Exhausted) {
		t.Error(err)
	}
	e.Must(t, "trails.meta.budget.remove", `{`+of+`}`)
	for _, args := range []string{`{"tool_id":"search","args":{"qq":"Ann"}}`, `{"tool_id":"create","args":{"data":{"name":"Ann"}}}`} {
		if _, err := ask(t, e, "tool_execute", args); !fault.Is(err, fault.InvalidArguments) && !fault.Is(err, fault.InvalidData) {
			t.Errorf("%s: %v", args, err)
		}
	}
	answered(t, e, "tool_execute", `{"tool_id":"person_create","args":{"name":"Ann","id":"ann"}}`)
	answered(t, e, "tool_execute", `{"tool_id":"create","args":{"type":"Person","data":{"name":"Bo"}}}`)
	answered(t, e, "tool_execute", `{"tool_id":"search","args":{"text":"Ann"}}`)
	questions := 0
	_, err := e.Call(t.Context(), invoke.Call{
		Capability: "tool_execute", Args: json.RawMessage(`{"tool_id":"person_delete","args":{"id":"Person/ann"}}`), Principal: invoketest.Ana, Via: "test",
		Ask: func(context.Context, invoke.Question) (bool, error) { questions++; return true, nil },
	})
	if err == nil || fault.Of(err).Details["error"] != gateway.RateLimited || questions > 0 {
		t.Errorf("%v, %d questions", err, questions)
	}
}

func TestToolsThatReachServersSaySo(t *testing.T) {
	e, _ := gatewayOf(t, invoke.Config{Surface: surface.Gateway.Choose}, "")
	list, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil || len(list.Listed) != 7 {
		t.Fatal(err, len(list.Listed))
	}
	for _, d := range list.Listed {
		if open := project.MCPTool(d, list.Process).Annotations.OpenWorldHint; open == (d.ID == "tool_view") {
			t.Errorf("%s says %t", d.ID, open)
		}
	}
}

func TestTheListIsTheSameForAnyNumberOfTools(t *testing.T) {
	size := func(n int) (int, string) {
		text := "types:\n"
		for i := range n {
			text += fmt.Sprintf("  Kind%d:\n    label: title\n    properties:\n      title: {type: string}\n", i)
		}
		e := invoketest.New(t, text, invoke.Config{Surface: surface.Gateway.Choose})
		list, err := e.Tools(t.Context(), invoketest.Nobody)
		if err != nil {
			t.Fatal(err)
		}
		shown := ""
		for _, d := range list.Listed {
			shown += surface.Shown(d)
		}
		return len(list.Listed), shown
	}
	n, few := size(2)
	_, many := size(60)
	if n != 3 || few != many {
		t.Errorf("%d tools\n%s\n%s", n, few, many)
	}
}
