package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/e2e/testrun"
)

type storedQuestion struct {
	name, params string
	rows         int
}

// storedQuestions are calls of the queries in testdata/attack/queries, with the number of rows in ATT&CK, 0 for
// ASK.
var storedQuestions = []storedQuestion{
	{"techniques_of_group", `{"group": "G0016"}`, 89},
	{"mitigations_of_techniques", `{"techniques": ["T1003", "T1059", "T1566"], "least": 2}`, 6},
	{"shared_software", `{"one": "G0016", "other": "G0007"}`, 4},
	{"alike_groups", `{"group": "G0016", "shared": 20}`, 9},
	{"changed_since", `{"since": "2025-10-01T00:00:00Z"}`, 50},
	{"unmitigated", `{"tactic": "TA0007"}`, 35},
	{"subtechniques", `{"technique": "T1003"}`, 8},
	{"campaigns_of_group", `{"group": "G0016"}`, 2},
	{"malware_on", `{"platform": "Linux", "begins": "s"}`, 5},
	{"is_used", `{"technique": "T1003.001"}`, 0},
	{"tactic_profile", `{"group": "G0032"}`, 14},
	{"users_of_software", `{"software": ["Tool/S0002", "Malware/S0154"]}`, 0},
}

// storedAnswer is the part of an answer that all transports share.
type storedAnswer struct {
	Columns []string
	Rows    []any
	Boolean *bool
}

// TestStoredQueriesAnswerAlikeAtEveryDoor runs twelve stored queries on real data: over MCP with two lists of
// tools, over HTTP by GET and POST, by the form, and on the command line.
func TestStoredQueriesAnswerAlikeAtEveryDoor(t *testing.T) {
	testrun.Alone(t)
	file, _ := attackFile(t)
	must(t, "query", "add", file, filepath.Join("..", "testdata", "attack", "queries"))
	named := filepath.Join(t.TempDir(), "uses.rq") // by the names of what stands beside the parameters
	if err := os.WriteFile(named, []byte("#+ params: {branch: ref(Group), at: ref(Technique)}\nSELECT ?branch ?at { ?branch :uses ?at }"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "query", "add", file, named)
	questions := append(slices.Clip(storedQuestions), storedQuestion{"uses", `{"branch": "G0016", "at": "T1059.001"}`, 1})
	full, compact := startWeb(t, nil, file), startWeb(t, nil, file, "--surface", "compact")
	shapes, tools := outputsOf(t, full, questions), toolOutputsOf(t, full)
	for _, q := range questions {
		t.Run(q.name, func(t *testing.T) {
			for _, format := range []string{"table", "sparql-json"} {
				answer, err := jsonschema.UnmarshalJSON(bytes.NewReader(callTool(t, full, q.name, fmt.Sprintf(`{"params": %s, "format": %q}`, q.params, format))))
				if err != nil {
					t.Fatal(err)
				}
				for door, shape := range map[string]*jsonschema.Schema{"OpenAPI": shapes[q.name], "MCP": tools[q.name]} {
					if err := shape.Validate(answer); err != nil {
						t.Errorf("as %s it is not of its output schema in %s: %v", format, door, err)
					}
				}
			}
			want := overMCP(t, full, q.name, fmt.Sprintf(`{"params": %s, "max_chars": 200000}`, q.params))
			if (want.Boolean == nil) == (len(want.Rows) == 0) || q.rows > 0 && len(want.Rows) != q.rows {
				t.Fatalf("%d rows of %v, want %d", len(want.Rows), want.Columns, q.rows)
			}
			same := func(door string, got storedAnswer) {
				t.Helper()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", door, diff)
				}
			}
			same("MCP, compact", overMCP(t, compact, q.name, fmt.Sprintf(`{"params": %s, "max_chars": 200000}`, q.params)))
			status, body, err := full.post("/queries/"+q.name, []byte(fmt.Sprintf(`{"params": %s}`, q.params)), nil)
			if err != nil || status != http.StatusOK {
				t.Fatalf("POST: %d %s %v", status, body, err)
			}
			same("HTTP, a body", answerIn(t, body))

			var params map[string]any
			decode(t, q.params, &params)
			address, words := url.Values{}, []string{"q", file, q.name}
			for name, v := range params {
				list, many := v.([]any)
				if !many {
					list = []any{v}
				}
				for _, one := range list {
					address.Add(name, fmt.Sprint(one))
					words = append(words, fmt.Sprintf("%s=%v", name, one))
				}
			}
			status, body, err = full.do(http.MethodGet, "/queries/"+q.name+"?"+address.Encode(), nil, nil)
			if err != nil || status != http.StatusOK {
				t.Fatalf("GET: %d %s %v", status, body, err)
			}
			same("HTTP, an address", answerIn(t, body))
			same("the form", overForm(t, full, q.name, address))

			var terms, said struct {
				Rows    []any
				Boolean *bool
				Results struct{ Bindings []any }
			}
			decode(t, string(callTool(t, full, q.name, fmt.Sprintf(`{"params": %s, "format": "sparql-json", "max_chars": 200000}`, q.params))), &terms)
			decode(t, must(t, append(words, "-o", "json")...), &said)
			if diff := cmp.Diff(terms.Rows, said.Results.Bindings); diff != "" && terms.Boolean == nil {
				t.Errorf("the command line: %s", diff)
			}
			if diff := cmp.Diff(terms.Boolean, said.Boolean); diff != "" {
				t.Errorf("the command line: %s", diff)
			}
		})
	}
}

// outputsOf returns the schemas of answers in /openapi.json, by capability.
func outputsOf(t *testing.T, w *web, questions []storedQuestion) map[string]*jsonschema.Schema {
	t.Helper()
	_, body, err := w.do(http.MethodGet, "/openapi.json", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]struct {
			Post struct {
				OperationID string
				Responses   map[string]struct {
					Content map[string]struct{ Schema json.RawMessage }
				}
			}
		}
	}
	decode(t, string(body), &document)
	shapes := map[string]*jsonschema.Schema{}
	for _, q := range questions {
		shapes[q.name] = compiled(t, q.name, document.Paths["/invoke/"+q.name].Post.Responses["200"].Content["application/json"].Schema)
	}
	return shapes
}

// toolOutputsOf returns the output schemas of tools.
func toolOutputsOf(t *testing.T, w *web) map[string]*jsonschema.Schema {
	t.Helper()
	out, err := w.call("tools/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema json.RawMessage
		}
	}
	decode(t, string(out), &list)
	shapes := map[string]*jsonschema.Schema{}
	for _, tool := range list.Tools {
		shapes[tool.Name] = compiled(t, tool.Name, tool.OutputSchema)
	}
	return shapes
}

func compiled(t *testing.T, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("urn:"+name, schema); err != nil {
		t.Fatal(err)
	}
	shape, err := c.Compile("urn:" + name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return shape
}

func callTool(t *testing.T, d door, name, args string) json.RawMessage {
	t.Helper()
	out, err := d.call("tools/call", map[string]any{"name": name, "arguments": json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ StructuredContent json.RawMessage }
	decode(t, string(out), &result)
	return result.StructuredContent
}

func overMCP(t *testing.T, d door, name, args string) storedAnswer {
	t.Helper()
	return answerIn(t, callTool(t, d, name, args))
}

func answerIn(t *testing.T, body []byte) (a storedAnswer) {
	t.Helper()
	decode(t, string(body), &a)
	return a
}

var (
	formKey    = regexp.MustCompile(`name="_key" value="([^"]*)"`)
	shownInPre = regexp.MustCompile(`(?s)<pre[^>]*>(.*?)</pre>`)
)

// overForm submits the form of a capability and decodes the JSON on the resulting page.
func overForm(t *testing.T, w *web, name string, params url.Values) storedAnswer {
	t.Helper()
	page := "/admin/capabilities/" + name
	_, body, err := w.do(http.MethodGet, page, nil, http.Header{})
	key := formKey.FindSubmatch(body)
	if err != nil || key == nil {
		t.Fatalf("no form: %v", err)
	}
	var sent bytes.Buffer
	form := multipart.NewWriter(&sent)
	fields := [][2]string{{"_key", string(key[1])}, {"_seen", ""}, {"_do", "call"}}
	for name, values := range params {
		if !bytes.Contains(body, []byte(`name="arg.params.`+name+`"`)) {
			t.Errorf("the form has no field for %s", name)
		}
		for _, v := range values {
			fields = append(fields, [2]string{"arg.params." + name, v})
		}
	}
	for _, field := range fields {
		if err := form.WriteField(field[0], field[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(w.base+page, form.FormDataContentType(), &sent)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var shown bytes.Buffer
	if _, err := shown.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	for _, pre := range shownInPre.FindAllStringSubmatch(shown.String(), -1) {
		text := html.UnescapeString(pre[1])
		if json.Valid([]byte(text)) && strings.Contains(text, `"head"`) {
			return answerIn(t, []byte(text))
		}
	}
	t.Fatalf("status %d: the page shows no answer", response.StatusCode)
	return storedAnswer{}
}
