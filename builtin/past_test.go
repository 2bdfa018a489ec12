package builtin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/example"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// pastReads has calls of every read of the graph that takes at, on the graph of the example with its story.
var pastReads = map[string][]string{
	"snapshot":   {`{}`},
	"schema_get": {`{}`, `{"type": "Component"}`, `{"format": "turtle"}`},
	"search":     {`{"text": "pages"}`, `{"text": "htpp"}`, `{"text": "R-013"}`, `{"text": "nothing like it"}`, `{"text": "a", "type": "Decision"}`},
	"get":        {`{"ids": ["Component/httpapi", "Requirement/R-013"]}`, `{"ids": ["Pages for people"], "depth": 2}`, `{"ids": ["Component/nowhere"]}`, `{"ids": ["Standard/xhtml-1.0"]}`},
	"list": {
		`{"type": "Component"}`, `{"type": "Requirement", "where": ["status = met"]}`, `{"type": "Requirement", "where": ["priority > 1"], "sort": "-priority", "facets": true}`,
		`{"type": "Component", "sort": "title", "select": ["title", "dependsOn.title"]}`, `{"type": "Decision", "sort": "decided"}`, `{"type": "Decision", "where": ["about.row = graph"]}`,
		`{"type": "Requirement", "where": ["status = none"]}`, `{"type": "Nothing"}`,
	},
	"history": {`{}`, `{"id": "Requirement/R-013"}`, `{"type": "Standard"}`, `{"id": "Standard/xhtml-1.0"}`},
	"query": {
		`{"query": "SELECT ?c ?t { ?c a :Component ; :title ?t } ORDER BY ?t"}`, `{"query": "SELECT ?row (COUNT(*) AS ?n) { ?c :row ?row } GROUP BY ?row"}`,
		`{"query": "SELECT * { ?r :status \"met\" ; :title ?t OPTIONAL { ?c :satisfies ?r } }"}`, `{"query": "ASK { :Standard\\/html ?p ?o }"}`, `{"query": "SELECT ?r { ?r :status \"Met\" }"}`,
		`{"query": "SELECT ?x { :Component\\/cmd-trails :dependsOn+ ?x } ORDER BY ?x"}`, `{"query": "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"}`, `{"query": "SELECT * { ?c :nothing ?x }"}`,
		`{"query": "SELECT ?r ?old ?new { ?r :status ?new GRAPH <urn:trails:at:head~1> { ?r :status ?old } FILTER(?old != ?new) } ORDER BY ?r"}`,
		`{"query": "SELECT * { GRAPH <urn:trails:at:head~2> { ?c ?p ?o } } ORDER BY ?c ?p ?o"}`,
		`{"query": "CONSTRUCT WHERE { ?d :supersedes ?e }"}`, `{"query": "DESCRIBE :Decision\\/9"}`,
	},
	"trails.meta.diff.data": {`{"data": "<urn:a> <urn:b> <urn:c> .\n"}`, `{"data": "", "form": "patch", "limit": 20}`},
	"blame":                 {`{"id": "Requirement/R-013"}`, `{"id": "Component/httpapi"}`, `{"id": "Standard/xhtml-1.0"}`},
	"commits_list":          {`{}`, `{"limit": 3}`, `{"schema_only": true}`},
	"commits_find":          {`{"author": "bo"}`, `{"type": "Standard", "limit": 3}`, `{"call": "load", "door": "script"}`},
	"definitions_get":       {`{}`},
	"definitions_diff":      {`{"definitions": {"schema": "types: {Component: {properties: {name: string}}}"}}`},
	"entities_list":         {`{"type": "Component"}`, `{"type": "Requirement", "sort": "title", "facets": true, "search": "p"}`, `{"type": "Decision", "sort": "-number", "whole": true}`},
	"entity_get":            {`{"type": "Component", "id": "httpapi"}`, `{"type": "Standard", "id": "rfc9110"}`, `{"type": "Component", "id": "httpapi", "property": "follows"}`},
	"entity_history":        {`{"type": "Requirement", "id": "R-013"}`},
	"commit_view":           {`{"id": "head"}`, `{"id": "head~3"}`},
	"paths":                 {`{"from": "Component/httpapi", "to": "Standard/html"}`, `{"from": "Component/httpapi", "to": "Decision/9", "steps": 3}`},
	"entity_graph":          {`{"type": "Component", "id": "httpapi", "depth": 2}`, `{"type": "Standard", "id": "html", "direction": "in"}`},
	"reconcile":             {`{"queries": {"a": {"query": "httpapi", "type": "Component", "properties": [{"pid": "row", "v": "transports"}]}, "b": {"query": "pages"}}}`},
	"suggest":               {`{"what": "types", "prefix": ""}`, `{"what": "entities", "type": "Component", "prefix": "pa"}`, `{"what": "values", "type": "Requirement", "property": "status", "prefix": ""}`, `{"what": "properties", "type": "Component", "prefix": "d"}`},
	"describe":              {`{"type": "Component"}`, `{"type": "Requirement"}`},
	"stored_query_list":     {`{}`},
	"stored_query_run":      {`{"name": "open"}`},
	"open":                  {`{}`},
	"export":                {`{"format": "nquads"}`, `{"format": "turtle"}`, `{"format": "ndjson"}`, `{"format": "csv", "type": "Component"}`},

	"trails.meta.policy.show": {`{}`},
	"trails.meta.policy.plan": {`{"policies": "permit (principal, action, resource in Type::\"Standard\");"}`, `{"policies": "permit (principal, action, resource == Type::\"Decision\"); forbid (principal, action, resource in Query::\"open\");"}`},
	"trails.meta.policy.test": {`{"cases": "- {as: anonymous, action: read, on: 'Type::\"Decision\"', expect: allowed}\n- {as: token:ci, call: component.update, expect: denied}"}`},
}

// laterWrites change data, types, properties and names of the example.
var laterWrites = [][2]string{
	{"requirement.update", `{"id": "R-013", "status": "proposed", "priority": 5, "title": "Pages show everything"}`},
	{"decision.delete", `{"id": "9", "detach": true}`},
	{"component.create", `{"name": "later", "path": "later", "title": "Later pages", "row": "logic"}`},
	{"mutate", `{"update": "DELETE WHERE { ?c :follows ?s }"}`},
	{"mutate", `{"update": "INSERT { GRAPH :g { ?c ?p ?o } } WHERE { ?c a :Component ; ?p ?o }", "allow_mass_change": true}`},
	{"schema_apply", `{"patch": "- rename_property: {Component.dependsOn: needs}\n- add_property: {Requirement.owner: string}"}`},
	{"mutate", `{"update": "INSERT DATA { GRAPH :g { :Standard\\/html :title \"HTML\" } }"}`},
	{"schema_apply", `{"patch": "- rename_type: {Standard: Norm}\n- drop_property: Decision.supersedes", "allow_data_loss": true}`},
	{"undo", `{"commit": "head~4"}`},
}

// toldOf is what a call answers: its result and warnings, or its refusal.
func toldOf(t *testing.T, e *invoketest.Engine, id, args string) string {
	t.Helper()
	call := invoke.Call{Capability: id, Args: json.RawMessage(args), Principal: invoketest.Ana, Via: "test", Whole: true}
	var streamed bytes.Buffer
	if id == "export" || id == "trails.meta.bundle.create" {
		call.Output = &streamed
	}
	r, err := e.Call(t.Context(), call)
	switch {
	case err != nil:
		return invoketest.Refusal(err)
	case id == "export":
		return streamed.String()
	}
	warnings, err := json.Marshal(r.Parts.Warnings)
	if err != nil {
		t.Fatal(err)
	}
	text := invoketest.Indented(t, r.Structured)
	if id == "health" && strings.Contains(text, `"head": null`) { // it does not wait long for a reader
		return toldOf(t, e, id, args)
	}
	return text + string(warnings)
}

// withArgument adds an argument.
func withArgument(args, name, value string) string {
	return strings.Replace(strings.Replace(args, "{", fmt.Sprintf(`{%q: %q, `, name, value), 1), ", }", "}", 1)
}

// pastRead is a read, and what it answered when a commit was the newest one.
type pastRead struct{ commit, id, args, told string }

// readsNow makes each read that takes at.
func readsNow(t *testing.T, e *invoketest.Engine) (reads []pastRead) {
	t.Helper()
	now := fmt.Sprint(e.Must(t, "health", `{}`)["head"])
	for _, d := range e.Callable(t) {
		if _, takes := d.InputShape.Field("at"); !takes {
			continue
		}
		if len(pastReads[d.ID]) == 0 {
			t.Errorf("no call of %s is read at an earlier commit", d.ID)
		}
		for _, args := range pastReads[d.ID] {
			reads = append(reads, pastRead{now, d.ID, args, toldOf(t, e, d.ID, args)})
		}
	}
	return reads
}

// toldStory makes the graph of the example with a stored query, and tells its story. each is called with the number of
// steps so far, from 0 on.
func toldStory(t *testing.T, each func(e *invoketest.Engine, step int)) *invoketest.Engine {
	t.Helper()
	e, step := invoketest.Example(t), 0
	e.Must(t, "trails.meta.query.add", `{"queries": [{"text": "#+ id: open\n#+ description: What is to be done.\nSELECT ?r { ?r :status \"accepted\" }"}]}`)
	e.Must(t, "trails.meta.policy.apply", `{"policies": "permit (principal, action, resource);\nforbid (principal, action in Action::\"writes\", resource) unless { principal in Group::\"authors\" };"}`)
	each(e, step)
	for one, err := range example.Story() {
		if err != nil {
			t.Fatal(err)
		}
		args, err := json.Marshal(one.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		e.Must(t, one.Capability, string(args))
		step++
		each(e, step)
	}
	return e
}

// Every read of an earlier commit answers what it answered when that commit was the newest one, whatever was changed
// since: data, types, properties, names.
func TestAReadOfAnEarlierCommitIsWhatWasReadThen(t *testing.T) {
	var reads []pastRead
	e := toldStory(t, func(e *invoketest.Engine, step int) {
		if step%7 == 0 {
			reads = append(reads, readsNow(t, e)...)
		}
	})
	for _, write := range laterWrites {
		if _, err := e.Call(t.Context(), invoke.Call{Capability: write[0], Args: json.RawMessage(write[1]), Principal: invoketest.Ana}); err != nil {
			t.Fatalf("%s %s: %v", write[0], write[1], err)
		}
		reads = append(reads, readsNow(t, e)...)
	}
	for _, r := range reads {
		if diff := cmp.Diff(r.told, toldOf(t, e, r.id, withArgument(r.args, "at", r.commit))); diff != "" {
			t.Errorf("%s %s, then and at %s:\n%s", r.id, r.args, r.commit, diff)
		}
	}
}

// A commit is named by its id, by its place before the head and by the time, at every door alike.
func TestACommitIsNamedByItsPlaceAndByTheTime(t *testing.T) {
	e := invoketest.Example(t)
	var commits []string
	for i := range 3 {
		e.Must(t, "requirement.update", fmt.Sprintf(`{"id": "R-001", "priority": %d}`, i+3))
		commits = append(commits, fmt.Sprint(e.Must(t, "health", `{}`)["head"]))
	}
	e.Must(t, "tags_create", `{"name": "five"}`)
	e.Must(t, "branches_create", `{"name": "draft"}`)
	draft := fmt.Sprint(e.Must(t, "requirement.update", `{"id": "R-001", "priority": 1, "branch": "draft"}`)["commit"])
	list := e.Must(t, "commits_list", `{"limit": 3, "whole": true}`)["rows"].([]any)
	timeOf := func(row int) string { return fmt.Sprint(list[row].([]any)[1]) }
	priority := func(at string) string {
		t.Helper()
		asked := toldOf(t, e, "query", fmt.Sprintf(`{"query": "SELECT ?p { :Requirement\\/R-001 :priority ?p }", "at": %q}`, at))
		read := toldOf(t, e, "resources_read", fmt.Sprintf(`{"uri": "trails://kg/Requirement/R-001?at=%s"}`, strings.ReplaceAll(at, "+", "%2B")))
		for _, n := range []string{"1", "2", "3", "4", "5"} {
			if strings.Contains(asked, "\n      "+n+"\n") {
				if !strings.Contains(read, `"priority": `+n) {
					t.Errorf("at %s a query finds %s, and the address has\n%s", at, n, read)
				}
				return n
			}
		}
		return asked
	}
	for at, want := range map[string]string{
		commits[0]: "3", commits[1][:6]: "4", "head": "5", "HEAD~0": "5", "head~1": "4", "head~2": "3",
		commits[1] + "~1": "3", commits[1][:6] + "~2": "1", "five~1": "4", "five~0": "5", timeOf(1) + "~1": "3",
		draft: "1", draft + "~1": "5", draft + "~2": "4", "draft~3": "3",
		timeOf(0): "5", timeOf(1): "4", timeOf(2): "3", "2100-01-01T00:00:00+02:00": "5",
	} {
		if got := priority(at); got != want {
			t.Errorf("at %s the priority is %s, want %s", at, got, want)
		}
	}
	for at, says := range map[string]string{
		"12": "give at least four digits of its id, head, head~2", commits[0][:1]: "give at least four digits", commits[1][:3]: "give at least four digits", "head~": "head~2 (two commits", "head~x": "head~2 (two commits", "head~-1": "head~2 (two commits", "head2": "head~2 (two commits",
		"head~99999999999999999999999": "head~2 (two commits", "head~99": "main has 5 commits", commits[1] + "~4": "fewer commits come before it", draft + "~99": "fewer commits come before it", "zzzz~1": "names no commit", commits[1] + "~": "names no commit", "0123456789~1": "commits_list has them",
		"2026-01-01": "head~2 (two commits", "1999-12-31T00:00:00Z": "no commit was made at",
		"yesterday": "head~2 (two commits", "zzzz": "head~2 (two commits", "0123456789": "commits_list has them",
	} {
		if got := priority(at); !strings.Contains(got, says) || !strings.HasPrefix(got, "missing: ") && !strings.HasPrefix(got, "malformed: ") {
			t.Errorf("at %s: %s", at, got)
		}
	}
	for uri, says := range map[string]string{
		"trails://doctor?at=head~1":                      "trails://doctor is not of one commit; leave at out",
		"trails://prov/latest?at=head":                   "trails://prov/latest is not of one commit",
		"trails://kg/Requirement?at=head&at=head":        "at is one commit",
		"trails://kg/Requirement/R-001?at=":              "at is one commit",
		"trails://kg/Requirement/R-001?at=head&limit=10": "one instance takes no parameter",
	} {
		if got := toldOf(t, e, "resources_read", fmt.Sprintf(`{"uri": %q}`, uri)); !strings.Contains(got, says) {
			t.Errorf("%s: %s", uri, got)
		}
	}
}
