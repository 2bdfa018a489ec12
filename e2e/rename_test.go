package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// One process renames a type and its properties while another writes. Every acknowledged write is there under
// the new names, even if it used the old ones.
func TestARenamingLosesNoWriteOfAnotherProcess(t *testing.T) {
	t.Parallel()
	const writes = 40
	file := filepath.Join(t.TempDir(), "notes.trails")
	must(t, "init", file, "--schema", write(t, "schema.yaml", "types: {Note: {label: title, properties: {title: {type: string, required: true, unique: true}, status: {type: string, required: true}}}}"))
	writer, renamer := openStdio(t, file), openStdio(t, file, "TRAILS_MCP_SCOPES=runtime,builder")
	began, done := make(chan struct{}), make(chan []string, 1)
	begin := sync.OnceFunc(func() { close(began) })
	go func() {
		defer close(done)
		defer begin()
		var made []string
		for n, names := 0, []string{"Note", "title", "status"}; n < writes; {
			title := fmt.Sprintf("Note %d", n)
			a, err := tool(writer, "create", map[string]any{"type": names[0], "data": map[string]any{names[1]: title, names[2]: "open"}})
			switch {
			case err == nil && !a.IsError:
				made = append(made, title)
				if n++; n == writes/4 {
					begin()
				}
			case names[0] == "Note": // the renaming came first
				names = []string{"Memo", "name", "state"}
			default:
				t.Errorf("%s is refused under the new names, too: %v %s", title, err, a.Structured)
				n = writes
			}
		}
		done <- made
	}()
	<-began
	a, err := tool(renamer, "schema_apply", map[string]any{"patch": "- rename_type: {Note: Memo}\n- rename_property: {Memo.title: name}\n- rename_property: {Memo.status: state}"})
	if err != nil || a.IsError {
		t.Errorf("the renaming: %v %s", err, a.Structured)
	}
	made := <-done
	stopAll(t, []door{writer, renamer})
	out := must(t, "query", file, "SELECT ?n { ?m a :Memo ; :name ?n ; :state 'open' } ORDER BY ?n", "-o", "csv")
	for _, title := range made {
		if !strings.Contains(out, title+"\r\n") {
			t.Errorf("%s was acknowledged, and is not there", title)
		}
	}
	if left := must(t, "query", file, "SELECT ?m { { ?m :title ?t } UNION { ?m :status ?s } UNION { ?m a :Note } }", "-o", "csv"); strings.Count(left, "\n") != 1 {
		t.Errorf("old names are left:\n%s", left)
	}
	if len(made) != writes || strings.Count(out, "\n") != writes+1 {
		t.Errorf("%d writes were acknowledged, and there are\n%s", len(made), out)
	}
	must(t, "verify", file)
}
