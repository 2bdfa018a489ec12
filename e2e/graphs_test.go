package e2e_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// A graph of a folder is served as one alone is: a tool names the pages of its own graph, and the log says once that tokens
// read alone, however often the graph is opened.
func TestAGraphOfAFolderKnowsWhereItIs(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	folder := t.TempDir()
	tokens := map[string]string{}
	for _, id := range []string{"alpha", "beta"} {
		file := filepath.Join(folder, id+".trails")
		must(t, "backup", notesFile(t), file)
		tokens[id] = strings.SplitN(must(t, "token", "create", file, "reader"), "\n", 2)[0]
	}
	alpha := filepath.Join(folder, "alpha.trails")
	must(t, "policy", "set", alpha, "--starter")
	must(t, "load", alpha, write(t, "one.ndjson", noteLine("one")))
	must(t, "branch", "create", alpha, "draft")
	must(t, "load", alpha, write(t, "two.ndjson", noteLine("two")), "--branch", "draft")
	w := startWeb(t, nil, "--graphs", folder)
	w.token = tokens["alpha"]
	if status, text, err := w.post("/graphs/alpha/invoke/branches_merge", []byte(`{"source":"draft","ask":true}`), nil); err != nil || status != http.StatusOK || !strings.Contains(string(text), "on the page /graphs/alpha/admin/requests/1 ") {
		t.Errorf("the page of a request: %d %s, %v", status, text, err)
	}
	w.token = tokens["beta"]
	if status, _, err := w.do(http.MethodGet, "/graphs/beta/schema", nil, nil); err != nil || status != http.StatusOK {
		t.Errorf("beta is not opened: %d, %v", status, err)
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	if log := w.stderr.String(); strings.Count(log, "there are no policies") != 1 {
		t.Errorf("the log warns of the one graph without policies not once: %s", log)
	}
}
