package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/schema"
)

// testdata/diff: old schema, a line "=>", new schema; out come the steps, each
// with what it asks of the data.
func TestDiff(t *testing.T) {
	datadriven.Walk(t, "testdata/diff", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			before, after, ok := strings.Cut(d.Input, "=>")
			if !ok {
				d.Fatalf(t, "no line =>")
			}
			return plan(schema.Diff(parse(t, before), parse(t, after)))
		})
	})
}

func parse(t testing.TB, text string) *schema.Schema {
	t.Helper()
	base := "urn:trails:test:"
	if declared, _ := schema.DeclaredBase([]byte(text)); declared != "" {
		base = declared
	}
	s, err := schema.ParseYAML([]byte(text), base)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func plan(steps []schema.Step) string {
	if len(steps) == 0 {
		return "no steps\n"
	}
	var b strings.Builder
	for _, step := range steps {
		fmt.Fprintf(&b, "%s", step)
		flags := map[string]bool{"lossy": step.Lossy, "checks": step.Checks, "backfill": step.Backfill}
		for _, flag := range []string{"lossy", "checks", "backfill"} {
			if flags[flag] {
				fmt.Fprintf(&b, " [%s]", flag)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
