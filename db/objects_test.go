package db_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/db/dbtest"
	"trails/e2e/testrun"
	"trails/fault"
)

// intrusions are what somebody may put into a file, by what it is called. Those that hold no
// data can be taken out.
var intrusions = []struct {
	name, sql string
	out       bool
}{
	{"trigger t on live", "CREATE TRIGGER t BEFORE INSERT ON live BEGIN SELECT RAISE(IGNORE); END", true},
	{"trigger t on commits", "CREATE TRIGGER t AFTER INSERT ON commits BEGIN DELETE FROM live; END", true},
	{"trigger t on lines", "CREATE TRIGGER t AFTER UPDATE ON lines BEGIN DELETE FROM commits; END", true},
	{"trigger t on terms", "CREATE TRIGGER t BEFORE DELETE ON terms BEGIN SELECT RAISE(ABORT, 'no'); END", true},
	{`trigger a "b" on prov`, `CREATE TRIGGER "a ""b""" AFTER INSERT ON prov BEGIN DELETE FROM prov; END`, true},
	{"view v", "CREATE VIEW v AS SELECT * FROM live", true},
	{"trigger t on v", "CREATE VIEW v AS SELECT s FROM live; CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN DELETE FROM live; END", true},
	{"index i on live", "CREATE INDEX i ON live (added)", true},
	{"index i on terms", "CREATE UNIQUE INDEX i ON terms (length(value), id)", true},
	{"index i WHERE 1) OR ( on live", `CREATE INDEX "i WHERE 1) OR (" ON live (s) WHERE s > 0`, true},
	{"index prov_id that is not as format", "DROP INDEX prov_id; CREATE UNIQUE INDEX prov_id ON prov (id, outcome)", true},
	{"index live_pos that is not as format", "DROP INDEX live_pos; CREATE INDEX live_pos ON live (p, o, s, g)", true},
	{"table mine", "CREATE TABLE mine (a)", false},
	{"virtual table f", "CREATE VIRTUAL TABLE f USING fts5(a)", false},
	{"virtual table r", "CREATE VIRTUAL TABLE r USING rtree(a, b, c)", false},
	{"table live with the generated column x", "ALTER TABLE live ADD COLUMN x INTEGER GENERATED ALWAYS AS (s + 1) VIRTUAL", false},
	{"table prov with the generated column x", "ALTER TABLE prov ADD COLUMN x TEXT AS (upper(agent))", false},
	{"table terms that is not as format", "ALTER TABLE terms ADD COLUMN note TEXT", false},
	{"table goose_db_version with the generated column x", "ALTER TABLE goose_db_version ADD COLUMN x AS (id) VIRTUAL", false},
}

func intrude(t *testing.T, path, sql string) {
	t.Helper()
	statements := []string{sql}
	if !strings.HasPrefix(sql, "CREATE TRIGGER") {
		statements = strings.SplitN(sql, "; ", 2)
	}
	dbtest.Exec(t, path, statements...)
}

// What a file has and no format has is refused when it is opened, by its name, and nothing is
// changed. Who inspects the file reads all that the graph holds, and can write nothing. What
// holds no data is taken out, and the file is sound.
func TestAFileIsData(t *testing.T) {
	testrun.Alone(t)
	whole := create(t)
	write(t, whole, longEntities(200), nil)
	held := state(t, whole)
	whole.Close()
	for _, c := range intrusions {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sent.db")
			putFile(t, path, content(t, whole.Path()))
			intrude(t, path, c.sql)
			before := content(t, path)
			_, err := db.Open(t.Context(), path, db.Options{})
			if !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), c.name) {
				t.Fatalf("opening says %v", err)
			}
			if !bytes.Equal(content(t, path), before) {
				t.Error("the file was changed")
			}

			f, err := db.Open(t.Context(), path, db.Options{Inspect: true})
			if err != nil {
				t.Fatal(err)
			}
			if foreign := f.Foreign(); foreign == nil || !strings.Contains(foreign.Error(), c.name) {
				t.Errorf("Foreign says %v", foreign)
			}
			report, err := f.Verify(t.Context(), db.VerifyOptions{})
			if err != nil || !slices.ContainsFunc(report.Problems, func(p string) bool { return strings.HasPrefix(p, c.name) }) || report.Quads == 0 {
				t.Errorf("verify says %+v, error %v", report, err)
			}
			if state(t, f) != held {
				t.Error("another state is read")
			}
			if err := f.Backup(t.Context(), path+".copy", db.BackupOptions{WithoutArtifacts: true}); err != nil {
				t.Errorf("backup: %v", err)
			}
			if _, err := tryWrite(t.Context(), f, entities(1), nil); !fault.Is(err, fault.Unusable) {
				t.Errorf("a write says %v", err)
			}
			if err := f.Ready(t.Context()); !fault.Is(err, fault.Unusable) {
				t.Errorf("ready says %v", err)
			}
			f.Close()

			would, err := db.TakeOut(t.Context(), path, true)
			if err != nil {
				t.Fatal(err)
			}
			done, err := db.TakeOut(t.Context(), path, false)
			if err != nil || !slices.Equal(done, would) || len(done) > 0 != c.out {
				t.Fatalf("took out %q, would take out %q, error %v", done, would, err)
			}
			f, err = db.Open(t.Context(), path, db.Options{})
			if !c.out {
				if !fault.Is(err, fault.Unusable) {
					t.Errorf("with what may hold data, opening says %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if report := verify(t, f); !report.OK() {
				t.Errorf("afterwards: %q", report.Problems)
			}
		})
	}
}

// What is put into a file while it is open, or comes with an older format, does not run.
func TestNothingOfAFileRuns(t *testing.T) {
	testrun.Alone(t)
	f := create(t)
	all := entities(30)
	write(t, f, all[:10], nil)
	for _, table := range []string{"live", "terms", "commits", "changes", "prov", "lines"} {
		for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
			dbtest.Exec(t, f.Path(), fmt.Sprintf("CREATE TRIGGER %s_%s BEFORE %[2]s ON %[1]s BEGIN SELECT RAISE(ABORT, 'it ran'); END", table, event))
		}
	}
	dbtest.Exec(t, f.Path(), "CREATE VIEW v AS SELECT 1 AS a")
	write(t, f, all[10:], all[:10])
	if diff := gocmp.Diff(lines(all[10:]), state(t, f)); diff != "" {
		t.Error(diff)
	}

	for _, format := range []int{1, 2, 4, 5, 6} {
		path := filepath.Join(t.TempDir(), "old.db")
		putFile(t, path, content(t, fmt.Sprintf("../testdata/files/format-%d.db", format)))
		dbtest.Exec(t, path, "CREATE TRIGGER t AFTER UPDATE ON lines BEGIN DELETE FROM live; END")
		before := content(t, path)
		for _, inspect := range []bool{false, true} {
			_, err := db.Open(t.Context(), path, db.Options{Inspect: inspect})
			if !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), "trigger t on lines") || !bytes.Equal(content(t, path), before) {
				t.Errorf("format %d: opening says %v, changed: %v", format, err, !bytes.Equal(content(t, path), before))
			}
		}
		if _, err := db.TakeOut(t.Context(), path, false); err != nil {
			t.Fatal(err)
		}
		f := open(t, path)
		if report := verify(t, f); !report.OK() || report.Quads == 0 {
			t.Errorf("format %d, afterwards: %+v", format, report)
		}
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func putFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
