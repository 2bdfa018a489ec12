package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
)

const (
	attackSchema = "../testdata/attack/schema.yaml"
	attackBase   = "https://attack.mitre.org/kg/"
	attackQuads  = 40106 // of 1,757 nodes and 19,215 edges
)

// loaded is the path of a file with the real data, made once.
var loaded struct {
	sync.Once
	path  string
	first string // the commit of the load
}

// attackFile returns a copy of a file with the real data, and the id of the commit that loaded it.
func attackFile(t testing.TB) (path, load string) {
	t.Helper()
	data := attackData(t)
	loaded.Do(func() {
		dir := filepath.Dir(trailsBinary)
		file := filepath.Join(dir, "attack.db")
		must(t, "init", file, "--schema", attackSchema)
		var w written
		decode(t, must(t, "load", file, data, "-o", "json"), &w)
		if w.Commit == "" || w.Added != attackQuads {
			t.Fatalf("the load is %+v, want a commit that adds %d quads", w, attackQuads)
		}
		loaded.path, loaded.first = file, w.Commit
	})
	if loaded.path == "" {
		t.Fatal("the real data did not load; see the first failure")
	}
	path = filepath.Join(t.TempDir(), "attack.db")
	must(t, "backup", loaded.path, path)
	return path, loaded.first
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func TestTheMainJobOverStdio(t *testing.T) {
	testrun.Alone(t)
	file, load := attackFile(t)
	mainJob(t, file, load, openStdio(t, file))
}

func TestTheMainJobOverHTTP(t *testing.T) {
	testrun.Alone(t)
	file, load := attackFile(t)
	w := openWeb(t, file)
	mainJob(t, file, load, w)
}

// mainJob does what agents do: search, be refused, correct the call, and read the commit and its provenance.
func mainJob(t *testing.T, file, load string, d door) {
	t.Run("the tools of every concrete type are listed", func(t *testing.T) { listsTools(t, d) })
	t.Run("the data is all there", func(t *testing.T) { countsData(t, d) })
	t.Run("a technique is found by its id", func(t *testing.T) { findsTechnique(t, d) })
	t.Run("bad filters are refused", func(t *testing.T) { refusesFilters(t, d) })
	t.Run("a technique with mistakes is refused with all of them", func(t *testing.T) { refusesMistakes(t, d) })
	t.Run("a rehearsal changes nothing", func(t *testing.T) { rehearses(t, d) })

	draft := technique("T9001")
	w, err := put(d, "technique_create", draft)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("the corrected technique is written", func(t *testing.T) { wasWritten(t, d, w) })
	t.Run("the commit is seen", func(t *testing.T) { seesCommit(t, d, w, load) })
	t.Run("provenance tells of the write and of the refusal", func(t *testing.T) { seesProvenance(t, d, w) })
	t.Run("a stale if_commit loses", func(t *testing.T) { losesPrecondition(t, d, load, w) })
	t.Run("a double is refused", func(t *testing.T) { refusesDouble(t, d, draft) })
	t.Run("it is updated and deleted", func(t *testing.T) { updatesAndDeletes(t, d, w) })
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	t.Run("the file verifies", func(t *testing.T) { must(t, "verify", file) })
}

// technique returns arguments for a technique that the schema accepts.
func technique(id string) map[string]any {
	return map[string]any{
		"attackId":       id,
		"name":           "Trail Following " + id,
		"description":    "Adversaries may follow the trails that a knowledge graph keeps, in order to learn who wrote what and when.",
		"url":            "https://attack.mitre.org/techniques/" + id,
		"created":        "2026-11-21T09:00:00Z",
		"modified":       "2026-11-21T09:00:00Z",
		"stixId":         "attack-pattern--00000000-0000-4000-8000-00000000" + id[1:],
		"version":        "1.0",
		"isSubtechnique": false,
		"platform":       []string{"Linux", "macOS"},
		"tactic":         []string{"Tactic/TA0007"},
	}
}

func listsTools(t *testing.T, d door) {
	result, err := d.call("tools/list", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []struct {
			Name        string
			Description string
			InputSchema struct {
				Type string
			}
			Annotations map[string]bool
			Meta        map[string]any `json:"_meta"`
			Trails      map[string]any
		}
	}
	decode(t, string(result), &list)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.InputSchema.Type != "object" || len(tool.Annotations) != 4 {
			t.Errorf("%s lacks a description, an object schema or one of four annotations: %+v", tool.Name, tool)
		}
		if diff := cmp.Diff(tool.Meta["trails"], any(tool.Trails)); diff != "" || tool.Trails["kind"] == nil {
			t.Errorf("%s: the two discriminators differ or say nothing: %s", tool.Name, diff)
		}
	}
	want := []string{"health", "snapshot", "schema_get", "schema_apply", "load", "commits_list", "commits_get", "undo", "trails_meta_ping"}
	for _, typ := range []string{"technique", "malware", "tool", "group", "campaign", "mitigation", "tactic"} {
		want = append(want, typ+"_create", typ+"_update", typ+"_delete")
	}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("no tool %s in %v", name, names)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "attack_object") || strings.HasPrefix(name, "software_") {
			t.Errorf("an abstract type has the tool %s", name)
		}
	}
}

func countsData(t *testing.T, d door) {
	text, err := read(d, "trails://kg/types")
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []string{"691", "693", "172", "91", "52", "44", "14"} {
		if !strings.Contains(text, count) {
			t.Errorf("trails://kg/types says nothing of %s nodes:\n%s", count, text)
		}
	}
}

func findsTechnique(t *testing.T, d door) {
	for _, uri := range []string{
		"trails://kg/Technique?where=attackId=T1059",
		"trails://kg/Technique?where=attackId%3DT1059&limit=10",
	} {
		text, err := read(d, uri)
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if diff := cmp.Diff(`[{"iri":"https://attack.mitre.org/kg/Technique/T1059","label":"Command and Scripting Interpreter"}]`, text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", uri, diff)
		}
	}
	text, err := read(d, "trails://kg/Technique/T1059")
	if err != nil {
		t.Fatal(err)
	}
	var node map[string]any
	decode(t, text, &node)
	if node["@id"] != attackBase+"Technique/T1059" || node["@context"] == nil || node["name"] != "Command and Scripting Interpreter" || node["isSubtechnique"] != false {
		t.Errorf("the instance is no JSON-LD of T1059: %.2000s", text)
	}
}

func refusesFilters(t *testing.T, d door) {
	for uri, reason := range map[string]string{
		"trails://kg/Technique?where=created=yesterday":    "type_mismatch",
		"trails://kg/Technique?where=isSubtechnique=maybe": "type_mismatch",
	} {
		_, err := read(d, uri)
		var data struct {
			Field, Reason    string
			ExpectedDatatype string `json:"expected_datatype"`
		}
		e := refusal(t, err, -32602)
		decode(t, string(e.Data), &data)
		if data.Reason != reason || data.ExpectedDatatype == "" || data.Field == "" {
			t.Errorf("%s: got %s, want reason %s, the field and the datatype", uri, e.Data, reason)
		}
	}
	_, err := read(d, "trails://kg/Technique/T0000")
	e := refusal(t, err, -32602)
	if e.Message != "Resource not found" || !strings.Contains(string(e.Data), `"uri":"trails://kg/Technique/T0000"`) {
		t.Errorf("got %v, want Resource not found with its uri", e)
	}
}

// refusal checks that err is a JSON-RPC error with this code.
func refusal(t testing.TB, err error, code int) *rpcError {
	t.Helper()
	var e *rpcError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a refusal with %d", err, code)
	}
	if e.Code != code {
		t.Fatalf("got %v, want code %d", e, code)
	}
	return e
}

// field is a FieldError as the contract has it.
type field struct {
	Field      string `json:"field"`
	Code       string `json:"code"`
	Message    string `json:"message"`
	Value      any    `json:"value"`
	Constraint any    `json:"constraint"`
}

func refusesMistakes(t *testing.T, d door) {
	draft := technique("T9001")
	draft["attackId"], draft["platform"] = "T90", []string{"Linux", "Amiga"}
	_, err := put(d, "technique_create", draft)
	e := refusal(t, err, -32602)
	if !strings.HasPrefix(e.Message, "validation failed on 2 fields\nattackId must match ") {
		t.Errorf("got message %q", e.Message)
	}
	var data struct{ Fields []field }
	decode(t, string(e.Data), &data)
	platforms := []any{"Containers", "ESXi", "IaaS", "Identity Provider", "Linux", "Network Devices", "Office Suite", "PRE", "SaaS", "Windows", "macOS"}
	want := []field{
		{"attackId", "pattern", "", "T90", `^T\d{4}(\.\d{3})?$`},
		{"platform", "one_of", "", "Amiga", platforms},
	}
	for i := range data.Fields {
		if data.Fields[i].Message == "" {
			t.Errorf("%s has no message", data.Fields[i].Field)
		}
		data.Fields[i].Message = ""
	}
	if diff := cmp.Diff(want, data.Fields); diff != "" {
		t.Errorf("data.fields (-want +got):\n%s", diff)
	}
	if _, err := read(d, "trails://kg/Technique/T90"); err == nil {
		t.Error("the refused technique is there")
	}
}

func rehearses(t *testing.T, d door) {
	draft := technique("T9002")
	draft["dry_run"] = true
	w, err := put(d, "technique_create", draft)
	if err != nil {
		t.Fatal(err)
	}
	if w.Commit != "" || !w.DryRun || w.Added == 0 {
		t.Errorf("got %+v, want no commit, dry_run and what would be added", w)
	}
	if _, err := read(d, "trails://kg/Technique/T9002"); err == nil {
		t.Error("a dry run wrote")
	}
}

func wasWritten(t *testing.T, d door, w written) {
	if w.IRI != attackBase+"Technique/T9001" || w.ID != "T9001" || w.Branch != "main" {
		t.Errorf("got id %s, iri %s, branch %s", w.ID, w.IRI, w.Branch)
	}
	if w.Commit == "" || w.Added != 13 || w.Removed != 0 {
		t.Errorf("got %+v, want a commit that adds 13 quads", w)
	}
	text, err := read(d, "trails://kg/Technique/T9001")
	if err != nil || !strings.Contains(text, "Trail Following") {
		t.Errorf("the instance reads %v %s", err, text)
	}
}

func seesCommit(t *testing.T, d door, w written, parent string) {
	list, err := tool(d, "commits_list", map[string]any{"limit": 3, "whole": true})
	if err != nil {
		t.Fatal(err)
	}
	var commits struct {
		Columns []string
		Rows    [][]any
	}
	decode(t, string(list.Structured), &commits)
	id, onto := slices.Index(commits.Columns, "id"), slices.Index(commits.Columns, "parent")
	if len(commits.Rows) == 0 || id < 0 || onto < 0 || commits.Rows[0][id] != w.Commit || commits.Rows[0][onto] != parent {
		t.Errorf("commits_list does not begin with %s on %s: %s", w.Commit, parent, list.Structured)
	}
	one, err := tool(d, "commits_get", map[string]any{"id": w.Commit, "quads": true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{w.Commit, "Technique/T9001", "Trail Following"} {
		if !strings.Contains(string(one.Structured), want) {
			t.Errorf("commits_get does not mention %s: %s", want, one.Structured)
		}
	}
}

func seesProvenance(t *testing.T, d door, w written) {
	text, err := read(d, "trails://prov/latest")
	if err != nil {
		t.Fatal(err)
	}
	base, local, _ := strings.Cut(w.IRI, "Technique/") // the document has a prefix for the base
	for _, want := range []string{w.Commit, base, `:Technique/` + local + `"`, "technique.create", `"ok"`, `"invalid"`, "Activity"} {
		if !strings.Contains(text, want) {
			t.Errorf("trails://prov/latest does not mention %s:\n%.4000s", want, text)
		}
	}
}

func losesPrecondition(t *testing.T, d door, stale string, w written) {
	draft := technique("T9003")
	draft["if_commit"] = stale
	a, err := tool(d, "technique_create", draft)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Kind, Message string }
	decode(t, string(a.Structured), &got)
	if !a.IsError || got.Kind != "precondition_failed" || !strings.Contains(string(a.Structured), w.Commit) {
		t.Errorf("got %s, want precondition_failed with the head", a.Structured)
	}
	if len(a.Content) != 1 || !strings.HasPrefix(a.Content[0].Text, got.Message) || !strings.Contains(a.Content[0].Text, w.Commit) {
		t.Errorf("the text %v does not say what the structured content does: %s", a.Content, a.Structured)
	}
}

func refusesDouble(t *testing.T, d door, draft map[string]any) {
	a, err := tool(d, "technique_create", draft)
	if err == nil && !a.IsError {
		t.Errorf("the same technique was created twice: %s", a.Structured)
	}
	other := technique("T9004")
	other["stixId"] = draft["stixId"]
	_, err = put(d, "technique_create", other)
	e := refusal(t, err, -32602)
	var data struct{ Fields []field }
	decode(t, string(e.Data), &data)
	if len(data.Fields) != 1 || data.Fields[0].Field != "stixId" || data.Fields[0].Code != "unique" {
		t.Errorf("got %s, want stixId unique", e.Data)
	}
}

func updatesAndDeletes(t *testing.T, d door, w written) {
	u, err := put(d, "technique_update", map[string]any{"id": w.ID, "version": "1.1", "platform": []string{"Windows"}})
	if err != nil {
		t.Fatal(err)
	}
	if u.Added != 2 || u.Removed != 3 {
		t.Errorf("the update added %d and removed %d, want 2 and 3", u.Added, u.Removed)
	}
	deleted, err := put(d, "technique_delete", map[string]any{"id": w.IRI, "message": "It was only a drill"})
	if err != nil {
		t.Fatal(err)
	}
	if deleted.Removed != 12 || deleted.Commit == "" {
		t.Errorf("got %+v, want 12 quads removed", deleted)
	}
	if one, err := tool(d, "commits_get", map[string]any{"id": deleted.Commit}); err != nil || !strings.Contains(string(one.Structured), "It was only a drill") {
		t.Errorf("commits_get does not give the message: %v %s", err, one.Structured)
	}
	_, err = read(d, "trails://kg/Technique/"+w.ID)
	refusal(t, err, -32602)
	a, err := tool(d, "tactic_delete", map[string]any{"id": "TA0007"})
	if err == nil && !a.IsError {
		t.Errorf("a tactic that techniques refer to was deleted: %s", a.Structured)
	}
}

func TestTheSchemaRefusesWhatTheDataContradicts(t *testing.T) {
	testrun.Alone(t)
	file, _ := attackFile(t)
	source, err := os.ReadFile(attackSchema)
	if err != nil {
		t.Fatal(err)
	}
	before := must(t, "log", file, "-o", "json")
	tighter := strings.Replace(string(source), `'^T\d{4}(\.\d{3})?$'`, `'^T\d{4}$'`, 1)
	path := write(t, "tighter.yaml", tighter)

	plan := trails(t, "schema", "plan", file, path)
	for _, want := range []string{"Technique.attackId", "Technique/T1001.002", "blocked"} {
		if !strings.Contains(plan.stdout, want) {
			t.Errorf("the plan does not mention %s: %+v", want, plan)
		}
	}
	apply := trails(t, "schema", "apply", file, path)
	if apply.code != 6 || !strings.Contains(apply.stderr, "attackId") {
		t.Errorf("got %+v, want exit 6 and the reason", apply)
	}
	lossy := write(t, "lossy.yaml", withoutLine(t, string(source), "shortName:"))
	if out := trails(t, "schema", "apply", file, lossy); out.code != 4 || !strings.Contains(out.stderr, "data") || !strings.Contains(out.stderr, "Tactic.shortName") {
		t.Errorf("got %+v, want exit 4 and what would be lost", out)
	}
	if after := must(t, "log", file, "-o", "json"); after != before {
		t.Errorf("a refused schema changed the history:\n%s", after)
	}
	must(t, "schema", "apply", file, lossy, "--allow-data-loss")
	must(t, "verify", file)
}

// withoutLine removes the one line that begins with a word.
func withoutLine(t testing.TB, text, word string) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	kept := slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), word) })
	if got := strings.Count(text, "\n") + 1 - len(kept); got != 1 {
		t.Fatalf("%d lines begin with %s, want 1", got, word)
	}
	return strings.Join(kept, "\n")
}

func TestABadLineChangesNothing(t *testing.T) {
	testrun.Alone(t)
	file, _ := attackFile(t)
	before := must(t, "log", file, "-o", "json")
	good := fmt.Sprintf(`{"type":"Tactic","id":"TA0099","data":%s}`, tactic("TA0099", "following"))
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"lines that cannot be read", []string{good, `{"type":"Tactics","id":"TA0097","data":{}}`, `{"type":"Tactic"`},
			[]string{":2: ", "Tactics", ":3: "}},
		{"lines that break the schema", []string{good,
			fmt.Sprintf(`{"type":"Tactic","id":"TA0098","data":%s}`, tactic("TA0098", "Leading")),
			`{"edge":"tactic","from":"Technique/T1059","to":"Tactic/TA7777"}`},
			[]string{":2 ", "shortName", ":3 ", "Technique/T1059"}},
		{"lines of both kinds", []string{`{"type":"Tactics","id":"TA0097","data":{}}`,
			fmt.Sprintf(`{"type":"Tactic","id":"TA0098","data":%s}`, tactic("TA0098", "Leading"))},
			[]string{":1: ", "Tactics", ":2 ", "shortName"}},
	} {
		bad := write(t, "bad.ndjson", strings.Join(c.lines, "\n"))
		out := trails(t, "load", file, bad)
		if out.code != 6 || !strings.Contains(out.stderr, bad+":") {
			t.Errorf("%s: got %+v, want exit 6 and the file and line", c.name, out)
		}
		for _, want := range append(c.want, bad) {
			if !strings.Contains(out.stderr, want) {
				t.Errorf("%s: it does not mention %s:\n%s", c.name, want, out.stderr)
			}
		}
	}
	if after := must(t, "log", file, "-o", "json"); after != before {
		t.Errorf("a refused load changed the history:\n%s", after)
	}
}

func tactic(id, short string) string {
	data, err := json.Marshal(map[string]any{
		"attackId": id, "name": "Following " + id, "shortName": short, "version": "1.0",
		"description": "The adversary is trying to follow the trails that a knowledge graph keeps of everything that was written.",
		"url":         "https://attack.mitre.org/tactics/" + id,
		"created":     "2026-11-21T09:00:00Z", "modified": "2026-11-21T09:00:00Z",
		"stixId": "x-mitre-tactic--00000000-0000-4000-8000-000000000001",
	})
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestAnExportLoadsIntoTheSameGraph(t *testing.T) {
	testrun.Alone(t)
	file, _ := attackFile(t)
	quads := must(t, "export", file, "--format", "nquads")
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, "init", copied, "--schema", attackSchema)
	must(t, "load", copied, write(t, "export.nq", quads))
	if again := must(t, "export", copied, "--format", "nquads"); again != quads {
		t.Error("the export of the copy differs from what was loaded")
	}
}
