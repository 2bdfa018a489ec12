package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/policy"
	"trails/example"
	"trails/invoke"
	"trails/mcp"
)

// asker is an engine with a tool that asks before it answers what it heard.
type asker struct{ *fake }

func (a asker) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	if c.Capability != "ask" {
		return a.fake.Call(ctx, c)
	}
	if c.Ask == nil {
		return invoke.Result{Structured: json.RawMessage(`{"asked":false}`)}, nil
	}
	yes, err := c.Ask(ctx, invoke.Question{Message: "Remove 2 <statements>?"})
	if ctx.Err() != nil {
		return invoke.Result{}, ctx.Err()
	}
	return invoke.Result{Structured: fmt.Appendf(nil, `{"asked":true,"yes":%t,"failed":%t}`, yes, err != nil)}, nil
}

// helloWith is the handshake of a client with these capabilities.
func helloWith(version, capabilities string) string {
	return strings.Replace(hello(version, ""), `"capabilities":{}`, `"capabilities":`+capabilities, 1)
}

// openAsking is a session whose call is waiting for an answer to its question.
func openAsking(t *testing.T, version, capabilities string) (s *stdio, question answer) {
	t.Helper()
	s = openStdio(t, asker{&fake{}}, options(""))
	s.one(helloWith(version, capabilities))
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	question = parse(t, s.one(ask(version, 1, "tools/call", callTool("ask", nil), "")))
	if question.Method != "elicitation/create" {
		t.Fatalf("got %+v", question)
	}
	return s, question
}

const forms = `{"elicitation":{"form":{}}}`

func TestAQuestionIsAFormWithOneBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, asker{&fake{}}, options(""))
		s.one(helloWith("2025-11-25", forms))
		got := s.one(ask("2025-11-25", 1, "tools/call", callTool("ask", nil), ""))
		want := `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"Remove 2 <statements>?","requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean","title":"Go on","description":"Whether to go on; without a tick nothing is changed.","default":false}},"required":["confirm"]}}}`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestWhatAClientAnswersIsAYesOrIsNone(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"a tick":                      {`"result":{"action":"accept","content":{"confirm":true}}`, `{"asked":true,"yes":true,"failed":false}`},
		"no tick":                     {`"result":{"action":"accept","content":{"confirm":false}}`, `{"asked":true,"yes":false,"failed":false}`},
		"a form without content":      {`"result":{"action":"accept"}`, `{"asked":true,"yes":false,"failed":false}`},
		"a form without the box":      {`"result":{"action":"accept","content":{}}`, `{"asked":true,"yes":false,"failed":true}`},
		"a box with text":             {`"result":{"action":"accept","content":{"confirm":"true"}}`, `{"asked":true,"yes":false,"failed":true}`},
		"declined":                    {`"result":{"action":"decline"}`, `{"asked":true,"yes":false,"failed":false}`},
		"declined with a tick":        {`"result":{"action":"decline","content":{"confirm":true}}`, `{"asked":true,"yes":false,"failed":false}`},
		"cancelled":                   {`"result":{"action":"cancel"}`, `{"asked":true,"yes":false,"failed":false}`},
		"an action that there is not": {`"result":{"action":"yes","content":{"confirm":true}}`, `{"asked":true,"yes":false,"failed":false}`},
		"a text":                      {`"result":"yes"`, `{"asked":true,"yes":false,"failed":true}`},
		"an empty object":             {`"result":{}`, `{"asked":true,"yes":false,"failed":false}`},
		"an error":                    {`"error":{"code":-32601,"message":"what?"}`, `{"asked":true,"yes":false,"failed":true}`},
		"an error that says nothing":  {`"error":{}`, `{"asked":true,"yes":false,"failed":true}`},
		"an error that is no object":  {`"error":"no"`, `{"asked":true,"yes":false,"failed":true}`},
		"content that is no object":   {`"result":{"action":"accept","content":[true]}`, `{"asked":true,"yes":false,"failed":true}`},
		"an action that is no text":   {`"result":{"action":true,"content":{"confirm":true}}`, `{"asked":true,"yes":false,"failed":true}`},
		"null":                        {`"result":null`, `{"asked":true,"yes":false,"failed":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, q := openAsking(t, "2025-11-25", forms)
				got := s.one(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,` + c.answer + `}`)
				if !strings.Contains(got, `"structuredContent":`+c.want) {
					t.Errorf("got %s, want %s", got, c.want)
				}
				s.one(ask("2025-11-25", 2, "ping", nil, "")) // the session goes on
			})
		})
	}
}

func TestAnswersToWhatWasNotAskedAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := openAsking(t, "2025-06-18", `{"elicitation":{}}`)
		yes := `,"result":{"action":"accept","content":{"confirm":true}}}`
		for _, id := range []string{"99", `"` + string(q.ID) + `"`, "-1", `"x"`} {
			if got := s.send(`{"jsonrpc":"2.0","id":` + id + yes); len(got) > 0 {
				t.Errorf("id %s: %v", id, got)
			}
		}
		if got := s.one(`{"jsonrpc":"2.0","id":` + string(q.ID) + yes); !strings.Contains(got, `"yes":true`) {
			t.Errorf("got %s", got)
		}
		if got := s.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + yes); len(got) > 0 {
			t.Errorf("answered twice: %v", got)
		}
		s.one(ask("2025-06-18", 2, "ping", nil, ""))
	})
}

func TestOnlyAClientWithFormsIsAsked(t *testing.T) {
	for name, c := range map[string]struct{ version, capabilities string }{
		"no such capability":          {"2025-11-25", `{}`},
		"another one":                 {"2025-11-25", `{"sampling":{}}`},
		"addresses only":              {"2025-11-25", `{"elicitation":{"url":{}}}`},
		"no such capability any more": {"2026-07-28", `{}`},
		"only addresses any more":     {"2026-07-28", `{"elicitation":{"url":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := openStdio(t, asker{&fake{}}, options(""))
				call := ask(c.version, 1, "tools/call", callTool("ask", nil), "")
				if c.version != "2026-07-28" {
					s.one(helloWith(c.version, c.capabilities))
				} else {
					call = strings.Replace(call, `clientCapabilities":{}`, `clientCapabilities":`+c.capabilities, 1)
				}
				if got := s.one(call); !strings.Contains(got, `"asked":false`) {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

// Where each request stands alone, the result asks and a second call brings the answer.
func TestWithoutSessionsAResultAsks(t *testing.T) {
	h := mcp.New(asker{&fake{}}, options("")).Handler()
	call := func(more map[string]any) string {
		params := callTool("ask", map[string]any{})
		for name, value := range more {
			params[name] = value
		}
		line := strings.Replace(ask("2026-07-28", 1, "tools/call", params, ""), `clientCapabilities":{}`, `clientCapabilities":`+forms, 1)
		return strings.TrimSpace(post(t, h, line, versionHeaders("2026-07-28", "tools/call", "ask")...).Body.String())
	}
	first := call(nil)
	var question struct {
		ResultType    string
		InputRequests json.RawMessage
		RequestState  string
	}
	if err := json.Unmarshal(parse(t, first).Result, &question); err != nil || question.ResultType != "input_required" {
		t.Fatalf("got %s", first)
	}
	want := `{"confirm":{"method":"elicitation/create","params":{"mode":"form","message":"Remove 2 <statements>?","requestedSchema":` +
		`{"type":"object","properties":{"confirm":{"type":"boolean","title":"Go on","description":"Whether to go on; without a tick nothing is changed.","default":false}},"required":["confirm"]}}}}`
	if string(question.InputRequests) != want {
		t.Errorf("got  %s\nwant %s", question.InputRequests, want)
	}
	tick := map[string]any{"confirm": map[string]any{"action": "accept", "content": map[string]any{"confirm": true}}}
	for name, c := range map[string]struct {
		answers any
		state   string
		want    string
	}{
		"a tick":              {tick, question.RequestState, `"yes":true`},
		"no tick":             {map[string]any{"confirm": map[string]any{"action": "accept", "content": map[string]any{"confirm": false}}}, question.RequestState, `"yes":false`},
		"declined":            {map[string]any{"confirm": map[string]any{"action": "decline"}}, question.RequestState, `"yes":false`},
		"another answer":      {map[string]any{"confirm": map[string]any{"roots": []any{}}}, question.RequestState, `"input_required"`},
		"to another question": {tick, strings.Repeat("0", 64), `"input_required"`},
		"without a state":     {tick, "", `"input_required"`},
		"under another name":  {map[string]any{"other": tick["confirm"]}, question.RequestState, `"input_required"`},
		"nonsense":            {map[string]any{"confirm": "yes"}, question.RequestState, `"field":"inputResponses.confirm"`},
		"an empty answer":     {map[string]any{"confirm": map[string]any{}}, question.RequestState, `"field":"inputResponses.confirm"`},
		"no object":           {"yes", question.RequestState, `"field":"inputResponses"`},
	} {
		if got := call(map[string]any{"inputResponses": c.answers, "requestState": c.state}); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// The SDK's client does the round trip by itself.
func TestTheSDKsClientAnswersWithoutSessions(t *testing.T) {
	web := httptest.NewServer(mcp.New(openGraph(t), options("")).Handler())
	defer web.Close()
	var questions []string
	client := sdk.NewClient(&sdk.Implementation{Name: "go", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			questions = append(questions, r.Params.Message)
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
		},
	})
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "load", Arguments: map[string]any{
		"mode": "overwrite",
		"data": `{"type":"Decision","id":"1","data":{"number":1,"title":"Only this one","reason":"It is a test","decided":"2026-02-01","about":["Component/kg"]}}`,
	}})
	if err != nil || res.IsError || len(questions) != 1 || !strings.Contains(questions[0], "8 of Decision") {
		t.Errorf("asked %q, got %+v, %v", questions, res, err)
	}
}

// A client that ends does not answer: its call ends at once, not when patience does.
func TestAQuestionEndsWithTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := openAsking(t, "2025-11-25", forms)
		began := time.Now()
		if err := s.end(); err != nil {
			t.Error(err)
		}
		if got := s.out.take(); len(got) != 1 || !strings.Contains(got[0], `"yes":false`) || time.Since(began) > time.Second {
			t.Errorf("after %s: %v", time.Since(began), got)
		}
	})
	synctest.Test(t, func(t *testing.T) { // asked when the input has ended already
		s := openStdio(t, asker{&fake{}}, options(""))
		s.one(helloWith("2025-11-25", forms))
		began := time.Now()
		fmt.Fprintln(s.in, ask("2025-11-25", 1, "tools/call", callTool("ask", nil), ""))
		if err := s.end(); err != nil {
			t.Error(err)
		}
		if got := strings.Join(s.out.take(), "\n"); !strings.Contains(got, `"yes":false`) || time.Since(began) > time.Second {
			t.Errorf("after %s: %s", time.Since(began), got)
		}
	})
}

func TestACancelledCallTakesItsQuestionBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := openAsking(t, "2025-11-25", forms)
		got := s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		if len(got) != 1 || !strings.Contains(got[0], `"method":"notifications/cancelled"`) || !strings.Contains(got[0], `"requestId":`+string(q.ID)) {
			t.Errorf("got %v", got)
		}
		if late := s.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{"confirm":true}}}`); len(late) > 0 {
			t.Errorf("a late answer: %v", late)
		}
		s.one(ask("2025-11-25", 2, "ping", nil, ""))
	})
}

// The whole way: a schema that loses data, a client with forms, an engine on a file.
func TestAPersonIsAskedBeforeASchemaLosesData(t *testing.T) {
	for answer, wantKind := range map[string]any{
		`{"action":"accept","content":{"confirm":true}}`: nil,
		`{"action":"decline"}`:                           "conflict",
	} {
		opts := optionsOf(auth.Options{Token: token, Scopes: policy.AllScopes()})
		s := converseAs(t, openStarter(t), opts, forms)
		s.id++
		less := strings.ReplaceAll(string(example.Schema), "      url: {type: uri, required: true, pattern: '^https://', description: Where it is published}\n", "")
		fmt.Fprintln(s.in, ask("2025-11-25", s.id, "tools/call", callTool("schema_apply", map[string]any{"schema": less}), ""))
		q := s.reply()
		var question struct{ Message string }
		if err := json.Unmarshal(q.Params, &question); err != nil || !strings.Contains(question.Message, "drop property Standard.url (9 statements)") {
			t.Fatalf("asked %s %s", q.Method, q.Params)
		}
		fmt.Fprintln(s.in, `{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":`+answer+`}`)
		var res struct{ StructuredContent map[string]any }
		for a := s.next(); ; a = s.next() {
			if a.Method != "" {
				continue // tools or resources changed
			}
			if err := json.Unmarshal(a.Result, &res); err != nil {
				t.Fatal(err, a.Error)
			}
			break
		}
		if res.StructuredContent["kind"] != wantKind {
			t.Errorf("%s: got %v", answer, res.StructuredContent)
		}
	}
}

// Beyond 1,000 statements a change needs a person's yes, or to say that it means to.
func TestAPersonIsAskedBeforeAnUpdateRemovesMuch(t *testing.T) {
	const many = 1_001
	var insert strings.Builder
	insert.WriteString("INSERT DATA {GRAPH <urn:g> {<urn:a> <urn:b> 0")
	for i := 1; i < many; i++ {
		fmt.Fprintf(&insert, ",%d", i)
	}
	insert.WriteString("}}")
	for _, c := range []struct {
		name, capabilities, answer, update string
		allowed, kind                      any
		left                               float64
	}{
		{name: "a yes", capabilities: forms, answer: `{"action":"accept","content":{"confirm":true}}`, update: "CLEAR GRAPH <urn:g>"},
		{name: "a no", capabilities: forms, answer: `{"action":"decline"}`, update: "CLEAR GRAPH <urn:g>", kind: "conflict", left: many},
		{name: "nobody to ask", capabilities: "{}", update: "DROP GRAPH <urn:g>", kind: "conflict", left: many},
		{name: "nobody to ask, and it is meant", capabilities: "{}", update: "DELETE WHERE {GRAPH <urn:g> {?s ?p ?o}}", allowed: true},
		{name: "a thousand go without a question", capabilities: forms, update: "DELETE {GRAPH <urn:g> {?s ?p ?o}} WHERE {GRAPH <urn:g> {?s ?p ?o FILTER(?o > 0)}}", left: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := converseAs(t, openStarter(t), options(token), c.capabilities)
			result := func(a answer) (out map[string]any) {
				t.Helper()
				var res struct{ StructuredContent map[string]any }
				if err := json.Unmarshal(a.Result, &res); err != nil {
					t.Fatal(err, a.Error)
				}
				return res.StructuredContent
			}
			result(s.ask("tools/call", callTool("mutate", map[string]any{"update": insert.String()})))
			args := map[string]any{"update": c.update}
			if c.allowed != nil {
				args["allow_mass_change"] = c.allowed
			}
			a := s.ask("tools/call", callTool("mutate", args))
			if c.answer != "" {
				if a.Method != "elicitation/create" || !strings.Contains(string(a.Params), "remove 1001 statements") {
					t.Fatalf("asked %s %s", a.Method, a.Params)
				}
				fmt.Fprintln(s.in, `{"jsonrpc":"2.0","id":`+string(a.ID)+`,"result":`+c.answer+`}`)
				a = s.reply()
			}
			out := result(a)
			if message := fmt.Sprint(out["message"]); out["kind"] != c.kind || c.kind != nil && c.answer == "" && !strings.Contains(message, "allow_mass_change: true") {
				t.Errorf("got %v", out)
			}
			rows := result(s.ask("tools/call", callTool("query", map[string]any{"query": "SELECT (COUNT(*) AS ?n) {GRAPH <urn:g> {?s ?p ?o}}"})))["rows"]
			if left := rows.([]any)[0].([]any)[0]; left != c.left {
				t.Errorf("%v statements are left, want %v", left, c.left)
			}
		})
	}
}
