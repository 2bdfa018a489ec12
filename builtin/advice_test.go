package builtin_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"trails/capability"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// needy has a reference that a Task needs, one of which it needs two, and one that it can be
// without.
const needy = `
types:
  Note: {iri: preserve, properties: {title: {type: string}, after: {class: Note}}}
  Task:
    iri: preserve
    properties:
      note: {class: Note, required: true}
      files: {class: Note, many: true, min_count: 2}
      seen: {class: Note, many: true}
`

func tasks(t *testing.T) *invoketest.Engine {
	t.Helper()
	e := invoketest.New(t, needy, invoke.Config{})
	for _, id := range []string{"a", "b", "c", "d"} {
		e.Must(t, "note.create", fmt.Sprintf(`{"id": %q}`, id))
	}
	e.Must(t, "note.update", `{"id": "c", "after": "Note/d"}`)
	e.Must(t, "task.create", `{"id": "t", "note": "Note/a", "files": ["Note/b", "Note/c"], "seen": ["Note/d"]}`)
	return e
}

// deletions are of nodes that others refer to, and whether they may go with the links.
var deletions = []struct {
	id, says string
	detach   bool
}{
	{"a", `Note/a is referred to by 1 of Task by note: Task/t; change them first, for they cannot be without it (Task/t: note is required)`, false},
	{"b", `Note/b is referred to by 1 of Task by files: Task/t; change them first, for they cannot be without it (Task/t: files must have at least 2 values, not 1)`, false},
	{"d", `Note/d is referred to by 1 of Note by after: Note/c; change them first, or remove these links, too, with detach: true`, true},
}

// A deletion that is refused advises detach where that works, and one with detach names the
// nodes that would break and their rule.
func TestADeletionAdvisesDetachWhereItWorks(t *testing.T) {
	testrun.Alone(t)
	for _, d := range deletions {
		for _, capability := range []string{"note.delete", "delete"} {
			e, args := tasks(t), fmt.Sprintf(`{"id": "Note/%s"}`, d.id)
			if capability == "note.delete" {
				args = fmt.Sprintf(`{"id": %q}`, d.id)
			}
			f := e.Refused(t, sampleCall(capability, args), fault.InvalidData)
			if got := f.Fields[0].Message; got != d.says {
				t.Errorf("%s %s: got %s, want %s", capability, d.id, got, d.says)
			}
			with := sampleCall(capability, strings.Replace(args, "}", `, "detach": true}`, 1))
			if d.detach {
				e.Must(t, capability, string(with.Args))
				continue
			}
			f = e.Refused(t, with, fault.InvalidData)
			if got := f.Told(2000); strings.Contains(got, "detach") || len(f.Fields) != 1 || f.Fields[0].Node != "Task/t" {
				t.Errorf("%s %s, detached: %s", capability, d.id, got)
			}
		}
	}
}

func sampleCall(name, args string) invoke.Call {
	return invoke.Call{Capability: name, Args: json.RawMessage(args), Principal: invoketest.Ana, Via: "test"}
}

// refusal is a call that is refused in the graph that begin makes.
type refusal struct {
	name  string
	begin func(*testing.T) (*invoketest.Engine, invoke.Call)
}

// refusals are the calls that other tests know to be refused.
func refusals(t *testing.T) (all []refusal) {
	for _, d := range notes(t).Callable(t) {
		for precondition, b := range broken[d.ID] {
			all = append(all, refusal{d.ID + "/" + precondition, func(t *testing.T) (*invoketest.Engine, invoke.Call) {
				e, commit := notes(t), ""
				if b.before != nil {
					commit = b.before(t, e)
				}
				return e, sample(d, strings.ReplaceAll(b.args, "COMMIT", commit))
			}})
		}
	}
	for _, m := range mass {
		if m.removes > 0 {
			all = append(all, refusal{"mass/" + m.name, func(t *testing.T) (*invoketest.Engine, invoke.Call) {
				return crowd(t), sampleCall(m.capability, m.args)
			}})
		}
	}
	for _, d := range deletions {
		all = append(all, refusal{"delete/" + d.id, func(t *testing.T) (*invoketest.Engine, invoke.Call) {
			return tasks(t), sampleCall("delete", fmt.Sprintf(`{"id": "Note/%s"}`, d.id))
		}})
	}
	for _, name := range []string{"schema_apply", "trails.meta.schema.apply"} {
		all = append(all, refusal{name + "/loss", func(t *testing.T) (*invoketest.Engine, invoke.Call) {
			return notes(t), sampleCall(name, `{"patch": "- drop_property: Note.status"}`)
		}})
	}
	all = append(all, refusal{"load/append", func(t *testing.T) (*invoketest.Engine, invoke.Call) {
		return notes(t), sampleCall("load", `{"mode": "append", "data": "{\"type\":\"Note\",\"id\":\"a\",\"data\":{\"title\":\"A\"}}"}`)
	}})
	return all
}

// advice is an argument that a text says to pass: name: value, pass name, mode name.
var advice = regexp.MustCompile(`\b([a-z_]+): (true|false)\b|\bpass ([a-z_]+)|\bwith (mode) ([a-z]+)`)

// advised are the arguments that a refusal says to pass and that its capability takes.
func advised(t *testing.T, e *invoketest.Engine, c invoke.Call, err error) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, d := range e.Callable(t) {
		if d.ID != c.Capability {
			continue
		}
		for _, m := range advice.FindAllStringSubmatch(err.Error(), -1) {
			name, value := m[1]+m[3]+m[4], any(m[2] != "false")
			if m[4] != "" {
				value = m[5]
			}
			if f, takes := d.InputShape.Field(name); takes && (f.Type == capability.Boolean || m[4] != "") {
				out[name] = value
			}
		}
	}
	return out
}

// with returns a call with one argument more.
func with(t *testing.T, c invoke.Call, name string, value any) invoke.Call {
	t.Helper()
	args := map[string]any{}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		t.Fatal(err)
	}
	args[name] = value
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	c.Args = text
	return c
}

// No refusal says to pass what the call passes, and a call that does as it is told is
// answered otherwise.
func TestNoRefusalAdvisesWhatWasJustDone(t *testing.T) {
	testrun.Alone(t)
	followed := 0
	for _, one := range refusals(t) {
		t.Run(one.name, func(t *testing.T) {
			e, c := one.begin(t)
			_, err := e.Call(t.Context(), c)
			if err == nil {
				t.Fatal("it is not refused")
			}
			for name, value := range advised(t, e, c, err) {
				followed++
				e, c := one.begin(t)
				if _, again := e.Call(t.Context(), with(t, c, name, value)); again != nil && (again.Error() == err.Error() || advised(t, e, c, again)[name] == value) {
					t.Errorf("with %s: %v it is refused as before: %v", name, value, again)
				}
			}
			for _, d := range e.Callable(t) {
				for _, f := range d.InputShape.Fields {
					if d.ID != c.Capability || f.Type != capability.Boolean {
						continue
					}
					e, c := one.begin(t)
					if _, again := e.Call(t.Context(), with(t, c, f.Name, true)); again != nil && advised(t, e, c, again)[f.Name] == true {
						t.Errorf("with %s: true it is told to pass that: %v", f.Name, again)
					}
				}
			}
		})
	}
	if followed < 5 {
		t.Errorf("only %d refusals advise something", followed)
	}
}
