package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A client that reads the card and then connects is told the same twice.
func TestTheServerCardSaysWhatTheHandshakeSays(t *testing.T) {
	for _, flags := range [][]string{nil, {"--stateful"}} {
		base, _ := startServer(t, nil, append([]string{newNotes(t)}, flags...)...)
		var card struct {
			Title, Version string
			Remotes        []struct {
				URL                       string
				SupportedProtocolVersions []string
			}
		}
		_, text := sent{method: "GET", path: "/mcp/server-card"}.send(t, base)
		if err := json.Unmarshal([]byte(text), &card); err != nil || len(card.Remotes) != 1 || card.Remotes[0].URL != base+"/mcp" {
			t.Fatalf("%v: %v %s", flags, err, text)
		}
		var hello struct {
			Result struct {
				SupportedVersions []string
				Meta              struct {
					Server struct{ Title, Version string } `json:"io.modelcontextprotocol/serverInfo"`
				} `json:"_meta"`
			}
		}
		_, text = sent{method: "POST", path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			header: map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}}.send(t, base)
		if err := json.Unmarshal([]byte(text), &hello); err != nil {
			t.Fatal(err)
		}
		server := hello.Result.Meta.Server
		if diff := cmp.Diff(hello.Result.SupportedVersions, card.Remotes[0].SupportedProtocolVersions); diff != "" || server.Title != card.Title || server.Version != card.Version {
			t.Errorf("%v: %s\n%+v\n%s", flags, diff, card, text)
		}
	}
}
