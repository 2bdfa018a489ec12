package invoke_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/example"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/kg/load"
)

func TestArgumentsThatNoTranscriptCanShow(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	deep := func(n int) string {
		return `{"x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
	}
	for name, c := range map[string]struct {
		args string
		kind fault.Kind
		says string
	}{
		"half a character":      {`{"x":{"y":"\ud800"}}`, fault.InvalidArguments, "x.y has half of a surrogate pair"},
		"invalid UTF-8":         {"{\"x\":\"\xff\"}", fault.InvalidArguments, "the arguments are not valid UTF-8"},
		"nesting of 65":         {deep(65), fault.TooLarge, "the arguments nest deeper than 64"},
		"nesting of 64":         {deep(64), fault.InvalidArguments, `there is no argument "x"`},
		"brackets in a string":  {`{"x":"` + strings.Repeat("[", 100) + `\"["}`, fault.InvalidArguments, `there is no argument "x"`},
		"nesting without end":   {strings.Repeat("[", 1<<20), fault.TooLarge, "the arguments nest deeper than 64"},
		"NUL":                   {"{\"x\":\x00}", fault.InvalidArguments, "the arguments must be one JSON object"},
		"a byte order mark":     {"\ufeff{}", fault.InvalidArguments, "the arguments must be one JSON object"},
		"a name of much text":   {`{"` + strings.Repeat("n", 1<<20) + `":1}`, fault.InvalidArguments, "there is no argument"},
		"an idempotency key":    {`{"data":""}`, fault.InvalidArguments, "an idempotency key has at most 255 bytes"},
		"an address of 9000":    {`{"uri":"` + strings.Repeat("é", 9000) + `"}`, fault.InvalidArguments, "uri has at most 8192 characters"},
		"an address of nothing": {`{"uri":""}`, fault.NotFound, "Resource not found"},
	} {
		t.Run(name, func(t *testing.T) {
			call := invoke.Call{Capability: "health", Args: json.RawMessage(c.args), Principal: invoketest.Ana}
			switch {
			case strings.Contains(name, "key"):
				call.Capability, call.IdempotencyKey = "load", strings.Repeat("k", 256)
			case strings.Contains(name, "address"):
				call.Capability = "resources_read"
			}
			f := e.Refused(t, call, c.kind)
			if !strings.Contains(f.Error(), c.says) {
				t.Errorf("got %.300s, want %s", f.Error(), c.says)
			}
		})
	}
}

func TestACallThatReadsChangesNothing(t *testing.T) {
	e := invoketest.New(t, string(example.Schema), invoke.Config{})
	for _, c := range []struct{ capability, args string }{
		{"requirement.create", `{"title": "A", "status": "draft"}`},
		{"requirement.create", `{"title": "A", "status": "draft", "dry_run": true}`},
		{"create", `{"type": "Requirement", "data": {"title": "A"}}`}, // which another one handles
		{"undo", `{"commit": "head"}`},
	} {
		f := e.Refused(t, invoke.Call{Capability: c.capability, Args: json.RawMessage(c.args), Principal: invoketest.Ana, Reads: true}, fault.InvalidArguments)
		if !strings.Contains(f.Message, "call it by POST") {
			t.Errorf("%s: got %s", c.capability, f.Message)
		}
	}
	if _, err := e.Call(t.Context(), invoke.Call{Capability: "snapshot", Principal: invoketest.Ana, Reads: true}); err != nil {
		t.Error(err)
	}
}

func TestAStreamStandsInForDataOfALoad(t *testing.T) {
	e := invoketest.New(t, string(example.Schema), invoke.Config{})
	r, err := e.Call(t.Context(), invoke.Call{
		Capability: "load", Principal: invoketest.Ana, Args: json.RawMessage(`{"mode":"append"}`),
		Inputs: []invoke.Input{{Name: "data.ndjson", Reader: strings.NewReader(string(example.Data)), Size: int64(len(example.Data))}},
	})
	if err != nil || !strings.Contains(string(r.Structured), `"records":93`) {
		t.Fatalf("%s, %v", r.Structured, err)
	}
	f := e.Refused(t, invoke.Call{
		Capability: "load", Principal: invoketest.Ana, Args: json.RawMessage(`{"keep_going":true}`),
		Inputs: []invoke.Input{{Name: "a.ndjson", Reader: strings.NewReader("?")}, {Name: "b.ndjson", Reader: strings.NewReader("\n!")}},
	}, fault.InvalidData)
	if len(f.Fields) != 2 || f.Fields[0].Source != "b.ndjson:2" && f.Fields[1].Source != "b.ndjson:2" {
		t.Errorf("got %v", f)
	}
}

func TestWatchersOfTheEngineHearWritesAndSchemas(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	changes := e.Watch(ctx, invoketest.Ana)
	e.Must(t, "load", `{"data":"<urn:s> <urn:p> <urn:o> ."}`)
	if c := <-changes; c.Schema || len(c.Head) != 12 {
		t.Errorf("a write: %+v", c)
	}
	before, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "schema_apply", `{"schema":"types:\n  Note: {}\n"}`)
	if c := <-changes; !c.Schema {
		t.Errorf("a schema: %+v", c)
	}
	after, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil || after.Version == before.Version || len(after.Descriptors) != len(before.Descriptors)+3 {
		t.Errorf("%d tools of version %s, %d of version %s", len(before.Descriptors), before.Version, len(after.Descriptors), after.Version)
	}
	cancel()
	for range changes {
	}
}

// TestEverySchemaThatIsAcceptedHasTools guards against a file whose tools cannot be
// listed: then nothing could be called to mend it.
func TestEverySchemaThatIsAcceptedHasTools(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	accepted := 0
	for _, name := range []string{
		"Health", "Snapshot", "Load", "Export", "Schema", "SchemaGet", "SchemaApply", "Commits", "CommitsList", "CommitsGet", "Resource", "ResourceRead",
		"Trails", "TrailsMeta", "TrailsMetaPing", "Meta", "Branches", "HTTPThing", "HttpThing", "A", "A1B2", "AB", "Query", "Mutate", "Diff",
		strings.Repeat("A", 57), strings.Repeat("A", 58), strings.Repeat("Aa", 19), "Tool", "ToolBrowse", "Gen", "X" + strings.Repeat("1", 56),
	} {
		source := fmt.Sprintf("types:\n  %s: {properties: {p: {type: string}}}\n", name)
		args, _ := json.Marshal(map[string]any{"schema": source, "allow_data_loss": true})
		_, err := e.Do(t, "schema_apply", string(args))
		if err == nil {
			accepted++
		} else if !fault.Is(err, fault.InvalidData) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := e.Tools(t.Context(), invoketest.Ana); err != nil {
			t.Fatalf("with the type %s there are no tools: %v", name, err)
		}
	}
	if accepted < 15 {
		t.Errorf("only %d names were accepted", accepted)
	}
}

func TestCallsSideBySide(t *testing.T) {
	e := invoketest.Example(t)
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := range 10 {
				args := fmt.Sprintf(`{"name":"s-%d-%d","title":"Standard","url":"https://example.org/"}`, w, i)
				if _, err := e.Do(t, "standard.create", args); err != nil {
					t.Error(err)
				}
				if _, err := e.Read(t.Context(), "trails://kg/Standard?limit=1000", invoke.Call{Principal: invoketest.Ana}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	snapshot := e.Must(t, "snapshot", "")
	if got := snapshot["types"].(map[string]any)["Standard"]; got != float64(9+80) {
		t.Errorf("there are %v standards", got)
	}
	if report, err := e.Graph().Verify(t.Context(), kg.VerifyOptions{}); err != nil || !report.OK() {
		t.Errorf("verify: %v, %v", report.Problems, err)
	}
}

// TestALockedFileIsATimeOut holds for a write that waits longer than it may.
func TestALockedFileIsATimeOut(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	blocking := make(chan struct{})
	busy := make(chan struct{})
	other, err := kg.Open(t.Context(), e.Graph().Path(), kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var group sync.WaitGroup
	group.Go(func() {
		// A schema change holds the lock while its progress is told.
		_, err := other.Session(invoketest.Ana).Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "a.nq", Reader: strings.NewReader(manyQuads(5000))}}}, Progress: func(p kg.Progress) { holdOnce(p, busy, blocking) }})
		if err != nil {
			t.Error(err)
		}
	})
	<-busy
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = e.Call(ctx, invoke.Call{Capability: "load", Args: json.RawMessage(`{"data":"<urn:s> <urn:p> <urn:o> ."}`), Principal: invoketest.Ana})
	if !fault.Is(err, fault.TimedOut) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Do(t, "health", ""); err != nil {
		t.Errorf("reads go on: %v", err)
	}
	close(blocking)
	group.Wait()
}

func manyQuads(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<urn:s%d> <urn:p> \"o\" .\n", i)
	}
	return b.String()
}

func holdOnce(p kg.Progress, busy, blocking chan struct{}) {
	if p.Phase != "write" {
		return
	}
	select {
	case <-busy:
	default:
		close(busy)
		<-blocking
	}
}

// TestAnEmptyIfCommitIsRefused asks every kind of write: what looks like a condition is
// never passed over.
func TestAnEmptyIfCommitIsRefused(t *testing.T) {
	e := invoketest.New(t, string(example.Schema), invoke.Config{})
	for capability, args := range map[string]string{
		"load":               `{"data":"","if_commit":""}`,
		"mutate":             `{"update":"CLEAR ALL","if_commit":""}`,
		"schema_apply":       `{"schema":"types: {}","if_commit":""}`,
		"requirement.create": `{"code":"R-900","title":"A requirement","priority":1,"if_commit":""}`,
	} {
		f := e.Refused(t, invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: invoketest.Ana}, fault.InvalidArguments)
		if !strings.Contains(f.Error(), "if_commit") {
			t.Errorf("%s: got %s", capability, f.Error())
		}
	}
}
