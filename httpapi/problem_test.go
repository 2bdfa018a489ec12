package httpapi_test

import (
	"encoding/json"
	"testing"

	"trails/httpapi"
	"trails/invoke/invoketest"
)

func TestAProblemHasTheMembersOfItsFault(t *testing.T) {
	for _, f := range invoketest.Refusals(t, "../builtin/testdata/calls") {
		engine := &fakeEngine{err: f}
		h := httpapi.New(engine, runtimeOptions())
		body := readAll(t, do(h, newRequest(exchange{method: "POST", path: "/invoke/x", body: "{}"})).Body)
		invoketest.HasMembers(t, f, []byte(body), "type", "title", "status", "detail", "trace_id")
		var batch struct {
			Results []struct{ Problem json.RawMessage }
		}
		body = readAll(t, do(h, newRequest(exchange{method: "POST", path: "/invoke", body: `{"calls":[{"capability":"x"}]}`})).Body)
		if err := json.Unmarshal([]byte(body), &batch); err != nil || len(batch.Results) != 1 {
			t.Fatalf("%v: %s", err, body)
		}
		invoketest.HasMembers(t, f, batch.Results[0].Problem, "type", "title", "status", "detail", "trace_id")
	}
}
