package builtin_test

import (
	"errors"
	"encoding/json"
	"path/filepath"
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
	for change, err := range r.Changes(t.Context(), c.Seq, 0) {
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
	"health":                     {`{}`},
	"commits_get":                {`{"id": "head"}`, `{"id": "head~3"}`},
	"branches_list":              {`{}`},
	"tool_browse":                {`{"query": "change a decision"}`},
	"tool_view":                  {`{"handle": "text:nothing:0", "selector": {"type": "head"}}`},
	"tool_hydrate":               {`{"tool_id": "trails:decision.create"}`, `{"tool_id": "trails:component.update"}`},
	"resources_read":             {`{"uri": "trails://branches"}`, `{"uri": "trails://kg/types"}`, `{"uri": "trails://kg/Decision"}`, `{"uri": "trails://kg/Component/kg?branch=draft"}`, `{"uri": "trails://schema"}`},
	"guide":                      {`{}`},
	"prompts_list":               {`{}`},
	"prompts_get":                {`{"name": "explore"}`},
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
}

// partReads are reads that a caller with rights is told less of, each with a call and a part of the answer.
var partReads = map[string][2]string{
	"trails.meta.promote.plan": {`{"definitions": {"schema": "types: {Component: {properties: {title: string}}}"}}`, "may see a part of the graph only, and so may not change it"}, // it makes the change, and takes it back
	"trails.meta.doctor.run":   {`{}`, "may see a part of it; ask somebody who may see all"},
	"capability_history":       {`{"id": "search"}`, `"versions": []`}, // versions may name anything
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
						} else if calls = otherReads[d.ID]; calls == nil {
							t.Errorf("no call of %s is made with rights", d.ID)
						}
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
