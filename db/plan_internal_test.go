package db

import (
	"path/filepath"
	"strings"
	"testing"

	"trails/db/dbtest"
)

// Every statement that is run for each call must be served by an index.
func TestStatementsUseTheirIndexes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
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
		loggedChanges, subjectChanges,
		"SELECT id, kind, value, datatype, lang FROM terms WHERE hash = ?",
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
