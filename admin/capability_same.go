package admin

import (
	"encoding/json"
	"net/url"

	"trails/capability"
	"trails/text/jsontext"
)

// sameCall is the same call over other transports, for copying.
type sameCall struct {
	MCP, Curl, CLI string
	// Long means that the arguments do not fit into a command.
	Long bool
}

// commandMost is how long a command may be; systems allow some 128 KiB for one word.
const commandMost = 16 << 10

// sameCallOf writes a page's call for other transports of the server at origin: as the JSON-RPC message of
// tools/call, and as commands.
func sameCallOf(origin, id string, args json.RawMessage, token bool) *sameCall {
	if len(args) > commandMost {
		return &sameCall{Long: true}
	}
	curl := "curl -X POST " + shellQuote(origin+"/invoke/"+url.PathEscape(id)) + " \\\n  -H 'Content-Type: application/json' \\\n"
	if token { // it stays in the environment
		curl += "  -H " + tokenHeader + " \\\n"
	}
	type params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	message, err := jsontext.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", 1, "tools/call", params{capability.ToolName(id), args}})
	if err != nil {
		panic("admin: arguments are not JSON: " + err.Error())
	}
	text, _ := indentedJSON(message, 2*commandMost)
	return &sameCall{
		MCP: text, Curl: curl + "  --data-binary " + shellQuote(string(args)),
		CLI: "trails invoke \"$TRAILS_DB\" " + shellQuote(id) + " --json " + shellQuote(string(args)),
	}
}
