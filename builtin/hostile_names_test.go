package builtin_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// hostileName colours and hides what follows it where a terminal shows it as it is.
const hostileName = "0001_\x1b[31mx\u202e.yaml"

// hostileCalls are the arguments of a call with a hostile name in the place of each text, and as another key of each object.
func hostileCalls(args any) (all []any) {
	switch v := args.(type) {
	case string:
		return []any{hostileName}
	case []any:
		for i := range v {
			for _, wrong := range hostileCalls(v[i]) {
				changed := slices.Clone(v)
				changed[i] = wrong
				all = append(all, changed)
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			for _, wrong := range hostileCalls(v[name]) {
				changed := maps.Clone(v)
				changed[name] = wrong
				all = append(all, changed)
			}
		}
		more := maps.Clone(v)
		more[hostileName] = hostileName
		all = append(all, more)
	}
	return all
}

// A name that a caller gives is quoted in what refuses it or warns of it: none of it is taken for ours by a terminal.
func TestNoRefusalRepeatsControlCharacters(t *testing.T) {
	testrun.Alone(t)
	refused := 0
	for _, d := range notes(t).Callable(t) {
		var args any
		if err := json.Unmarshal([]byte(samples[d.ID]), &args); err != nil {
			t.Fatalf("%s: %v", d.ID, err)
		}
		e := notes(t)
		for _, wrong := range hostileCalls(args) {
			text, err := json.Marshal(wrong)
			if err != nil {
				t.Fatal(err)
			}
			res, err := e.Call(t.Context(), invoke.Call{Capability: d.ID, Args: text, Principal: invoketest.Ana, Via: "test"})
			said := strings.Join(res.Warnings, "\n")
			if err != nil {
				refused++
				said = err.Error() + "\n" + fault.Of(err).Told(10_000)
			}
			if at := strings.IndexFunc(said, func(c rune) bool { return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) }); at >= 0 {
				t.Errorf("%s %s: %q", d.ID, text, said)
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d calls were refused", refused)
	}
}
