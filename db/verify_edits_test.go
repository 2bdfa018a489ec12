package db_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/auth/policy"
	"trails/db"
	"trails/db/dbtest"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

// notCovered are the columns that verify has no reason to look at.
var notCovered = map[string]string{
	"words_until.term":        "one more than it is passes over a term that is no text, which changes no answer",
	"goose_db_version.tstamp": "when a migration ran is asked by nobody",
	"sqlite_sequence.name":    "it numbers the rows of goose_db_version",
	"sqlite_sequence.seq":     "it numbers the rows of goose_db_version",
	"tokens.used":             "it is told, and decides nothing",
	"spending.budget":         "it changes with the calls",
	"spending.actor":          "it changes with the calls",
	"spending.began":          "it changes with the calls",
	"spending.calls":          "it changes with the calls",
	"spending.rows":           "it changes with the calls",
	"spending.bytes":          "it changes with the calls",
	"spending.time":           "it changes with the calls",
	"spending.cost":           "it changes with the calls",
	"vector_space.seq":        "it changes with each pass, and the first one of a process compares all texts",
	"vector_space.pending":    "it changes with each pass, and the first one of a process compares all texts",
	"vector_space.problem":    "it is told, and decides nothing",
	"vector_space.owner":      "a claim lasts 90 seconds",
	"vector_space.until":      "a claim lasts 90 seconds",
}

// Whichever value of whichever column of the file's own tables is edited, verify finds it. A
// column that a later format adds is among them.
func TestNoEditOfAColumnGoesUnnoticed(t *testing.T) {
	testrun.Alone(t)
	f := create(t)
	all := longEntities(60)
	write(t, f, all[:40], nil)
	write(t, f, all[40:], all[:5])
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := apply(t.Context(), w, all[:2], all[10:12]); err != nil {
		t.Fatal(err)
	}
	meta := commitMeta(w, all[:2], all[10:12])
	meta.Idempotent = &db.IdempotentKey{Key: "k", Digest: []byte("d"), Result: func(history.Commit) ([]byte, error) { return []byte("done"), nil }}
	act := db.Activity{ID: "a", Capability: "thing.create", Version: "1", Agent: "ana", Via: "cli", Inputs: []byte("i"), Outcome: "ok", Used: []string{"urn:test:a"}, Generated: []string{"urn:test:b"}}
	if _, err := w.Commit(t.Context(), meta, &act); err != nil {
		t.Fatal(err)
	}
	if err := f.AddCapabilityVersions(t.Context(), func(*db.Reader) ([]db.CapabilityVersion, error) {
		return []db.CapabilityVersion{{Capability: "find", Version: "1.0.0", Descriptor: "{}", At: time.Unix(1, 0), Agent: "ana", Program: "test"}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := f.KeepArtifacts(t.Context(), []db.NewArtifact{{Artifact: db.Artifact{Owner: "ana", Handle: "text:a:1", Label: "l", MediaType: "text/plain", Tool: "t", Expires: epoch.AddDate(1, 0, 0)}, Data: []byte("bytes")}}, epoch); err != nil {
		t.Fatal(err)
	}
	askFor(t, f, db.Main)
	issue(t, f, policy.Token{Name: "ci", Scopes: policy.AllScopes(), Groups: []string{"robots"}, Created: epoch, Creator: "ana", Expires: epoch.AddDate(1, 0, 0)})
	issue(t, f, aGrant())
	setBudget(t, f, policy.Budget{BudgetKey: policy.BudgetKey{Actor: "token:ci", Capability: "query", Period: policy.Hour}, Limits: policy.Amounts{1, 2, 3, 4, 5}, Author: "ana"})
	if claimed, err := f.ClaimVectors(t.Context(), "p", db.VectorModel{URL: "http://127.0.0.1/v", Model: "m"}, epoch, epoch.AddDate(1, 0, 0)); err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	text := all[slices.IndexFunc(all, func(q rdf.Quad) bool { return q.Predicate == iri("note") })].Object
	if err := f.KeepVectors(t.Context(), "p", epoch.AddDate(1, 0, 0), []db.TextVector{{Text: text, Numbers: []float32{0.6, 0.8}}}); err != nil {
		t.Fatal(err)
	}
	path := f.Path()
	f.Close()
	whole := content(t, path)
	for _, column := range columns(t, path) {
		table, name, _ := strings.Cut(column, ".")
		if notCovered[column] != "" || strings.HasPrefix(table, "words_") && table != "words_until" {
			continue // the tables of the index of words are held against the texts
		}
		edited := filepath.Join(t.TempDir(), "edited.db")
		putFile(t, edited, whole)
		dbtest.Exec(t, edited, fmt.Sprintf(`UPDATE OR IGNORE %s SET %q = CASE typeof(%[2]q) WHEN 'integer' THEN %[2]q + 1
			WHEN 'text' THEN %[2]q || 'x' WHEN 'blob' THEN CAST(%[2]q || 'x' AS BLOB) ELSE NULL END WHERE %[2]q IS NOT NULL`, table, name))
		file, err := db.Open(t.Context(), edited, db.Options{})
		if err != nil {
			if !fault.Is(err, fault.Unusable) {
				t.Errorf("%s: %v", column, err)
			}
			continue // it is found sooner
		}
		report, err := file.Verify(t.Context(), db.VerifyOptions{})
		if err != nil || report.OK() && string(content(t, edited)) != string(whole) {
			t.Errorf("an edit of %s goes unnoticed: %v", column, err)
		}
		file.Close()
	}
}

// columns are those of the file's tables that can be written to.
func columns(t *testing.T, path string) (list []string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = sqlitex.ExecuteTransient(c, `SELECT m.name || '.' || i.name FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) i
		WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND i.hidden = 0`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		list = append(list, s.ColumnText(0))
		return nil
	}})
	if err != nil || len(list) < 50 {
		t.Fatalf("%d columns: %v", len(list), err)
	}
	return list
}

// An edited owner opens an artifact to nobody.
func TestAnEditedArtifactIsGivenToNobody(t *testing.T) {
	f := create(t)
	if err := f.KeepArtifacts(t.Context(), []db.NewArtifact{{Artifact: db.Artifact{Owner: "ana", Handle: "h", Expires: epoch.AddDate(1, 0, 0)}, Data: []byte("secret")}}, epoch); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, f.Path(), "UPDATE artifacts SET owner = 'eve'")
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Artifact(t.Context(), "eve", "h", epoch); !fault.Is(err, fault.Unusable) {
		t.Errorf("eve is told %v", err)
	}
	if _, err := r.Artifacts(t.Context(), "eve", epoch, 0, 10); !fault.Is(err, fault.Unusable) {
		t.Errorf("eve's list says %v", err)
	}
}

// What format 8 kept of artifacts has its digests when the file is opened.
func TestArtifactsOfFormat8GetTheirDigests(t *testing.T) {
	f := create(t)
	if err := f.KeepArtifacts(t.Context(), []db.NewArtifact{{Artifact: db.Artifact{Owner: "ana", Handle: "h", Expires: epoch.AddDate(1, 0, 0)}, Data: []byte("kept")}}, epoch); err != nil {
		t.Fatal(err)
	}
	path := f.Path()
	f.Close()
	dbtest.Exec(t, path, "DROP INDEX hist_pos", "DROP INDEX hist_osp", "DROP INDEX hist_g", "ALTER TABLE artifacts DROP COLUMN sum",
		"ALTER TABLE lines DROP COLUMN protected", "DROP TABLE tags", "DROP TABLE requests", "DROP TABLE tokens", "DROP TABLE budgets", "DROP TABLE spending", "DROP TABLE grants", "DROP TABLE vectors", "DROP TABLE vector_space",
		"DELETE FROM goose_db_version WHERE version_id > 8", "UPDATE sqlite_sequence SET seq = seq - 8 WHERE name = 'goose_db_version'", "PRAGMA user_version = 8")
	f = open(t, path)
	if report := verify(t, f); !report.OK() {
		t.Error(report.Problems)
	}
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if a, err := r.Artifact(t.Context(), "ana", "h", epoch); err != nil || a.Size != 4 {
		t.Errorf("%+v: %v", a, err)
	}
}
