package db

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trails/db/dbtest"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/e2e/testrun"
	"trails/rdf"
)

// Every statement that is run for each call must be served by an index, whatever
// the statistics were when they were taken.
func TestStatementsUseTheirIndexes(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "plan.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Run("without statistics", func(t *testing.T) { plansUseIndexes(t, path) })
	bulkLoad(t, path)
	t.Run("with the statistics of a load into a file of few commits", func(t *testing.T) { plansUseIndexes(t, path) })
}

// bulkLoad makes a second commit, large enough for statistics.
func bulkLoad(t *testing.T, path string) {
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1, 2 * bulkSize} {
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for i := range size {
			s := rdf.IRI(fmt.Sprintf("urn:x:%d-%06d", size, i))
			if _, err := w.Add(t.Context(), rdf.Quad{Subject: s, Predicate: rdf.IRI("urn:p"), Object: rdf.IRI("urn:o")}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func plansUseIndexes(t *testing.T, path string) {
	for b, a := range accesses {
		plan := dbtest.Plan(t, path, a.match.Text(false))
		scan := strings.Contains(plan, "SCAN")
		if want := !b.at[posS] && !b.at[posP] && !b.at[posO] && !b.named; scan != want {
			t.Errorf("%v: a scan is %v, want %v\n%s\n%s", b, scan, want, a.match, plan)
		}
		if b.named != strings.Contains(plan, "live_g") && !b.at[posS] && !(b.at[posO] && !b.at[posP]) {
			t.Errorf("%v: live_g is for named graphs\n%s", b, plan)
		}
	}
	// A draft's own table is its connection's; that of the history has the same columns.
	draft := strings.NewReplacer("temp.draft d", "hist d", "d.was", "d.added")
	for _, sql := range []string{draft.Replace(leaf.NetDraft), draft.Replace(leaf.BackDraft), draft.Replace(leaf.UndoAdded)} {
		if plan := dbtest.Plan(t, path, sql); strings.Contains(plan, "SCAN l") {
			t.Errorf("a draft scans all rows\n%s\n%s", sql, plan)
		}
	}
	text := func(of leaf.SQL) string { return of.Text(false) }
	activities, _ := ActivityFilter{}.query(1)
	ofCommit, _ := ActivityFilter{CommitSeq: 1}.query(1)
	for _, sql := range []string{
		activities, ofCommit, pruneReads, pruneRefusals,
		loggedChanges, loggedOfSubject, loggedSubjects, leaf.LastRemoved, changedTexts, changedSince, unloggedCommits, sizesBetween,
		text(leaf.TouchedTypes), text(leaf.SubjectCommits), text(leaf.SubjectChanged), text(leaf.BulkOfSubject.Within(changeColumns, changeJoins)),
		text(leaf.LastAdded), text(leaf.Existed), text(leaf.HadValue), text(leaf.ValuesAround), text(leaf.ReferredBesides), text(leaf.SaidBesides), text(leaf.Texts), text(leaf.SharedObjects), text(leaf.Instances),
		"SELECT id, kind, value, datatype, lang FROM terms WHERE hash = ?",
		"SELECT head FROM lines WHERE line = ?",
		"SELECT " + commitColumns + " WHERE c.seq = ?",
		"SELECT " + commitColumns + " WHERE c.seq < ? ORDER BY c.seq DESC LIMIT ? + 0",
		"SELECT " + commitColumns + " WHERE c.id BETWEEN ? AND ? LIMIT 2",
		"SELECT digest, result, ts FROM idempotency WHERE key = ?",
		expiredArtifacts, heldContent, leftContent, leaveContent, freeChunk, artifactOf, artifactsOf, chunksOf,
		leaf.Remove,
	} {
		if plan := dbtest.Plan(t, path, sql); len(tableScans(plan)) > 0 {
			t.Errorf("%v of\n%s\n%s", tableScans(plan), sql, plan)
		}
	}
}

// tableScans are the steps of a plan that read a whole table, and not rows that
// another step has found.
func tableScans(plan string) (scans []string) {
	found := map[string]bool{"x": true} // of changeColumns
	for step := range strings.SplitSeq(plan, "\n") {
		words := strings.Fields(step)
		switch {
		case len(words) < 2:
		case words[0] == "CO-ROUTINE", words[0] == "MATERIALIZE":
			found[words[1]] = true
		case words[0] != "SCAN", found[words[1]], strings.Contains(step, "CONSTANT ROW"), strings.Contains(step, "VIRTUAL TABLE"), strings.Contains(step, "prov_reads"), strings.Contains(step, "prov_refusals"):
		default:
			scans = append(scans, step)
		}
	}
	return scans
}

// However many calls were let through, those that were refused are found among themselves.
func TestRefusalsAreFoundByTheirIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []ActivityFilter{{Refused: true}, {Refused: true, Outcome: "denied"}, {Refused: true, Agent: "a", Outcome: "denied", Before: 7}} {
		sql, _ := f.query(10)
		if plan := dbtest.Plan(t, path, sql); !strings.Contains(plan, "prov_refusals") || strings.Contains(plan, "ORDER BY") {
			t.Errorf("%+v: %s", f, plan)
		}
	}
}

// A view reads no more than its page: what it asks comes from an index, and in order where
// the order is one of an index.
func TestViewsUseTheirIndexes(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "plan.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	bulkLoad(t, path)
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, p, o := t.Context(), rdf.IRI("urn:p"), rdf.IRI("urn:o")
	earlier := f.LatestHead(ctx, nil)
	bulkLoad(t, path)
	s := rdf.IRI("urn:x:1-000000")
	one := Selection{Classes: []rdf.IRI{"urn:c"}, Where: []Condition{Has(p, o)}}
	several := Selection{Classes: []rdf.IRI{"urn:c", "urn:d"}, Where: []Condition{Has(p, o), Has("urn:q", o)}}
	among := one
	among.Among = &Found{ids: []inline.TermID{1, 2, 3}}
	by := Order{Property: p, Datatype: rdf.XSDInteger}
	page := func() *pageOf { return &pageOf{limit: 10, offset: 5, seen: map[inline.TermID]bool{}} }
	for name, read := range map[string]func(r *Reader) error{
		"values":                   func(r *Reader) error { _, err := r.Values(ctx, s, p, 2, 1); return err },
		"a count of values":        func(r *Reader) error { _, err := r.CountValues(ctx, s, p, 2); return err },
		"predicates":               func(r *Reader) error { _, err := r.Predicates(ctx, s, 2); return err },
		"whether a node is there":  func(r *Reader) error { _, err := r.Exists(ctx, s); return err },
		"predicates that refer":    func(r *Reader) error { _, err := r.ReferringPredicates(ctx, o); return err },
		"referrers":                func(r *Reader) error { _, err := r.Referrers(ctx, p, o, 2, 1); return err },
		"a count of referrers":     func(r *Reader) error { _, err := r.CountReferrers(ctx, p, o, 2); return err },
		"types of referrers":       func(r *Reader) error { _, err := r.ReferrerTypes(ctx, p, o, 20); return err },
		"referrers of a type":      func(r *Reader) error { _, err := r.ReferrersOfType(ctx, p, o, o, 20, 2); return err },
		"referrers without a type": func(r *Reader) error { _, err := r.ReferrersOfType(ctx, p, o, nil, 20, 2); return err },
		"subjects of pairs": func(r *Reader) error {
			_, err := r.Having(ctx, []rdf.PredicateObject{{P: p, O: o}, {P: "urn:q", O: o}}, 2)
			return err
		},
		"a page":                      func(r *Reader) error { _, err := r.Select(ctx, one, 2, 1); return err },
		"a page of two types":         func(r *Reader) error { _, err := r.Select(ctx, several, 2, 1); return err },
		"a count":                     func(r *Reader) error { _, _, err := r.CountSelected(ctx, several, 100); return err },
		"facets":                      func(r *Reader) error { _, err := r.CountValuesAmong(ctx, several, p, []rdf.Term{o}, 9); return err },
		"facets of what was found":    func(r *Reader) error { _, err := r.CountValuesAmong(ctx, among, p, []rdf.Term{o}, 9); return err },
		"all values":                  func(r *Reader) error { _, err := r.SelectSorted(ctx, several, []Order{by}, 2, 1); return err },
		"a page of those without one": func(r *Reader) error { return r.without(ctx, one, []Order{by}, page()) },
		"by value": func(r *Reader) error {
			_, err := r.walkValues(ctx, Selection{Classes: several.Classes}, Order{Property: "urn:none", Datatype: rdf.XSDInteger, Descending: true}, page())
			return err
		},
		"those among some": func(r *Reader) error {
			return r.among(ctx, several, []inline.TermID{3, 2}, func(inline.TermID) bool { return true })
		},
		"a search": func(r *Reader) error {
			_, err := r.Search(ctx, several, Search{Prefix: "x", Text: map[rdf.IRI]SearchedText{"urn:c": {Property: p, Strings: true}}, Name: rdf.Lexical})
			return err
		},
	} {
		for when, v := range map[string]View{"newest": {}, "earlier": {At: earlier.ID}} {
			t.Run(name+" "+when, func(t *testing.T) {
				r, err := f.Read(t.Context(), v)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				var asked []string
				r.conn.Forget() // so that each statement is prepared, and seen, again
				r.conn.Prepares = func(sql string) {
					if !strings.Contains(sql, "FROM sqlite_schema") {
						asked = append(asked, sql)
					}
				}
				if err := read(r); err != nil {
					t.Fatal(err)
				}
				r.conn.Prepares = nil
				if len(asked) == 0 {
					t.Error("it asked nothing")
				}
				for _, sql := range asked {
					plan := explained(t, r, sql)
					if scans := tableScans(plan); len(scans) > 0 {
						t.Errorf("%v of\n%s\n%s", scans, sql, plan)
					}
					if strings.Contains(plan, "TEMP B-TREE FOR ORDER BY") {
						t.Errorf("it is sorted again\n%s\n%s", sql, plan)
					}
				}
			})
		}
	}
}

// explained is the plan of a query's statement, on the connection that has its functions.
func explained(t *testing.T, r *Reader, sql string) string {
	var plan []string
	if err := r.conn.Exec("EXPLAIN QUERY PLAN "+sql, func(s *stmt.Stmt) error {
		plan = append(plan, s.ColumnText(3))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}

// A bare parameter after LIMIT is a value that the planner looks at, so that SQLite
// compiles the statement again whenever another one is bound: 25 µs each time.
func TestNoLimitIsABareParameter(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	bare := regexp.MustCompile(`LIMIT \?\d*($|[^ \d]| [^+])`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if bare.MatchString(line) && !strings.Contains(line, "bare") {
				t.Errorf("%s: write LIMIT ? + 0 in %s", name, strings.TrimSpace(line))
			}
		}
	}
}
