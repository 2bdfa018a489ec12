package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/auth"
	"trails/auth/policy"
	"trails/builtin"
	"trails/invoke"
	"trails/kg"
	"trails/kg/remote"
	"trails/mcp"
)

// lists are the methods that list something, with the member that holds it.
var lists = map[string]string{
	"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts", "skills/list": "skills",
}

// Whom a call would be refused sees nothing of it in any list, and hears of nothing.
func TestListsAndNewsAreFilteredAsCallsAre(t *testing.T) {
	for name, c := range map[string]struct {
		scopes policy.Scopes
		reads  bool
		tools  []string
	}{
		"no scope":     {policy.Scopes{}, false, nil},
		"builder only": {policy.NewScopes(policy.Builder), false, []string{"trails_meta_schema_plan", "trails_meta_schema_apply", "trails_meta_migrate_status", "trails_meta_migrate_plan", "trails_meta_migrate_apply", "trails_meta_migrate_rollback", "trails_meta_query_add", "trails_meta_query_remove"}},
		"dev only":     {policy.NewScopes(policy.Dev), false, []string{"trails_meta_gen_shape", "trails_meta_gen_type", "trails_meta_gen_capability", "trails_meta_gen_migration"}},
		"runtime":      {policy.NewScopes(policy.Runtime), true, []string{"health", "query", "component_create"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, opts := openStarter(t), optionsOf(auth.Options{Token: token, Scopes: c.scopes})
			s := converse(t, e, opts)
			for method, member := range lists {
				var found map[string][]struct{ Name string }
				a := s.ask(method, nil)
				if a.Error != nil || json.Unmarshal(a.Result, &found) != nil {
					t.Fatalf("%s: %s %+v", method, a.Result, a.Error)
				}
				if method != "tools/list" && (len(found[member]) > 0) != c.reads {
					t.Errorf("%s: %v", method, found[member])
				}
				if method != "tools/list" {
					continue
				}
				var names []string
				for _, tool := range found[member] {
					names = append(names, tool.Name)
				}
				for _, want := range c.tools {
					if !slices.Contains(names, want) {
						t.Errorf("tools: %s is not in %v", want, names)
					}
				}
				if !c.reads && len(names) != len(c.tools) {
					t.Errorf("tools: %v", names)
				}
			}
			for method, params := range map[string]map[string]any{
				"resources/read":      {"uri": "trails://schema"},
				"resources/subscribe": {"uri": "trails://kg/Component"},
				"prompts/get":         {"name": "explore"},
				"skills/get":          {"uri": "skill://read-graph/SKILL.md"},
				"completion/complete": {"ref": map[string]any{"type": "ref/resource", "uri": "trails://kg/{type}/{id}{?branch}"}, "argument": map[string]any{"name": "type", "value": ""}},
			} {
				a := s.ask(method, params)
				if c.reads && a.Error != nil || !c.reads && (a.Error == nil || a.Error.Code != -32004) {
					t.Errorf("%s: %s %+v", method, a.Result, a.Error)
				}
			}
			write(t, e, "schema_apply", `{"schema": "types: {}", "allow_data_loss": true}`)
			time.Sleep(300 * time.Millisecond)
			s.id++
			fmt.Fprintln(s.in, ask("2025-11-25", s.id, "ping", nil, ""))
			news, want, answered := 0, 0, false
			if c.reads {
				want = 3 // the type that it is subscribed to, and two lists
			}
			for !answered || news < want {
				if next := s.next(); next.Method != "" {
					news++
				} else {
					answered = true
				}
			}
			if news != want {
				t.Errorf("after a change of the schema it hears %d times, want %d", news, want)
			}
		})
	}
}

// The hub watches for the callers of its server, and the engine tells nobody else.
func TestTheEngineWatchesForThoseWhoMayRead(t *testing.T) {
	e := openGraph(t)
	if _, open := <-e.Watch(t.Context(), policy.Principal{ID: "token:none", Authenticated: true}); open {
		t.Error("a report for nobody")
	}
	f := &fake{}
	opts := optionsOf(auth.Options{Token: token, Scopes: policy.NewScopes(policy.Builder)})
	s := converse(t, f, opts)
	s.ask("ping", nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watches != 1 || f.watcher.Scopes != opts.Auth.Scopes() || !f.watcher.Authenticated {
		t.Errorf("%d watches, for %+v", f.watches, f.watcher)
	}
}

// openWorldHint follows the process.
func TestToolsThatReachOtherHostsSaySo(t *testing.T) {
	for _, hosts := range [][]string{nil, {"example.org"}} {
		client, err := remote.New(hosts, remote.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		path := t.TempDir() + "/g.trails"
		if err := kg.Create(t.Context(), path, kg.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		g, err := kg.Open(t.Context(), path, kg.Options{Remote: client})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		e := invoke.New(g, invoke.Config{Providers: builtin.Providers()})
		defer e.Close(t.Context())
		var listed struct {
			Result struct {
				Tools []struct {
					Name        string
					Annotations struct{ OpenWorldHint bool }
				}
			}
		}
		got := post(t, mcp.New(e, options("")).Handler(), ask("2025-11-25", 1, "tools/list", nil, "")).Body.Bytes()
		if err := json.Unmarshal(got, &listed); err != nil || len(listed.Result.Tools) == 0 {
			t.Fatal(err, string(got))
		}
		for _, tool := range listed.Result.Tools {
			want := len(hosts) > 0 && (tool.Name == "query" || tool.Name == "mutate")
			if tool.Annotations.OpenWorldHint != want {
				t.Errorf("with hosts %s %s says %t", strings.Join(hosts, ", "), tool.Name, tool.Annotations.OpenWorldHint)
			}
		}
	}
}
