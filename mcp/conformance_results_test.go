package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// check is one finding of the suite.
type check struct {
	ID      string `json:"id"`
	Status  string `json:"status"` // SUCCESS, FAILURE, WARNING, INFO, SKIPPED
	Message string `json:"errorMessage"`
}

var resultDir = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// readResults reads the checks of each scenario: the suite writes a directory each.
func readResults(t *testing.T, dir string) map[string][]check {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	results := map[string][]check{}
	for _, file := range files {
		name := resultDir.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if name == nil {
			t.Fatalf("%s is no result of a scenario", file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		results[name[1]] = checks
	}
	return results
}

// figures counts as the suite does: warnings and remarks are no checks.
func figures(results map[string][]check) (passed, total int) {
	for _, checks := range results {
		passed += number(checks, "SUCCESS")
		total += number(checks, "SUCCESS") + number(checks, "FAILURE")
	}
	return passed, total
}

func number(checks []check, status string) int {
	n := 0
	for _, c := range checks {
		if c.Status == status {
			n++
		}
	}
	return n
}

// expectations is what the suite must find: every scenario, and at each door what
// may go wrong there, with the reason.
type expectations struct {
	Scenarios []string
	Failures  map[string]map[string]string
}

func readExpected(t *testing.T, file string) expectations {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e expectations
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&e); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e
}

// compare says what is not as expected: a scenario that went wrong and is not
// listed, one that is listed and went well, one that did not run, one that is new.
func (e expectations) compare(door string, results map[string][]check) []string {
	var problems []string
	report := func(scenario, format string, args ...any) {
		problems = append(problems, scenario+": "+fmt.Sprintf(format, args...))
	}
	results = e.excused(door, results, report)
	for _, scenario := range e.Scenarios {
		reason, listed := e.Failures[door][scenario]
		wrong := faults(results[scenario])
		switch {
		case listed && reason == "":
			report(scenario, "is listed without a reason")
		case listed && len(wrong) == 0:
			report(scenario, "passes, and is listed as failing: %s", reason)
		case !listed && len(wrong) > 0:
			report(scenario, "%v", wrong)
		case results[scenario] == nil:
			report(scenario, "did not run")
		}
	}
	for _, scenario := range slices.Sorted(maps.Keys(results)) {
		if !slices.Contains(e.Scenarios, scenario) {
			report(scenario, "is not among the %d scenarios that we know", len(e.Scenarios))
		}
	}
	for _, scenario := range slices.Sorted(maps.Keys(e.Failures[door])) {
		if name, _, _ := strings.Cut(scenario, " "); !slices.Contains(e.Scenarios, name) {
			report(scenario, "is listed as failing, and is no scenario")
		}
	}
	return problems
}

// excused leaves out the checks that are listed as "SCENARIO CHECK" and went wrong, so that the others of the scenario
// still count.
func (e expectations) excused(door string, results map[string][]check, report func(scenario, format string, args ...any)) map[string][]check {
	results = maps.Clone(results)
	for _, listed := range slices.Sorted(maps.Keys(e.Failures[door])) {
		scenario, id, one := strings.Cut(listed, " ")
		if !one {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(results[scenario]), func(c check) bool {
			return c.ID == id && (c.Status == "FAILURE" || c.Status == "WARNING")
		})
		switch reason := e.Failures[door][listed]; {
		case reason == "":
			report(listed, "is listed without a reason")
		case len(rest) == len(results[scenario]):
			report(listed, "passes, and is listed as failing: %s", reason)
		}
		results[scenario] = rest
	}
	return results
}

// faults says what is wrong in a scenario. One that checked nothing has not passed.
func faults(checks []check) []string {
	var wrong []string
	for _, c := range checks {
		if c.Status == "FAILURE" || c.Status == "WARNING" {
			wrong = append(wrong, fmt.Sprintf("%s %s: %s", c.Status, c.ID, c.Message))
		}
	}
	if len(wrong) == 0 && number(checks, "SUCCESS") == 0 {
		wrong = append(wrong, "nothing was checked")
	}
	return wrong
}
