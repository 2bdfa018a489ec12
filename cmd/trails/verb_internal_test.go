package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// Each capability that stands has a command, under its own name where the table has none, and no
// two commands have one name. A row names arguments that its capability has.
func TestEveryCapabilityHasAVerb(t *testing.T) {
	p := &program{}
	root := p.root()
	known := map[string]bool{}
	for _, v := range p.verbs() {
		for _, id := range append(strings.Fields(v.covers), v.capability) {
			known[id] = true
			if id != "" && !slices.ContainsFunc(standing(), func(c invoke.Capability) bool { return c.ID == id }) {
				t.Errorf("%s: there is no capability %s", v.path, id)
			}
		}
		d := describedBy(v.capability)
		names := slices.Concat(strings.Fields(v.takes), strings.Fields(v.only))
		for name := range v.options {
			names = append(names, name)
		}
		for name := range v.always {
			names = append(names, name)
		}
		for _, name := range names {
			if _, has := d.InputShape.Field(name); !has {
				t.Errorf("%s: %s has no argument %q", v.path, v.capability, name)
			}
		}
	}
	for _, c := range standing() {
		if known[c.ID] {
			continue
		}
		v := verbOf(c.Descriptor)
		for _, name := range []string{v.path, capability.ToolName(c.ID)} {
			if cmd, _, err := root.Find([]string{name}); err != nil || cmd.Name() != v.path || cmd.Short != v.short {
				t.Errorf("%s is no command %s: the table needs a row for it", c.ID, name)
			}
		}
	}
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		seen := map[string]bool{}
		for _, sub := range cmd.Commands() {
			for _, name := range append(sub.Aliases, sub.Name()) {
				if seen[name] {
					t.Errorf("%s %s is two commands", cmd.CommandPath(), name)
				}
				seen[name] = true
			}
			check(sub)
		}
	}
	check(root)
}

func describedBy(id string) capability.Descriptor {
	for _, c := range standing() {
		if c.ID == id {
			return c.Descriptor
		}
	}
	return capability.Descriptor{}
}

// Whoever types a flag whose values are listed gets the list, in every command.
func TestListedValuesAreCompleted(t *testing.T) {
	p := &program{}
	root := p.root()
	flags := 0
	for _, v := range p.verbs() {
		cmd, _, err := root.Find(strings.Fields(v.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range describedBy(v.capability).InputShape.Fields {
			flag := cmd.Flags().Lookup(v.options[f.Name].over(p.usual[f.Name]).nameOf(f))
			if flag == nil || !slices.Equal(flag.Annotations[argumentOf], []string{f.Name}) || len(f.OneOf) == 0 {
				continue
			}
			flags++
			complete, has := cmd.GetFlagCompletionFunc(flag.Name)
			if !has {
				t.Errorf("trails %s --%s is not completed", v.path, flag.Name)
				continue
			}
			if got, _ := complete(cmd, nil, ""); cmp.Diff(oneOf(f), got) != "" {
				t.Errorf("trails %s --%s is completed with %q, not %q", v.path, flag.Name, got, oneOf(f))
			}
		}
	}
	if flags < 4 { // load has format, mode, dates and decimal
		t.Errorf("only %d flags have listed values", flags)
	}
}

// addedIn is what a capability takes that nobody has made a verb for.
type addedIn struct {
	Word  string            `json:"word" doc:"What is looked for." min:"1"`
	Style string            `json:"style,omitempty" doc:"How it is written." oneof:"plain,loud" default:"plain"`
	Limit int               `json:"limit" doc:"How many." min:"1" max:"100" default:"10"`
	Exact bool              `json:"exact,omitempty" doc:"Whole words."`
	Tags  []string          `json:"tags,omitempty" doc:"All of these."`
	Extra map[string]string `json:"extra,omitempty" doc:"More of it."`
}

type addedOut struct {
	Given   addedIn  `json:"given"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// A capability that is added has its verb, with its help, its flags, its completion and its forms
// of output, and nobody had to say so.
func TestACapabilityThatIsAddedHasItsVerb(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.trails")
	if err := kg.Create(context.Background(), file, kg.CreateOptions{By: me()}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id, verb string
		others   []string
	}{
		{"echo", "echo", nil},
		{"note.count_words", "note-count-words", []string{"note_count_words"}},
		{"trails.meta.echo.loud", "echo-loud", []string{"trails_meta_echo_loud"}},
	} {
		added := invoke.Fixed(invoke.Offer{Capabilities: []invoke.Capability{invoke.Define(capability.Descriptor{
			ID: c.id, Description: "Say what was said. That is all.", PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
		}, func(_ context.Context, _ *invoke.Request, in addedIn) (addedOut, error) {
			return addedOut{Given: in, Columns: []string{"word", "limit"}, Rows: [][]any{{in.Word, in.Limit}}}, nil
		})}})
		typed := func(args ...string) (string, error) {
			var out, errs bytes.Buffer
			p := &program{stdin: strings.NewReader(""), stdout: &sink{name: "stdout", Writer: &out}, stderr: &errs, more: []invoke.Provider{added}}
			root := p.root()
			root.SetArgs(args)
			_, err := root.ExecuteContextC(context.Background())
			return out.String(), err
		}
		for _, name := range append(c.others, c.verb) {
			got, err := typed(name, file, "tree", "--limit", "3", "--style", "loud", "--exact", "--tags", "a", "--tags", "b,c", "--extra", "k=v", "-o", "json")
			if want := `{"given":{"word":"tree","style":"loud","limit":3,"exact":true,"tags":["a","b,c"],"extra":{"k":"v"}},"columns":["word","limit"],"rows":[["tree",3]]}` + "\n"; err != nil || got != want {
				t.Errorf("%s says %s, %v; want %s", name, got, err, want)
			}
		}
		for _, s := range []struct {
			args []string
			has  []string
		}{
			{[]string{c.verb, file, "tree", "-o", "csv"}, []string{"word,limit\ntree,10\n"}},
			{[]string{c.verb, file, "tree"}, []string{"WORD  LIMIT", "tree  10"}},
			{[]string{c.verb, "--help"}, []string{"Say what was said. That is all.", c.verb + " FILE WORD", "--style STYLE", "plain or loud; how it is written", "(default plain)", "-n, --limit", "--extra NAME=VALUE", "whole words", "NAME:=JSON any other value"}},
			{[]string{"--help"}, []string{"Other capabilities, by their names:", "  " + c.verb + " ", "Say what was said\n"}},
			{[]string{"__complete", c.verb, file, "tree", "--style", ""}, []string{"plain\nloud\n"}},
		} {
			got, err := typed(s.args...)
			for _, part := range s.has {
				if err != nil || !strings.Contains(got, part) {
					t.Errorf("%q lacks %q: %v\n%s", s.args, part, err, got)
				}
			}
		}
		for _, args := range [][]string{{c.verb, file}, {c.verb, file, "tree", "bush"}, {c.verb, file, "tree", "--limit", "many"}, {c.verb, file, "tree", "--limit", "1000"}, {c.verb, file, "tree", "--style", "odd"}, {c.verb, file, "tree", "--tall"}} {
			_, err := typed(args...)
			if _, usage := errors.AsType[usageError](err); err == nil || !usage && !fault.Is(err, fault.InvalidArguments) {
				t.Errorf("%q is not refused as wrong usage: %v", args, err)
			}
		}
	}
}
