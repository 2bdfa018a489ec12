package invoke_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// TestCalls runs testdata/calls, one engine a file:
//
//	new [example] [env=E]            an engine, on the example graph or the schema below
//	call NAME [as=WHO] [key=K]       a call with the arguments below; the result or the refusal,
//	     [output [format=F]]         after what it streams
//	read URI [as=WHO] [format=F]     a resource; %20 in the URI of a test is written as it is
//	tools [as=WHO], resources        the lists
//
// Ids of commits are shown as their numbers; ids, digests and times that are others in
// every run as what they are. Every result is held against its capability's shape.
func TestCalls(t *testing.T) {
	datadriven.Walk(t, "testdata/calls", func(t *testing.T, path string) {
		s := &session{tb: t, t: t}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.t = t
			return s.run(d)
		})
	})
}

type session struct {
	tb testing.TB // of the whole file
	t  *testing.T
	*engine
}

func (s *session) run(d *datadriven.TestData) string {
	switch d.Cmd {
	case "new":
		if d.HasArg("example") {
			s.engine = exampleEngine(s.tb)
		} else {
			s.engine = newEngine(s.tb, d.Input, invoke.Config{Env: arg(d, "env")})
		}
		return ""
	case "call":
		return s.calls(d)
	case "read":
		return s.reads(d)
	case "tools":
		return s.tools(d)
	case "resources":
		return s.resources()
	}
	s.t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

func arg(d *datadriven.TestData, name string) string {
	for _, a := range d.CmdArgs {
		if a.Key == name && len(a.Vals) > 0 {
			return a.Vals[0]
		}
	}
	return ""
}

func (s *session) who(d *datadriven.TestData) invoke.Call {
	c := invoke.Call{Principal: ana, Via: "test", IdempotencyKey: arg(d, "key")}
	if name := arg(d, "as"); name != "" {
		p, ok := callers[name]
		if !ok {
			s.t.Fatalf("%s: nobody is called %s", d.Pos, name)
		}
		c.Principal = p
	}
	return c
}

func (s *session) calls(d *datadriven.TestData) string {
	c := s.who(d)
	c.Capability, c.Args, c.Format = d.CmdArgs[0].Key, json.RawMessage(s.commits(d.Input)), arg(d, "format")
	var stream bytes.Buffer
	if d.HasArg("output") {
		c.Output = &stream
	}
	r, err := s.Call(s.t.Context(), c)
	if err != nil {
		return s.normal(refusal(err))
	}
	checkResult(s.t, s.engine, c.Capability, r.Structured)
	return s.normal(stream.String() + indented(s.t, r.Structured) + "\n")
}

func (s *session) reads(d *datadriven.TestData) string {
	c := s.who(d)
	c.Format = arg(d, "format")
	doc, err := s.Read(s.t.Context(), strings.TrimSpace(d.Input), c)
	if err != nil {
		return s.normal(refusal(err))
	}
	if doc.MIME == "text/turtle" {
		return s.normal(doc.MIME + "\n" + string(doc.Body))
	}
	return s.normal(doc.MIME + "\n" + indented(s.t, doc.Body) + "\n")
}

func (s *session) tools(d *datadriven.TestData) string {
	tools, err := s.Tools(s.t.Context(), s.who(d).Principal)
	if err != nil {
		return refusal(err)
	}
	var b strings.Builder
	for _, d := range tools.Descriptors {
		fmt.Fprintf(&b, "%s %s\n", d.ID, d.PolicyRequired.Scope)
	}
	return b.String()
}

func (s *session) resources() string {
	list, err := s.Resources(s.t.Context(), ana)
	if err != nil {
		return refusal(err)
	}
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%s %s %q %q %s\n  %s\n", r.URI, r.Name, r.Title, r.Template, r.MIME, r.Description)
	}
	return b.String()
}

// refusal shows a fault as a program sees it.
func refusal(err error) string {
	f := fault.Of(err)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", f.Kind, f.Message)
	for _, field := range f.Fields {
		text, err := json.Marshal(field)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "  %s\n", text)
	}
	keys := make([]string, 0, len(f.Details))
	for key := range f.Details {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		text, err := json.Marshal(f.Details[key])
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "  %s: %s\n", key, text)
	}
	return b.String()
}

var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "DIGEST"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`"(file|log)_bytes": \d+`), `"${1}_bytes": N`},
	{regexp.MustCompile(`"cost": \d+`), `"cost": N`},
	{regexp.MustCompile(`"\d+ bytes"`), `"N bytes"`},
	{regexp.MustCompile(`"\d+ capabilities, `), `"N capabilities, `}, // there are hidden ones
	{regexp.MustCompile(`1\.0\.0\+[0-9a-f]{12}`), "VERSION"},
}

// normal puts numbers and names in the place of what is another in every run.
func (s *session) normal(text string) string {
	for number, id := range s.ids() {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("COMMIT-%d", number+1))
	}
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.with)
	}
	return text
}

// commits puts ids in the place of COMMIT-1, COMMIT-2 …
func (s *session) commits(text string) string {
	for number, id := range s.ids() {
		text = strings.ReplaceAll(text, fmt.Sprintf("COMMIT-%d", number+1), id)
	}
	return text
}

// ids are the graph's commits, oldest first.
func (s *session) ids() []string {
	var out []string
	err := s.graph.Session(ana).View(s.t.Context(), func(snap *kg.Snapshot) error {
		list, err := snap.Commits(s.t.Context(), 0, 1000)
		for _, c := range list {
			out = append(out, c.ID.String())
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Reverse(out)
	return out
}

// TestEveryBuiltInHasAGoldenResult looks for a call of each in testdata/calls.
func TestEveryBuiltInHasAGoldenResult(t *testing.T) {
	called := map[string]bool{}
	datadriven.Walk(t, "testdata/calls", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(_ *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "call" && strings.Contains(d.Expected, "{\n") {
				called[d.CmdArgs[0].Key] = true
			}
			return d.Expected
		})
	})
	tools, err := newEngine(t, "", invoke.Config{}).Tools(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Descriptors {
		if !called[d.ID] {
			t.Errorf("no result of %s", d.ID)
		}
	}
}
