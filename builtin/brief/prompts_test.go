package brief_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/cockroachdb/datadriven"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// TestPrompts runs testdata/prompts: the commands of TestCalls, and
//
//	prompt NAME [as=WHO]   a prompt with the arguments below, as its reader sees it
func TestPrompts(t *testing.T) {
	testrun.Alone(t)
	datadriven.Walk(t, "testdata/prompts", func(t *testing.T, path string) {
		s := &invoketest.Session{TB: t, T: t}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.T = t
			if d.Cmd == "prompt" {
				return prompt(s, d)
			}
			return s.Run(d)
		})
	})
}

func prompt(s *invoketest.Session, d *datadriven.TestData) string {
	arguments := json.RawMessage("{}")
	if d.Input != "" {
		arguments = json.RawMessage(s.Commits(d.Input))
	}
	text, err := promptText(s.T.Context(), s.Engine, s.Who(d), d.CmdArgs[0].Key, arguments)
	if err != nil {
		return s.Normal(invoketest.Refusal(err))
	}
	for number, id := range s.IDs() {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("COMMIT-%d", number+1))
	}
	return s.Normal(text)
}

func promptText(ctx context.Context, e *invoketest.Engine, c invoke.Call, name string, arguments json.RawMessage) (string, error) {
	args, err := json.Marshal(map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return "", err
	}
	c.Capability, c.Args = "prompts_get", args
	r, err := e.Call(ctx, c)
	if err != nil {
		return "", err
	}
	var out struct {
		Description string
		Messages    []struct{ Role, Text string }
	}
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		return "", err
	}
	if len(out.Messages) != 1 || out.Messages[0].Role != "user" || out.Description == "" {
		return "", fmt.Errorf("not one message of the user with a description: %s", r.Structured)
	}
	return out.Messages[0].Text, nil
}

// Every prompt is short enough to begin with, whatever the graph has in it.
func TestPromptsOfALargeHostileSchemaStayBounded(t *testing.T) {
	testrun.Alone(t)
	var schema strings.Builder
	schema.WriteString("types:\n")
	for i := range 30 {
		fmt.Fprintf(&schema, "  Type%d:\n    description: %q\n    properties:\n", i, strings.Repeat("d\u202e\n", 500))
		for p := range 20 {
			fmt.Fprintf(&schema, "      p%d: {type: string, one_of: ['\"x\"', '%s'], description: %q}\n", p, strings.Repeat("y\u202e", 150), strings.Repeat("e\t", 120))
			fmt.Fprintf(&schema, "      r%d: {class: Type%d, many: true}\n", p, (i+p)%30)
		}
	}
	e := invoketest.New(t, schema.String(), invoke.Config{})
	for name, arguments := range map[string]string{
		"explore": `{}`, "write": `{"type":"Type1"}`, "recover": `{"error":"` + strings.Repeat("x", 10_000) + `"}`, "review": `{}`,
	} {
		text, err := promptText(t.Context(), e, invoke.Call{Principal: invoketest.Ana}, name, json.RawMessage(arguments))
		if err != nil {
			t.Fatal(name, err)
		}
		if len(text) > 16_000 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }); i >= 0 {
			t.Errorf("%s: an unprintable character at %d: %q", name, i, text[i:i+10])
		}
	}
}

func TestThePromptsHaveNoToolsAndScopesHold(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for _, name := range []string{"prompts_list", "prompts_get"} {
		e.Refused(t, invoke.Call{Capability: name, Principal: invoketest.Callers["scopeless"]}, fault.ScopeDenied)
	}
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Descriptors {
		if strings.HasPrefix(d.ID, "prompt") {
			t.Errorf("%s is a tool", d.ID)
		}
	}
}
