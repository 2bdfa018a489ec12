package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trails/kg"
)

const oneRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trails_meta_schema_plan","arguments":{"schema":"types: {}"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
`

// What clients of both ways of the protocol send: a call of a builder's tool (1) and of a developer's tool (2), and the
// list of tools (3).
const requestsOnly = oneRequest + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"trails_meta_gen_type","arguments":{"type":"Book"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
`

const aSession = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trails_meta_schema_plan","arguments":{"schema":"types: {}"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"trails_meta_gen_type","arguments":{"type":"Book"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/list"}
`

// overStdio runs a process of MCP, and returns the answers by the ids of their requests, and what stderr says.
func overStdio(t *testing.T, requests string, env []string, args ...string) (answers map[string]stdioAnswer, said string) {
	t.Helper()
	var out, errs strings.Builder
	if code := run(append([]string{"mcp"}, args...), strings.NewReader(requests), &out, &errs, env); code != exitDone {
		t.Fatalf("%v %v: exit %d: %s", env, args, code, errs.String())
	}
	answers = map[string]stdioAnswer{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			ID json.RawMessage
			stdioAnswer
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		answers[string(m.ID)] = m.stdioAnswer
	}
	for _, id := range []string{"1", "2", "3"} {
		if _, is := answers[id]; !is {
			t.Fatalf("%v %v: no answer to %s: %s %s", env, args, id, out.String(), errs.String())
		}
	}
	return answers, errs.String()
}

type stdioAnswer struct {
	Result struct {
		IsError bool
		Tools   []struct{ Name string }
	}
	Error struct {
		Code    int
		Message string
		Data    struct {
			RequiredScope string `json:"required_scope"`
			Ways          []string
		}
	}
}

// lists reports whether a list of tools has one.
func (a stdioAnswer) lists(name string) bool {
	return slices.ContainsFunc(a.Result.Tools, func(t struct{ Name string }) bool { return t.Name == name })
}

// TestScopesOverStdioAreReachedAsTheStartSays is a table of starts: what the calls of a builder's and of a developer's
// tool are answered with, by both ways of the protocol, and what stderr says of it. A tool is listed if and only if it
// can be called.
func TestScopesOverStdioAreReachedAsTheStartSays(t *testing.T) {
	file := newNotes(t)
	const (
		build      = "TRAILS_MCP_SCOPES=runtime,builder"
		all        = "TRAILS_MCP_SCOPES=runtime,builder,dev"
		production = "TRAILS_ENV=production"
		asks       = "TRAILS_MCP_TOKEN=s"
		shows      = "TRAILS_TOKEN=s"

		done, stranger, denied, unknown = 0, -32001, -32004, -32602
	)
	flag := []string{"--operator"}
	for _, c := range []struct {
		name         string
		env, args    []string
		builder, dev int
		says         string // "" means nothing
		never        string
	}{
		{"nothing said", nil, nil, denied, denied, "TRAILS_MCP_SCOPES=runtime,builder gives the operator more", "warning"},
		{"scopes", []string{build}, nil, done, denied, "the operator is local:", "warning"},
		{"scopes and the environment dev", []string{build, "TRAILS_ENV=dev"}, nil, done, denied, "the operator is local:", "warning"},
		{"scopes of developers", []string{all}, nil, done, done, "with the scopes builder, dev, runtime", "warning"},
		{"the scope dev alone", []string{"TRAILS_MCP_SCOPES=dev"}, nil, denied, done, "with the scopes dev", "warning"},
		{"scopes, said again", []string{all}, flag, done, done, "the operator is local:", "warning"},
		{"nothing said in production", []string{production}, nil, stranger, unknown, "", ""},
		{"scopes in production", []string{build, production}, nil, stranger, unknown, "names builder, which nobody can use: TRAILS_ENV is production", "the operator is"},
		{"scopes, and production by the flag", []string{build, "TRAILS_ENV=dev"}, []string{"--env", "production"}, stranger, unknown, "start with --operator", "the operator is"},
		{"scopes, and dev by the flag", []string{build, production}, []string{"--env", "dev"}, done, denied, "the operator is local:", "warning"},
		{"scopes of developers in production", []string{all, production}, nil, stranger, unknown, "names dev, which nobody can use: TRAILS_ENV is production", "builder and dev"},
		{"the operator in production", []string{build, production}, flag, done, unknown, "the operator is local:", "warning"},
		{"the operator in production without scopes", []string{production}, flag, denied, unknown, "gives the operator more", "warning"},
		{"scopes of developers, and the operator in production", []string{all, production}, flag, done, unknown, "names dev, which nobody can use", "names builder"},
		{"the client's token in the environment", []string{build, asks, shows}, nil, done, denied, kg.ReadOnly, "the operator is"},
		{"the client's token in production", []string{build, production, asks, shows}, nil, done, unknown, kg.ReadOnly, "the operator is"},
		{"the token without scopes", []string{asks, shows}, nil, denied, denied, kg.ReadOnly, "the operator is"},
		{"another token in the environment", []string{build, asks, "TRAILS_TOKEN=x"}, nil, stranger, stranger, "TRAILS_TOKEN is not the token", "the operator is"},
		{"no token where one is asked for", []string{build, asks}, nil, stranger, stranger, "no token was shown", "the operator is"},
		{"no token where one is asked for in production", []string{build, production, asks}, nil, stranger, stranger, "no token was shown", "the operator is"},
		{"a token that nobody asks for", []string{"TRAILS_TOKEN=x"}, nil, denied, denied, "none is asked for", "names"},
		{"no scope", []string{"TRAILS_MCP_SCOPES="}, nil, denied, denied, "names no scope", "the operator is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, requests := range []string{requestsOnly, aSession} {
				answers, said := overStdio(t, requests, c.env, append(slices.Clone(c.args), file)...)
				for id, want := range map[string]int{"1": c.builder, "2": c.dev} {
					if got := answers[id]; got.Error.Code != want || got.Result.IsError {
						t.Errorf("call %s: got %+v, want code %d", id, got, want)
					}
					if tool := map[string]string{"1": "trails_meta_schema_plan", "2": "trails_meta_gen_type"}[id]; answers["3"].lists(tool) != (want == done) {
						t.Errorf("%s is listed: %t", tool, want != done)
					}
				}
				if c.says == "" && said != "" || !strings.Contains(said, c.says) || c.never != "" && strings.Contains(said, c.never) {
					t.Errorf("stderr says %q", said)
				}
			}
		})
	}
	for _, env := range [][]string{{asks}, {asks, shows}, {asks, production}} {
		var out, errs strings.Builder
		code := run([]string{"mcp", file, "--operator"}, strings.NewReader(""), &out, &errs, env)
		if code != exitUsage || !strings.Contains(errs.String(), "TRAILS_TOKEN") {
			t.Errorf("an operator beside a token, %v: %d, %s", env, code, errs.String())
		}
	}
}

// whereScopesAreExplained are the texts for who wants more than runtime.
func whereScopesAreExplained(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for name, args := range map[string][]string{"help of mcp": {"mcp", "--help"}, "help of serve": {"serve", "--help"}, "help": {"--help"}} {
		var out, errs strings.Builder
		if code := run(args, strings.NewReader(""), &out, &errs, nil); code != exitDone {
			t.Fatal(errs.String())
		}
		texts[name] = out.String()
	}
	for _, page := range []string{"docs/guide/reference.md", "docs/operating.md"} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(text)
	}
	return texts
}

// TestHelpAndPagesAgreeHowScopesAreReached reads them: all know the same ways, which are those
// that a refusal names, and every start that they show has scopes that somebody can use.
func TestHelpAndPagesAgreeHowScopesAreReached(t *testing.T) {
	texts := whereScopesAreExplained(t)
	file := newNotes(t)
	answers, _ := overStdio(t, aSession, []string{"TRAILS_ENV=production"}, file)
	refusal := answers["1"].Error
	if refusal.Data.RequiredScope != "builder" || len(refusal.Data.Ways) != 4 {
		t.Fatalf("got %+v", refusal)
	}
	named := []string{"TRAILS_MCP_SCOPES"}
	for _, way := range refusal.Data.Ways {
		if !strings.Contains(refusal.Message, way) {
			t.Errorf("the message has no %q", way)
		}
		found := regexp.MustCompile(`TRAILS_\w+|--[a-z]+|sign-in link`).FindAllString(way, -1)
		if found == nil {
			t.Errorf("no text can be held to %q", way)
		}
		named = append(named, found...)
	}
	for where, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		for _, name := range slices.Compact(named) {
			stdio, pages := name == "--operator" || name == "TRAILS_TOKEN", name == "sign-in link"
			if stdio && where == "help of serve" && name == "--operator" || pages && where == "help of mcp" {
				continue // it is no way of that command
			}
			if !strings.Contains(text, name) {
				t.Errorf("%s does not know %s", where, name)
			}
		}
	}
	issued, err := exec.Command("trails", "token", "create", file, "ci", "--scopes", "runtime,builder").Output()
	if err != nil {
		t.Fatal(err)
	}
	secret, _, _ := strings.Cut(string(issued), "\n")
	starts := 0
	for where, text := range texts {
		for _, line := range regexp.MustCompile(`(?m)^ *((?:TRAILS_\w+=\S+ +)+)trails (mcp|serve) notes\.trails(.*)$`).FindAllStringSubmatch(text, -1) {
			env := strings.Fields(strings.ReplaceAll(line[1], "trails_ci_…", secret))
			if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "TRAILS_MCP_SCOPES=") }) {
				continue
			}
			starts++
			t.Run(fmt.Sprintf("%s: %s", where, strings.TrimSpace(line[0])), func(t *testing.T) {
				args := strings.Fields(strings.NewReplacer("--addr 127.0.0.1:9000", "", "--open", "").Replace(line[3]))
				if line[2] == "mcp" {
					if answers, said := overStdio(t, aSession, env, append(args, file)...); answers["1"].Error.Code != 0 {
						t.Errorf("it cannot build: %+v, %s", answers["1"], said)
					}
					return
				}
				s := start(t, env, append([]string{"serve", file, "--addr", "127.0.0.1:0"}, args...)...)
				said := s.stop(t)
				token := slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "TRAILS_MCP_TOKEN=") })
				if strings.Contains(said, "nobody can use") || strings.Contains(said, "/admin/operator?key=") == token {
					t.Errorf("it says %s", said)
				}
			})
		}
	}
	if starts < 6 {
		t.Errorf("only %d starts were found", starts)
	}
}
