package kg_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/sparql"
)

// The files that the programs of earlier formats made say here what they said there, keep
// the rules of their schema, and take changes. testdata/files/make-file tells their story.
func TestFilesOfEveryReleasedFormatAreReadAndWritten(t *testing.T) {
	testrun.Alone(t)
	files, err := filepath.Glob("../testdata/files/format-*.db")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d stored files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			name := strings.TrimSuffix(file, ".db")
			path := filepath.Join(t.TempDir(), "stored.db")
			if err := os.WriteFile(path, stored(t, file), 0o600); err != nil {
				t.Fatal(err)
			}
			g := open(t, path)
			if diff := cmp.Diff(string(stored(t, name+".nq")), export(t, g, load.NQuads)); diff != "" {
				t.Errorf("the statements differ:\n%s", diff)
			}
			// The programs of formats before 6 said each commit as an object, later ones as a row; those of format 10
			// say the first digits of an id.
			var log struct {
				Commits []struct{ ID string }
				Rows    [][]any
			}
			if err := json.Unmarshal(stored(t, name+".log.json"), &log); err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, c := range log.Commits {
				said = append(said, c.ID)
			}
			for _, row := range log.Rows {
				said = append(said, row[0].(string))
			}
			slices.Reverse(said)
			if got := ids(t, g); len(said) == 0 || !slices.EqualFunc(said, got, func(said, id string) bool { return strings.HasPrefix(id, said) }) {
				t.Errorf("the commits are\n%s, and were\n%s", got, said)
			}
			everyCommitIsRead(t, g)
			for branch, of := range map[string]string{"review": ".review.nq", "review/second": ".second.nq"} {
				want, err := os.ReadFile(name + of)
				if err != nil {
					continue // of a format without branches
				}
				if diff := cmp.Diff(string(want), exportOf(t, g, branch, load.NQuads)); diff != "" {
					t.Errorf("the statements of %s differ:\n%s", branch, diff)
				}
			}
			answers := func(query, want string) {
				t.Helper()
				q, err := sparql.Parse(query, sparql.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var got []byte
				view(t, g, func(s *kg.Snapshot) error {
					answer, err := answerOf(t.Context(), s, q)
					for _, row := range answer.Rows {
						got = rdf.AppendTerm(got, row[0])
					}
					return err
				})
				if string(got) != want {
					t.Errorf("%s\ngot %s, want %s", query, got, want)
				}
			}
			answers(`SELECT ?x { <urn:example:sea> <urn:example:label> ?x FILTER(LANGMATCHES(LANG(?x), "de-ch")) }`, `"Meer"@de-CH`)
			answers(`SELECT (SUM(?x) AS ?sum) { ?p <urn:trails:files:height> ?x }`, `"3.5E0"^^<http://www.w3.org/2001/XMLSchema#double>`)
			answers(`SELECT ?x { <urn:example:sea> <urn:example:part>/<urn:example:next>/<urn:example:label> ?x }`, `"the last"`)
			answers(`SELECT ?s { GRAPH <urn:example:maps> { ?s <urn:example:on> ?map . <urn:example:sea> <urn:example:seenOn> ?map } FILTER(!ISBLANK(?s)) }`, ``)

			if format, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(name), "format-")); format >= 13 {
				ci, _, err := g.Token(t.Context(), "ci")
				old, known, failed := g.Token(t.Context(), "old")
				if err != nil || failed != nil || !ci.Valid(time.Now()) || !known || old.Valid(time.Now()) {
					t.Errorf("the tokens are %+v and %+v, %v, %v", ci, old, err, failed)
				}
			}
			ada := rdf.IRI("urn:trails:files:Person/ada")
			view(t, g, func(s *kg.Snapshot) error {
				made, err := s.Activities(t.Context(), kg.ActivityFilter{Outcome: "invalid"}, 10)
				if err != nil || len(made) != 1 || made[0].Capability != "person.create" {
					t.Errorf("the refusal is recorded as %v, error %v", made, err)
				}
				return err
			})
			assert := func(subject rdf.IRI, property, value string) change.Edit {
				return change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: subject, Predicate: rdf.IRI("urn:trails:files:" + property), Object: rdf.Literal(value, "")}}
			}
			twin := rdf.IRI("urn:trails:files:Person/twin")
			_, err := g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: []change.Edit{
				{Op: change.Assert, Quad: rdf.Quad{Subject: twin, Predicate: rdf.Type, Object: rdf.IRI("urn:trails:files:Person")}},
				assert(twin, "code", "ada"), assert(twin, "name", "Twin"),
			}})
			if !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "code") {
				t.Errorf("a second person has the unique code of another: %v", err)
			}
			before := head(t, g)
			r := commit(t, g, []change.Edit{
				{Op: change.Clear, Quad: rdf.Quad{Subject: ada, Predicate: rdf.IRI("urn:trails:files:name")}}, assert(ada, "name", "Ada L."),
			})
			if r.After.Parent != before.ID || r.AddedCount != 1 || r.RemovedCount != 1 {
				t.Errorf("the new commit is %+v", r.After)
			}
			answers(`SELECT ?x { <urn:trails:files:Person/ada> <urn:trails:files:name> ?x }`, `"Ada L."`)
			verify(t, g)
		})
	}
}

func stored(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// everyCommitIsRead counts the statements at each commit, by a scan of pages and by matching, and holds them to what
// the commit says.
func everyCommitIsRead(t *testing.T, g *kg.Graph) {
	t.Helper()
	q, err := sparql.Parse(`SELECT (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []kg.Commit
	view(t, g, func(s *kg.Snapshot) (err error) {
		list, err = s.Commits(t.Context(), 0, 1000)
		return err
	})
	for _, c := range list {
		view(t, g, func(s *kg.Snapshot) error {
			then, err := s.At(t.Context(), c)
			if err != nil {
				return err
			}
			defer then.Close()
			answer, err := answerOf(t.Context(), then, q)
			if err != nil {
				return err
			}
			if want := rdf.Literal(fmt.Sprint(c.Quads), rdf.XSDInteger); answer.Rows[0][0] != want {
				t.Errorf("at commit %d there are %v statements, and it says %v", c.Seq, answer.Rows[0][0], want)
			}
			return nil
		})
	}
}
