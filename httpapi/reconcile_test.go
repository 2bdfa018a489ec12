package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/httpapi"
	"trails/invoke"
)

// The requests are those that OpenRefine 3.8 sends.
func TestOpenRefineReconciles(t *testing.T) {
	e := notesEngine(t)
	for _, note := range []string{`{"id":"n1","title":"On trails","status":"draft"}`, `{"id":"n2","title":"On trains","status":"final"}`, `{"id":"n3","title":"Twice"}`, `{"id":"n4","title":"Twice"}`} {
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "note.create", Principal: policy.Local("ana", ""), Via: "go", Args: json.RawMessage(note)}); err != nil {
			t.Fatal(err)
		}
	}
	h := httpapi.New(e, runtimeOptions())
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	batch := func(queries string) exchange {
		return exchange{method: "POST", path: "/reconcile", header: form, body: "queries=" + url.QueryEscape(queries)}
	}
	many := func(n int, text string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"q%d":{"query":%q}`, i, text)
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	for _, c := range []struct {
		name string
		exchange
		status int
		has    []string
	}{
		{"manifest", exchange{method: "GET", path: "/reconcile"}, 200, []string{`"versions":["0.2"]`, `"batchSize":50`, `"identifierSpace":`, `{"id":"Note","name":"Note"}`, `"service_path":"/suggest/entity"`, `"url":"http://localhost:8757/reconcile/view?id={{id}}"`}},
		{"a batch", batch(`{"q0":{"query":"on TRAILS","limit":3},"q1":{"query":"Nothing like it"}}`), 200, []string{`"q0":{"result":[{"id":"Note/n1","match":true,"name":"On trails","score":100,"type":[{"id":"Note","name":"Note"}]}`, `"q1":{"result":[]}`}},
		{"the head of the manifest", exchange{method: "HEAD", path: "/reconcile"}, 200, nil},
		{"by GET", exchange{method: "GET", path: "/reconcile?queries=" + url.QueryEscape(`{"q0":{"query":"On trails"}}`)}, 200, []string{`"id":"Note/n1"`}},
		{"with a type", batch(`{"q0":{"query":"On trains","type":"Note","type_strict":"should"}}`), 200, []string{`"id":"Note/n2"`}},
		{"with a value", batch(`{"q0":{"query":"On trains","type":["Note"],"properties":[{"pid":"status","v":"final"}]}}`), 200, []string{`"id":"Note/n2","match":true`, `"score":100`}},
		{"with another value", batch(`{"q0":{"query":"On trains","properties":[{"pid":"status","v":["none",5]}]}}`), 200, []string{`"id":"Note/n2","match":false`, `"score":6`}},
		{"two of one name are for a person", batch(`{"q0":{"query":"Twice"}}`), 200, []string{`"id":"Note/n3","match":false`, `"id":"Note/n4","match":false`}},
		{"an unknown type", batch(`{"q0":{"query":"On trains","type":"Not"}}`), 400, []string{"did you mean", "Note"}},
		{"too many", batch(many(51, "x")), 400, []string{"a batch takes at most 50"}},
		{"as many as may be", batch(many(50, "twice")), 200, []string{`"q49"`}},
		{"a long one", batch(many(1, strings.Repeat("x", 11<<10))), 400, []string{"and may have 10240"}},
		{"a list", batch(`[{"query":"x"}]`), 400, []string{"queries is an object"}},
		{"no JSON", batch(`{`), 400, []string{"queries is not JSON"}},
		{"no text", batch(`{"q0":{}}`), 400, []string{"has no text"}},
		{"a cell without text", batch(`{"q0":{"query":""},"q1":{"query":"On trails"},"q2":{"query":" !? "}}`), 200, []string{`"q0":{"result":[]}`, `"q1":{"result":[{"id":"Note/n1"`, `"q2":{"result":[]}`}},
		{"another field", exchange{method: "POST", path: "/reconcile", header: form, body: "extend=%7B%7D"}, 400, []string{`unknown parameter \"extend\"`}},
		{"queries twice", exchange{method: "POST", path: "/reconcile?queries=%7B%7D", header: form, body: "queries=%7B%7D"}, 400, []string{"queries must be given once"}},
		{"queries in the address of a POST", exchange{method: "POST", path: "/reconcile?queries=" + url.QueryEscape(`{"q0":{"query":"On trails"}}`), header: form}, 200, []string{`"id":"Note/n1"`}},
		{"another body", exchange{method: "POST", path: "/reconcile", body: `{}`}, 415, []string{"application/x-www-form-urlencoded"}},
		{"suggested entities", exchange{method: "GET", path: "/reconcile/suggest/entity?prefix=on+tra"}, 200, []string{`{"result":[{"description":"Note/n1","id":"Note/n1","name":"On trails"}`}},
		{"suggested types", exchange{method: "GET", path: "/reconcile/suggest/type?prefix=no"}, 200, []string{`"id":"Note"`}},
		{"suggested properties", exchange{method: "GET", path: "/reconcile/suggest/property?prefix=sta"}, 200, []string{`"id":"status"`}},
		{"suggested properties of a type, as OpenRefine asks", exchange{method: "GET", path: "/reconcile/suggest/property?prefix=sta&spell=always&exact=false&prefixed=true&type=Note"}, 200, []string{`"id":"status"`}},
		{"suggested entities, as OpenRefine asks", exchange{method: "GET", path: "/reconcile/suggest/entity?prefix=on&spell=always&exact=false&prefixed=true"}, 200, []string{`"id":"Note/n1"`}},
		{"suggested properties of no type", exchange{method: "GET", path: "/reconcile/suggest/property?prefix=sta&type=Nothing"}, 400, []string{"Nothing"}},
		{"suggested with another parameter", exchange{method: "GET", path: "/reconcile/suggest/property?prefix=sta&callback=f"}, 400, []string{`unknown parameter \"callback\"`}},
		{"suggested others", exchange{method: "GET", path: "/reconcile/suggest/house?prefix=sta"}, 404, []string{"entity, type and property"}},
		{"a preview of nothing", exchange{method: "GET", path: "/reconcile/preview?id=Note%2Fnone"}, 404, []string{`no entity has the id \"Note/none\"`}},
		{"a preview", exchange{method: "GET", path: "/reconcile/preview?id=Note%2Fn1"}, 200, []string{">On trails</h1>", "draft"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRequest(c.exchange)
			res := do(h, r)
			body := readAll(t, res.Body)
			if res.StatusCode != c.status {
				t.Fatalf("%d, want %d: %s", res.StatusCode, c.status, body)
			}
			for _, has := range c.has {
				if !strings.Contains(sortedJSON(body), has) {
					t.Errorf("it has no %s: %.600s", has, sortedJSON(body))
				}
			}
		})
	}
	if res := do(h, newRequest(exchange{method: "GET", path: "/reconcile/view?id=Note%2Fn1"})); res.Header.Get("Location") != "/kg/Note/n1" {
		t.Errorf("the view is at %q", res.Header.Get("Location"))
	}
}

// sortedJSON is a text with the members of its objects in order, if it is JSON.
func sortedJSON(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(sorted)
}
