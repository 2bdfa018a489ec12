package builtin_test

import (
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
	commits, err := r.Commits(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := len(commits) - 1; i >= 0; i-- {
		made := copied(t, r, to, commits[i])
		for _, pair := range [...][2]kg.CommitID{{commits[i].ID, commits[i].ID}, {made, commits[i].ID}} {
			names = append(names, pair[0].Whole(), pair[1].Whole(), pair[0].String(), pair[1].String())
		}
	}
	return invoketest.Open(t, path, invoke.Config{}), strings.NewReplacer(names...)
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
func copied(t *testing.T, r *db.Reader, to *db.File, c kg.Commit) kg.CommitID {
	t.Helper()
	w, err := to.Write(t.Context())
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
	return made.ID
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
			for _, at := range []string{"", "head~1", "head~4", "head~9"} {
				for _, d := range of.Callable(t) {
					if _, takes := d.InputShape.Field("at"); !takes {
						continue
					}
					for _, args := range pastReads[d.ID] {
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
