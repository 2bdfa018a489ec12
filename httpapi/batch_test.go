package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/httpapi"
	"trails/invoke"
)

// answered is the answer to a batch, in short.
func answered(t *testing.T, res *http.Response) []string {
	t.Helper()
	var body struct {
		Results []struct {
			Status  int
			Result  json.RawMessage
			Problem struct {
				Type, Title, Detail string
				Status              int
				TraceID             string `json:"trace_id"`
				Fields              []struct{ Field string }
			}
		}
	}
	text := readAll(t, res.Body)
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var short []string
	for _, r := range body.Results {
		if r.Problem.Type != "" && (r.Problem.Status != r.Status || r.Problem.TraceID == "" || r.Problem.Title == "") {
			t.Errorf("incomplete problem: %+v", r)
		}
		short = append(short, strings.TrimSpace(fmt.Sprintf("%d %s%s %v", r.Status, r.Result, r.Problem.Detail, r.Problem.Fields)))
	}
	return short
}

func TestABatchMakesItsCallsInOrder(t *testing.T) {
	invalid := fault.Invalid([]fault.FieldError{{Field: "title", Code: fault.Required, Message: "title is required"}})
	const calls = `{"capability":"a","arguments":{"n":1},"idempotency_key":"k"},{"capability":"bad"},{"capability":"c","arguments":{}}`
	for _, c := range []struct {
		name, body string
		want       []string
		made       string
	}{
		{"one that fails undoes none, and stops none", `{"calls":[` + calls + `]}`,
			[]string{`200 {"ok":1} []`, `422 validation failed on 1 field [{title}]`, `200 {"ok":1} []`}, "a bad c"},
		{"unless it is asked to", `{"stop_on_error":true,"calls":[` + calls + `]}`,
			[]string{`200 {"ok":1} []`, `422 validation failed on 1 field [{title}]`}, "a bad"},
		{"stop_on_error false is the default", `{"stop_on_error":false,"calls":[{"capability":"a"}]}`, []string{`200 {"ok":1} []`}, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &fakeEngine{result: `{"ok":1}`, fails: map[string]error{"bad": invalid}}
			res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke", body: c.body}))
			if diff := cmp.Diff(c.want, answered(t, res)); diff != "" || res.StatusCode != 200 {
				t.Errorf("status %d: %s", res.StatusCode, diff)
			}
			var made []string
			for _, call := range engine.calls {
				made = append(made, call.Capability)
			}
			if got := strings.Join(made, " "); got != c.made {
				t.Errorf("made %s, want %s", got, c.made)
			}
			if first := engine.calls[0]; first.Via != "http" || first.TraceID != res.Header.Get(httpapi.TraceHeader) {
				t.Errorf("got %+v", first)
			}
		})
	}
}

// What the tool of another server says that failed is a result, with the status that the call has by itself.
func TestABatchStopsAtAToolThatFailed(t *testing.T) {
	engine := &fakeEngine{result: `{"status":"error"}`, parts: invoke.Parts{Failed: true}}
	h := httpapi.New(engine, runtimeOptions())
	alone := do(h, newRequest(exchange{method: "POST", path: "/invoke/a", body: "{}"}))
	for body, want := range map[string]int{
		`{"calls":[{"capability":"a"},{"capability":"b"}]}`:                      2,
		`{"calls":[{"capability":"a"},{"capability":"b"}],"stop_on_error":true}`: 1,
	} {
		res := do(h, newRequest(exchange{method: "POST", path: "/invoke", body: body}))
		made := answered(t, res)
		if len(made) != want || res.StatusCode != 200 {
			t.Errorf("%s: %d %v", body, res.StatusCode, made)
		}
		for _, one := range made {
			if one != fmt.Sprint(alone.StatusCode)+` {"status":"error"} []` {
				t.Errorf("%s has another status than by itself: %s", body, one)
			}
		}
	}
}

func TestEachCallOfABatchHasItsOwnArgumentsAndKey(t *testing.T) {
	engine := &fakeEngine{}
	do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke",
		body: `{"calls":[{"capability":"a","arguments":{"n":1},"idempotency_key":"k1"},{"capability":"b","idempotency_key":"k2"}]}`}))
	var got []string
	for _, c := range engine.calls {
		got = append(got, c.Capability+" "+string(c.Args)+" "+c.IdempotencyKey)
	}
	if diff := cmp.Diff([]string{`a {"n":1} k1`, `b  k2`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestABatchOfTheWrongShapeMakesNoCall(t *testing.T) {
	call := `{"capability":"a"}`
	for _, c := range []struct {
		name, body, fields string
	}{
		{"no calls", `{}`, "calls/required"},
		{"an empty body", ``, "calls/required"},
		{"an empty list", `{"calls":[]}`, "calls/min_count"},
		{"no list", `{"calls":{}}`, "calls/datatype"},
		{"null", `{"calls":null}`, "calls/datatype"},
		{"too many", `{"calls":[` + strings.Repeat(call+",", 100) + call + `]}`, "calls/max_count"},
		{"everything at once", `{"calls":[` + call + `,{"arguments":[]},7,{"capability":3,"idempotency_key":null},{"capability":"","if":1}],"stop_on_error":"yes","all":1}`,
			"all/closed calls[1].arguments/datatype calls[1].capability/required calls[2]/datatype calls[3].capability/datatype " +
				"calls[3].idempotency_key/datatype calls[4].if/closed stop_on_error/datatype"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &fakeEngine{}
			res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke", body: c.body}))
			body := readAll(t, res.Body)
			checkProblem(t, res, body)
			var p struct {
				Fields []struct{ Field, Code string }
			}
			if err := json.Unmarshal([]byte(body), &p); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.Fields {
				got = append(got, f.Field+"/"+f.Code)
			}
			if strings.Join(got, " ") != c.fields || res.StatusCode != 400 || engine.asked() > 0 {
				t.Errorf("got %d with %s\nwant %s", res.StatusCode, strings.Join(got, " "), c.fields)
			}
		})
	}
}

func TestHeadersOfOneCallAreRefusedInABatch(t *testing.T) {
	for _, h := range []http.Header{header("If-Match", `"c"`), header("Idempotency-Key", "k")} {
		engine := &fakeEngine{}
		res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke", body: `{"calls":[{"capability":"a"}]}`, header: h}))
		if body := readAll(t, res.Body); res.StatusCode != 400 || !strings.Contains(body, "each call takes") || engine.asked() > 0 {
			t.Errorf("%v: got %d %s", h, res.StatusCode, body)
		}
	}
}

// What a batch does is what its calls would have done one by one.
func TestABatchOnARealGraphIsOneCommitACall(t *testing.T) {
	h := httpapi.New(notesEngine(t), runtimeOptions())
	res := do(h, newRequest(exchange{method: "POST", path: "/invoke", body: `{"calls":[
		{"capability":"note.create","arguments":{"id":"n1","title":"On trails"},"idempotency_key":"k"},
		{"capability":"note.create","arguments":{"id":"n2","title":"x","status":"lost"}},
		{"capability":"note.create","arguments":{"id":"n1","title":"On trails"},"idempotency_key":"k"},
		{"capability":"nothing"}]}`}))
	got := answered(t, res)
	if len(got) != 4 || !strings.HasPrefix(got[0], "200 ") || got[1] != "422 validation failed on 2 fields [{status} {title}]" ||
		!strings.Contains(got[2], `"replayed":true`) || !strings.HasPrefix(got[3], "404 unknown tool") {
		t.Errorf("got %q", got)
	}
	log := readAll(t, do(h, newRequest(exchange{method: "GET", path: "/commits"})).Body)
	if n := strings.Count(log, `"anonymous"`); n != 2 {
		t.Errorf("%d commits, want the schema's and the note's: %s", n, log)
	}
}
