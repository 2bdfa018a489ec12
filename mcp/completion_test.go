package mcp_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/auth"
	"trails/auth/policy"
	"trails/invoke"
	"trails/mcp"
)

// aCommitID is the id of a commit as it is told.
var aCommitID = regexp.MustCompile(`^[0-9a-f]{12}$`)

// TestCompletions runs testdata/completion against the example graph:
//
//	complete REF ARGUMENT VALUE [NAME=VALUE …]
//
// REF is a prompt, or an address that begins with trails://; VALUE "-" is empty. What
// follows is context.arguments. Ids of commits are shown as their numbers.
func TestCompletions(t *testing.T) {
	e := openGraph(t)
	s := converse(t, e, options(""))
	datadriven.Walk(t, "testdata/completion", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.t = t
			return s.complete(strings.Fields(d.Input))
		})
	})
}

func (s *conversation) complete(words []string) string {
	s.t.Helper()
	ref := map[string]any{"type": "ref/prompt", "name": words[0]}
	if strings.HasPrefix(words[0], "trails://") {
		ref = map[string]any{"type": "ref/resource", "uri": words[0]}
	}
	given := map[string]string{}
	for _, word := range words[3:] {
		name, value, _ := strings.Cut(word, "=")
		given[name] = value
	}
	a := s.ask("completion/complete", map[string]any{
		"ref": ref, "argument": map[string]any{"name": words[1], "value": strings.TrimPrefix(words[2], "-")},
		"context": map[string]any{"arguments": given},
	})
	if a.Error != nil {
		return fmt.Sprintf("%d %s\n%s\n", a.Error.Code, a.Error.Message, a.Error.Data)
	}
	var res struct {
		Completion struct {
			Values  []string
			Total   *int
			HasMore bool
		}
	}
	if err := json.Unmarshal(a.Result, &res); err != nil || res.Completion.Values == nil {
		s.t.Fatalf("%v: %s", err, a.Result)
	}
	c := res.Completion
	total := "?"
	if c.Total != nil {
		total = fmt.Sprint(*c.Total)
	}
	text := fmt.Sprintf("%d of %s, more %t\n", len(c.Values), total, c.HasMore)
	for _, v := range c.Values {
		if aCommitID.MatchString(v) {
			v = "a commit"
		}
		text += v + "\n"
	}
	return text
}

// A value that completes is one that can be read.
func TestWhatCompletesCanBeRead(t *testing.T) {
	e := openGraph(t)
	s := converse(t, e, options(""))
	const list, one = "trails://kg/{type}{?where,limit,offset,branch}", "trails://kg/{type}/{id}{?branch}"
	for _, name := range s.values(list, "type", "", "") {
		for _, id := range s.values(one, "id", "", name) {
			s.read(invoke.Address(name, id))
		}
		for _, property := range s.values(list, "where", "", name) {
			for _, where := range s.values(list, "where", property, name) {
				s.read("trails://kg/" + name + "?where=" + where)
			}
		}
	}
}

// A prompt takes every value that completes for one of its arguments: no abstract type,
// and no name that is longer than it allows.
func TestWhatCompletesIsTakenByThePrompt(t *testing.T) {
	e := openSchema(t, `types:
  Agent: {abstract: true, properties: {name: {type: string}}}
  Person: {extends: Agent}
  Team: {extends: Agent}
`)
	s := converse(t, e, optionsOf(auth.Options{ID: "local:" + strings.Repeat("é", 300), Scopes: policy.NewScopes(policy.Runtime)}))
	s.call("person_create", map[string]any{"name": "Ana"})
	var list struct {
		Prompts []struct {
			Name      string
			Arguments []struct{ Name string }
		}
	}
	if a := s.ask("prompts/list", nil); a.Error != nil || json.Unmarshal(a.Result, &list) != nil {
		t.Fatalf("%+v", a)
	}
	taken := 0
	for _, prompt := range list.Prompts {
		for _, argument := range prompt.Arguments {
			a := s.ask("completion/complete", map[string]any{
				"ref": map[string]any{"type": "ref/prompt", "name": prompt.Name}, "argument": map[string]any{"name": argument.Name, "value": ""},
			})
			var res struct {
				Completion struct{ Values []string }
			}
			if a.Error != nil || json.Unmarshal(a.Result, &res) != nil {
				t.Fatalf("%s %s: %+v", prompt.Name, argument.Name, a)
			}
			for _, value := range res.Completion.Values {
				taken++
				if a := s.ask("prompts/get", map[string]any{"name": prompt.Name, "arguments": map[string]string{argument.Name: value}}); a.Error != nil {
					t.Errorf("%s %s=%.60s completes and is refused: %s %s", prompt.Name, argument.Name, value, a.Error.Message, a.Error.Data)
				}
			}
		}
	}
	if taken < 5 { // two types, two commits, one author
		t.Errorf("only %d values complete", taken)
	}
}

// values are the completions of one variable of a template.
func (s *conversation) values(uri, variable, prefix, typeName string) []string {
	s.t.Helper()
	a := s.ask("completion/complete", map[string]any{
		"ref":      map[string]any{"type": "ref/resource", "uri": uri},
		"argument": map[string]any{"name": variable, "value": prefix},
		"context":  map[string]any{"arguments": map[string]string{"type": typeName}},
	})
	var res struct {
		Completion struct{ Values []string }
	}
	if a.Error != nil || json.Unmarshal(a.Result, &res) != nil {
		s.t.Fatalf("%s %s: %+v", uri, variable, a)
	}
	return res.Completion.Values
}

func TestNoMoreThanAHundredValuesComplete(t *testing.T) {
	e := openGraph(t)
	var data strings.Builder
	for i := range 250 {
		fmt.Fprintf(&data, `{"type":"Standard","id":"s-%d","data":{"name":"s-%d","title":"Many of them","url":"https://example.org/%d"}}`+"\n", i, i, i)
	}
	s := converse(t, e, options(""))
	s.call("load", map[string]any{"data": data.String()})
	for prefix, want := range map[string]string{"": "100 of 259, more true\n", "many": "100 of ?, more true\n"} { // a search does not look for all
		if got := s.complete([]string{"trails://kg/Standard/{id}", "id", prefix}); !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %.60s", prefix, got)
		}
	}
}

// Every variable of every template that is listed completes, and is no error.
func TestEveryListedTemplateCompletes(t *testing.T) {
	s := converse(t, openGraph(t), options(""))
	a := s.ask("resources/templates/list", nil)
	var res struct {
		ResourceTemplates []struct{ URITemplate string }
	}
	if err := json.Unmarshal(a.Result, &res); err != nil || len(res.ResourceTemplates) != 10 {
		t.Fatalf("%v: %s", err, a.Result)
	}
	for _, template := range res.ResourceTemplates {
		variables := 0
		for _, name := range []string{"type", "id", "where", "limit", "offset", "branch"} {
			if !strings.Contains(strings.NewReplacer("?", "{", ",", "{", "}", "{").Replace(template.URITemplate), "{"+name+"{") {
				continue
			}
			variables++
			s.values(template.URITemplate, name, "", "Requirement")
		}
		if variables == 0 {
			t.Errorf("%s has no variables", template.URITemplate)
		}
	}
}

var _ mcp.Engine = (*invoke.Engine)(nil)
