package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsInstalledStarts starts the servers of configurations as their hosts do, in another directory and with
// nothing of this environment.
func TestWhatIsInstalledStarts(t *testing.T) {
	notes := newNotes(t)
	for _, agent := range []string{"claude-code", "codex"} {
		config := filepath.Join(t.TempDir(), "config")
		cmd := exec.Command("trails", "install", "--agent", agent, "--config", config, "--scopes", "runtime,builder", "-o", "json", filepath.Base(notes))
		cmd.Dir = filepath.Dir(notes)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v, %s", agent, err, out)
		}
		var told struct {
			Server struct {
				Command string
				Args    []string
				Env     map[string]string
			}
		}
		if err := json.Unmarshal(out, &told); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		server := exec.Command(told.Server.Command, told.Server.Args...)
		server.Dir, server.Env, server.Stdin = t.TempDir(), []string{}, strings.NewReader(aSession)
		for _, arg := range append(server.Args, "TRAILS_MCP_SCOPES") {
			if !bytes.Contains(text, []byte(arg)) {
				t.Errorf("%s: the configuration has no %s:\n%s", agent, arg, text)
			}
		}
		for name, value := range told.Server.Env {
			server.Env = append(server.Env, name+"="+value)
		}
		if out, err := server.Output(); err != nil || !bytes.Contains(out, []byte(`"name":"trails_meta_schema_plan"`)) {
			t.Errorf("%s: %v\n%s", agent, err, out)
		}
	}
}
