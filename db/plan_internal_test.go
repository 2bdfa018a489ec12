package db

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trails/db/dbtest"
	"trails/rdf"
)

// Every statement that is run for each call must be served by an index, whatever
// the statistics were when they were taken.
func TestStatementsUseTheirIndexes(t *testing.T) {
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
		plan := dbtest.Plan(t, path, a.match)
		scan := strings.Contains(plan, "SCAN")
		if want := !b.at[posS] && !b.at[posP] && !b.at[posO] && !b.named; scan != want {
			t.Errorf("%v: a scan is %v, want %v\n%s\n%s", b, scan, want, a.match, plan)
		}
		if b.named != strings.Contains(plan, "live_g") && !b.at[posS] && !(b.at[posO] && !b.at[posP]) {
			t.Errorf("%v: live_g is for named graphs\n%s", b, plan)
		}
		if count := dbtest.Plan(t, path, a.count); !scan && !strings.Contains(count, "SEARCH") {
			t.Errorf("%v: the count scans\n%s", b, count)
		}
	}
	// A draft's own table is its connection's; that of the history has the same columns.
	draft := strings.NewReplacer("temp.draft d", "hist d", "d.was", "d.added")
	for _, sql := range []string{draft.Replace(netDraft), draft.Replace(undoAdded)} {
		if plan := dbtest.Plan(t, path, sql); strings.Contains(plan, "SCAN l") {
			t.Errorf("a draft scans all rows\n%s\n%s", sql, plan)
		}
	}
	one, two := idPair{1, []int64{2}}, idPair{3, []int64{4, 5}}
	pairs, _ := subjectQuery([]idPair{one, two})
	classes, _ := subjectQuery([]idPair{two, one})
	activities, _ := ActivityFilter{}.query(1)
	ofCommit, _ := ActivityFilter{CommitSeq: 1}.query(1)
	for _, sql := range []string{
		pairs, classes, activities, ofCommit, pruneReads, pruneRefusals,
		loggedChanges, subjectChanges, touchedTypes,
		valuesOf, countValues, nextPredicate, anyOfSubject,
		linkPredicates, referrersOf, countReferrers, referrerTypes, referrersOfType, untypedReferrers, neighboursOut, neighboursIn,
		subjectCommits, subjectChanged, loggedOfSubject, bulkOfSubject, statementRemoved, statementAdded, loggedSubjects, wasThere,
		onlyInRange, textsOfColumn, changedTexts, unloggedCommits,
		"SELECT id, kind, value, datatype, lang FROM terms WHERE hash = ?",
		"SELECT head FROM lines WHERE line = ?",
		"SELECT " + commitColumns + " WHERE c.seq = ?",
		"SELECT " + commitColumns + " WHERE c.seq < ? ORDER BY c.seq DESC LIMIT ? + 0",
		"SELECT " + commitColumns + " WHERE c.id BETWEEN ? AND ? LIMIT 2",
		"SELECT digest, result, ts FROM idempotency WHERE key = ?",
		"DELETE FROM live WHERE s = ? AND p = ? AND o = ? AND g = ? RETURNING added",
	} {
		if plan := dbtest.Plan(t, path, sql); len(tableScans(plan)) > 0 {
			t.Errorf("%v of\n%s\n%s", tableScans(plan), sql, plan)
		}
	}
	if plan := dbtest.Plan(t, path, pairs+" ORDER BY a.s LIMIT 1"); strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("the subjects of one pair are sorted again\n%s", plan)
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

// A table reads no more than its page: the parts of a selection come in order, each
// from an index, and so do the values that it is sorted by.
func TestTablesUseTheirIndexes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	bulkLoad(t, path)
	where, classes := idPair{1, []int64{2}}, idPair{3, []int64{4, 5}}
	part, _ := subjectQuery([]idPair{{3, []int64{4}}, where})
	whole := &selected{parts: []string{part, part}, args: [][]any{nil, nil}}
	page, _ := whole.union()
	rest, _ := whole.and("NOT EXISTS (SELECT 1 FROM live c NOT INDEXED WHERE c.s = a.s AND c.p = ? AND c.g = 0)").union()
	each, _ := eachQuery(whole)
	tried, _ := triedQuery([]idPair{where, classes}, 9)
	up, _ := sortedQuery([]idPair{where, classes}, Order{Many: true})
	down, _ := sortedQuery([]idPair{where, classes}, Order{Descending: true})
	keys, _ := keysQuery(whole)
	ofOne, _ := ofEach([]idPair{where}, 1)
	ofAll, _ := ofText([]idPair{where, classes}, 1)
	names, _ := namesQuery([]idPair{where})
	among, _ := amongQuery([]idPair{where, classes})
	for _, c := range []struct {
		name, sql string
		ordered   bool
	}{
		{"a page", page + " ORDER BY s LIMIT ? + 0 OFFSET ?", true},
		{"a page of those without a value", rest + " ORDER BY s DESC LIMIT ? + 0 OFFSET ?", true},
		{"by value", up + " LIMIT ? + 0 OFFSET ?", true},
		{"by value, greatest first", down + " LIMIT ? + 0 OFFSET ?", true},
		{"a count", tried, true},
		{"counts by value", each, false},
		{"all values", keys, false},
		{"the texts of few", ofOne, true},
		{"the texts of all", ofAll, true},
		{"names", names, true},
		{"those among some", among, true},
		{"predicates that lead to a node", triedPredicates, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := dbtest.Plan(t, path, c.sql)
			if scans := tableScans(plan); len(scans) > 0 {
				t.Errorf("%v of\n%s\n%s", scans, c.sql, plan)
			}
			for _, step := range strings.Split(plan, "\n") {
				if strings.Contains(step, "TEMP B-TREE") && !strings.Contains(step, "DISTINCT") && c.ordered {
					t.Errorf("it is sorted again\n%s\n%s", c.sql, plan)
				}
			}
		})
	}
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
