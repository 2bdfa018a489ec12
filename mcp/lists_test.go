package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth"
	"trails/auth/policy"
	"trails/capability"
	"trails/capability/project"
	"trails/mcp"
)

// listed is what the tests look at in a tool.
type listed struct {
	Name string         `json:"name"`
	Meta map[string]any `json:"_meta"`
	// Trails is the top-level discriminator.
	Trails      any             `json:"trails"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

type listing struct {
	Tools      []listed `json:"tools"`
	NextCursor string   `json:"nextCursor"`
}

func listTools(t testing.TB, post func(body string) string, cursor string) listing {
	t.Helper()
	var params map[string]any
	if cursor != "" {
		params = map[string]any{"cursor": cursor}
	}
	a := parse(t, post(ask("2025-11-25", 1, "tools/list", params, "")))
	if a.Error != nil {
		t.Fatalf("tools/list: %s", a.Error.Message)
	}
	var l listing
	if err := json.Unmarshal(a.Result, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// over sends bodies to a server over HTTP.
func over(t testing.TB, e mcp.Engine, opts mcp.Options) func(body string) string {
	h := mcp.New(e, opts).Handler()
	return func(body string) string {
		return post(t, h, body, "Authorization: Bearer "+tokenFor(opts)).Body.String()
	}
}

// GO-SDK 0.9 and 6: a client strips what it does not know at the top level, and
// another ignores _meta.
func TestTrap09TheDiscriminatorIsInBothPlaces(t *testing.T) {
	opts := optionsOf(auth.Options{Token: token, Scopes: policy.AllScopes()})
	for _, tool := range listTools(t, over(t, &fake{}, opts), "").Tools {
		if tool.Trails == nil || !cmp.Equal(tool.Trails, tool.Meta["trails"]) {
			t.Errorf("%s: %v and %v", tool.Name, tool.Trails, tool.Meta["trails"])
		}
	}
}

// GO-SDK 4: what is listed follows the caller, and needs no registration.
func TestTrapSection4TheListFollowsTheScopesInTheEnginesOrder(t *testing.T) {
	for list, want := range map[string]string{
		"":                    "",
		"runtime":             "echo fail panic slow",
		"builder":             "trails_meta_schema_plan",
		"runtime,builder,dev": "echo fail panic slow trails_meta_gen_type trails_meta_schema_plan",
	} {
		opts := optionsOf(auth.Options{Token: token, Scopes: scopes(t, list)})
		send := over(t, &fake{}, opts)
		for range 2 { // the second comes from the cache
			var names []string
			for _, tool := range listTools(t, send, "").Tools {
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%q: got %s, want %s", list, got, want)
			}
		}
	}
}

// GO-SDK 8: a schema goes out as it is, key for key.
func TestTrapSection8InputSchemasAreVerbatim(t *testing.T) {
	got := listTools(t, over(t, &fake{}, options("")), "").Tools[0].InputSchema
	if want := `{"additionalProperties":false,"properties":{"text":{"maxLength":5,"type":"string"}},"type":"object"}`; string(got) != want {
		t.Errorf("got %s", got)
	}
}

func manyTools(n int) []capability.Descriptor {
	all := make([]capability.Descriptor, n)
	for i := range all {
		all[i] = tool(fmt.Sprintf("t%04d.create", i), policy.Runtime, capability.Field{Name: "text", Type: capability.String, MaxLength: new(5)},
			capability.Field{Name: "state", Type: capability.String, OneOf: []any{"draft", "accepted", "rejected"}})
	}
	return all
}

// GO-SDK 4: the SDK decodes the cursor before any middleware of its own could.
func TestTrapSection4PagesAreCutByOurOwnCursor(t *testing.T) {
	e := &fake{more: manyTools(2500)}
	send := over(t, e, options(""))
	seen := map[string]bool{}
	var cursors []string
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		page := listTools(t, send, cursor)
		if len(page.Tools) > 1000 || pages > 3 {
			t.Fatalf("page %d has %d tools", pages, len(page.Tools))
		}
		for _, tool := range page.Tools {
			if seen[tool.Name] {
				t.Fatalf("%s is listed twice", tool.Name)
			}
			seen[tool.Name] = true
		}
		if cursor = page.NextCursor; cursor != "" {
			cursors = append(cursors, cursor)
		}
	}
	if len(seen) != 2504 || len(cursors) != 2 {
		t.Errorf("%d tools on %d pages", len(seen), len(cursors)+1)
	}

	e.more, e.version = e.more[1:], "2"
	wrong := append(cursors, "x", "", "====", "dG9vbHMgMCAw", strings.Repeat("A", 1000))
	for _, cursor := range wrong {
		params := map[string]any{"cursor": cursor}
		if got := send(ask("2025-11-25", 1, "tools/list", params, "")); cursor != "" && code(t, got) != -32602 {
			t.Errorf("%s: %.200s", cursor, got)
		}
		if got := send(ask("2025-11-25", 1, "resources/list", params, "")); cursor != "" && code(t, got) != -32602 {
			t.Errorf("resources, %s: %.200s", cursor, got)
		}
	}
}

func TestTheListIsRenewedWhenTheRegistryChanges(t *testing.T) {
	e := &fake{}
	send := over(t, e, options(""))
	before := len(listTools(t, send, "").Tools)
	e.more, e.version = manyTools(1), "2"
	if got := len(listTools(t, send, "").Tools); got != before+1 {
		t.Errorf("%d tools, want %d", got, before+1)
	}
}

func TestResourceListsHavePages(t *testing.T) {
	opts := options("")
	opts.PageSize = 1
	send := over(t, &fake{}, opts)
	var page struct {
		Resources         []any
		ResourceTemplates []any
		NextCursor        string
	}
	for _, method := range []string{"resources/list", "resources/templates/list"} {
		var pages int
		for cursor := ""; pages == 0 || cursor != ""; pages++ {
			a := parse(t, send(ask("2025-11-25", 1, method, map[string]any{"cursor": cursor}, "")))
			page.NextCursor = ""
			if err := json.Unmarshal(a.Result, &page); err != nil {
				t.Fatalf("%s: %v %+v", method, err, a.Error)
			}
			cursor = page.NextCursor
		}
		if want := map[string]int{"resources/list": 2, "resources/templates/list": 4}[method]; pages != want {
			t.Errorf("%s: %d pages", method, pages)
		}
	}
}

// GO-SDK 5.1: the SDK's template matcher extracts nothing from a plain filter, does
// not match IRIs, and compiles each template on every read.
func TestTrapSection5EveryAddressReachesTheEngine(t *testing.T) {
	send := over(t, &fake{}, options(""))
	for uri, want := range map[string]string{
		"trails://kg/Note?where=status=proposed&limit=50":                 "[]",
		"trails://kg/Note?where=status%3Dproposed&limit=50&offset=0&at=x": "[]",
		"trails://kg/Note?where=a=b%20c&x=y":                              "[]",
		"trails://kg/Note/urn%3Atrails%3Ax%3ANote%2F1":                    `{"@id":"urn:x:Note/<1>"}`,
		"trails://kg/Note/a:b":                                            `{"@id":"urn:x:Note/<1>"}`,
	} {
		a := parse(t, send(ask("2025-11-25", 1, "resources/read", map[string]any{"uri": uri}, "")))
		var res struct{ Contents []struct{ URI, Text string } }
		if a.Error != nil || json.Unmarshal(a.Result, &res) != nil || len(res.Contents) != 1 || res.Contents[0].URI != uri || res.Contents[0].Text != want {
			t.Errorf("%s: %s %+v", uri, a.Result, a.Error)
		}
	}
	for _, uri := range []string{"", "trails://", "http://x/", "%zz", "trails://kg/%00", "\x00", "trails://nothing"} {
		got := parse(t, send(ask("2025-11-25", 1, "resources/read", map[string]any{"uri": uri}, "")))
		want, _ := json.Marshal(map[string]string{"uri": uri})
		if got.Error == nil || got.Error.Code != -32602 || got.Error.Message != "Resource not found" || string(got.Error.Data) != string(want) {
			t.Errorf("%q: %+v", uri, got.Error)
		}
	}
}

// GO-SDK 5.2: a result that is not the SDK's lacks what the newest version requires.
func TestTrapSection5WhatAClientMayKeepIsPrivate(t *testing.T) {
	h := mcp.New(&fake{}, options("")).Handler()
	for _, r := range requests {
		if !strings.Contains(r.method, "list") && !strings.Contains(r.method, "discover") && !strings.Contains(r.method, "read") || strings.Contains(r.method, "listen") || r.method == "prompts/list" {
			continue
		}
		name, _ := r.params["uri"].(string)
		got := post(t, h, ask("2026-07-28", 1, r.method, r.params, ""), versionHeaders("2026-07-28", r.method, name)...).Body.String()
		for _, member := range []string{`"cacheScope":"private"`, `"ttlMs":0`, `"resultType":"complete"`, `"io.modelcontextprotocol/serverInfo"`} {
			if !strings.Contains(got, member) {
				t.Errorf("%s has no %s: %.300s", r.method, member, got)
			}
		}
	}
}

func TestAFaultInReadingIsAnErrorWithItsKind(t *testing.T) {
	got := over(t, &fake{}, options(""))(ask("2025-11-25", 1, "resources/read", map[string]any{"uri": "trails://kg/Note/gone"}, ""))
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"there is no Requirement \"R1\"","data":{"id":"R1","kind":"missing","message":"there is no Requirement \"R1\""}}}`
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsNoTextIsReadAsBase64(t *testing.T) {
	got := over(t, &fake{}, options(""))(ask("2025-11-25", 1, "resources/read", map[string]any{"uri": "trails://binary"}, ""))
	if !strings.Contains(got, `"contents":[{"uri":"trails://binary","mimeType":"application/octet-stream","blob":"//4="}]`) {
		t.Errorf("got %s", got)
	}
}

func TestTheIdempotencyKeyGoesWithTheCall(t *testing.T) {
	e := &fake{}
	params := callTool("echo", map[string]any{"text": "x"})
	params["_meta"] = map[string]any{"trails/idempotencyKey": "k1"}
	over(t, e, options(""))(ask("2025-11-25", 1, "tools/call", params, ""))
	if c := e.lastCall(); c.IdempotencyKey != "k1" || string(c.Args) != `{"text":"x"}` {
		t.Errorf("%+v", c)
	}
}

func TestArgumentsArriveAsTheyWereSent(t *testing.T) {
	e := &fake{}
	send := over(t, e, options(""))
	for args, want := range map[string]string{
		`,"arguments":{"b":1,"a":12345678901234567890,"s":"\u003c"}`: `{"b":1,"a":12345678901234567890,"s":"\u003c"}`,
		`,"arguments":{}`:   `{}`,
		`,"arguments":null`: ``,
		``:                  ``,
	} {
		send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"` + args + `}}`)
		if got := string(e.lastCall().Args); got != want {
			t.Errorf("%s: got %s", args, got)
		}
	}
}

// BenchmarkListTools lists 300 tools, of which the budget is 20 ms a list, and a page of
// 2,000, of which it is 10 ms.
func BenchmarkListTools(b *testing.B) {
	for _, n := range []int{300, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			send := over(b, &fake{more: manyTools(n - 4)}, options(""))
			body := ask("2025-11-25", 1, "tools/list", nil, "")
			for b.Loop() {
				b.SetBytes(int64(len(send(body))))
			}
		})
	}
}

// What the doctor compares with the descriptors is what tools/list sends, byte for byte.
func TestTheDoctorLooksAtWhatIsListed(t *testing.T) {
	e, opts := openGraph(t), optionsOf(auth.Options{Token: token, Scopes: policy.AllScopes()})
	tools, err := e.Tools(t.Context(), policy.Principal{ID: "token", Scopes: opts.Auth.Scopes(), Authenticated: true})
	if err != nil {
		t.Fatal(err)
	}
	var sent struct{ Tools []json.RawMessage }
	a := parse(t, over(t, e, opts)(ask("2025-11-25", 1, "tools/list", nil, "")))
	if err := json.Unmarshal(a.Result, &sent); err != nil || len(sent.Tools) != len(tools.Listed) {
		t.Fatalf("%d of %d are listed, error %v", len(sent.Tools), len(tools.Listed), err)
	}
	view := project.Encodings(project.Process{})[0]
	for i, d := range tools.Listed {
		want, err := view.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(sent.Tools[i])); diff != "" || view.Name != "tools/list" {
			t.Errorf("%s: %s", d.ID, diff)
		}
	}
}
