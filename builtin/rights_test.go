package builtin_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/db"
	"trails/db/dbtest"
	"trails/db/history"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/rdf"
)

// restricted is a graph whose callers have rights that a test sets.
type restricted struct {
	*invoketest.Engine
	rights *kg.Rights
}

// restrictedStory is the graph of the example with its story and later writes.
func restrictedStory(t *testing.T) *restricted {
	t.Helper()
	told := toldStory(t, func(*invoketest.Engine, int) {})
	for _, write := range laterWrites {
		if _, err := told.Call(t.Context(), invoke.Call{Capability: write[0], Args: json.RawMessage(write[1]), Principal: invoketest.Ana}); err != nil {
			t.Fatalf("%s %s: %v", write[0], write[1], err)
		}
	}
	told.Must(t, "branches_create", `{"name": "draft", "from": "head~3"}`)
	for _, write := range [...][2]string{
		{"decision.delete", `{"id": "1", "detach": true, "branch": "draft"}`},
		{"component.update", `{"id": "kg", "title": "The graph", "branch": "draft"}`},
		{"requirement.update", `{"id": "R-013", "status": "met", "branch": "draft"}`},
	} {
		told.Must(t, write[0], write[1])
	}
	r := &restricted{}
	r.Engine = invoketest.Open(t, told.Graph().Path(), invoke.Config{Rights: func(policy.Principal) *kg.Rights { return r.rights }})
	return r
}

// twin writes what a reader with rights sees of a file to another one, commit by commit, and returns the ids of the
// commits of both. draft is the path of an earlier twin, with the same terms, "" if there is none.
func twin(t *testing.T, of *kg.Graph, rights *kg.Rights, draft string) (e *invoketest.Engine, ids *strings.Replacer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(of.Path()))
	invoketest.Create(t, path, kg.CreateOptions{Name: of.Name(), Base: of.Base()})
	if draft != "" { // rows that no order sorts come in that of their ids, which are those of the file
		dbtest.Exec(t, path, "ATTACH '"+of.Path()+"' AS of", "ATTACH '"+draft+"' AS draft",
			"INSERT INTO terms SELECT * FROM of.terms f WHERE EXISTS (SELECT 1 FROM draft.terms d WHERE d.hash = f.hash AND d.value = f.value)")
	}
	from, to := openFile(t, of.Path()), openFile(t, path)
	r, err := from.Read(t.Context(), db.View{Rights: rights})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var names []string
	made := map[kg.CommitID]kg.Commit{}
	branches, err := r.Branches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range branches {
		on, err := from.Read(t.Context(), db.View{Branch: b.Name, Rights: rights})
		if err != nil {
			t.Fatal(err)
		}
		defer on.Close()
		commits, err := on.Commits(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if b.From != "" {
			makeBranch(t, to, b.Name, made[b.Fork.ID])
		}
		for _, c := range slices.Backward(commits) {
			if made[c.ID].Seq != 0 {
				continue
			}
			made[c.ID] = copied(t, on, to, c)
			for _, id := range [...]kg.CommitID{c.ID, made[c.ID].ID} {
				names = append(names, id.Whole(), c.ID.Whole(), id.String(), c.ID.String())
			}
		}
	}
	return invoketest.Open(t, path, invoke.Config{}), strings.NewReplacer(names...)
}

func makeBranch(t *testing.T, to *db.File, name string, from kg.Commit) {
	t.Helper()
	w, err := to.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(w.AddBranch(t.Context(), name, from), w.Keep(t.Context())); err != nil {
		t.Fatal(err)
	}
}

func openFile(t *testing.T, path string) *db.File {
	t.Helper()
	f, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// copied makes a commit with the changes of another one that a reader sees.
func copied(t *testing.T, r *db.Reader, to *db.File, c kg.Commit) kg.Commit {
	t.Helper()
	w, err := to.WriteOn(t.Context(), c.Branch)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	meta := db.CommitMeta{Time: c.Time, Author: c.Author, Message: c.Message, SchemaVersion: c.SchemaVersion, SchemaChanged: c.SchemaSeq == c.Seq}
	var changes []db.Change
	for change, err := range r.Changes(t.Context(), c.Seq, db.Place{}) {
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b db.Change) int {
		return strings.Compare(string(rdf.AppendQuad(nil, a.Quad)), string(rdf.AppendQuad(nil, b.Quad)))
	})
	for _, change := range changes {
		do := w.Add
		if change.Op == history.OpRemove {
			do = w.Remove
		}
		if _, err := do(t.Context(), change.Quad); err != nil {
			t.Fatal(err)
		}
	}
	made, err := w.Commit(t.Context(), meta, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// otherReads has calls of every read that has no at, on the graph of the example with its story.
var otherReads = map[string][]string{
	"health": {`{}`},
	"import_plan": {
		`{"data": "id,title\nx,A\n", "type": "Component"}`,
		`{"data": "title,row\nHTTP for people and programs,logic\nThe graph,logic\n", "type": "Component", "by": "title"}`,
		`{"data": "name,title,path,row,dependsOn,satisfies\nzz,A new room,zz,logic,HTTP for people and programs,A page shows another's write within a second\n", "type": "Component"}`,
		`{"data": "name,title,path,row,dependsOn\nhttpapi,A new room,zz,logic,httpapi\n", "type": "Component"}`,
	},
	"commits_get":                {`{"id": "head"}`, `{"id": "head~3"}`},
	"changes":                    {`{"quads": true}`, `{"limit": 7}`, `{"start": "after:head~3"}`, `{"start": "now"}`, `{"branch": "draft", "start": "after:head~2"}`, `{"cursor": "draft@"}`},
	"branches_list":              {`{}`},
	"tags_list":                  {`{}`},
	"requests_list":              {`{"all": true}`},
	"trails.meta.policy.explain": {`{"as": "token:ci"}`, `{"as": "anonymous", "action": "read", "on": "Type::\"Decision\""}`, `{"as": "token:ci", "call": "component.update"}`, `{"as": "token:ci", "call": "decision.update", "branch": "draft"}`},
	"diff":                       {`{}`, `{"from": "head~2", "to": "head~1"}`, `{"to": "draft"}`, `{"from": "head~9", "form": "patch"}`},
	"tool_browse":                {`{"query": "change a decision"}`},
	"tool_view":                  {`{"handle": "text:nothing:0", "selector": {"type": "head"}}`},
	"tool_hydrate":               {`{"tool_id": "trails:decision.create"}`, `{"tool_id": "trails:component.update"}`},
	"resources_read":             {`{"uri": "trails://branches"}`, `{"uri": "trails://kg/types"}`, `{"uri": "trails://kg/Decision"}`, `{"uri": "trails://kg/Component/kg?branch=draft"}`, `{"uri": "trails://schema"}`, `{"uri": "trails://changes"}`, `{"uri": "trails://changes?branch=draft"}`},
	"guide":                      {`{}`},
	"prompts_list":               {`{}`},
	"prompts_get":                {`{"name": "explore"}`},
	"skills_list":                {`{}`},
	"skills_get":                 {`{"name": "read-graph"}`, `{"name": "write-graph"}`, `{"name": "change-schema"}`, `{"name": "work-on-draft"}`},
	"trails.meta.ping":           {`{}`},
	"trails.meta.schema.plan":    {`{"schema": "types: {Component: {properties: {title: string}}}"}`},
	"trails.meta.gen.shape":      {`{"type": "Decision"}`, `{"type": "Component"}`},
	"trails.meta.gen.type":       {`{"type": "Decision", "properties": ["due: date"]}`},
	"trails.meta.gen.migration":  {`{"name": "less", "schema": "types: {Component: {properties: {title: string}}}"}`},
	"trails.meta.gen.capability": {`{"id": "decision.find", "type": "Decision"}`},
	"trails.meta.migrate.status": {`{}`},
	"trails.meta.migrate.plan":   {`{}`},
	"gateway_list":               {`{}`},
	"gateway_show":               {`{"name": "none"}`},
	"gateway_refresh":            {`{"name": "none"}`},
	"artifacts_list":             {`{}`},
	"trails.meta.grant.list":     {`{}`},
}

// partReads are reads that a caller with rights is told less of, each with a call and a part of the answer.
var partReads = map[string][2]string{
	"trails.meta.promote.plan":  {`{"definitions": {"schema": "types: {Component: {properties: {title: string}}}"}}`, "may see a part of the graph only, and this changes all of it"}, // it makes the change, and takes it back
	"import_plan":               {`{"data": "colour,size\nred,1\n"}`, "may see a part of the graph only, and this changes all of it"},                                                 // it tries what adds a type
	"refusals_list":             {`{"all": true}`, "refusals are not of it"},                                                                                                          // it has the calls of everybody
	"trails.meta.token.list":    {`{}`, "tokens are not of it"},
	"trails.meta.budget.list":   {`{}`, "budgets are not of it"},
	"trails.meta.doctor.run":    {`{}`, "may see a part of it; ask somebody who may see all"},
	"trails.meta.bundle.create": {`{}`, "may see a part of the graph only"},
	"capability_history":        {`{"id": "search"}`, `"versions": []`}, // versions may name anything
}

// Whatever rights a caller has, every read of the registry answers what it answers in a file that never had anything
// else, at the newest commit and at earlier ones, and no list of tools, resources and prompts tells more.
func TestACallerWithRightsReadsAFileOfWhatItMaySee(t *testing.T) {
	of := restrictedStory(t)
	name := func(local string) rdf.IRI { return rdf.IRI(of.Graph().Base() + local) }
	for what, rights := range map[string]*kg.Rights{
		"without a type":     {Types: []rdf.IRI{name("Decision")}},
		"without two types":  {Types: []rdf.IRI{name("Norm"), name("Requirement")}},
		"without a property": {Predicates: []rdf.IRI{name("status"), name("title")}},
		"without nodes":      {Nodes: []rdf.Term{name("Component/httpapi"), name("Requirement/R-013")}},
		"without a graph":    {Graphs: []rdf.IRI{name("g")}},
		"without much":       {Graphs: []rdf.IRI{name("g")}, Types: []rdf.IRI{name("Decision")}, Predicates: []rdf.IRI{name("row")}, Nodes: []rdf.Term{name("Component/kg")}},
	} {
		t.Run(what, func(t *testing.T) {
			draft, _ := twin(t, of.Graph(), rights, "")
			other, ids := twin(t, of.Graph(), rights, draft.Graph().Path())
			of.rights = rights
			defer func() { of.rights = nil }()
			for _, at := range []string{"", "head~1", "head~4", "head~9", "draft", "draft~1"} {
				for _, d := range of.Callable(t) {
					calls := pastReads[d.ID]
					if _, takes := d.InputShape.Field("at"); !takes {
						if at != "" || d.PolicyRequired.Action.Writes() {
							continue
						}
						if part, less := partReads[d.ID]; less {
							if told := toldOf(t, of.Engine, d.ID, part[0]); !strings.Contains(told, part[1]) {
								t.Errorf("%s says %s, not %s", d.ID, told, part[1])
							}
						}
						calls = otherReads[d.ID]
					}
					if _, less := partReads[d.ID]; calls == nil && !less {
						t.Errorf("no call of %s is made with rights", d.ID)
					}
					for _, args := range calls {
						if at != "" {
							args = withArgument(args, "at", at)
						}
						want, got := toldOf(t, other, d.ID, args), toldOf(t, of.Engine, d.ID, args)
						if diff := cmp.Diff(ids.Replace(want), ids.Replace(got)); diff != "" {
							t.Errorf("%s %s: what may be seen, and what is seen:\n%s", d.ID, args, diff)
						}
					}
				}
			}
			if told := toldOf(t, of.Engine, "resources_read", `{"uri": "trails://stats"}`); strings.Contains(told, "_bytes") || strings.Contains(told, "terms") || !strings.Contains(told, "commits") {
				t.Errorf("sizes of the whole file are told: %s", told)
			}
			if diff := cmp.Diff(offered(t, other), offered(t, of.Engine)); diff != "" {
				t.Errorf("what can be called and read: %s", diff)
			}
		})
	}
}

// partWrites change data of the example, some of which nobody may see.
var partWrites = [][2]string{
	{"requirement.update", `{"id": "R-013", "status": "proposed", "priority": 2}`},
	{"requirement.update", `{"id": "R-013", "status": "unheard of"}`},
	{"component.create", `{"name": "soon", "path": "soon", "title": "Soon", "row": "logic", "satisfies": ["Requirement/R-001", "Requirement/R-014"]}`},
	{"component.create", `{"name": "kg", "path": "other", "title": "Taken", "row": "logic"}`},
	{"component.create", `{"name": "twin", "path": "httpapi", "title": "Taken, where it is seen", "row": "logic"}`},
	{"component.update", `{"id": "soon", "needs": ["Component/kg", "Component/nowhere"]}`},
	{"link", `{"from": "Component/soon", "property": "needs", "to": "Component/db"}`},
	{"unlink", `{"from": "Component/soon", "property": "needs", "to": "Component/db"}`},
	{"decision.create", `{"number": 99, "title": "A decision", "status": "accepted", "decided": "2026-11-01"}`},
	{"decision.delete", `{"id": "2", "detach": true}`},
	{"component.delete", `{"id": "soon"}`},
	{"delete", `{"id": "Component/rdf", "detach": true}`},
	{"mutate", `{"update": "DELETE { ?r :priority ?p } INSERT { ?r :priority 1 } WHERE { ?r :priority ?p FILTER(?p > 1) }", "allow_mass_change": true}`},
	{"mutate", `{"update": "DELETE WHERE { GRAPH :g { ?s :row ?o } }"}`},
	{"mutate", `{"update": "INSERT { ?c :title ?t } WHERE { ?c :nothing ?t }"}`},
	{"mutate", `{"update": "DELETE DATA { :Component\\/kg :row \"nowhere\" }"}`},
	{"load", `{"data": "{\"type\":\"Requirement\",\"id\":\"R-100\",\"data\":{\"code\":\"R-100\",\"title\":\"Late\",\"status\":\"accepted\",\"priority\":3}}"}`},
	{"load", `{"data": "{\"type\":\"Requirement\",\"id\":\"R-101\",\"data\":{\"title\":\"Late\",\"status\":\"none\"}}"}`},
	{"undo", `{"commit": "head"}`},
	{"undo", `{"commit": "head~2"}`},
}

// idOfCommit and timeOfCommit stand for what two files never have in common.
var idOfCommit, timeOfCommit = regexp.MustCompile(`\b[0-9a-f]{12}\b`), regexp.MustCompile(`\d{4}-\d\d-\d\d[T ][0-9:.]+Z?`)

// What a caller with rights writes has the answer and the effect that it has in a file without the rest, or it is refused
// for the rest, without a word of it.
func TestACallerWithRightsWritesToAFileOfWhatItMaySee(t *testing.T) {
	for what, hides := range map[string]func(name func(string) rdf.IRI) *kg.Rights{
		"without a type": func(name func(string) rdf.IRI) *kg.Rights { return &kg.Rights{Types: []rdf.IRI{name("Decision")}} },
		"without a property": func(name func(string) rdf.IRI) *kg.Rights {
			return &kg.Rights{Predicates: []rdf.IRI{name("satisfies")}}
		},
		"without nodes": func(name func(string) rdf.IRI) *kg.Rights {
			return &kg.Rights{Nodes: []rdf.Term{name("Component/httpapi"), name("Requirement/R-014")}, Graphs: []rdf.IRI{name("g")}}
		},
	} {
		t.Run(what, func(t *testing.T) {
			of := restrictedStory(t)
			rights := hides(func(local string) rdf.IRI { return rdf.IRI(of.Graph().Base() + local) })
			other, ids := twin(t, of.Graph(), rights, "")
			of.rights = rights
			same := func(text string) string {
				return timeOfCommit.ReplaceAllString(idOfCommit.ReplaceAllString(ids.Replace(text), "COMMIT"), "TIME")
			}
			refused := 0
			for _, write := range partWrites {
				got := toldOf(t, of.Engine, write[0], write[1])
				if strings.Contains(got, "may not see") || strings.Contains(got, "may see") {
					refused++
					continue
				}
				if diff := cmp.Diff(same(toldOf(t, other, write[0], write[1])), same(got)); diff != "" {
					t.Errorf("%s %s, in the file of what may be seen and with rights:\n%s", write[0], write[1], diff)
				}
				const all = `{"query": "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } ORDER BY ?g ?s ?p ?o", "whole": true}`
				if diff := cmp.Diff(same(toldOf(t, other, "query", all)), same(toldOf(t, of.Engine, "query", all))); diff != "" {
					t.Fatalf("after %s %s: %s", write[0], write[1], diff)
				}
			}
			if refused > 5 {
				t.Errorf("%d writes of %d were refused for what may not be seen", refused, len(partWrites))
			}
		})
	}
}

// offered is what an engine lists: tools with their schemas, and resources.
func offered(t *testing.T, e *invoketest.Engine) (list []string) {
	t.Helper()
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Descriptors {
		list = append(list, string(d.Content()))
	}
	resources, err := e.Resources(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources {
		list = append(list, r.URI+" "+r.Description)
	}
	return list
}
