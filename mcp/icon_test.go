package mcp_test

import (
	"strings"
	"testing"

	"trails/mcp"
)

// The server has an icon in handshakes of the versions that know icons, and in nothing else: a list of tools with icons
// would cost models more, and without sessions every result says which server made it.
func TestHandshakesHaveAnIcon(t *testing.T) {
	h := mcp.New(&fake{}, mcp.Options{}).Handler()
	for version, has := range map[string]bool{"2024-11-05": false, "2025-06-18": false, "2025-11-25": true} {
		got := post(t, h, hello(version, "")).Body.String()
		if strings.Contains(got, `"icons":[{"src":"data:image/png;base64,`) != has || !strings.Contains(got, `"serverInfo":{"name":"trails","title":"Trails knowledge graph"`) {
			t.Errorf("initialize of %s: %s", version, got)
		}
	}
	for method, has := range map[string]bool{"server/discover": true, "tools/list": false} {
		got := post(t, h, ask("2026-07-28", 1, method, nil, ""), versionHeaders("2026-07-28", method, "")...).Body.String()
		if strings.Contains(got, `"icons"`) != has || strings.Count(got, `"io.modelcontextprotocol/serverInfo"`) != 1 {
			t.Errorf("%s: %s", method, got)
		}
	}
}
