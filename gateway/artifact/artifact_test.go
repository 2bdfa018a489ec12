package artifact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/gateway"
	"trails/gateway/artifact"
	"trails/gateway/gatewaytest"
	"trails/text/jsontext"
	"trails/text/tokens"
)

// members is a value as it is in JSON.
func members(t testing.TB, v any) map[string]any {
	t.Helper()
	text, err := jsontext.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTheRecordedSessionIsReproduced(t *testing.T) {
	var session struct {
		Entries []struct {
			Request struct {
				Name      string
				Arguments struct {
					Handle   string
					Selector json.RawMessage
				}
			}
			Response json.RawMessage
		}
	}
	gatewaytest.Read(t, "gateway_session.json", &session)
	text := "ISSUE-42 opened. " + strings.Repeat("detail line for the created issue. ", 120)
	envelope, kept := artifact.Wrap(artifact.Source{ToolID: "github:create_issue#34afee88", Tool: "github.create_issue"}, []artifact.Part{{Kind: "text", Data: []byte(text)}})
	if len(kept) != 1 || string(kept[0].Data) != text {
		t.Fatalf("%d artifacts are kept", len(kept))
	}
	answered := map[string]int{}
	for _, e := range session.Entries {
		var response struct{ Content []struct{ Text any } }
		if e.Request.Name == "" || e.Request.Name == "tool_browse" {
			continue
		}
		if err := json.Unmarshal(e.Response, &response); err != nil {
			t.Fatal(err)
		}
		want := response.Content[0].Text
		var got any
		switch handle := e.Request.Arguments.Handle; {
		case e.Request.Name == "tool_execute":
			answered["execute"]++
			got = members(t, envelope)
		case handle == kept[0].Handle:
			answered["view"]++
			s, err := artifact.ParseSelector(handle, e.Request.Arguments.Selector)
			if err != nil {
				t.Fatal(err)
			}
			view, err := kept[0].View(s)
			if err != nil {
				t.Fatal(err)
			}
			got = view.Text
		default:
			answered["error"]++
			failed := gateway.Fail(gateway.ViewFailed, handle, "no artifact")
			failed.Message = want.(map[string]any)["message"].(string) // in words of ours
			got = members(t, failed)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", e.Request.Name, diff)
		}
	}
	if want := map[string]int{"execute": 1, "view": 1, "error": 1}; !reflect.DeepEqual(answered, want) {
		t.Errorf("the session has %v", answered)
	}
}

func TestWhatIsSmallPassesAndWhatIsLargeIsKept(t *testing.T) {
	of := artifact.Source{ToolID: "a:b", Tool: "b", Most: 100}
	small, kept := artifact.Wrap(of, []artifact.Part{{Kind: "text", Data: []byte("done: yes")}})
	if len(kept) > 0 || small.Summary != "done: yes" || small.Firewall.Triggered || small.Firewall.Strategy != "passthrough" {
		t.Errorf("%+v, and %d are kept", small, len(kept))
	}
	object := `{"name":"x","list":[1,2,3],"nested":{"a":{"b":{"c":{}}}},"long":"` + strings.Repeat("y", 300) + `"}`
	of.Failed = true
	large, kept := artifact.Wrap(of, []artifact.Part{
		{Kind: "text", Data: []byte(object)},
		{Kind: "image", Data: []byte{0x89, 'P', 0}},
		{Kind: "structured", Data: []byte(" " + object)},
	})
	if len(kept) != 2 || large.Status != "error" || large.Artifacts[0].MediaType != "image/png" || large.Artifacts[1].SizeBytes != len(object) {
		t.Errorf("%+v, and %d are kept", large, len(kept))
	}
	if want := `{"list": [3 of number], "long": string of 300 characters, "name": string, "nested": {"a": {"b": {1}}}}`; large.Shape != want {
		t.Errorf("the shape is %s, want %s", large.Shape, want)
	}
	if diff := cmp.Diff([]string{"name: x"}, large.Facts); diff != "" {
		t.Error(diff)
	}
	if len(large.Views) != 1 {
		t.Errorf("%d views are offered", len(large.Views))
	}
	long := strings.Repeat("y", 300)
	for data, want := range map[string]int{`{"content":"` + long + `"}`: 1, `{"content":"` + long + `","more":1}`: 2, `{"content":"` + long + `z"}`: 2} {
		if _, kept := artifact.Wrap(of, []artifact.Part{{Kind: "text", Data: []byte(long)}, {Kind: "structured", Data: []byte(data)}}); len(kept) != want {
			t.Errorf("of a text and %s %d are kept, want %d", data, len(kept), want)
		}
	}
	both, kept := artifact.Wrap(of, []artifact.Part{{Kind: "text", Data: []byte("a text")}, {Kind: "structured", Data: []byte(`{"other":1}`)}})
	if len(kept) != 0 || string(both.Structured) != `{"other":1}` || both.Summary != "a text" {
		t.Errorf("of a small text and other small data %d are kept: %+v", len(kept), both)
	}
	_, kept = artifact.Wrap(of, []artifact.Part{{Kind: "text", Data: []byte("a text")}, {Kind: "structured", Data: []byte(object)}})
	if len(kept) != 1 || kept[0].MediaType != "application/json" {
		t.Errorf("of a text and other data %d are kept", len(kept))
	}
}

// Whatever a result is, its envelope has a bounded size, and what is kept is found by it.
func TestEnvelopesAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []artifact.Part
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			data := strings.Repeat(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z]{1,5}: [a-z]{1,300}\n`), rapid.Just(`{"a":[1,2]}`)).Draw(t, "data"), rapid.IntRange(0, 200).Draw(t, "times"))
			parts = append(parts, artifact.Part{Kind: rapid.SampledFrom([]string{"text", "image", "structured", "resource", "other"}).Draw(t, "kind"), Data: []byte(data)})
		}
		envelope, kept := artifact.Wrap(artifact.Source{ToolID: "a:b#01234567", Tool: "b", Most: rapid.SampledFrom([]int{0, 400}).Draw(t, "most")}, parts)
		text, err := jsontext.Marshal(envelope)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 40_000 || utf8.RuneCountInString(envelope.Summary) > 500 || len(kept) != len(envelope.Artifacts) {
			t.Fatalf("%d bytes, %d artifacts of %d", len(text), len(kept), len(envelope.Artifacts))
		}
		for i, a := range kept {
			if a.Ref != envelope.Artifacts[i] || a.SizeBytes != len(a.Data) {
				t.Fatalf("%+v is %+v in the envelope", a.Ref, envelope.Artifacts[i])
			}
		}
	})
}

// Of results of 10,000 characters and more a model reads less than a twentieth, all in all;
// of the smallest of them less than a fifth.
func TestTheFirewallSaves(t *testing.T) {
	all, read := 0, 0
	for _, size := range []int{10_000, 30_000, 100_000} {
		for name, unit := range map[string]string{
			"a log":      "2026-11-20T10:04:%d level=info msg=\"request served\" path=/items/%d status=200\n",
			"a table":    "%d,Ulm,Item number %d,open\n",
			"JSON lines": "{\"id\":%d,\"name\":\"item %d\",\"open\":true}\n",
		} {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				fmt.Fprintf(&b, unit, i, 7*i)
			}
			envelope, _ := artifact.Wrap(artifact.Source{ToolID: "github:list_issues#34afee88", Tool: "github.list_issues", Most: 2_000}, []artifact.Part{{Kind: "text", Data: []byte(b.String())}})
			text, err := jsontext.Marshal(envelope)
			if err != nil {
				t.Fatal(err)
			}
			whole, shown := tokens.Count(b.String()), tokens.Count(string(text))
			t.Logf("%s of %d characters: %d tokens of %d, %.1f%% less", name, size, shown, whole, 100-100*float64(shown)/float64(whole))
			all, read = all+whole, read+shown
			if shown > whole/5 {
				t.Errorf("%s of %d characters: %d tokens of %d are read", name, size, shown, whole)
			}
		}
	}
	if read > all/20 {
		t.Errorf("%d tokens of %d are read", read, all)
	}
}

func TestSecretsAreRemoved(t *testing.T) {
	for text, want := range map[string]string{
		"token ghp_0123456789abcdefghijABCDEFGHIJ0123 end":                                 "token ghp_" + strings.Repeat("*", 34) + " end",
		"AKIAIOSFODNN7EXAMPLE":                                                             "AKIA****************",
		"Authorization: Bearer abcdefghijklmnop1234":                                       "Authorization: Bearer ********************",
		"postgres://me:hunter22@db/x":                                                      "postgres://me:********@db/x",
		`{"password": "hunter22", "user": "me"}`:                                           `{"password": "********", "user": "me"}`,
		"API_KEY=abcdef123456; next":                                                       "API_KEY=************; next",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----": "-----BEGIN RSA PRIVATE KEY-----\n****************\n-----END RSA PRIVATE KEY-----",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP":                            "eyJ" + strings.Repeat("*", 50),
		"github_pat_0123456789abcdefghijABCDEFGHIJ":                                        "github_pat_" + strings.Repeat("*", 30),
		"glpat-0123456789abcdef":                                                           "glpat-****************",
		"xoxb-0123456789":                                                                  "xoxb-**********",
		"AIza0123456789abcdefghij0123456789abcde":                                          "AIza" + strings.Repeat("*", 35),
		"sk-0123456789abcdefghij and rk_test_0123456789abcdef":                             "sk-******************** and rk_test_****************",
		"npm_0123456789abcdefghijABCDEFGHIJ":                                               "npm_" + strings.Repeat("*", 30),
		"Access-Key: abcdef, refreshToken=abcdef":                                          "Access-Key: ******, refreshToken=******",
		"see https://a.example/b, ftp://me:hunter22@c":                                     "see https://a.example/b, ftp://me:********@c",
		"paſſword: hunter22, ACCESS_\u212aEY=abcdef":                                       "paſſword: ********, ACCESS_\u212aEY=******",
		"a secret is nothing to tell, and a token is a word":                               "a secret is nothing to tell, and a token is a word",
		"https://example.com/a:b@c":                                                        "https://example.com/a:b@c",
	} {
		got, _ := artifact.Scrub([]byte(text))
		if string(got) != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`(password|api_key|ghp_|Bearer |://u:)[=: ]?[a-z0-9*@é]{0,40}`))).Draw(t, "text"), " "))
		before := bytes.Clone(text)
		once, _ := artifact.Scrub(text)
		twice, found := artifact.Scrub(once)
		if !bytes.Equal(text, before) || len(once) != len(text) || !bytes.Equal(once, twice) || found > 0 {
			t.Fatalf("%q became %q, and then %q", text, once, twice)
		}
	})
	_, kept := artifact.Wrap(artifact.Source{ToolID: "a:b"}, []artifact.Part{{Kind: "text", Data: []byte("password=hunter22")}})
	if strings.Contains(string(kept[0].Data), "hunter") {
		t.Errorf("%s is kept", kept[0].Data)
	}
}

func of(mediaType, text string) artifact.Artifact {
	return artifact.Artifact{Ref: artifact.Ref{Handle: "text:a:b", MediaType: mediaType}, Data: []byte(text)}
}

// look shows a part of an artifact as a selector in JSON says: its text, what is left, and the
// selector that reads on.
func look(t testing.TB, a artifact.Artifact, selector string) (artifact.Excerpt, error) {
	t.Helper()
	s, err := artifact.ParseSelector(a.Handle, json.RawMessage(selector))
	if err != nil {
		return artifact.Excerpt{}, err
	}
	return a.View(s)
}

const (
	someText = "one\ntwo apples\nthree\nfour apples\nfive\nsix apples\n"
	someJSON = `{"items":[{"id":1,"name":"a","open":true},{"id":2,"name":"b"},{"id":3,"open":true}],"a/b":{"":"x"},"n":1.50}`
	someCSV  = "name,age,city\nAnn,30,Ulm\n\"Bob, jr\",5,\nCleo,100,Bonn\nDan,x,Ulm\n"
)

func TestAPartIsShownAndTheRestIsNamed(t *testing.T) {
	for _, c := range []struct {
		mediaType, text, selector, want, left, next string
	}{
		{"text/plain", someText, `{"type":"head","chars":5}`, "one\nt", "44 of 49 bytes", `{"type":"bytes","offset":5}`},
		{"text/plain", "héé", `{"type":"head","chars":2}`, "hé", "2 of 5 bytes", `{"type":"bytes","offset":3}`},
		{"text/plain", someText, `{"type":"head"}`, someText, "", ""},
		{"text/plain", "héé", `{"type":"bytes","offset":2,"length":4}`, "é", "", ""},
		{"text/plain", someText, `{"type":"bytes","offset":4,"length":4}`, "two ", "41 of 49 bytes", `{"type":"bytes","offset":8}`},
		{"application/zip", "PK\x00\xff", `{"type":"bytes"}`, "504b00ff", "", ""},
		{"text/plain", someText, `{"type":"lines","start":2,"count":2}`, "two apples\nthree\n", "3 of 6 lines", `{"type":"lines","start":4,"count":2}`},
		{"text/plain", someText, `{"type":"lines","start":6}`, "six apples\n", "", ""},
		{"text/plain", someText, `{"type":"grep","pattern":"apples$"}`, "2:two apples\n4:four apples\n6:six apples\n", "", ""},
		{"text/plain", someText, `{"type":"grep","pattern":"(?i)APPLES","limit":1}`, "2:two apples\n", "2 more lines match", `{"type":"grep","pattern":"(?i)APPLES","limit":1,"start":4}`},
		{"text/plain", someText, `{"type":"grep","pattern":"one|six","context":1}`, "1:one\n2-two apples\n--\n5-five\n6:six apples\n", "", ""},
		{"text/plain", someText, `{"type":"grep","pattern":"none"}`, "", "", ""},
		{"application/json", someJSON, `{"type":"json_keys"}`, "\"a/b\": {\"\": string}\n\"items\": [3 of {3} | {2}]\n\"n\": number\n", "", ""},
		{"application/json", someJSON, `{"type":"json_keys","pointer":"/items","limit":1}`, "0: {\"id\": number, \"name\": string, \"open\": boolean}\n", "2 of 3", `{"type":"json_keys","pointer":"/items","offset":1,"limit":1}`},
		{"application/json", someJSON, `{"type":"json","pointer":"/a~1b/"}`, "\"x\"\n", "", ""},
		{"application/json", someJSON, `{"type":"json","pointer":"/n"}`, "1.50\n", "", ""},
		{"application/json", someJSON, `{"type":"json","pointer":"/items","limit":2}`, "{\"id\":1,\"name\":\"a\",\"open\":true}\n{\"id\":2,\"name\":\"b\"}\n", "1 of 3", `{"type":"json","pointer":"/items","offset":2,"limit":2}`},
		{"application/json", someJSON, `{"type":"json","path":"$.items[?@.open].id"}`, "1\n3\n", "", ""},
		{"application/json", someJSON, `{"type":"json","path":"$..id","offset":1}`, "2\n3\n", "", ""},
		{"text/plain", "{\"a\":1}\n{\"a\":2}\n", `{"type":"json","path":"$[*].a"}`, "1\n2\n", "", ""},
		{"text/csv", someCSV, `{"type":"rows","limit":1}`, "name,age,city\nAnn,30,Ulm\n", "3 of 4 rows", `{"type":"rows","offset":1,"limit":1}`},
		{"text/plain", someCSV, `{"type":"rows","columns":["city","name"],"sort":["-age"]}`, "city,name\nUlm,Dan\nBonn,Cleo\nUlm,Ann\n,\"Bob, jr\"\n", "", ""},
		{"text/csv", someCSV, `{"type":"rows","columns":["name"],"where":[{"column":"city","op":"=","value":"Ulm"},{"column":"age","op":">=","value":"30"}],"sort":["age"]}`, "name\nAnn\nDan\n", "", ""},
		{"text/csv", someCSV, `{"type":"rows","columns":["name"],"where":[{"column":"age","op":"<","value":"31"}]}`, "name\nAnn\n\"Bob, jr\"\n", "", ""},
		{"text/csv", someCSV, `{"type":"rows","columns":["name"],"where":[{"column":"age","op":"<","value":31.0}]}`, "name\nAnn\n\"Bob, jr\"\n", "", ""},
		{"text/csv", someCSV, `{"type":"rows","columns":["name"],"where":[{"column":"age","value":5}]}`, "name\n\"Bob, jr\"\n", "", ""},
		{"text/csv", someCSV, `{"type":"rows","columns":["age"],"where":[{"column":"name","op":"contains","value":"B"},{"column":"name","op":"matches","value":"jr$"}]}`, "age\n5\n", "", ""},
		{"text/plain", "a\tb\n1\t2\n3\t4\n", `{"type":"rows","sort":["-a"]}`, "a,b\n3,4\n1,2\n", "", ""},
		{"application/json", someJSON, `{"type":"rows","pointer":"/items","columns":["id","open"],"sort":["open","-id"]}`, "id,open\n2,\n3,true\n1,true\n", "", ""},
		{"text/csv", someCSV, `{"type":"stats"}`, "media type: text/csv\nbytes: 62\ncharacters: 62\nlines: 5\nwords: 6\nshape: table of 4 rows with the columns name, age, city\nrows: 4\n" +
			"column \"name\": 4 filled, 4 different\ncolumn \"age\": 4 filled, 4 different\ncolumn \"city\": 3 filled, 2 different\n", "", ""},
		{"application/json", `[{"n":1},{"n":3}]`, `{"type":"stats"}`, "media type: application/json\nbytes: 17\ncharacters: 17\nlines: 1\nwords: 1\nshape: [2 of {\"n\": number}]\nrows: 2\ncolumn \"n\": 2 filled, 2 different, from 1 to 3, mean 2\n", "", ""},
		{"text/plain", "just words", `{"type":"stats"}`, "media type: text/plain\nbytes: 10\ncharacters: 10\nlines: 1\nwords: 2\n", "", ""},
	} {
		v, err := look(t, of(c.mediaType, c.text), c.selector)
		next := ""
		if v.Next != nil {
			text, err := jsontext.Marshal(v.Next)
			if err != nil {
				t.Fatal(err)
			}
			next = string(text)
		}
		if err != nil || v.Text != c.want || v.Left != c.left || next != c.next {
			t.Errorf("%s: %q, left %q, next %s (%v)\nwant %q, left %q, next %s", c.selector, v.Text, v.Left, next, err, c.want, c.left, c.next)
		}
	}
}

func TestWhatCannotBeShownSaysWhatCan(t *testing.T) {
	for _, c := range []struct{ text, selector, want string }{
		{someText, `{"type":"tail"}`, `"tail" is no type of a selector; there are bytes, grep, head, image, json, json_keys, lines, rows, stats`},
		{someText, `{"type":"head","lines":3}`, `a selector of type head has no "lines"; it has type, chars`},
		{someText, `{"type":"head","chars":"8"}`, `a selector of type head: chars is a string, and must be an integer`},
		{someText, `{"type":"rows","where":[{"col":"a"}]}`, `a selector of type rows: a member of where has no "col"; it has column, op, value`},
		{someText, `{"type":"rows","where":[{"column":"a","op":"=","value":"b"},{"Column":"a","op":"=","value":"b"}]}`, `a member of where has no "Column"; it has column, op, value`},
		{someText, `{"type":"rows","where":[{"column":"a","op":"=","OP":"!=","value":"b"}]}`, `a member of where has no "OP"`},
		{someText, `{"type":"rows","Where":[]}`, `a selector of type rows has no "Where"`},
		{someText, `{"Type":"rows"}`, `a selector of type rows has no "Type"`},
		{someText, `{"type":"rows","where":[{"column":"a","value":["b"]}]}`, `a selector of type rows: the value of a condition must be a text, a number or a boolean`},
		{someText, `{"type":"rows","where":[{"column":"a","value":null}]}`, `the value of a condition must be a text, a number or a boolean`},
		{someText, `{"type":"rows","where":{"column":"a"}}`, `where is an object, and must be an array`},
		{someText, `[]`, "the selector is no object"},
		{someText, `{"type":"head","chars":9000}`, "text:a:b: chars is 9000, and may be 1 to 8000"},
		{someText, `{"type":"bytes","offset":50}`, "text:a:b: offset is 50, and it has 49 bytes"},
		{someText, `{"type":"bytes","offset":-1}`, "text:a:b: offset is -1"},
		{someText, `{"type":"lines","start":9}`, "text:a:b: start is 9, and it has 6 lines"},
		{someText, `{"type":"grep","pattern":"(?=x)"}`, "text:a:b: the pattern is none of RE2"},
		{someText, `{"type":"grep"}`, "text:a:b: the pattern has 0 bytes"},
		{someText, `{"type":"json_keys"}`, "text:a:b: it is no JSON"},
		{someJSON, `{"type":"json_keys","pointer":"/n"}`, `text:a:b: there is no object at "/n", but number`},
		{someJSON, `{"type":"json","pointer":"/items/3"}`, `text:a:b: nothing at "/items/3"; at "/items" is [3 of {3} | {2}]`},
		{someJSON, `{"type":"json","pointer":"/items/01"}`, `text:a:b: nothing at "/items/01"`},
		{someJSON, `{"type":"json","pointer":"items"}`, "is no pointer of RFC 6901"},
		{someJSON, `{"type":"json","path":"items"}`, "text:a:b: the path is none of RFC 9535"},
		{someJSON, `{"type":"json","path":"$..[?count($..*)>1]"}`, "text:a:b: the path may have one"},
		{someJSON, `{"type":"json","path":"$[0,0,0,0][0,0,0]"}`, "text:a:b: the path may have one"},
		{someJSON, `{"type":"rows"}`, `text:a:b: there is no list at ""`},
		{someCSV, `{"type":"rows","columns":["nam"]}`, `text:a:b: there is no column "nam"; there are name, age, city; did you mean "name"?`},
		{someCSV, `{"type":"rows","where":[{"column":"age","op":"~","value":""}]}`, `text:a:b: "~" is no op; there are`},
		{"words", `{"type":"rows"}`, "text:a:b: it is no table"},
		{"PK\x00", `{"type":"lines"}`, "text:a:b: it is text/plain of 3 bytes and no text; use bytes, stats or image"},
		{someText, `{"type":"image"}`, "text:a:b: it is text/plain of 49 bytes, and no image"},
	} {
		_, err := look(t, of("text/plain", c.text), c.selector)
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != gateway.ViewFailed || failed.Path != "text:a:b" || !strings.Contains(failed.Message, c.want) {
			t.Errorf("%s: %v, want %s", c.selector, err, c.want)
		}
	}
}

func TestAnImageHasASize(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 7, 3))); err != nil {
		t.Fatal(err)
	}
	v, err := look(t, artifact.Artifact{Data: b.Bytes()}, `{"type":"image"}`)
	if want := fmt.Sprintf("png, 7 × 3 pixels, %d bytes\n", b.Len()); err != nil || v.Text != want {
		t.Errorf("%q (%v), want %q", v.Text, err, want)
	}
}

// Whatever is looked at, a view is bounded, and whoever follows its next selector comes to the
// end; of bytes and lines the views together are the whole.
func TestReadingOnComesToTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.OneOf(rapid.StringMatching(`[a-zé\n,]{1,30}`), rapid.String(), rapid.Just(`{"a":1}`), rapid.Just("x,1\n")).Draw(t, "unit")
		text := strings.ReplaceAll(strings.Repeat(unit, rapid.IntRange(1, 2_000).Draw(t, "times")), "\x00", "")
		if rapid.Bool().Draw(t, "a list") {
			text = "[" + strings.Repeat(`{"a":1,"b":"`+strings.Repeat("é", rapid.IntRange(0, 3_000).Draw(t, "long"))+`"},`, rapid.IntRange(0, 99).Draw(t, "items")) + "0]"
		}
		selector := rapid.SampledFrom([]string{
			`{"type":"head"}`, `{"type":"bytes","length":7000}`, `{"type":"lines","count":900}`, `{"type":"grep","pattern":"a","limit":90,"context":2}`,
			`{"type":"json_keys"}`, `{"type":"json"}`, `{"type":"json","path":"$..a"}`, `{"type":"rows","limit":400}`, `{"type":"stats"}`,
		}).Draw(t, "selector")
		a := of("text/plain", text)
		s, err := artifact.ParseSelector(a.Handle, json.RawMessage(selector))
		if err != nil {
			t.Fatal(err)
		}
		read := ""
		for range len(text) + 2 {
			v, err := a.View(s)
			if err != nil {
				if read != "" {
					t.Fatalf("after %d bytes: %v", len(read), err)
				}
				return
			}
			if len(v.Text) > 9_000 || !utf8.ValidString(v.Text) {
				t.Fatalf("%d bytes: %q", len(v.Text), v.Text)
			}
			read += v.Text
			if v.Next == nil {
				if kind := selector[9:12]; (kind == "hea" || kind == "byt" || kind == "lin") && read != text {
					t.Fatalf("%d of %d bytes were read", len(read), len(text))
				}
				return
			}
			if v.Left == "" {
				t.Fatalf("%v is next, and nothing is left", v.Next)
			}
			s = v.Next
		}
		t.Fatal("there is no end")
	})
}
