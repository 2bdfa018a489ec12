package db

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"trails/db/dbtest"
	"trails/kg/rdf"
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
	one, two := idPair{1, []int64{2}}, idPair{3, []int64{4, 5}}
	pairs, _ := subjectQuery([]idPair{one, two})
	classes, _ := subjectQuery([]idPair{two, one})
	activities, _ := ActivityFilter{}.query(1)
	ofCommit, _ := ActivityFilter{CommitSeq: 1}.query(1)
	for _, sql := range []string{
		pairs, classes, activities, ofCommit, pruneActivities,
		loggedChanges, subjectChanges, touchedTypes,
		"SELECT id, kind, value, datatype, lang FROM terms WHERE hash = ?",
		"SELECT head FROM lines WHERE line = ?",
		"SELECT " + commitColumns + " WHERE c.seq = ?",
		"SELECT " + commitColumns + " WHERE c.seq < ? ORDER BY c.seq DESC LIMIT ?",
		"SELECT " + commitColumns + " WHERE c.id BETWEEN ? AND ? LIMIT 2",
		"SELECT digest, result, ts FROM idempotency WHERE key = ?",
		"DELETE FROM live WHERE s = ? AND p = ? AND o = ? AND g = ? RETURNING added",
	} {
		plan := dbtest.Plan(t, path, sql)
		for _, step := range strings.Split(plan, "\n") {
			if strings.HasPrefix(step, "SCAN") && !strings.HasPrefix(step, "SCAN x") && !strings.Contains(step, "CONSTANT ROW") && !strings.Contains(step, "prov_other") {
				t.Errorf("%s\n%s", sql, plan)
			}
		}
	}
	if plan := dbtest.Plan(t, path, pairs+" ORDER BY a.s LIMIT 1"); strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("the subjects of one pair are sorted again\n%s", plan)
	}
}
