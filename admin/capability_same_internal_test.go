package admin

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/text/jsontext"
)

// TestShellsReadWhatWasMeant lets a shell run the commands with programs that print
// what they were given.
func TestShellsReadWhatWasMeant(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"curl", "trails"} {
		script := "#!/bin/sh\nfor a; do printf '%s\\0' \"$a\"; done\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching("[ -~\n]{0,20}"), rapid.SampledFrom([]string{
			"it's", `"`, "$HOME", "`id`", "a\nb", "!!", "\\", "'; rm -rf /; '", "", "-x", "*", "~", "$(id)", "%s", "\x00",
		})).Draw(rt, "text")
		args, err := jsontext.Marshal(map[string]string{"title": text})
		if err != nil {
			rt.Fatal(err)
		}
		same := sameCallOf("http://127.0.0.1:8757", "note.create", args, true)
		want := []string{"-X", "POST", "http://127.0.0.1:8757/invoke/note.create", "-H", "Content-Type: application/json", "-H", "Authorization: Bearer s3", "--data-binary", string(args)}
		if diff := cmp.Diff(want, words(t, dir, same.Curl)); diff != "" {
			rt.Error(diff)
		}
		want = []string{"invoke", "/tmp/a graph", "note.create", "--json", string(args)}
		if diff := cmp.Diff(want, words(t, dir, same.CLI)); diff != "" {
			rt.Error(diff)
		}
		if !json.Valid([]byte(same.MCP)) {
			rt.Error(same.MCP)
		}
	})
}

func words(t *testing.T, dir, command string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Env = []string{"PATH=" + dir, "TRAILS_DB=/tmp/a graph", "TRAILS_TOKEN=s3", "HOME=/nowhere"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestACommandThatIsTooLongIsNotShown(t *testing.T) {
	if same := sameCallOf("http://localhost", "load", make(json.RawMessage, commandMost+1), false); !same.Long || same.Curl != "" {
		t.Errorf("got %+v", same)
	}
}
