package builtin_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// steps is a graph whose states are told apart, with the id of the commit that made each.
type steps struct {
	*invoketest.Engine
	t       *testing.T
	commits []string
	states  []string
}

// newSteps makes three changes of the schema with data between them: states[i] is what commits[i] left.
func newSteps(t *testing.T) *steps {
	t.Helper()
	s := &steps{Engine: invoketest.New(t, looseSchema, invoke.Config{}), t: t}
	s.Govern(t, cedar.Starter)
	s.do("note.create", `{"id":"a","title":"One","state":"draft"}`)
	s.do("schema_apply", string(patchArgs("add_property: {Note.due: date}", "")))
	s.do("note.update", `{"id":"a","due":"2026-01-02"}`)
	s.do("schema_apply", string(patchArgs("rename_property: {Note.title: name}", "")))
	s.do("note.create", `{"id":"b","name":"Two"}`)
	s.do("schema_apply", string(patchArgs("add_type: {Task: {properties: {what: string}}}", "")))
	return s
}

func (s *steps) do(capability, args string) string {
	s.t.Helper()
	commit, _ := s.Must(s.t, capability, args)["commit"].(string)
	s.commits, s.states = append(s.commits, commit), append(s.states, s.state())
	return commit
}

func (s *steps) state() string {
	s.t.Helper()
	rows := s.Must(s.t, "query", `{"query":"SELECT * { { ?s ?p ?o } UNION { GRAPH <urn:trails:graph:schema> { ?s ?p ?o } } } ORDER BY ?s ?p ?o","limit":10000}`)
	return fmt.Sprint(s.Must(s.t, "schema_get", `{"format":"yaml"}`)["text"], rows["rows"])
}

func (s *steps) undo(commit string) string {
	s.t.Helper()
	return s.do("undo", fmt.Sprintf(`{"commit":%q}`, commit))
}

// refused makes an undo that must be refused.
func (s *steps) refused(commit string, want fault.Kind) *fault.Error {
	s.t.Helper()
	return s.Refused(s.t, invoke.Call{Capability: "undo", Args: json.RawMessage(fmt.Sprintf(`{"commit":%q}`, commit)), Principal: invoketest.Ana}, want)
}

func (s *steps) is(i int, what string) {
	s.t.Helper()
	if now := s.state(); now != s.states[i] {
		s.t.Fatalf("%s, the graph is\n%s\nwant\n%s", what, now, s.states[i])
	}
}

// Changes of the schema go back one after the other, the newest first, and each undo can itself be undone: what an
// undo took back stands in nobody's way.
func TestChangesOfTheSchemaAreTakenBackOneAfterTheOther(t *testing.T) {
	testrun.Alone(t)
	s := newSteps(t)
	var undos []string
	for i := 5; i > 0; i-- {
		undos = append(undos, s.undo(s.commits[i]))
		s.is(i-1, "with commit "+fmt.Sprint(i)+" taken back")
	}
	for i := len(undos) - 1; i >= 0; i-- {
		s.undo(undos[i])
		s.is(5-i, "with undo "+fmt.Sprint(i)+" taken back")
	}
}

// Policies and servers of later commits stay, and stand in the way of no change of the schema.
func TestPoliciesDoNotKeepTheSchema(t *testing.T) {
	s := newSteps(t)
	s.Govern(t, cedar.Starter+"\n// for this test\n")
	s.undo(s.commits[5])
	if now := s.Must(t, "trails.meta.policy.show", "{}")["text"]; !strings.Contains(fmt.Sprint(now), "for this test") || strings.Contains(s.state(), "Task") {
		t.Errorf("the policies are %v, the graph is %s", now, s.state())
	}
}

// Data that a range takes back is its caller's own change.
func TestWhoMayNotChangeDataTakesBackNoneByARange(t *testing.T) {
	s := newSteps(t)
	s.Govern(t, `permit (principal, action, resource);
forbid (principal, action == Action::"change", resource in Type::"Note");
`)
	by := func(commits string) error {
		some := policy.Principal{ID: "token:some", Scopes: policy.AllScopes(), Authenticated: true}
		_, err := s.Call(t.Context(), invoke.Call{Capability: "undo", Args: json.RawMessage(fmt.Sprintf(`{"commit":%q}`, commits)), Principal: some})
		return err
	}
	if err := by(s.commits[3] + ".." + s.commits[5]); !fault.Is(err, fault.Denied) {
		t.Error(err)
	}
	if err := by(s.commits[5]); err != nil {
		t.Error(err)
	}
}

// What is taken back already is said to be so, and changes nothing.
func TestAChangeOfTheSchemaThatIsTakenBackIsSaidToBe(t *testing.T) {
	s := newSteps(t)
	s.undo(s.commits[5])
	r := s.Must(t, "undo", fmt.Sprintf(`{"commit":%q}`, s.commits[5]))
	if r["commit"] != nil || !strings.Contains(fmt.Sprint(r["warnings"]), "already undone") {
		t.Error(r)
	}
	s.is(4, "taken back twice")
}

// Commits with changes of the schema among them are taken back as one, with the data between; so is that undo.
func TestARangeWithChangesOfTheSchemaIsTakenBackAsOne(t *testing.T) {
	testrun.Alone(t)
	for _, r := range [][2]int{{0, 5}, {0, 4}, {1, 3}, {2, 5}, {4, 5}} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			s := newSteps(t)
			for i := 5; i > r[1]; i-- {
				s.undo(s.commits[i])
			}
			name := s.commits[r[0]] + ".." + s.commits[r[1]]
			before := s.state()
			dry := s.Must(t, "undo", fmt.Sprintf(`{"commit":%q,"dry_run":true}`, name))
			if s.state() != before {
				t.Error("a dry run changed something")
			}
			done := s.Must(t, "undo", fmt.Sprintf(`{"commit":%q}`, name))
			for _, member := range []string{"added", "removed", "undone"} {
				if dry[member] != done[member] {
					t.Errorf("%s: a dry run says %v, and the undo %v", member, dry[member], done[member])
				}
			}
			s.is(r[0], "without "+name)
			s.Must(t, "undo", `{"commit":"head"}`)
			s.is(r[1], "with "+name+" again")
		})
	}
}

// Each refusal of an undo of definitions names what is to be done, in calls that work when they are made.
func TestAdviceOfARefusedUndoOfTheSchemaWorks(t *testing.T) {
	testrun.Alone(t)
	t.Run("the last that stands, first", func(t *testing.T) {
		s := newSteps(t)
		s.undo(s.commits[5]) // it and its undo do not count
		s.undo("head")
		advice := regexp.MustCompile(`take back commit (\w+) first|undo \{"commit":"([^"]+)"\}`)
		var follow func(commit string, depth int)
		follow = func(commit string, depth int) {
			_, err := s.Do(t, "undo", fmt.Sprintf(`{"commit":%q}`, commit))
			if err == nil {
				return
			}
			named := advice.FindStringSubmatch(err.Error() + fmt.Sprint(fault.Of(err).Fields))
			if named == nil || depth > 5 {
				t.Fatal(err)
			}
			follow(named[1]+named[2], depth+1)
			if named[1] != "" { // else the range had it, too
				follow(commit, depth+1)
			}
		}
		follow(s.commits[3], 0)
		if now := s.state(); strings.Contains(now, "name: {type") || !strings.Contains(now, "due") {
			t.Errorf("the rename is not taken back alone: %s", now)
		}
	})
	t.Run("or all", func(t *testing.T) {
		s := newSteps(t)
		named := regexp.MustCompile(`"commit":"([^"]+)"`).FindStringSubmatch(s.refused(s.commits[1], fault.Conflict).Message)
		if named == nil {
			t.Fatal("it names no commits")
		}
		s.undo(named[1])
		s.is(0, "with all taken back")
	})
	t.Run("a migration has its own way, and the rest goes in parts", func(t *testing.T) {
		s := newSteps(t)
		s.do("trails.meta.migrate.apply", `{"migrations":[{"name":"0001_x.yaml","text":"steps:\n- add_property: {Note.size: integer}\n"}]}`)
		s.do("note.update", `{"id":"b","size":3}`)
		s.do("schema_apply", string(patchArgs("add_property: {Note.tags: {type: string, many: true}}", "")))
		said := s.refused(s.commits[0]+"..head", fault.Conflict).Message
		parts := regexp.MustCompile(`commit (\w+) .*trails\.meta\.migrate\.rollback.* the newest first: take back (\S+), then that commit, then (\S+)$`).FindStringSubmatch(said)
		if parts == nil || parts[1] != s.commits[6] {
			t.Fatal(said)
		}
		s.undo(parts[2])
		s.is(6, "with what came after the migration taken back")
		s.Must(t, "trails.meta.migrate.rollback", `{}`)
		s.is(5, "with the migration taken back")
		s.undo(parts[3])
		s.is(0, "with the rest taken back")
	})
}

// Who may not loosen the schema cannot do so by taking back a range either.
func TestWhoLacksBuilderCannotLoosenTheSchemaByARange(t *testing.T) {
	s := newSteps(t)
	undo := func(commits string) invoke.Call {
		return invoke.Call{Capability: "undo", Args: json.RawMessage(fmt.Sprintf(`{"commit":%q}`, commits)), Principal: invoketest.Nobody}
	}
	s.Refused(t, undo(s.commits[2]+"..head"), fault.Unauthenticated) // it renames
	s.is(5, "refused")
	if _, err := s.Call(t.Context(), undo(s.commits[3]+"..head")); err != nil {
		t.Errorf("an addition is not taken back: %v", err)
	}
	s.is(3, "with what was added taken back")
}
