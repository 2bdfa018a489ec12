package builtin_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// What differs is told from the commit before to the newest one, since a branch was made, and between any two states, of
// a deleted branch, too.
func TestADifferenceHasTheEndsThatAreMeant(t *testing.T) {
	e := invoketest.New(t, withStatus, invoke.Config{})
	e.Must(t, "note.create", `{"id": "a", "title": "A", "status": "open"}`)
	first := fmt.Sprint(e.Must(t, "diff", `{}`))
	e.Must(t, "branches_create", `{"name": "draft"}`)
	e.Must(t, "note.update", `{"id": "a", "title": "B", "branch": "draft"}`)
	e.Must(t, "note.update", `{"id": "a", "status": "done", "branch": "draft"}`)
	e.Must(t, "note.update", `{"id": "a", "status": "late"}`)
	head, _ := e.Must(t, "branches_list", `{}`)["rows"].([]any)[1].([]any)[3].(string)
	for args, want := range map[string]string{
		`{}`:                  "[changed Note/a status open late <nil>]",
		`{"branch": "draft"}`: "[changed Note/a status open done <nil>] [changed Note/a title A B <nil>]",
		`{"to": "draft"}`:     "[changed Note/a status open done <nil>] [changed Note/a title A B <nil>]",
		`{"to": "draft~1"}`:   "[changed Note/a title A B <nil>]",
		`{"from": "draft"}`:   "[changed Note/a status done late <nil>] [changed Note/a title B A <nil>]",
		`{"from": "main", "to": "draft", "node": "Note/a", "type": "Note"}`: "[changed Note/a status late done <nil>] [changed Note/a title A B <nil>]",
		`{"from": "` + head + `", "to": "head~1"}`:                          "[changed Note/a status done open <nil>] [changed Note/a title B A <nil>]",
		`{"from": "head", "to": "head"}`:                                    "",
	} {
		rows, _ := e.Must(t, "diff", args)["rows"].([]any)
		lines := make([]string, len(rows))
		for i, row := range rows {
			lines[i] = fmt.Sprint(row)
		}
		slices.Sort(lines)
		if got := strings.Join(lines, " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if !strings.Contains(first, "made Note/a title <nil> A") {
		t.Errorf("the first commit: %s", first)
	}
	e.Must(t, "branches_delete", `{"name": "draft"}`)
	if of := fmt.Sprint(e.Must(t, "diff", `{"from": "`+head+`"}`)["rows"]); !strings.Contains(of, "Note/a title B A") {
		t.Errorf("since a commit of a deleted branch: %s", of)
	}
	for args, says := range map[string]string{
		`{"to": "draft"}`:                   "branches_list has the branches",
		`{"from": "0000"}`:                  "no commit 0000; commits_list has them",
		`{"type": "Nothing"}`:               "there is no type",
		`{"type": "Note", "form": "patch"}`: "type chooses rows of a table",
		`{"form": "xml"}`:                   "table",
		`{"node": "Note/nobody"}`:           "nobody",
		`{"from": "head~99"}`:               "main has",
	} {
		_, err := e.Call(t.Context(), invoke.Call{Capability: "diff", Args: json.RawMessage(args), Principal: invoketest.Ana})
		if told := invoketest.Refusal(err); err == nil || fault.Is(err, fault.Internal) || !strings.Contains(told, says) {
			t.Errorf("%s: %v, want %s", args, told, says)
		}
	}
}

// A rename is one step beside the rows, and its values are no rows.
func TestADifferenceTellsARenameAsOne(t *testing.T) {
	e := invoketest.New(t, withStatus, invoke.Config{})
	e.Must(t, "note.create", `{"id": "a", "title": "A", "status": "open"}`)
	e.Must(t, "schema_apply", `{"patch": "- rename_property: {Note.status: state}"}`)
	told := e.Must(t, "diff", `{}`)
	if rows := fmt.Sprint(told["rows"]); rows != "[]" || !strings.Contains(fmt.Sprint(told["definitions"]), "rename property Note.status to state") {
		t.Errorf("%v", told)
	}
}

// Of a branch with more changes than are read for its clashes, what differs is told, and that no clashes were looked for.
func TestADifferenceSaysThatNoClashesWereLookedFor(t *testing.T) {
	e := invoketest.New(t, withStatus, invoke.Config{})
	e.Must(t, "note.create", `{"id": "a", "title": "A"}`)
	e.Must(t, "branches_create", `{"name": "draft"}`)
	e.Must(t, "note.update", `{"id": "a", "title": "Ours"}`)
	e.Must(t, "note.update", `{"id": "a", "title": "Theirs", "branch": "draft"}`)
	const notLooked = "[clashes were not looked for: draft and main are more than 50000 changes apart; branches_merge with dry_run looks for clashes among all]"
	warned := func(args string) string {
		answer := e.Must(t, "diff", args)
		if rows, _ := answer["rows"].([]any); len(rows) == 0 {
			t.Errorf("%s: no rows", args)
		}
		return fmt.Sprint(answer["warnings"], answer["clash_count"])
	}
	if got := warned(`{"branch": "draft"}`); !strings.Contains(got, "1 clash must be decided") {
		t.Errorf("of a small branch: %s", got)
	}
	var data strings.Builder
	for i := range 25_000 { // with a type and a title
		fmt.Fprintf(&data, `{"type":"Note","id":"n%d","data":{"title":"T%d"}}`+"\n", i, i)
	}
	args, err := json.Marshal(map[string]string{"data": data.String(), "branch": "draft"})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "load", string(args))
	for _, args := range []string{`{"branch": "draft"}`, `{"from": "main", "to": "draft"}`, `{"to": "draft", "node": "Note/a"}`} {
		if got := warned(args); got != notLooked+" <nil>" {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := warned(`{"branch": "draft", "offset": 1}`); strings.Contains(got, "clashes") {
		t.Errorf("of a further page: %s", got)
	}
}

// A part of a difference says first how to go on, and the parts are the whole.
func TestADifferenceIsToldInParts(t *testing.T) {
	e := invoketest.New(t, withStatus, invoke.Config{})
	e.Must(t, "note.create", `{"id": "zero", "title": "Z"}`)
	var data strings.Builder
	for i := range 300 {
		fmt.Fprintf(&data, `{"type":"Note","id":"n%d","data":{"title":"Title number %d"}}`+"\n", i, i)
	}
	args, err := json.Marshal(map[string]string{"data": data.String()})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "load", string(args))
	const each = 2 // the type and the title
	for form, list := range map[string]func(map[string]any) []string{
		"table": func(answer map[string]any) (list []string) {
			rows, _ := answer["rows"].([]any)
			for _, row := range rows {
				list = append(list, fmt.Sprint(row))
			}
			return list
		},
		"patch": func(answer map[string]any) (list []string) {
			text, _ := answer["text"].(string)
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "A ") {
					list = append(list, line)
				}
			}
			return list
		},
		"update": func(answer map[string]any) (list []string) {
			text, _ := answer["text"].(string)
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "  ") {
					list = append(list, line)
				}
			}
			return list
		},
	} {
		seen := map[string]bool{}
		for offset := 0; ; {
			call := invoke.Call{Capability: "diff", Principal: invoketest.Ana, Args: json.RawMessage(fmt.Sprintf(`{"form": %q, "offset": %d, "max_chars": 8000}`, form, offset))}
			r, err := e.Call(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			var answer map[string]any
			if err := json.Unmarshal(r.Structured, &answer); err != nil {
				t.Fatal(err)
			}
			if len(r.Structured) > 9000 {
				t.Errorf("%s: a part has %d bytes", form, len(r.Structured))
			}
			part := list(answer)
			for _, one := range part {
				seen[one] = true
			}
			if offset += len(part); answer["more"] == nil {
				break
			}
			if !strings.Contains(string(r.Structured), fmt.Sprint("go on with offset ", offset)) {
				t.Fatalf("%s does not say how to go on: %.300s", form, r.Structured)
			}
		}
		if len(seen) != 300*each {
			t.Errorf("the parts of a %s have %d of %d", form, len(seen), 300*each)
		}
	}
}
