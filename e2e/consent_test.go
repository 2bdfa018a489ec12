package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// A client of MCP that knows an address alone is connected by a person, who signs in and allows it, and works in their name:
// at a graph that is served alone, and at one of a folder.
func TestTheTypeScriptClientIsConnectedByAPerson(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	tools, file := toolsOfNode(t), notesFile(t)
	var issued struct{ Token string }
	if err := json.Unmarshal([]byte(must(t, "token", "create", file, "ana", "--scopes", "runtime,builder", "-o", "json")), &issued); err != nil {
		t.Fatal(err)
	}
	must(t, "policy", "set", file, "--starter")
	address := startWeb(t, nil, file, "--oauth").base + "/mcp"
	tools.check(t, "client/consent.mjs", "http", address, issued.Token)
	if log := must(t, "log", file, "-o", "json"); !strings.Contains(log, `"token:ana via localhost (grant-`) {
		t.Errorf("the commit is by somebody else: %s", log)
	}
	if list := must(t, "token", "list", file); strings.Count(list, "revoked") < 1 || strings.Contains(list, issued.Token) {
		t.Errorf("the tokens are %s", list)
	}
	folder := t.TempDir()
	must(t, "backup", file, filepath.Join(folder, "notes.trails"))
	must(t, "invoke", filepath.Join(folder, "notes.trails"), "note.delete", "id=by-consent")
	address = startWeb(t, nil, "--graphs", folder, "--oauth").base + "/graphs/notes/mcp"
	tools.check(t, "client/consent.mjs", "http", address, issued.Token)
}
