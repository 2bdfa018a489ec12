package invoketest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"trails/auth/cedar"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/schedule"
	"trails/kg"
)

// Session runs the commands of a transcript:
//
//	new [example] [starter] [env=E]  an engine, on the example graph or the schema below; under the policies that graphs
//	                                 begin with
//	call NAME [as=WHO] [key=K]       a call with the arguments below; the result or the refusal,
//	     [output [format=F]]         after what it streams
//	read URI [as=WHO] [format=F]     a resource; %20 in the URI is kept as it is
//	tools [as=WHO], resources        the lists
//
// Output that differs from run to run is replaced: a commit's id by COMMIT-n, and other ids, digests and times by words
// for their kind. Every result is checked against the shape of its capability.
type Session struct {
	// TB is the test of the whole transcript, T that of one command.
	TB testing.TB
	T  *testing.T
	*Engine
}

// Run runs one command and returns its output.
func (s *Session) Run(d *datadriven.TestData) string {
	switch d.Cmd {
	case "new":
		if d.HasArg("example") {
			s.Engine = Example(s.TB)
		} else {
			// With one reader a call that holds it, and waits for another that is not its own, never ends.
			s.Engine = open(s.TB, newFile(s.TB, d.Input), invoke.Config{Env: Arg(d, "env"), Turns: schedule.New(kg.Readers, 0)}, 1)
		}
		if d.HasArg("starter") {
			s.Govern(s.TB, cedar.Starter)
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
	s.T.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

// Arg returns an argument of a command, "" if it is missing.
func Arg(d *datadriven.TestData, name string) string {
	for _, a := range d.CmdArgs {
		if a.Key == name && len(a.Vals) > 0 {
			return a.Vals[0]
		}
	}
	return ""
}

// Who returns a call with the principal and key of a command.
func (s *Session) Who(d *datadriven.TestData) invoke.Call {
	c := invoke.Call{Principal: Ana, Via: "test", IdempotencyKey: Arg(d, "key")}
	if name := Arg(d, "as"); name != "" {
		p, ok := Callers[name]
		if !ok {
			s.T.Fatalf("%s: nobody is called %s", d.Pos, name)
		}
		c.Principal = p
	}
	return c
}

func (s *Session) calls(d *datadriven.TestData) string {
	c := s.Who(d)
	c.Capability, c.Args, c.Format = d.CmdArgs[0].Key, json.RawMessage(s.Commits(d.Input)), Arg(d, "format")
	var stream bytes.Buffer
	if d.HasArg("output") {
		c.Output = &stream
	}
	r, err := s.Call(s.T.Context(), c)
	// Versions of capabilities are stored in the background, later if there is another writer.
	for range 2_000 {
		if err != nil || c.Capability != "capability_history" || !bytes.Contains(r.Structured, []byte(`"versions":[]`)) {
			break
		}
		time.Sleep(10 * time.Millisecond)
		r, err = s.Call(s.T.Context(), c)
	}
	if err != nil {
		if d, found := s.named(s.T, c.Capability); found {
			checkRefusal(s.T, d, err)
		}
		return s.Normal(Refusal(err))
	}
	CheckResult(s.T, s.Engine, c.Capability, r.Structured)
	for _, piece := range r.Content {
		if piece.Kind() != invoke.LinkKind {
			continue
		}
		if _, err := s.Read(s.T.Context(), piece.URI, invoke.Call{Principal: c.Principal}); err != nil {
			d.Fatalf(s.T, "the link %s cannot be read: %v", piece.URI, err)
		}
	}
	return s.Normal(stream.String() + Indented(s.T, r.Structured) + "\n")
}

func (s *Session) reads(d *datadriven.TestData) string {
	c := s.Who(d)
	c.Format = Arg(d, "format")
	doc, err := s.Read(s.T.Context(), strings.TrimSpace(d.Input), c)
	if err != nil {
		return s.Normal(Refusal(err))
	}
	if doc.MIME == "text/turtle" {
		return s.Normal(doc.MIME + "\n" + string(doc.Body))
	}
	return s.Normal(doc.MIME + "\n" + Indented(s.T, doc.Body) + "\n")
}

func (s *Session) tools(d *datadriven.TestData) string {
	tools, err := s.Tools(s.T.Context(), s.Who(d).Principal)
	if err != nil {
		return Refusal(err)
	}
	var b strings.Builder
	for _, d := range tools.Descriptors {
		fmt.Fprintf(&b, "%s %s\n", d.ID, d.PolicyRequired.Scope)
	}
	return b.String()
}

func (s *Session) resources() string {
	list, err := s.Resources(s.T.Context(), Ana)
	if err != nil {
		return Refusal(err)
	}
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%s %s %q %q %s\n  %s\n", r.URI, r.Name, r.Title, r.Template, r.MIME, r.Description)
	}
	return b.String()
}

// Refusal returns a fault as a program sees it.
func Refusal(err error) string {
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
	{regexp.MustCompile(`2026-01-02 03:\d\d:\d\d`), "TIME"}, // the time of [Clock], which other readers advance, too
	{regexp.MustCompile(`trails_([a-z0-9-]+)_[A-Z2-7]{26}\b`), "trails_${1}_SECRET"},
	{regexp.MustCompile(`"(file|log)_bytes": \d+`), `"${1}_bytes": N`},
	{regexp.MustCompile(`"cost": \d+`), `"cost": N`},
	{regexp.MustCompile(`(\n +)([0-9.]+|null),(\n +"(sql|scan)"\n)`), `${1}MS,${3}`}, // the time of an operator of a plan
	{regexp.MustCompile(`"\d+ bytes"`), `"N bytes"`},
	{regexp.MustCompile(`"\d+ capabilities, `), `"N capabilities, `}, // the number includes hidden ones
	{regexp.MustCompile(`1\.0\.0\+[0-9a-f]{12}`), "VERSION"},
}

// Normal replaces text that differs from run to run by numbers and names.
func (s *Session) Normal(text string) string {
	ids := commitsOf(s.T, s.Graph())
	if problem := oddCommit(text, ids); problem != "" {
		s.T.Error(problem)
	}
	for number, id := range ids {
		text = strings.ReplaceAll(text, id.Whole(), fmt.Sprintf("COMMIT-%d-WHOLE", number+1))
		text = strings.ReplaceAll(text, id.String(), fmt.Sprintf("COMMIT-%d", number+1))
	}
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.with)
	}
	return text
}

// Commits replaces COMMIT-1, COMMIT-2 … by ids.
func (s *Session) Commits(text string) string {
	for number, id := range s.IDs() {
		text = strings.ReplaceAll(text, fmt.Sprintf("COMMIT-%d", number+1), id)
	}
	return text
}

// IDs returns the graph's commit ids as answers show them, oldest first.
func (s *Session) IDs() []string {
	var out []string
	for _, id := range commitsOf(s.T, s.Graph()) {
		out = append(out, id.String())
	}
	return out
}
