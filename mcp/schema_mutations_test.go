package mcp_test

import (
	"strings"
	"testing"
)

// A message that is not as its schema has it is found, or else the tests above
// would say nothing.
func TestConformanceOfAMessageThatIsWrongInOnePlaceIsDenied(t *testing.T) {
	schemaOf(t, versions[0])
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct {
		name, versions  string // all that are no newer or no older, such as "..2025-11-25"
		ask, from, text string
		old, new        string
	}{
		{"a result without its contents", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"resultType":"complete"}}`, `"content"`, `"contents"`},
		{"text that is a number", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"resultType":"complete"}}`, `"x"`, `1`},
		{"isError in words", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true,"resultType":"complete"}}`, `true`, `"true"`},
		{"a tool without a schema", "..", "tools/list", server,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`, `"inputSchema"`, `"schema"`},
		{"a resource whose address is none", "..", "resources/list", server,
			`{"jsonrpc":"2.0","id":1,"result":{"resources":[{"name":"a","uri":"trails://a"}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`, `trails://a`, `a b`},
		{"a template that does not close", "..", "resources/templates/list", server,
			`{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"name":"a","uriTemplate":"trails://kg/{id}{?where,limit}"}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`, `limit}`, `limit`},
		{"bytes that are not base64", "..", "resources/read", server,
			`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"trails://a","blob":"AAAA"}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`, `AAAA`, `AAA!`},
		{"an answer without an id", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[],"resultType":"complete"}}`, `"id":1,`, ``},
		{"an answer that nobody asked for", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[],"resultType":"complete"}}`, `"id":1`, `"id":2`},
		{"another JSON-RPC", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[],"resultType":"complete"}}`, `2.0`, `1.0`},
		{"an error without a message", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}`, `"message":"x"`, `"reason":"x"`},
		{"an error whose code is no integer", "..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}`, `-32602`, `-1.5`},
		{"a refused version without those that are served", "2026-07-28..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"x","data":{"supported":["2026-07-28"],"requested":"1"}}}`, `supported`, `known`},
		{"a result that does not say of what type", "2026-07-28..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[],"resultType":"complete"}}`, `,"resultType":"complete"`, ``},
		{"a result that asks nobody", "2026-07-28..", "tools/call", server,
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"x","requestedSchema":{"type":"object","properties":{}}}}}}}`, `elicitation/create`, `elicitation/made`},
		{"a list that does not say for how long", "2026-07-28..", "tools/list", server,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`, `"ttlMs":0,`, ``},
		{"a call without a name", "..2025-11-25", "", client,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, `"name"`, `"tool"`},
		{"a call that does not say its version", "2026-07-28..", "", client,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + meta + `}}`, `"_meta"`, `"meta"`},
		{"progress without its token", "..", "", server,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}`, `"progressToken"`, `"token"`},
		{"a notification of nothing", "..", "", server,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"trails://a"}}`, `"uri"`, `"url"`},
		{"a level that is none", "..", "", server,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`, `info`, `loud`},
		{"a method of the other side", "..2025-11-25", "", client,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `initialized`, `message`},
		{"a question without a form", "2025-06-18..2025-11-25", "", server,
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"x","requestedSchema":{"type":"object","properties":{}}}}`, `"properties":{}`, `"properties":{"a":{"type":"object"}}`},
		{"an answer to it that is none", "2025-06-18..2025-11-25", "elicitation/create", client,
			`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"a":true}}}`, `accept`, `yes`},
	} {
		oldest, newest, _ := strings.Cut(c.versions, "..")
		for _, version := range versions {
			if version < oldest || (newest != "" && version > newest) {
				continue
			}
			t.Run(c.name+" "+version, func(t *testing.T) {
				if strings.Count(c.text, c.old) != 1 {
					t.Fatalf("%q is not once in %s", c.old, c.text)
				}
				if err := reread(t, version, c.ask, c.from, c.text); err != nil {
					t.Errorf("the right one is denied: %v", err)
				}
				if err := reread(t, version, c.ask, c.from, strings.Replace(c.text, c.old, c.new, 1)); err == nil {
					t.Error("the wrong one is taken")
				}
			})
		}
	}
}

// reread inspects one message, after the question that it answers.
func reread(t *testing.T, version, asked, from, text string) error {
	i := newInspector(t, version)
	if asked != "" {
		i.asked[map[string]string{client: server, server: client}[from]+"1"] = question{asked, version, ""}
	}
	return i.inspect(from, []byte(text))
}
