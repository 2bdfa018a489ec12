package db_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/db/dbtest"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

// grown makes a file with small commits, a bulk commit, and removals from both, in
// the default graph and in others. Calls made the commits from the third on, and some
// none.
func grown(t *testing.T) *db.File {
	t.Helper()
	f := create(t)
	all := longEntities(11_000)
	write(t, f, all[:10], nil)
	bulk := write(t, f, all[10:10_020], nil)
	if !bulk.Bulk {
		t.Fatal("10,010 additions are no bulk commit")
	}
	call := func(add, remove []rdf.Quad) {
		t.Helper()
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := apply(t.Context(), w, add, remove); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("call %d", w.Head().Seq)
		act := db.Activity{ID: id, Capability: "thing.create", Agent: "ana", Inputs: []byte(id), Outcome: "ok", Used: []string{"urn:test:a"}}
		meta := commitMeta(w, add, remove)
		meta.Idempotent = &db.IdempotentKey{Key: id, Digest: []byte(id), Result: func(history.Commit) ([]byte, error) { return []byte("done " + id), nil }}
		if _, err := w.Commit(t.Context(), meta, &act); err != nil {
			t.Fatal(err)
		}
	}
	call(all[10_020:10_030], all[5:15])
	call([]rdf.Quad{in(rdf.SchemaGraph, q("s", "p", iri("o")))}, nil)
	call(all[10_030:], all[:5])
	call(all[5:10], []rdf.Quad{in(rdf.SchemaGraph, q("s", "p", iri("o")))})
	call([]rdf.Quad{in(iri("g"), q("s", "p", iri("o"))), in(iri("g"), q("s", "p", iri("o2")))}, nil)
	if err := f.Record(t.Context(), []db.Activity{{ID: "read", Capability: "query", Outcome: "ok"}, {ID: "refusal", Outcome: "denied"}}); err != nil {
		t.Fatal(err)
	}
	versions := []db.CapabilityVersion{{Capability: "thing.create", Version: "1.0.0", Descriptor: "{}"}, {Capability: "thing.create", Version: "1.1.0", Descriptor: "{}", CommitSeq: 7}, {Capability: "load", Version: "1.0.0", Descriptor: "{}"}}
	if err := f.AddCapabilityVersions(t.Context(), func(*db.Reader) ([]db.CapabilityVersion, error) { return versions, nil }); err != nil {
		t.Fatal(err)
	}
	artifacts := []db.NewArtifact{
		{Artifact: db.Artifact{Owner: "ana", Handle: "text:a:1", Expires: epoch.AddDate(1, 0, 0)}, Data: bytes.Repeat([]byte("long "), 100_000)},
		{Artifact: db.Artifact{Owner: "ana", Handle: "text:a:2", Expires: epoch.AddDate(1, 0, 0)}, Data: []byte("short")},
	}
	if err := f.KeepArtifacts(t.Context(), artifacts, epoch); err != nil {
		t.Fatal(err)
	}
	return f
}

func verify(t *testing.T, f *db.File) db.VerifyReport {
	t.Helper()
	report, err := f.Verify(t.Context(), db.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestVerifyAgreesWithWhatWasWritten(t *testing.T) {
	testrun.Alone(t)
	report := verify(t, grown(t))
	if !report.OK() || report.Commits != 7 || report.Quads != 11_000-10+2 {
		t.Errorf("%+v", report)
	}
}

// Each of these is an edit by hand, and the report names what it touched.
var forgeries = []struct {
	name, want string
	sql        []string
}{
	{"a statement of a logged commit from nowhere", "is said to be of commit 5, which did not add it: <urn:test:Thing/",
		[]string{"INSERT INTO live SELECT s, p, s, g, added FROM live WHERE added = 5 LIMIT 1"}},
	{"a statement of a bulk commit from nowhere", "commit 2 (",
		[]string{"INSERT INTO live SELECT s, p, s, g, added FROM live WHERE added = 2 LIMIT 1"}},
	{"a statement of a commit that is not there", "is said to be of commit 99, which did not add it",
		[]string{"INSERT INTO live SELECT s, p, s, g, 99 FROM live LIMIT 1"}},
	{"a statement of a logged commit is gone", "commit 5 added a statement that is neither current nor retired since: <urn:test:Thing/",
		[]string{"DELETE FROM live WHERE (s, p, o, g) IN (SELECT s, p, o, g FROM live WHERE added = 5 LIMIT 1)"}},
	{"a statement of a bulk commit is gone", "commit 2 (",
		[]string{"DELETE FROM live WHERE (s, p, o, g) IN (SELECT s, p, o, g FROM live WHERE added = 2 LIMIT 1)"}},
	{"one statement stands for another", "is said to be of commit 5, which did not add it: <urn:test:Thing/",
		[]string{"UPDATE live SET o = s WHERE (s, p, o, g) IN (SELECT s, p, o, g FROM live WHERE added = 5 LIMIT 1)"}},
	{"added is rewritten everywhere", "is said to be of commit 3, which did not add it", []string{"UPDATE live SET added = 3"}},
	{"added is another commit", "is said to be of commit 4, which did not add it", []string{"UPDATE live SET added = 4 WHERE added = 3"}},
	{"a retired statement from nowhere", "is said to have been removed by commit 3, which did not",
		[]string{"INSERT INTO hist SELECT 1, s, p, s, g, 1, 3 FROM live LIMIT 1"}},
	{"a retired statement is forgotten", "commit 3 removed a statement that is not retired since",
		[]string{"DELETE FROM hist WHERE removed = 3"}},
	{"removed is another commit", "is said to have been removed by commit 4, which did not",
		[]string{"UPDATE hist SET removed = 4 WHERE removed = 3"}},
	{"removed comes before added", "was removed by commit 1, and added by commit 6",
		[]string{"UPDATE hist SET removed = 1 WHERE removed = 3 AND added = 1", "INSERT INTO hist SELECT 1, s, p, o, g, 6, 1 FROM hist WHERE removed = 1 LIMIT 1"}},
	{"times of one statement overlap", "was added by commit 6, while it was there",
		[]string{"UPDATE hist SET removed = 7 WHERE removed = 3 AND added = 1"}},
	{"a retired statement is of another branch", "hist: a row is of branch 2", []string{"UPDATE hist SET line = 2 WHERE removed = 5"}},
	{"a descriptor is changed", "descriptors 2: its row and the one before do not give its digest", []string{`UPDATE descriptors SET descriptor = '{"id":""}' WHERE seq = 2`}},
	{"a version is lowered", "descriptors 2: its row and the one before do not give its digest", []string{"UPDATE descriptors SET version = '1.0.1' WHERE seq = 2"}},
	{"a descriptor is gone", "descriptors 3: its row and the one before do not give its digest", []string{"DELETE FROM descriptors WHERE seq = 2"}},
	{"a byte of an artifact is another", "artifact_contents 1: the bytes do not have the hash",
		[]string{"UPDATE artifact_chunks SET data = CAST('x' || substr(data, 2) AS BLOB) WHERE content = 1 AND at = 1"}},
	{"a part of an artifact is gone", "artifact_contents 1: the bytes do not have the hash", []string{"DELETE FROM artifact_chunks WHERE content = 1 AND at = 1"}},
	{"an artifact has bytes that are not there", "artifacts: whose bytes are not there: 1", []string{"UPDATE artifacts SET content = 99 WHERE seq = 2"}},
	{"bytes are of no artifact", "artifact_contents: bytes that no artifact has: 1", []string{"DELETE FROM artifacts WHERE seq = 2"}},
	{"chunks are of no bytes", "artifact_chunks: of bytes that are not there: 1", []string{"DELETE FROM artifact_contents WHERE id = 2"}},
	{"a change is gone from the log", "is said to have been removed by commit 3, which did not", []string{"DELETE FROM changes WHERE seq = 3 AND op = 45"}},
	{"a change that neither adds nor removes", "the log of commit 4 has a row that neither adds nor removes", []string{"UPDATE changes SET op = 0 WHERE seq = 4"}},
	{"a change is of another branch", "changes: rows of commit 4 are of branch 2", []string{"UPDATE changes SET line = 2 WHERE seq = 4"}},
	{"a change log of a commit that has none", "is neither current nor retired since",
		[]string{"INSERT INTO changes SELECT 1, 2, s, p, o, g, 43 FROM live WHERE added = 2"}},
	{"a statement names a term that is not there", "names a term that is not in the dictionary", []string{"UPDATE live SET o = 999999 WHERE added = 7 AND o = (SELECT min(o) FROM live WHERE added = 7)"}},
	{"a value that is none", "is no value", []string{"UPDATE live SET o = -9223372036854775807 WHERE added = 7 AND o = (SELECT min(o) FROM live WHERE added = 7)"}},
	{"another id of the same value", "whose id is", // 2000-01-01T00:00:00Z is even thousands of milliseconds; half a second is lost
		[]string{"UPDATE live SET o = -140737488355328 + 35184372088832 + 1000 WHERE added = 7 AND o = (SELECT min(o) FROM live WHERE added = 7)"}},
	{"a term has another value", "term 7 is not found by its hash", []string{"UPDATE terms SET value = value || 'x' WHERE id = 7"}},
	{"a term has a datatype too many", "has a datatype or a language that it cannot have", []string{"UPDATE terms SET datatype = 1 WHERE id = 7"}},
	{"a literal is its own datatype", "is no IRI", []string{"UPDATE terms SET kind = 4, datatype = 7 WHERE id = 7"}},
	{"a term is gone", "dictionary ids that are missing: 1", []string{"DELETE FROM terms WHERE id = 9"}},
	{"two ids for one term", "are the same: ", []string{"INSERT INTO terms (kind, value, datatype, lang, hash) SELECT kind, value, datatype, lang, hash FROM terms WHERE id = 7"}},
	{"a message is rewritten", "commit 3 has the id", []string{"UPDATE commits SET message = 'nothing happened' WHERE seq = 3"}},
	{"an author is rewritten", "commit 2 has the id", []string{"UPDATE commits SET author = 'nobody' WHERE seq = 2"}},
	{"a time is rewritten", "commit 2 has the id", []string{"UPDATE commits SET ts = ts + 1 WHERE seq = 2"}},
	{"an id is rewritten", "commit 2 has the id", []string{"UPDATE commits SET id = zeroblob(32) WHERE seq = 2"}},
	{"an id is too long", "commits: ids that are no ids", []string{"UPDATE commits SET id = zeroblob(33) WHERE seq = 2"}},
	{"a parent is rewritten", "comes after commit 2", []string{"UPDATE commits SET parent = (SELECT id FROM commits WHERE seq = 1) WHERE seq = 3"}},
	{"commits have other numbers", "comes after commit 1", []string{
		"UPDATE commits SET seq = -1 WHERE seq = 2", "UPDATE commits SET seq = 2 WHERE seq = 3", "UPDATE commits SET seq = 3 WHERE seq = -1"}},
	{"a commit is on another branch", "commits: on a branch that is not there", []string{"UPDATE commits SET line = 2 WHERE seq = 3"}},
	{"a commit has a flag that does not exist", "flags that do not exist", []string{"UPDATE commits SET flags = flags | 2 WHERE seq = 3"}},
	{"a commit claims to have no log", "commit 3 (", []string{"UPDATE commits SET flags = 1 WHERE seq = 3"}},
	{"a bulk commit claims to have a log", "commit 2 (", []string{"UPDATE commits SET flags = 0 WHERE seq = 2"}},
	{"a commit has another version of the schema", "commit 5 says version 0 of the schema", []string{"UPDATE commits SET schema_version = 0 WHERE seq = 5"}},
	{"the schema is of another commit", "of the schema, of commit 3", []string{"UPDATE commits SET schema_seq = 3 WHERE seq = 5"}},
	{"a commit counts other additions", "commit 3 (", []string{"UPDATE commits SET added = added + 1 WHERE seq = 3"}},
	{"a commit counts other removals", "commit 3 (", []string{"UPDATE commits SET removed = removed + 1 WHERE seq = 3"}},
	{"a commit counts other quads", "commit 3 says 10011 quads, but the changes give 10020", []string{"UPDATE commits SET quads = 10011 WHERE seq = 3"}},
	{"a link of the chain is rewritten", "commits 3: ", []string{"UPDATE commits SET chain = zeroblob(32) WHERE seq = 3"}},
	{"the newest commit is gone", "activities of a commit that is not there", []string{
		"DELETE FROM commits WHERE seq = 7", "DELETE FROM changes WHERE seq = 7", "DELETE FROM live WHERE added = 7", "UPDATE lines SET head = 6"}},
	{"the head is no commit", "a branch is at commit 77", []string{"UPDATE lines SET head = 77"}},
	{"the head is an older commit", "lines: the head of branch 1 is commit 6 and should be commit 7", []string{"UPDATE lines SET head = 6"}},
	{"main has another name", "lines: main is", []string{"UPDATE lines SET name = 'trunk'"}},
	{"another branch", "lines: branch 2 has a seal that is not of its row", []string{"INSERT INTO lines (line, name, head) VALUES (2, 'side', 3)"}},
	{"an activity says something else", "prov 2: what the activity says do not give its digest", []string{"UPDATE prov SET agent = 'bo' WHERE seq = 2"}},
	{"an activity was only tried", "prov 2: what the activity says", []string{"UPDATE prov SET dry_run = 1 WHERE seq = 2"}},
	{"a read says something else", "prov 6: what the activity says", []string{"UPDATE prov SET capability = 'stats' WHERE seq = 6"}},
	{"an activity has no inputs", "prov 3: what the activity says", []string{"UPDATE prov SET inputs = NULL WHERE seq = 3"}},
	{"an activity of a commit is gone", "commits 4: its row, its activity and the commit before do not give its digest", []string{"DELETE FROM prov WHERE commit_seq = 4"}},
	{"the last activity of a commit is gone", "commits 7: ", []string{"DELETE FROM prov WHERE commit_seq = 7"}},
	{"an activity from nowhere", "prov 8: what the activity says", []string{
		"INSERT INTO prov SELECT 8, id, capability, version, agent, via, started, ended, inputs, outcome, error, trace, cost, 0, used, generated, dry_run, sum FROM prov WHERE seq = 7"}},
	{"two activities of one commit", "activities that say of a commit that they made it", []string{"UPDATE prov SET commit_seq = 5 WHERE seq = 2"}},
	{"a remembered result is rewritten", "idempotency 2: the key and what is remembered do not give its digest", []string{"UPDATE idempotency SET result = x'00' WHERE seq = 2"}},
	{"a remembered key is rewritten", "idempotency 2: ", []string{"UPDATE idempotency SET key = 'mine' WHERE seq = 2"}},
	{"a remembered key is gone", "remembered keys that are not there any more: 1", []string{"DELETE FROM idempotency WHERE seq = 2"}},
	{"the first remembered key is gone", "remembered keys that are not there any more: 1", []string{"DELETE FROM idempotency WHERE seq = 1"}},
	{"the base is rewritten", "meta: the rows do not give their digest", []string{"UPDATE meta SET value = 'urn:other:' WHERE key = 'base'"}},
	{"the name is gone", "meta: the rows do not give their digest", []string{"DELETE FROM meta WHERE key = 'name'"}},
	{"the digest of meta is gone", "meta: the rows do not give their digest", []string{"DELETE FROM meta WHERE key = 'sum'"}},
	{"a migration is forgotten", "migrations were applied", []string{"DELETE FROM goose_db_version WHERE version_id = 2"}},
	{"a word from nowhere", `index words has "ghost" for term 8, whose text does not have it`, []string{"INSERT INTO words (rowid, word) VALUES (8, 'ghost')"}},
	{"a word of a text of another length", `index words has "item" for term 8,`, []string{"INSERT INTO words (rowid, word) VALUES ((2 << 34) + 8, 'item')"}},
	{"a word twice", "words_data: the counts of texts and words", []string{"INSERT INTO words (rowid, word) SELECT doc, term FROM word_places WHERE term >= 'a' LIMIT 1"}},
	{"a word is gone", `index words lacks "`, []string{"INSERT INTO words (words, rowid, word) SELECT 'delete', doc, term FROM word_places WHERE term >= 'a' LIMIT 1"}},
	{"pages of words are not found", "words_idx: segment", []string{"DELETE FROM words_idx"}},
	{"a page of words is not found", "words_idx: segment", []string{"DELETE FROM words_idx WHERE (segid, term) IN (SELECT segid, term FROM words_idx LIMIT 1)"}},
	{"words lead to another page", "pages: ", []string{"UPDATE words_idx SET pgno = pgno + 2 WHERE term > ''"}},
	{"pages of words are gone", "words", []string{"DELETE FROM words_data WHERE id > 10 AND id = (SELECT max(id) FROM words_data)"}},
	{"another number of texts", "words_data: ", []string{"UPDATE words_data SET block = x'0101' WHERE id = 1"}},
	{"the last texts are left out", "words_until: ", []string{"UPDATE words_until SET term = term - 4001"}},
	{"one text is left out", "index words has ", []string{"UPDATE words_until SET term = term - 1 WHERE term > 600"}},
	{"words are held for longer", "words_config", []string{"UPDATE words_config SET v = 5 WHERE k = 'hashsize'"}},
	{"an index has other columns", "index live_osp that is not as format", []string{"DROP INDEX live_osp", "CREATE INDEX live_osp ON live (o, s, p, g)"}},
	{"a trigger", "trigger t on live does not belong into the file", []string{"CREATE TRIGGER t AFTER INSERT ON live BEGIN DELETE FROM hist; END"}},
	{"a table", "table notes does not belong into the file", []string{"CREATE TABLE notes (x)"}},
}

// historyFile makes a backup of history, and returns its path and its bytes.
func historyFile(t *testing.T) (base string, content []byte) {
	t.Helper()
	base = filepath.Join(t.TempDir(), "base.db")
	if err := grown(t).Backup(t.Context(), base, db.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	return base, content
}

func TestVerifyNamesWhatWasForged(t *testing.T) {
	testrun.Alone(t)
	_, content := historyFile(t)
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "forged.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			dbtest.Exec(t, path, f.sql...)
			file, err := db.Open(t.Context(), path, db.Options{Inspect: true})
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			report := verify(t, file)
			if found := strings.Join(report.Problems, "\n"); !strings.Contains(found, f.want) {
				t.Errorf("verify does not say %q but:\n%s", f.want, found)
			}
		})
	}
}

// branchForgeries are edits of a file with the branch 2, made from commit 7, and its branch 3: commit 8 on branch 2 removes
// a statement of main and adds one, commit 9 removes that, and commit 10 on branch 3 removes another one of main.
var branchForgeries = []struct {
	name, want string
	sql        []string
}{
	{"a branch has another name", "lines: branch 2 has a seal that is not of its row", []string{"UPDATE lines SET name = 'other' WHERE line = 2"}},
	{"a branch is made from another commit", "lines: branch 3 has a seal that is not of its row", []string{"UPDATE lines SET fork = 7 WHERE line = 3"}},
	{"a branch has another head", "lines: the head of branch 2 is commit 8 and should be commit 9", []string{"UPDATE lines SET head = 8 WHERE line = 2"}},
	{"a branch is protected no more", "lines: branch 2 has a seal that is not of its row", []string{"UPDATE lines SET protected = 0 WHERE line = 2"}},
	{"main is protected", "lines: main has a seal that is not of its row", []string{"UPDATE lines SET protected = 1 WHERE line = 1"}},
	{"a tag names another commit", "tags 1: the name and its commit", []string{"UPDATE tags SET commit_seq = 3"}},
	{"a tag names no commit", "tags: names of commits that are not there", []string{"UPDATE tags SET commit_seq = 77"}},
	{"a tag has the name of a branch", "tags: names of commits that are not there, or of branches", []string{"UPDATE tags SET name = 'more'"}},
	{"another request was approved", "requests 1: what was asked and decided", []string{"UPDATE requests SET state = 'done'"}},
	{"a request is of no branch", "requests: of commits or branches that are not there", []string{"UPDATE requests SET line = 7"}},
	{"a request is of no commit", "requests: of commits or branches that are not there", []string{"UPDATE requests SET source = 77"}},
	{"a branch is gone", "commits: on a branch that is not there", []string{"DELETE FROM lines WHERE line = 2"}},
	{"a branch is numbered anew", "lines: branch 4 comes after branch 2", []string{"UPDATE lines SET line = 4 WHERE line = 3"}},
	{"a commit is on another branch", "commits 9: its row", []string{"UPDATE commits SET line = 3 WHERE seq = 9"}},
	{"what a branch removed is there", "commit 10 removed a statement that is not retired since", []string{"DELETE FROM hist WHERE line = -3"}},
	{"what a branch removed is of another branch", "is said to be of commit 10, which is of branch 3", []string{"UPDATE hist SET line = -2 WHERE line = -3"}},
	{"what a branch removed was never there", "branch 3 removed a statement that was not there, of commit 4", []string{"UPDATE hist SET added = 4 WHERE line = -3"}},
	{"what a branch added was never there", "commit 8 added a statement that is neither current nor retired since", []string{"DELETE FROM hist WHERE line = 2"}},
	{"what a branch added came back", "commit 9 removed a statement that is not retired since", []string{"UPDATE hist SET removed = 9223372036854775807 WHERE line = 2"}},
	{"what a branch added is of another commit", "is said to be of commit 7, which is of branch 1", []string{"UPDATE hist SET added = 7 WHERE line = 2"}},
	{"a statement is of no branch", "hist: a row is of branch 9, which is not there", []string{"UPDATE hist SET line = 9 WHERE line = 2"}},
	{"a change of a branch is gone", "commit 8 (", []string{"DELETE FROM changes WHERE line = 2 AND seq = 8 AND op = 43"}},
}

func TestVerifyNamesWhatWasForgedOnABranch(t *testing.T) {
	testrun.Alone(t)
	f := grown(t)
	ctx, new := t.Context(), q("new", "p", iri("new"))
	made := func(name string, from history.Commit) {
		t.Helper()
		w, err := f.Write(ctx)
		if err == nil {
			err = errors.Join(w.AddBranch(ctx, name, from), w.Keep(ctx))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wrote := func(branch string, add, remove []rdf.Quad) history.Commit {
		t.Helper()
		c, err := writeOn(ctx, f, branch, nil, add, remove)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	r := read(t, f)
	ofMain := collect(t, r.Match(ctx, rdf.Quad{Label: rdf.DefaultGraph}))[:2]
	made("side", r.Head())
	made("more", wrote("side", []rdf.Quad{new}, ofMain[:1]))
	wrote("side", nil, []rdf.Quad{new})
	wrote("more", nil, ofMain[1:])
	askFor(t, f, "side")
	if report := verify(t, f); !report.OK() || report.Commits != 10 {
		t.Fatal(report.Problems)
	}
	base := filepath.Join(t.TempDir(), "base.db")
	if err := f.Backup(ctx, base, db.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range branchForgeries {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "forged.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			dbtest.Exec(t, path, c.sql...)
			report := verify(t, open(t, path))
			if found := strings.Join(report.Problems, "\n"); !strings.Contains(found, c.want) {
				t.Errorf("verify does not say %q but:\n%s", c.want, found)
			}
		})
	}
}

// askFor protects a branch, tags its head, and asks for a merge of main into it.
func askFor(t *testing.T, f *db.File, branch string) {
	t.Helper()
	ctx := t.Context()
	w, err := f.WriteOn(ctx, branch)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Decide()
	number, err := w.AddRequest(ctx, db.Request{Capability: "branches_merge", Args: "{}", Source: w.Head(), SourceBranch: db.Main, Agent: "ana", Asked: epoch})
	if err != nil || number != 1 {
		t.Fatal(number, err)
	}
	if err := errors.Join(w.ProtectBranch(ctx, branch, true), w.AddTag(ctx, db.Tag{Name: "v1", Commit: w.Head(), Author: "ana", Time: epoch}), w.Keep(ctx)); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatLostATableIsRefused(t *testing.T) {
	testrun.Alone(t)
	for sql, mentions := range map[string]string{
		"DROP INDEX live_osp":                   "live_osp",
		"DROP INDEX terms_hash":                 "terms_hash",
		"DROP TABLE hist":                       "hist",
		"ALTER TABLE commits DROP COLUMN quads": "quads",
		"ALTER TABLE meta RENAME value TO v":    "value",
	} {
		path := create(t).Path()
		dbtest.Exec(t, path, sql)
		f, err := db.Open(t.Context(), path, db.Options{})
		if !fault.Is(err, fault.Unusable) || !strings.Contains(fault.Whole(err), mentions) {
			t.Errorf("%s: %v", sql, err)
		}
		if err == nil {
			f.Close()
		}
	}
}

// An index that lacks a row of its table, and one that has a row too many.
func TestVerifyNamesRowsThatOnlyOneTreeHas(t *testing.T) {
	testrun.Alone(t)
	_, content := historyFile(t)
	for _, c := range []struct{ index, sql, want string }{
		{"live_pos", "INSERT INTO live SELECT s, p, s, g, 7 FROM live WHERE added = 5 LIMIT 1", "index live_pos lacks a row of live, of commit 7: <urn:test:Thing/"},
		{"live_osp", "DELETE FROM live WHERE added = 3", "index live_osp has a row that live has not, of commit 3: <urn:test:Thing/"},
		{"live_g", "DELETE FROM live WHERE added = 7", "index live_g has a row that live has not, of commit 7: <urn:test:s>"},
		{"live_g", "INSERT INTO live SELECT s, p, s, g, 7 FROM live WHERE added = 7 LIMIT 1", "index live_g lacks a row of live, of commit 7"},
		{"terms_hash", "UPDATE terms SET hash = hash + 1 WHERE id = 7", "index terms_hash"},
		{"commits_id", "DELETE FROM commits WHERE seq = 3", "index commits_id"},
		{"commits_ts", "UPDATE commits SET ts = 7 WHERE seq = 7", "index commits_ts"},
		{"prov_commit", "UPDATE prov SET commit_seq = 0 WHERE commit_seq = 7", "index prov_commit"},
		{"prov_id", "UPDATE prov SET id = 'other' WHERE seq = 2", "index prov_id"},
	} {
		t.Run(c.index+": "+c.want, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "forged.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			// The index is hidden from SQLite while the table changes.
			hidden := "FROM sqlite_schema WHERE name = '" + c.index + "'"
			dbtest.Exec(t, path, "PRAGMA writable_schema = ON", "CREATE TEMP TABLE kept AS SELECT * "+hidden, "DELETE "+hidden, "PRAGMA writable_schema = RESET",
				c.sql, "PRAGMA writable_schema = ON", "INSERT INTO sqlite_schema SELECT * FROM kept")
			file, err := db.Open(t.Context(), path, db.Options{Inspect: true})
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			report := verify(t, file)
			if found := strings.Join(report.Problems, "\n"); !strings.Contains(found, c.want) {
				t.Errorf("verify does not say %q but:\n%s", c.want, found)
			}
		})
	}
}

// SQLite reads an empty text, an empty blob and NULL as the number 0, which the default
// graph is. Here the type of such a 0 is another one in the first row of each tree.
func TestVerifyNoticesAZeroThatIsNoNumber(t *testing.T) {
	testrun.Alone(t)
	base, content := historyFile(t)
	for tree, column := range map[string]int{"live_pos": 3, "live_osp": 3, "live": 3, "hist": 4, "changes": 5, "goose_db_version": 1} {
		pageno := dbtest.Number(t, base, "SELECT pageno FROM dbstat WHERE pagetype = 'leaf' AND name = '"+tree+"' ORDER BY path LIMIT 1")
		for kind, serial := range map[string]byte{"text": 13, "a blob": 12, "NULL": 0} {
			t.Run(tree+" has "+kind, func(t *testing.T) {
				const zero, pageSize, leafOfTable = 8, 4096, 0x0d
				forged := bytes.Clone(content)
				page := forged[(pageno-1)*pageSize : pageno*pageSize]
				header := int(binary.BigEndian.Uint16(page[8:])) + 1 // behind the size of the first row
				if page[0] == leafOfTable {
					header++ // and its rowid
				}
				if page[header+1+column] != zero {
					t.Fatalf("%x has no 0 in column %d", page[header:header+8], column)
				}
				page[header+1+column] = serial
				path := filepath.Join(t.TempDir(), "forged.db")
				if err := os.WriteFile(path, forged, 0o600); err != nil {
					t.Fatal(err)
				}
				if report := verify(t, open(t, path)); report.OK() {
					t.Error("verify says that all is well")
				}
			})
		}
	}
}

func TestABackupIsTheSameFile(t *testing.T) {
	testrun.Alone(t)
	f := grown(t)
	dest := filepath.Join(t.TempDir(), "copy.db")
	var last, total int64
	if err := f.Backup(t.Context(), dest, db.BackupOptions{Progress: func(d, n int64) { last, total = d, n }}); err != nil {
		t.Fatal(err)
	}
	if last != total || total == 0 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	twin := open(t, dest)
	if diff := gocmp.Diff(read(t, f).Head(), read(t, twin).Head()); diff != "" {
		t.Error(diff)
	}
	if report := verify(t, twin); !report.OK() {
		t.Errorf("%+v", report)
	}
	write(t, twin, []rdf.Quad{q("more", "p", iri("o"))}, nil)
	if err := f.Backup(t.Context(), dest, db.BackupOptions{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second backup to the same place: %v", err)
	}
}

func TestABackupThatIsCancelledLeavesNothing(t *testing.T) {
	f := grown(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	err := f.Backup(ctx, filepath.Join(dir, "copy.db"), db.BackupOptions{Progress: func(int64, int64) { cancel() }})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := f.Backup(ctx, filepath.Join(dir, "never.db"), db.BackupOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 1 {
		t.Errorf("left: %v, error %v", left, err)
	}
}

func TestASampleFindsWhatIsWrongInTheNewestCommits(t *testing.T) {
	testrun.Alone(t)
	f := create(t)
	all := entities(30_000)
	write(t, f, all[:20_000], nil)
	last := write(t, f, all[20_000:20_010], all[:5])
	path := f.Path()
	f.Close()
	sample := func() db.VerifyReport {
		t.Helper()
		report, err := open(t, path).Verify(t.Context(), db.VerifyOptions{Sample: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if report := sample(); !report.OK() || report.Whole || report.Commits != 1 || report.Quads == 0 || report.Terms == 0 {
		t.Errorf("%+v", report)
	}
	dbtest.Exec(t, path, "DELETE FROM live WHERE added = 2 AND s = (SELECT max(s) FROM live WHERE added = 2)")
	if report := sample(); report.OK() || !strings.Contains(report.Problems[0], fmt.Sprintf("commit %d changed a statement", last.Seq)) {
		t.Errorf("%+v", report)
	}
}

func TestASmallFileIsCheckedWholeWhateverTheTime(t *testing.T) {
	f := create(t)
	write(t, f, entities(500), nil)
	report, err := f.Verify(t.Context(), db.VerifyOptions{Sample: 1})
	if err != nil || !report.OK() || !report.Whole {
		t.Errorf("%+v, error %v", report, err)
	}
}

// What a commit's id is made of is read back as it was, whenever the commit was made.
func TestACommitOfAnyTimeVerifies(t *testing.T) {
	f := create(t)
	for i, at := range []time.Time{{}, time.Unix(-1, 0), time.Unix(0, 0), time.UnixMicro(1), epoch} {
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := apply(t.Context(), w, []rdf.Quad{q(fmt.Sprint("s", i), "p", iri("o"))}, nil); err != nil {
			t.Fatal(err)
		}
		c, err := w.Commit(t.Context(), db.CommitMeta{Time: at}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, f).Head(); got != c || !got.Time.Equal(at) {
			t.Errorf("the commit of %v is read as %+v, want %+v", at, got, c)
		}
	}
	if report := verify(t, f); !report.OK() {
		t.Errorf("%v", report.Problems)
	}
}
