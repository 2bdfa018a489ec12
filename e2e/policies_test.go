package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/e2e/testrun"
)

// unknownTool is the outcome of a call of what the caller may nowhere call, or of what there is not.
const unknownTool outcome = "there is no such tool"

// denied is the outcome of a write by a token where there are no policies.
const denied outcome = "it is denied, with the way out"

// saysTheWayOut reports whether a refusal says that there are no policies, and how some are set.
func saysTheWayOut(text string) bool {
	return strings.Contains(text, "without policies") && strings.Contains(text, "trails policy set FILE --starter")
}

// underPolicies is the outcome of an answer of MCP where policies decide, too.
func underPolicies(err error) outcome {
	var refused *rpcError
	if errors.As(err, &refused) && strings.HasPrefix(refused.Message, "unknown tool: ") {
		return unknownTool
	}
	if errors.As(err, &refused) && refused.Code == -32002 && saysTheWayOut(refused.Message) {
		return denied
	}
	return ofMCP(err)
}

// ruled is a text of policies, with what follows from it for a capability that requires an action, and is of the type Note or
// not.
type ruled struct {
	name, text string
	may        func(tool, action string) bool
	listed     bool // what may not be called is there, and denied
}

// TestWhoMayCallWhatUnderPolicies calls every capability at every door without policies and under several, as somebody with
// all scopes and as somebody with one. What policies do not permit is not there; what is not permitted without any is denied.
func TestWhoMayCallWhatUnderPolicies(t *testing.T) {
	testrun.Alone(t)
	file := notesFile(t)
	known, _ := credentials(t, file)
	one, all := known[0], known[len(known)-1]
	process := "TRAILS_MCP_SCOPES=runtime,builder,dev"
	stateless, kept := openWeb(t, file, process), startWeb(t, []string{process}, file, "--stateful")
	stateless.token = all.secret
	scopes := capabilities(t, stateless)
	actions := actionsOf(t, stateless)
	actions["tool_execute"] = "read" // what is called through it is asked about by itself
	reads := []string{"read", "export", "invoke_query"}
	const administers = `permit (principal == Actor::"token:runtime-builder-dev", action == Action::"administer", resource);`
	ofNotes := regexp.MustCompile(`^note_(create|update|delete)$`)
	for _, policies := range []ruled{
		{"no policies", "", func(_, action string) bool { return slices.Contains(reads, action) }, true},
		{"those to begin with", "--starter", func(string, string) bool { return true }, false},
		{"none permits", ``, func(_, action string) bool { return false }, false},
		{"reads", `permit (principal, action in Action::"reads", resource);`, func(_, action string) bool { return slices.Contains(reads, action) }, false},
		{"everything", `permit (principal, action, resource);`, func(string, string) bool { return true }, false},
		{"one tool forbidden", `permit (principal, action, resource); forbid (principal, action, resource) when { resource in [Capability::"search", Capability::"mutate"] };`,
			func(tool, _ string) bool { return tool != "search" && tool != "mutate" }, false},
		{"a type that is read alone", `permit (principal, action, resource); forbid (principal, action == Action::"change", resource in Type::"Note");`,
			func(tool, _ string) bool { return !ofNotes.MatchString(tool) }, false},
		{"a type that is hidden", `permit (principal, action, resource); forbid (principal, action == Action::"read", resource == Type::"Note");`,
			func(tool, _ string) bool { return !ofNotes.MatchString(tool) }, false},
		{"drafts alone", `permit (principal, action in Action::"reads", resource); permit (principal, action, resource) unless { context has branch && context.branch == Branch::"main" };`,
			func(_, action string) bool { return true }, false},
	} {
		switch {
		case policies.listed:
		case strings.HasPrefix(policies.text, "-"):
			must(t, "policy", "set", file, policies.text)
		default:
			must(t, "policy", "set", file, write(t, "p.cedar", administers+policies.text))
		}
		for _, c := range []credential{one, all} {
			t.Run(policies.name+"/"+c.name, func(t *testing.T) {
				may := func(tool string) outcome {
					action := actions[tool]
					if !policy.Action(action).Governed() {
						action = ""
					}
					switch {
					case c.may(scopes[tool]) != passed:
						return c.may(scopes[tool])
					case policies.listed && action != "" && !policies.may(tool, action):
						return denied
					case action != "" && !policies.may(tool, action) && !(action == "administer" && c.name == all.name):
						return unknownTool
					}
					return passed
				}
				// Those of a hidden type are not there for anybody, whatever their scope.
				fits := func(tool string, got outcome) bool {
					return got == may(tool) || strings.HasSuffix(policies.name, "hidden") && ofNotes.MatchString(tool) && got == unknownTool
				}
				stateless.token, kept.token = c.secret, c.secret
				session, opened := openStateful(t, kept)
				if opened != passed {
					t.Fatal(opened)
				}
				pipe := openStdio(t, file, process, "TRAILS_TOKEN="+c.secret)
				var first []string
				for name, d := range map[string]door{"/mcp": stateless, "a session": session, "stdio": pipe} {
					for id := range scopes {
						_, err := tool(d, id, map[string]any{})
						if errors.Is(err, errGone) {
							t.Fatalf("%s: %s: %v", name, id, err)
						}
						if got := underPolicies(err); !fits(id, got) {
							t.Errorf("%s: %s, which does %s: %s: %v", name, id, actions[id], got, err)
						}
					}
					text, err := d.call("tools/list", map[string]any{})
					if err != nil {
						t.Fatal(err)
					}
					names := listed(t, text, func(string) bool { return true })
					if first == nil {
						first = names
					}
					if !slices.Equal(names, first) || slices.ContainsFunc(names, func(tool string) bool { return !fits(tool, passed) && !(policies.listed && fits(tool, denied)) }) {
						t.Errorf("%s lists %v, and another door %v", name, names, first)
					}
				}
				for tool := range scopes {
					status, body, err := stateless.post("/invoke/"+tool, []byte("{}"), nil)
					got := ofHTTP(status, body)
					if status == http.StatusNotFound && strings.Contains(string(body), "urn:trails:problem:unknown_tool") {
						got = unknownTool
					}
					if status == http.StatusForbidden && saysTheWayOut(string(body)) {
						got = denied
					}
					if err != nil || !fits(tool, got) {
						t.Errorf("/invoke: %s, which does %s: %s: %d, %v", tool, actions[tool], got, status, err)
					}
				}
			})
		}
	}
}

// actionsOf returns the action of each capability that is a tool, by its name there.
func actionsOf(t *testing.T, w *web) map[string]string {
	t.Helper()
	_, body, err := w.do(http.MethodGet, "/capabilities", nil, nil)
	var list struct {
		Capabilities []struct {
			ToolName string                  `json:"tool_name"`
			Policy   struct{ Action string } `json:"policy_required"`
		}
	}
	if err != nil || json.Unmarshal(body, &list) != nil {
		t.Fatal(err)
	}
	actions := map[string]string{}
	for _, c := range list.Capabilities {
		actions[c.ToolName] = c.Policy.Action
	}
	return actions
}

// What is hidden is answered, at every address, as what is not there: with the same bytes but for its name.
func TestWhatPoliciesHideIsAsIfItWereNotThere(t *testing.T) {
	testrun.Alone(t)
	const schema = `
types:
  Note: {properties: {title: {type: string, required: true}}}
  Fact: {properties: {title: {type: string, required: true}}}
`
	without := strings.Replace(schema, "  Fact: {properties: {title: {type: string, required: true}}}\n", "", 1)
	answers := map[string][]string{}
	addresses := []string{
		"/kg/Fact", "/kg/Fact/f1", "/schema", "/sparql?query=SELECT%20%2A%20WHERE%20%7B%3Fs%20%3Fp%20%3Fo%7D%20ORDER%20BY%20%3Fs%20%3Fp%20%3Fo", "/openapi.json", "/capabilities", "/queries/facts",
		"/.well-known/capabilities", "/branches",
	}
	calls := map[string]string{
		"fact_create": `{"title":"x"}`, "get": `{"ids":["Fact/f1"]}`, "list": `{"type":"Fact"}`, "describe": `{"type":"Fact"}`, "search": `{"text":"fact"}`,
		"create": `{"type":"Fact","data":{"title":"x"}}`, "query": `{"query":"SELECT (COUNT(*) AS ?n) WHERE {?s ?p ?o}"}`, "stored_query_list": `{}`, "schema_get": `{}`,
		"load": `{"data":"{\"type\":\"Fact\",\"data\":{\"title\":\"x\"}}","format":"ndjson","dry_run":true}`, "mutate": `{"update":"INSERT DATA { <urn:x> a <urn:trails:graph:Fact> }","dry_run":true}`,
	}
	secret := ""
	for _, hides := range []bool{true, false} {
		file := t.TempDir() + "/graph.db"
		text := without
		if hides {
			text = schema
		}
		must(t, "init", file, "--schema", write(t, "s.yaml", text))
		must(t, "invoke", file, "note.create", "title=a note", "id=n1")
		must(t, "token", "create", file, "keeper", "--scopes", "runtime,builder")
		if hides {
			must(t, "invoke", file, "fact.create", "title=a fact", "id=f1")
			must(t, "query", "add", file, write(t, "facts.rq", "#+ description: Facts.\nSELECT ?f WHERE { ?f a <urn:trails:graph:Fact> }"))
			must(t, "policy", "set", file, write(t, "p.cedar", `permit (principal == Actor::"token:keeper", action, resource);
				permit (principal, action, resource); forbid (principal, action, resource == Type::"Fact") unless { principal == Actor::"token:keeper" };
				forbid (principal, action, resource == Query::"facts") unless { principal == Actor::"token:keeper" };`))
		} else {
			must(t, "policy", "set", file, write(t, "p.cedar", `permit (principal, action, resource); forbid (principal, action, resource == Branch::"none") unless { principal == Actor::"token:keeper" };`))
		}
		secret = strings.SplitN(must(t, "token", "create", file, "reader"), "\n", 2)[0]
		w := openWeb(t, file)
		w.token = secret
		clean := regexp.MustCompile(`"trace_id":"\w+"|[0-9a-f]{12,64}|127\.0\.0\.1:\d+|"(head|version|revision)":"[^"]*"|W/"[^"]*"`)
		for _, address := range addresses {
			status, body, err := w.do(http.MethodGet, address, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			answers[address] = append(answers[address], http.StatusText(status)+" "+clean.ReplaceAllString(string(body), ""))
		}
		for name, args := range calls {
			status, body, err := w.post("/invoke/"+name, []byte(args), nil)
			if err != nil {
				t.Fatal(err)
			}
			answers["/invoke/"+name] = append(answers["/invoke/"+name], http.StatusText(status)+" "+clean.ReplaceAllString(string(body), ""))
			var given map[string]any
			if err := json.Unmarshal([]byte(args), &given); err != nil {
				t.Fatal(err)
			}
			result, err := tool(w, name, given)
			told := fmt.Sprint(string(result.Structured), result.Content, result.IsError)
			if err != nil {
				told = err.Error()
			}
			answers[name] = append(answers[name], clean.ReplaceAllString(told, ""))
		}
	}
	for what, both := range answers {
		if both[0] != both[1] {
			t.Errorf("%s:\nwhere it is hidden   %.1500s\nwhere there is none  %.1500s", what, both[0], both[1])
		}
	}
}
