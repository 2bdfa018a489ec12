package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trails/mcp"
)

// Every prompt that is listed can be had, over both doors and in every version.
func TestEveryListedPromptCanBeHad(t *testing.T) {
	h := mcp.New(openGraph(t), options("")).Handler()
	values := map[string]string{"type": "Requirement", "error": "conflict", "agent": "ana"}
	for _, version := range versions {
		list := post(t, h, ask(version, 1, "prompts/list", nil, ""), versionHeaders(version, "prompts/list", "")...).Body.String()
		var all struct {
			Prompts []struct {
				Name, Description string
				Arguments         []struct {
					Name, Description string
					Required          bool
				}
			}
		}
		if err := json.Unmarshal(parse(t, list).Result, &all); err != nil || len(all.Prompts) != 4 {
			t.Fatal(version, err, list)
		}
		for _, p := range all.Prompts {
			given := map[string]any{}
			for _, a := range p.Arguments {
				if a.Description == "" {
					t.Errorf("%s: argument %s is not described", p.Name, a.Name)
				}
				if a.Required {
					given[a.Name] = values[a.Name]
				}
			}
			got := post(t, h, ask(version, 2, "prompts/get", map[string]any{"name": p.Name, "arguments": given}, ""), versionHeaders(version, "prompts/get", p.Name)...).Body.String()
			if p.Description == "" || !strings.Contains(got, `"role":"user"`) || !strings.Contains(got, `"type":"text"`) {
				t.Errorf("%s %s: %.300s", version, p.Name, got)
			}
		}
	}
}

func TestAPromptThatCannotBeHadSaysWhichFieldIsWrong(t *testing.T) {
	s := converse(t, openGraph(t), options(""))
	for field, params := range map[string]map[string]any{
		"name":             {"name": "nosuch"},
		"arguments.type":   {"name": "write"},
		"arguments.colour": {"name": "explore", "arguments": map[string]any{"colour": "red"}},
		"arguments.error":  {"name": "recover", "arguments": map[string]any{"error": strings.Repeat("x", 10_001)}},
		"arguments.since":  {"name": "review", "arguments": map[string]any{"since": "nothing"}},
		"arguments.agent":  {"name": "review", "arguments": map[string]any{"agent": 5}},
		"arguments":        {"name": "review", "arguments": []any{}},
	} {
		a := s.ask("prompts/get", params)
		if a.Error == nil || a.Error.Code != -32602 || !strings.Contains(string(a.Error.Data), `"field":"`+field+`"`) {
			t.Errorf("%s: %+v", field, a)
		}
	}
}
