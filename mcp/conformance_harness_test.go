package mcp_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The results in testdata/conformance/recorded are what the suite wrote about a
// server that has neither sessions nor sampling.
func recorded(t *testing.T) map[string][]check {
	return readResults(t, "testdata/conformance/recorded")
}

var recordedExpectations = expectations{
	Scenarios: []string{"ping", "tools-list", "tools-call-sampling", "server-sse-polling"},
	Failures: map[string]map[string]string{"door": {
		"tools-call-sampling": "it has no sampling",
		"server-sse-polling":  "it has no sessions",
	}},
}

func TestConformanceResultsAreReadAsWritten(t *testing.T) {
	got := map[string][3]int{}
	for name, checks := range recorded(t) {
		got[name] = [3]int{number(checks, "SUCCESS"), number(checks, "FAILURE"), number(checks, "WARNING")}
	}
	want := map[string][3]int{"ping": {1, 0, 0}, "tools-list": {1, 0, 0}, "tools-call-sampling": {0, 1, 0}, "server-sse-polling": {0, 0, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if passed, total := figures(recorded(t)); passed != 2 || total != 3 {
		t.Errorf("%d/%d, want 2/3", passed, total)
	}
}

func TestConformanceProblemsAreFound(t *testing.T) {
	const sampling = "tools-call-sampling: [FAILURE tools-call-sampling: Failed: MCP error -32005: rejected by transport]"
	for _, c := range []struct {
		name   string
		change func(e *expectations, results map[string][]check)
		want   []string
	}{
		{"none", func(*expectations, map[string][]check) {}, nil},
		{"a failure that nobody listed", func(e *expectations, _ map[string][]check) {
			delete(e.Failures["door"], "tools-call-sampling")
		}, []string{sampling}},
		{"a warning that nobody listed", func(e *expectations, _ map[string][]check) {
			delete(e.Failures["door"], "server-sse-polling")
		}, []string{"server-sse-polling: [WARNING server-sse-polling-session: ]"}},
		{"a failure listed at another door", func(e *expectations, _ map[string][]check) {
			e.Failures["other"] = map[string]string{"tools-call-sampling": "it has no sampling"}
			delete(e.Failures["door"], "tools-call-sampling")
		}, []string{sampling}},
		{"a listed scenario that passes", func(e *expectations, _ map[string][]check) {
			e.Failures["door"]["ping"] = "it is tired"
		}, []string{"ping: passes, and is listed as failing: it is tired"}},
		{"a check that is listed", func(e *expectations, _ map[string][]check) {
			delete(e.Failures["door"], "tools-call-sampling")
			e.Failures["door"]["tools-call-sampling tools-call-sampling"] = "it has no sampling"
		}, []string{"tools-call-sampling: [nothing was checked]"}},
		{"a listed check that passes", func(e *expectations, _ map[string][]check) {
			e.Failures["door"]["ping ping"] = "it is tired"
		}, []string{"ping ping: passes, and is listed as failing: it is tired"}},
		{"a listed check without a reason", func(e *expectations, results map[string][]check) {
			results["ping"] = append(results["ping"], check{ID: "slow", Status: "WARNING"})
			e.Failures["door"]["ping slow"] = ""
		}, []string{"ping slow: is listed without a reason"}},
		{"a listing without a reason", func(e *expectations, _ map[string][]check) {
			e.Failures["door"]["tools-call-sampling"] = ""
		}, []string{"tools-call-sampling: is listed without a reason"}},
		{"a listing of nothing", func(e *expectations, _ map[string][]check) {
			e.Failures["door"]["tools-cal"] = "a slip"
		}, []string{"tools-cal: is listed as failing, and is no scenario"}},
		{"a scenario without a result", func(_ *expectations, results map[string][]check) {
			delete(results, "ping")
		}, []string{"ping: [nothing was checked]"}},
		{"a listed scenario without a result", func(_ *expectations, results map[string][]check) {
			delete(results, "tools-call-sampling")
		}, []string{"tools-call-sampling: did not run"}},
		{"a scenario that checked nothing", func(_ *expectations, results map[string][]check) {
			results["ping"] = []check{{ID: "ping", Status: "INFO"}}
		}, []string{"ping: [nothing was checked]"}},
		{"a new scenario", func(_ *expectations, results map[string][]check) {
			results["tasks"] = []check{{ID: "tasks", Status: "SUCCESS"}}
		}, []string{"tasks: is not among the 4 scenarios that we know"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := expectations{Scenarios: recordedExpectations.Scenarios, Failures: map[string]map[string]string{
				"door": maps.Clone(recordedExpectations.Failures["door"])}}
			results := recorded(t)
			c.change(&e, results)
			if diff := cmp.Diff(c.want, e.compare("door", results)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
