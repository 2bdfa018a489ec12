package e2e_test

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// notesSchema is a small schema for tests of behaviour under load.
const notesSchema = `
base: "urn:trails:notes:"
types:
  Note:
    label: title
    key: code
    iri: key
    properties:
      code: {type: string, required: true, unique: true, pattern: '^[a-z0-9-]+$'}
      title: {type: string, required: true, min_length: 3}
      rank: {type: integer, required: true, min_value: 0}
      tag: {type: string, many: true, min_count: 2, max_count: 2}
`

// quadsOfNote is the number of quads of a note: type, code, title, rank and two tags.
const quadsOfNote = 6

// notesFile makes an empty file with the schema of notes.
func notesFile(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "notes.db")
	must(t, "init", file, "--schema", write(t, "notes.yaml", notesSchema))
	return file
}

// writableFile is notesFile under the policies that a graph begins with, so that callers by a token write, too.
func writableFile(t testing.TB) string {
	t.Helper()
	file := notesFile(t)
	must(t, "policy", "set", file, "--starter")
	return file
}

// note returns arguments of note_create.
func note(code string) map[string]any {
	return map[string]any{"code": code, "title": "Note " + code, "rank": len(code), "tag": []string{"a-" + code, "b-" + code}}
}

// noteLine returns the same note as a line of NDJSON.
func noteLine(code string) string {
	return fmt.Sprintf(`{"type":"Note","id":%q,"data":{"code":%q,"title":"Note %s","rank":%d,"tag":["a-%s","b-%s"]}}`,
		code, code, code, len(code), code, code)
}

// notes returns the number of quads of each note in the file, by code.
func notes(t testing.TB, file string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	quads := bufio.NewScanner(strings.NewReader(must(t, "export", file, "--format", "nquads")))
	quads.Buffer(nil, 1<<20)
	for quads.Scan() {
		if rest, ok := strings.CutPrefix(quads.Text(), "<urn:trails:notes:Note/"); ok {
			code, _, _ := strings.Cut(rest, ">")
			counts[code]++
		}
	}
	if err := quads.Err(); err != nil {
		t.Fatal(err)
	}
	return counts
}

// wantNotes checks that every acknowledged note is there, and that every note is whole.
func wantNotes(t testing.TB, file string, acknowledged []string) {
	t.Helper()
	got := notes(t, file)
	for _, code := range acknowledged {
		if got[code] == 0 {
			t.Errorf("the acknowledged note %s is lost", code)
		}
	}
	for code, quads := range got {
		if quads != quadsOfNote {
			t.Errorf("note %s has %d quads, want %d: half a commit", code, quads, quadsOfNote)
		}
	}
}
