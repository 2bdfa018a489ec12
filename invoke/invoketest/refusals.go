package invoketest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
)

// refusalLine is the first line of what [Refusal] returns.
var refusalLine = regexp.MustCompile(`^([a-z_]+): (.+)$`)

// Refusals reads the faults that the recorded calls of a directory were refused with, as [Refusal] wrote them.
func Refusals(t testing.TB, dir string) (all []*fault.Error) {
	t.Helper()
	kinds := map[string]fault.Kind{}
	for k := fault.Internal; k <= fault.Unusable; k++ {
		kinds[k.String()] = k
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range strings.Split(string(text), "\n----\n")[1:] {
			answer, _, _ = strings.Cut(answer, "\n\n")
			first, rest, _ := strings.Cut(strings.TrimSuffix(answer, "\n"), "\n")
			is := refusalLine.FindStringSubmatch(first)
			if is == nil || seen[answer] {
				continue
			}
			kind, known := kinds[is[1]]
			if !known {
				continue
			}
			seen[answer] = true
			all = append(all, refusalOf(t, kind, is[2], rest))
		}
	}
	if len(all) < 200 {
		t.Fatalf("only %d refusals are in %s", len(all), dir)
	}
	return all
}

// unmarshal reads JSON whose numbers may be larger than a float.
func unmarshal(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// refusalOf reads a fault from the lines behind the first one.
func refusalOf(t testing.TB, kind fault.Kind, message, rest string) *fault.Error {
	t.Helper()
	f := fault.New(kind, "%s", message)
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		field, isField := strings.CutPrefix(line, "  {")
		name, value, isDetail := strings.Cut(strings.TrimPrefix(line, "  "), ": ")
		var decoded any
		switch {
		case isField:
			var e fault.FieldError
			if err := unmarshal([]byte("{"+field), &e); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			f.Fields, f.Count = append(f.Fields, e), f.Count+max(e.Times, 1)
		case isDetail && strings.HasPrefix(line, "  ") && unmarshal([]byte(value), &decoded) == nil:
			f = f.With(name, decoded)
		default:
			f.Message += "\n" + line
		}
	}
	return f
}

// HasMembers checks that an answer of a door has all members of a fault, and beside them those alone that are the door's own.
func HasMembers(t testing.TB, f *fault.Error, answer []byte, own ...string) {
	t.Helper()
	text, err := json.Marshal(f.Members())
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if err := unmarshal(answer, &got); err != nil && len(answer) > 0 {
		t.Fatalf("%v: %s", err, answer)
	}
	for name := range got {
		if _, is := want[name]; !is && slices.Contains(own, name) {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
		t.Errorf("%s %q:\n%s", f.Kind, f.Message, diff)
	}
}
