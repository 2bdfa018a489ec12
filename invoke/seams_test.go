package invoke_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// What a policy does not permit is for its caller as if it were not there.
func TestWhatAPolicyDoesNotPermitIsNotThere(t *testing.T) {
	e := invoketest.New(t, "types:\n  Note: {}\n", invoke.Config{})
	e.Govern(t, `permit (principal, action in Action::"reads", resource); forbid (principal, action, resource == Capability::"resources_read");`)
	refused := e.Refused(t, invoke.Call{Capability: "note_create", Args: json.RawMessage(`{"branch":"none"`), Principal: invoketest.Nobody}, fault.UnknownTool)
	missing := e.Refused(t, invoke.Call{Capability: "nott_create", Args: json.RawMessage(`{"branch":"none"`), Principal: invoketest.Nobody}, fault.UnknownTool)
	if strings.Replace(refused.Error(), "note", "nott", 1) != missing.Error() {
		t.Errorf("%v and %v differ", refused, missing)
	}
	all, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	some, err := e.Tools(t.Context(), invoketest.Nobody)
	if err != nil {
		t.Fatal(err)
	}
	if all.Audience == some.Audience || all.Version != some.Version || len(some.Descriptors) >= len(all.Descriptors) {
		t.Errorf("%d of %d tools are listed, for audiences %s and %s", len(some.Descriptors), len(all.Descriptors), some.Audience, all.Audience)
	}
	for _, d := range some.Descriptors {
		if d.SideEffects != capability.None && d.PolicyRequired.Action.Governed() && d.ID != "tool_execute" { // what is called through it is asked about by itself
			t.Errorf("%s is listed", d.ID)
		}
	}
	if list, err := e.Resources(t.Context(), invoketest.Nobody); len(list) > 0 || err != nil {
		t.Errorf("%d resources are listed, %v", len(list), err)
	}
	if _, open := <-e.Watch(t.Context(), invoketest.Nobody); open {
		t.Error("who may read nothing watches")
	}
	e.Must(t, "note.create", "{}")
}

// news is a provider whose offer changes beside the graph.
type news struct{ ids atomic.Pointer[[]string] }

func (n *news) Version(*kg.Snapshot) string { return strings.Join(*n.ids.Load(), " ") }

func (n *news) Offer(*kg.Snapshot) (o invoke.Offer, _ error) {
	for _, id := range *n.ids.Load() {
		o.Capabilities = append(o.Capabilities, invoke.Define(capability.Descriptor{ID: id, Description: "Test."},
			func(context.Context, *invoke.Request, struct{}) (struct{}, error) { return struct{}{}, nil }))
		o.Resources = append(o.Resources, invoke.Resource{URI: "trails://" + id, Name: id, MIME: "text/plain", Read: readName})
		o.Prompts = append(o.Prompts, invoke.Prompt{Name: id, Write: func(context.Context, *invoke.Request, map[string]string) (string, error) { return "Do " + id, nil }})
	}
	return o, nil
}

func readName(_ context.Context, _ *invoke.Request, at *url.URL) (invoke.Document, error) {
	return invoke.Document{MIME: "text/plain", Body: []byte(at.String())}, nil
}

func TestAProviderIsHeardOfWhenItsOfferChanges(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	changes := e.Watch(t.Context(), invoketest.Ana)
	p := &news{}
	p.ids.Store(&[]string{"test.one"})
	before, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Register(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if c := <-changes; !c.Offer || c.Schema {
		t.Errorf("registered: %+v", c)
	}
	e.Must(t, "test_one", "{}")
	p.ids.Store(&[]string{"test.one", "test.two"})
	e.Must(t, "test.two", "{}") // a call sees it at once
	if err := e.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := <-changes; !c.Offer {
		t.Errorf("refreshed: %+v", c)
	}
	p.ids.Store(&[]string{"test.two"})
	e.Must(t, "load", `{"data":"<urn:s> <urn:p> <urn:o> ."}`)
	if c := <-changes; !c.Offer || c.Schema {
		t.Errorf("with a commit: %+v", c)
	}
	e.Must(t, "load", `{"data":"<urn:s> <urn:p> <urn:o2> ."}`)
	if c := <-changes; c.Offer {
		t.Errorf("nothing else is offered: %+v", c)
	}
	after, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil || len(after.Descriptors) != len(before.Descriptors)+1 || after.Version == before.Version {
		t.Errorf("%d tools, %d before, %v", len(after.Descriptors), len(before.Descriptors), err)
	}
	if doc, err := e.Read(t.Context(), "trails://test.two", invoke.Call{Principal: invoketest.Ana}); err != nil || string(doc.Body) != "trails://test.two" {
		t.Errorf("read %q, %v", doc.Body, err)
	}
	if text := e.Must(t, "prompts_get", `{"name":"test.two"}`); !strings.Contains(fmt.Sprint(text), "Do test.two") {
		t.Errorf("prompt: %v", text)
	}
	bad := invoke.Fixed(invoke.Offer{Capabilities: []invoke.Capability{{Descriptor: capability.Descriptor{ID: "test.two"}}}})
	if err := e.Register(t.Context(), bad); !fault.Is(err, fault.InvalidData) {
		t.Errorf("an id that is taken: %v", err)
	}
	e.Must(t, "test.two", "{}")
}

// A branch that policies hide is told, by every capability that takes one, as one that is not there.
func TestABranchThatPoliciesHideIsNotThere(t *testing.T) {
	e := invoketest.New(t, "types:\n  Note: {properties: {title: string}}\n", invoke.Config{})
	e.Must(t, "note.create", `{"id":"a","title":"A"}`)
	e.Must(t, "branches_create", `{"name":"secret"}`)
	e.Must(t, "note.update", `{"id":"a","title":"B","branch":"secret"}`)
	e.Govern(t, `permit (principal, action, resource); @id("keeps") forbid (principal, action, resource in Branch::"secret");`)
	bot := policy.Principal{ID: "token:bot", Scopes: policy.AllScopes(), Authenticated: true}
	asked := 0
	for _, c := range e.Callable(t) {
		args := map[string]string{}
		for _, name := range []string{"branch", "source", "target", "name", "from", "to", "at", "ref"} {
			if f, has := c.InputShape.Field(name); has && f.Type == capability.String {
				args[name] = ""
			}
		}
		for name := range args {
			if name == "name" && (c.ID == "branches_create" || c.ID == "tags_create") {
				continue // that a name is taken, or may not be given, is told
			}
			told := map[string]string{}
			for _, branch := range []string{"secret", "absent"} {
				sample := map[string]any{name: branch}
				for _, f := range c.InputShape.Fields {
					if f.Required && sample[f.Name] == nil {
						sample[f.Name] = map[capability.Type]any{capability.Integer: 1, capability.Boolean: true, capability.Object: map[string]any{}}[f.Type]
						if sample[f.Name] == nil {
							sample[f.Name] = "a"
						}
						if f.Many {
							sample[f.Name] = []any{"a"}
						}
					}
				}
				text, err := json.Marshal(sample)
				if err != nil {
					t.Fatal(err)
				}
				result, err := e.Call(t.Context(), invoke.Call{Capability: c.ID, Args: text, Principal: bot, Via: "test"})
				told[branch] = string(result.Structured)
				if err != nil {
					told[branch] = err.Error()
				}
				told[branch] = regexp.MustCompile(`[0-9a-f]{12,64}|[0-9T:.-]{19,}Z`).ReplaceAllString(told[branch], "")
			}
			asked++
			if strings.ReplaceAll(told["secret"], "secret", "absent") != told["absent"] {
				t.Errorf("%s with %s:\nhidden  %s\nabsent  %s", c.ID, name, told["secret"], told["absent"])
			}
		}
	}
	if asked < 30 {
		t.Errorf("%d arguments were asked with", asked)
	}
}
