package invoke_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/rdf"
)

// works has an abstract type above two others.
const works = `
types:
  Work:
    abstract: true
    properties:
      title: {type: string, required: true}
  Book: {extends: [Work]}
  Song: {extends: [Work]}
  Note:
    properties:
      text: {type: string}
`

// worksFile is a file that any number of engines may open.
func worksFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "works.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Name: "w", Schema: []byte(works), By: invoketest.Ana, Now: invoketest.Clock()}); err != nil {
		t.Fatal(err)
	}
	return path
}

// write makes one call that commits, and returns the commit.
func write(t testing.TB, e *invoketest.Engine, capability, format string, args ...any) string {
	t.Helper()
	commit, ok := e.Must(t, capability, fmt.Sprintf(format, args...))["commit"].(string)
	if !ok {
		t.Fatalf("%s committed nothing", capability)
	}
	return commit
}

// hear collects what a watcher is told until it hears of a commit.
func hear(t testing.TB, changes <-chan invoke.Change, until string) invoke.Change {
	t.Helper()
	var all invoke.Change
	for c := range changes {
		all.Head = c.Head
		all.Schema, all.Resync = all.Schema || c.Schema, all.Resync || c.Resync
		all.Types, all.Instances = union(all.Types, c.Types), union(all.Instances, c.Instances)
		if c.Head == until {
			return all
		}
	}
	t.Fatalf("the channel was closed before %s", until)
	return all
}

func union(a, b []string) []string {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}

func TestAWatcherHearsWhatWasTouched(t *testing.T) {
	path := worksFile(t)
	here := invoketest.Open(t, path, invoke.Config{})
	there := invoketest.Open(t, path, invoke.Config{}) // as another process would
	changes := here.Watch(t.Context(), invoketest.Ana)
	writers := []*invoketest.Engine{here, there}
	for i, step := range []struct {
		name  string
		write func(*invoketest.Engine) string
		want  invoke.Change
	}{
		{"an instance that is made, and its abstract supertype", func(e *invoketest.Engine) string {
			return write(t, e, "book_create", `{"id":"moby dick","title":"M"}`)
		}, invoke.Change{Types: []string{"Book", "Work"}, Instances: []string{"trails://kg/Book/moby%20dick", "trails://kg/Work/moby%20dick"}}},
		{"an instance that is changed", func(e *invoketest.Engine) string {
			return write(t, e, "book_update", `{"id":"moby dick","title":"N"}`)
		}, invoke.Change{Types: []string{"Book", "Work"}, Instances: []string{"trails://kg/Book/moby%20dick", "trails://kg/Work/moby%20dick"}}},
		{"an instance whose IRI was preserved", func(e *invoketest.Engine) string {
			return write(t, e, "note_create", `{"id":"http://a.example/n?x=1","text":"T"}`)
		}, invoke.Change{Types: []string{"Note"}, Instances: []string{"trails://kg/Note/http:%2F%2Fa.example%2Fn%3Fx=1"}}},
		{"an instance that is deleted", func(e *invoketest.Engine) string {
			return write(t, e, "book_delete", `{"id":"moby dick"}`)
		}, invoke.Change{Types: []string{"Book", "Work"}, Instances: []string{"trails://kg/Book/moby%20dick", "trails://kg/Work/moby%20dick"}}},
		{"an instance that gets another type", func(e *invoketest.Engine) string {
			return write(t, e, "load", `{"data":%q}`, `<http://a.example/n?x=1> <urn:trails:w:title> "T" .
				<http://a.example/n?x=1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:trails:w:Song> .`)
		}, invoke.Change{
			Types:     []string{"Note", "Song", "Work"},
			Instances: []string{"trails://kg/Note/http:%2F%2Fa.example%2Fn%3Fx=1", "trails://kg/Song/http:%2F%2Fa.example%2Fn%3Fx=1", "trails://kg/Work/http:%2F%2Fa.example%2Fn%3Fx=1"},
		}},
		{"statements about what has no type", func(e *invoketest.Engine) string {
			return write(t, e, "load", `{"data":"<urn:s> <urn:p> <urn:o> ."}`)
		}, invoke.Change{}},
		{"a schema", func(e *invoketest.Engine) string {
			return write(t, e, "schema_apply", `{"schema":%q}`, works+"  Other: {}\n")
		}, invoke.Change{Schema: true, Resync: true, Types: []string{"Book", "Note", "Other", "Song", "Work"}}},
	} {
		step.want.Head = step.write(writers[i%2])
		if diff := cmp.Diff(step.want, hear(t, changes, step.want.Head)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// commitIn is the commit that a call's result names, false when it made none.
func commitIn(t testing.TB, structured []byte) (string, bool) {
	t.Helper()
	var out struct{ Commit *string }
	if err := json.Unmarshal(structured, &out); err != nil {
		t.Fatal(err)
	}
	if out.Commit == nil {
		return "", false
	}
	return *out.Commit, true
}

func TestAddressesAreWrittenInOneWay(t *testing.T) {
	for _, c := range []struct{ typeName, id, want string }{
		{"Note", "", "trails://kg/Note"},
		{"Note", "N-1", "trails://kg/Note/N-1"},
		{"Note", "a/b c", "trails://kg/Note/a%2Fb%20c"},
		{"Note", "100%?#ü", "trails://kg/Note/100%25%3F%23%C3%BC"},
		{"Note", "urn:a:b", "trails://kg/Note/urn:a:b"},
	} {
		got := invoke.Address(c.typeName, c.id)
		if again, ok := invoke.CanonicalAddress(got); got != c.want || again != got || !ok {
			t.Errorf("%q: got %s, again %s, want %s", c.id, got, again, c.want)
		}
	}
	for uri, want := range map[string]string{
		"trails://kg/Note/a/b%20c":  "trails://kg/Note/a%2Fb%20c",
		"trails://kg/Note/urn%3Aa":  "trails://kg/Note/urn:a",
		"trails://kg/Note/":         "",
		"trails://kg/":              "",
		"trails://kg/Note?where=a=": "",
		"trails://schema":           "",
		"http://kg/Note":            "",
		"trails://kg/Note/%zz":      "",
	} {
		if got, ok := invoke.CanonicalAddress(uri); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", uri, got, ok, want)
		}
	}
}

// TestAddressesThatAreHeardCanBeRead holds for ids that need escapes, and for one
// that reads as the id of another node.
func TestAddressesThatAreHeardCanBeRead(t *testing.T) {
	e := invoketest.Open(t, worksFile(t), invoke.Config{})
	changes := e.Watch(t.Context(), invoketest.Ana)
	for _, id := range []string{"plain", "a/b c", "100%?#ü", "http://a.example/b?c=d&e#f", "urn:trails:w:Book/Book/x", "urn:trails:w:Note/x"} {
		commit := write(t, e, "book_create", `{"id":%q,"title":"T"}`, id)
		heard := hear(t, changes, commit)
		if len(heard.Instances) != 2 {
			t.Errorf("%s: heard %v", id, heard.Instances)
		}
		for _, uri := range heard.Instances {
			if _, err := e.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana}); err != nil {
				t.Errorf("%s: read %s: %v", id, uri, err)
			}
		}
	}
}

// A watcher with rights hears of what it may see, and of nothing else.
func TestAWatcherWithRightsHearsOfWhatItMaySee(t *testing.T) {
	e := invoketest.Open(t, worksFile(t), invoke.Config{Rights: func(p policy.Principal) *kg.Rights {
		if p.ID == invoketest.Ana.ID {
			return nil
		}
		return &kg.Rights{Types: []rdf.IRI{"urn:trails:w:Note"}}
	}})
	other := invoketest.Ana
	other.ID = "ben"
	all, part := e.Watch(t.Context(), invoketest.Ana), e.Watch(t.Context(), other)
	hidden := write(t, e, "note_create", `{"id":"n","text":"T"}`)
	hear(t, all, hidden)
	made := write(t, e, "book_create", `{"id":"b","title":"B"}`)
	want := invoke.Change{Head: made, Types: []string{"Book", "Work"}, Instances: []string{"trails://kg/Book/b", "trails://kg/Work/b"}}
	for _, changes := range []<-chan invoke.Change{all, part} {
		if diff := cmp.Diff(want, <-changes); diff != "" {
			t.Errorf("heard %s", diff)
		}
	}
	if open, behind := e.Watchers(); open != 2 || behind != 0 {
		t.Errorf("%d watchers, %d behind", open, behind)
	}
}
