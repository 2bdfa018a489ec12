package rdftest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Categories of the SPARQL 1.1 suite, those of queries and those of updates.
var (
	QueryCategories = []string{
		"aggregates", "bind", "bindings", "cast", "construct", "exists", "functions", "grouping",
		"negation", "project-expression", "property-path", "subquery", "syntax-query",
	}
	UpdateCategories = []string{
		"add", "basic-update", "clear", "copy", "delete-data", "delete-insert", "delete-where", "delete",
		"drop", "move", "syntax-update-1", "syntax-update-2", "update-silent",
	}
)

// CheckCounts fails the test unless the numbers of tests by category, type and approval are those in
// COUNTS.tsv, for the given categories or for the whole suite. A reader that loses tests would hide failures.
func CheckCounts(t testing.TB, suites, suite string, tests []Test, categories ...string) {
	t.Helper()
	want, err := counts(suites, suite, categories)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, test := range tests {
		got[strings.Join([]string{test.Category, test.Type, test.Approval}, " ")]++
	}
	if len(want) == 0 || !maps.Equal(want, got) {
		t.Fatalf("%s: the manifests hold other tests than COUNTS.tsv says:\n%s", suite, difference(want, got))
	}
}

func counts(suites, suite string, categories []string) (map[string]int, error) {
	text, err := os.ReadFile(filepath.Join(suites, "COUNTS.tsv"))
	if err != nil {
		return nil, err
	}
	want := map[string]int{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 5 || f[0] != suite {
			continue
		}
		category, _, _ := strings.Cut(f[1], "/manifest")
		if len(categories) > 0 && !slices.Contains(categories, category) {
			continue
		}
		n, err := strconv.Atoi(f[4])
		if err != nil {
			return nil, fmt.Errorf("COUNTS.tsv: %w", err)
		}
		want[strings.Join([]string{category, f[2], f[3]}, " ")] += n
	}
	return want, nil
}

func difference(want, got map[string]int) string {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if want[key] != got[key] {
			fmt.Fprintf(&out, "  %s: want %d, got %d\n", key, want[key], got[key])
		}
	}
	return out.String()
}
