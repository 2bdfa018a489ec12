package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"trails/auth/policy"
	"trails/e2e/testrun"
)

// author is one request of a person to an agent that has the scope builder: to make what others use.
type author struct {
	name          string
	calls, tokens int // at most
	do            func(testing.TB, view, *truth) *agent
}

var authoring = []author{
	{"a new type with properties, after a mistake, and its first node", 4, 700, aType},
	{"a stored query that becomes a tool, and is called", 2, 400, aStoredQuery},
	{"a migration: plan, apply, back", 3, 1_000, aMigration},
	{"a tool of another server, found and called", 3, 500, anUpstreamTool},
	{"what somebody else changed, taken back", 2, 300, anUndo},
	{"a change on a draft: branch, change, difference, merge", 4, 400, aDraft},
}

func TestAuthoringTasks(t *testing.T) {
	testrun.Alone(t)
	data := readTruth(t)
	makeFile(t)
	for i, v := range views {
		if testing.Short() && i != 1 {
			continue
		}
		v.scopes = []policy.Scope{policy.Builder}
		t.Run(v.name, func(t *testing.T) {
			table, calls, total := "", 0, 0
			for n, k := range authoring {
				t.Run(k.name, func(t *testing.T) {
					a := k.do(t, v, data)
					tokens := a.sent + a.received
					calls, total = calls+a.calls, total+tokens
					table += fmt.Sprintf("| %d. %s | %d | %d | %d |\n", n+1, k.name, a.calls, a.sent, a.received)
					if a.calls > k.calls || tokens > k.tokens {
						t.Errorf("%d calls and %d tokens, at most %d and %d", a.calls, tokens, k.calls, k.tokens)
					}
				})
			}
			if file := os.Getenv("TRAILS_AGENT_TABLE"); file != "" {
				appendTo(t, file, fmt.Sprintf("\n%s, authoring\n\n| task | calls | tokens sent | tokens received |\n|---|--:|--:|--:|\n%sAll tasks: %d calls, %d tokens.\n", v.name, table, calls, total))
			}
		})
	}
}

func aType(t testing.TB, v view, data *truth) *agent {
	a := newAgent(t, v)
	const add = `"patch":"- add_type: {Sighting: {label: title, properties: {title: {type: string, required: true}, severity: {type: %s, one_of: [low, high]}, seen: date, of: {class: Technique, many: true}}}}"`
	a.call("schema_apply", `{`+fmt.Sprintf(add, "enum")+`,"plan":true}`).says("severity", "enum", "string")
	a.call("schema_apply", `{`+fmt.Sprintf(add, "string")+`,"plan":true}`).says("add type Sighting (4 properties)", "safe")
	a.call("schema_apply", `{`+fmt.Sprintf(add, "string")+`,"message":"what was seen"}`).member("commit")
	made := a.call("create", `{"type":"Sighting","data":{"title":"Memory of LSASS was read","severity":"high","seen":"2026-11-21","of":["Technique/T1003.001"]}}`)
	same(a, [][]string{{made.member("id"), "high", data.names["Technique/T1003.001"]}},
		a.after("query", `{"query":"SELECT (STRAFTER(STR(?x), \"Sighting/\") AS ?id) ?severity ?name {?x a :Sighting; :severity ?severity; :of/:name ?name}"}`).table("id", "severity", "name"))
	a.after("create", `{"type":"Sighting","data":{"title":"No","severity":"middling"}}`).says("severity", "low", "high")
	return a
}

func aStoredQuery(t testing.TB, v view, data *truth) *agent {
	a := newAgent(t, v)
	// The answer shows the call of the new tool, and a reference takes a label.
	stored := a.call("trails_meta_query_add", `{"queries":[{"text":"#+ id: techniques_of\n#+ description: Techniques that a group uses in a tactic.\n#+ params: {group: ref(Group), tactic: string}\nSELECT ?t ?name {?group :uses ?t. ?t :name ?name; :tactic/:name ?tactic} ORDER BY ?t"}],"message":"asked often"}`)
	stored.says(`techniques_of {"params":{"group":`)
	got := a.call("techniques_of", `{"params":{"group":"APT29","tactic":"Credential Access"}}`).table("t", "name")
	var want [][]string
	for _, technique := range data.from(data.named(a, "APT29"), "uses") {
		if slices.Contains(data.from(technique, "tactic"), data.named(a, "Credential Access")) {
			want = append(want, []string{technique, data.names[technique]})
		}
	}
	slices.SortFunc(want, slices.Compare[[]string])
	same(a, want, got)
	a.after("techniques_of", `{"group":"APT29","tactic":"Credential Access"}`).says(`{"params":{"group":`)
	return a
}

func aMigration(t testing.TB, v view, data *truth) *agent {
	a := newAgent(t, v)
	const migrations = `"migrations":[{"name":"0001_sectors.yaml","text":"description: Each group has a sector.\nsteps:\n- add_property: {Group.sector: string}\n- update:\n    forward: INSERT {?g :sector \"unknown\"} WHERE {?g a :Group}\n    reverse: DELETE {?g :sector ?s} WHERE {?g a :Group; :sector ?s}"}]`
	const count = `{"query":"SELECT (1 AS ?one) (COUNT(*) AS ?n) {?g :sector \"unknown\"}"}`
	groups := fmt.Sprint(len(data.withType("Group")))
	plan := a.call("trails_meta_migrate_plan", `{`+migrations+`}`)
	same(a, []string{groups, "false"}, []string{plan.member("total"), plan.member("blocked")})
	applied := a.call("trails_meta_migrate_apply", `{`+migrations+`,"message":"sectors"}`)
	same(a, "0", applied.member("left"))
	same(a, [][]string{{"1", groups}}, a.after("query", count).table("one", "n"))
	back := a.call("trails_meta_migrate_rollback", `{"message":"not yet"}`)
	same(a, applied.member("added"), back.member("removed"))
	same(a, [][]string{{"1", "0"}}, a.after("query", count).table("one", "n"))
	return a
}

func anUpstreamTool(t testing.TB, v view, _ *truth) *agent {
	asked, address := tracker(t)
	a := newAgent(t, v, earlier{"ana", "trails.meta.gateway.add", `{"definition":{"name":"tracker","http":"` + address + `"}}`})
	found := a.call("tool_browse", `{"query":"list the issues of a repository","top_k":3}`)
	id := found.word("tracker:list_issues#")
	// Cards have no arguments. A refusal says all of them.
	a.call("tool_execute", `{"tool_id":"`+id+`","args":{}}`).says("repository (string, required)", "state (one of open, closed)")
	a.call("tool_execute", `{"tool_id":"`+id+`","args":{"repository":"soc","state":"open"}}`).says("T1595 has no rule")
	same(a, []string{`{"repository":"soc","state":"open"}`}, asked())
	return a
}

// tracker starts an MCP server with two tools; asked returns the arguments of each call.
func tracker(t testing.TB) (asked func() []string, address string) {
	t.Helper()
	var mu sync.Mutex
	var calls []string
	const listed = `{"tools":[{"name":"create_issue","description":"Open a new issue in a repository.","inputSchema":{"type":"object","properties":{"repository":{"type":"string"},"title":{"type":"string"}},"required":["repository","title"]}},
		{"name":"list_issues","description":"List the issues of a repository.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"repository":{"type":"string"},"state":{"enum":["open","closed"]}},"required":["repository"]}}]}`
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Arguments json.RawMessage }
		}
		switch err := json.NewDecoder(r.Body).Decode(&m); {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case err != nil || m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if m.Method == "tools/call" {
			mu.Lock()
			calls = append(calls, string(m.Params.Arguments))
			mu.Unlock()
		}
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"1"}}`,
			"tools/list": listed,
			"tools/call": `{"content":[{"type":"text","text":"2 open: T1595 has no rule; PsExec is noisy"}]}`,
		}[m.Method]
		if result == "" {
			result = "{}"
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(calls) }, at.URL
}

func anUndo(t testing.TB, v view, data *truth) *agent {
	a := newAgent(t, v,
		earlier{"bo", "update", `{"type":"Tool","id":"S0029","set":{"name":"PSEXEC"},"message":"shouted"}`},
		earlier{"bo", "update", `{"type":"Tool","id":"S0002","add":{"platform":["Linux"]},"message":"it runs there, too"}`},
		earlier{"ana", "update", `{"type":"Group","id":"G0016","set":{"version":"9.9"},"message":"a new edition"}`})
	var shouted string
	for _, row := range a.call("history", `{"actor":"bo"}`).table("commit", "time", "who", "what") {
		if strings.HasPrefix(row[2], "local:bo") && strings.Contains(row[3], "PSEXEC") {
			shouted = row[0]
		}
	}
	undone := a.call("undo", `{"commit":"`+shouted+`","message":"names stay as they are written"}`)
	undone.says("Tool/S0029")
	same(a, []string{"1", "1", "1"}, []string{undone.member("node_count"), undone.member("added"), undone.member("removed")})
	a.after("get", `{"ids":["Tool/S0029"],"properties":["name"]}`).says(data.names["Tool/S0029"])
	a.after("get", `{"ids":["Tool/S0002"],"properties":["platform"]}`).says("Linux")
	return a
}

func aDraft(t testing.TB, v view, data *truth) *agent {
	a := newAgent(t, v)
	draft := a.call("branches_create", `{"draft":true}`).member("branch")
	a.call("update", `{"type":"Group","id":"APT29","add":{"uses":["Technique/T1595.001"]},"branch":"`+draft+`","message":"it scans, too"}`)
	a.call("diff", `{"branch":"`+draft+`"}`).says(data.named(a, "APT29"), "Technique/T1595.001")
	const count = `{"query":"SELECT (1 AS ?one) (COUNT(*) AS ?n) {?g :name \"APT29\"; :uses ?t}"}`
	uses := len(data.from(data.named(a, "APT29"), "uses"))
	same(a, [][]string{{"1", fmt.Sprint(uses)}}, a.after("query", count).table("one", "n"))
	merged := a.call("branches_merge", `{"source":"`+draft+`"}`)
	same(a, []string{"merged", "1"}, []string{merged.member("outcome"), merged.member("added")})
	same(a, [][]string{{"1", fmt.Sprint(uses + 1)}}, a.after("query", count).table("one", "n"))
	return a
}
