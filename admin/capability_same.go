package admin

import (
	"encoding/json"
	"net/url"

	"trails/capability"
	"trails/jsontext"
)

// sameCall is a call as other doors take it, to be copied.
type sameCall struct {
	MCP, Curl, CLI string
	// Long means that the arguments do not fit into a command.
	Long bool
}

// commandMost is how long a command may be; systems allow some 128 KiB for one word.
const commandMost = 16 << 10

// sameCallOf writes the call of a page for the other doors of the server at origin.
func sameCallOf(origin, id string, args json.RawMessage, token bool) *sameCall {
	if len(args) > commandMost {
		return &sameCall{Long: true}
	}
	return &sameCall{MCP: rpcOf(id, args), Curl: curlOf(origin, id, args, token), CLI: cliOf(id, args)}
}

// rpcOf is the JSON-RPC message of tools/call.
func rpcOf(id string, args json.RawMessage) string {
	message := struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", 1, "tools/call", struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{capability.ToolName(id), args}}
	raw, err := jsontext.Marshal(message)
	if err != nil {
		panic("admin: arguments are not JSON: " + err.Error())
	}
	text, _ := indentedJSON(raw, 2*commandMost)
	return text
}

// curlOf is POST /invoke. The token stays in the environment.
func curlOf(origin, id string, args json.RawMessage, token bool) string {
	text := "curl -X POST " + shellQuote(origin+"/invoke/"+url.PathEscape(id)) + " \\\n  -H 'Content-Type: application/json' \\\n"
	if token {
		text += "  -H \"Authorization: Bearer $TRAILS_MCP_TOKEN\" \\\n"
	}
	return text + "  --data-binary " + shellQuote(string(args))
}

// cliOf is the command line on the file that TRAILS_DB names.
func cliOf(id string, args json.RawMessage) string {
	return "trails invoke \"$TRAILS_DB\" " + shellQuote(id) + " --json " + shellQuote(string(args))
}
