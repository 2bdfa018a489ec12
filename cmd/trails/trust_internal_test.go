package main

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/gateway"
	"trails/invoke"
	"trails/kg"
)

// TestTheSettingCoversNoDefinitionThatCameOverTheNetwork adds a server by every door, whatever the
// caller says of it, and asks that process and later ones that were told its name or its digest.
func TestTheSettingCoversNoDefinitionThatCameOverTheNetwork(t *testing.T) {
	for door, local := range map[string]bool{"cli": true, "go": true, "terminal": true, "http": false, "admin": false, "mcp-http": false, "mcp-sse": false, "mcp-stdio": false, "one of tomorrow": false} {
		t.Run(door, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.trails")
			if err := kg.Create(t.Context(), file, kg.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			definition := gateway.Server{Name: "other", Command: []string{"sh", "-c", "exit 1"}}
			args, err := json.Marshal(map[string]any{"definition": map[string]any{"name": "other", "command": definition.Command, "via": "cli"}})
			if err != nil {
				t.Fatal(err)
			}
			for restarts, said := range []string{"other", definition.Digest(), "some, other"} {
				p := &program{env: map[string]string{"TRAILS_TRUST_UPSTREAMS": said, "PATH": "/bin:/usr/bin"}, log: slog.New(slog.DiscardHandler)}
				t.Setenv("XDG_CONFIG_HOME", t.TempDir())
				state := ""
				err = p.withEngine(t.Context(), file, nil, func(e *invoke.Engine) error {
					call := invoke.Call{Capability: "trails.meta.gateway.add", Args: args, Principal: policy.Local("ana", "test"), Via: door}
					if restarts == 0 {
						if _, err := e.Call(t.Context(), call); err != nil {
							return err
						}
					}
					call.Capability, call.Args = "gateway_list", nil
					r, err := e.Call(t.Context(), call)
					if err != nil {
						return err
					}
					var list struct{ Upstreams []upstreamLine }
					if err := json.Unmarshal(r.Structured, &list); err != nil {
						return err
					}
					state = list.Upstreams[0].State + " " + list.Upstreams[0].Problem
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if covered := !strings.HasPrefix(state, "untrusted"); covered != local {
					t.Errorf("TRAILS_TRUST_UPSTREAMS=%s: %s", said, state)
				}
				if !local && !strings.Contains(state, door) {
					t.Errorf("it does not say how it came: %s", state)
				}
			}
		})
	}
}
