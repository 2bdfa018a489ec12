package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/invoke"
)

// confirmation is the form of a question: one box to tick.
var confirmation = json.RawMessage(`{"type":"object","properties":{"confirm":{"type":"boolean","title":"Go on","description":"Whether to go on; without a tick nothing is changed.","default":false}},"required":["confirm"]}`)

// asking returns what puts a question to the person behind the client, nil when that
// cannot be: the client must have said that it has forms, and the transport must
// carry our requests. The protocol without sessions lets no server ask.
func (e *endpoint) asking(r request) func(context.Context, invoke.Question) (bool, error) {
	session, ok := r.GetSession().(*sdk.ServerSession)
	if e.stateless || !ok || isSessionless(r) || !hasForms(session) {
		return nil
	}
	return func(ctx context.Context, q invoke.Question) (bool, error) {
		res, err := session.Elicit(ctx, &sdk.ElicitParams{Mode: "form", Message: q.Message, RequestedSchema: confirmation})
		if err != nil {
			return false, err
		}
		yes, _ := res.Content["confirm"].(bool)
		return yes && res.Action == "accept", nil
	}
}

// hasForms reports that the client shows forms: it says so, or names no mode at all,
// which is how clients say it that know no other.
func hasForms(session *sdk.ServerSession) bool {
	hello := session.InitializeParams()
	if hello == nil || hello.Capabilities == nil || hello.Capabilities.Elicitation == nil {
		return false
	}
	modes := hello.Capabilities.Elicitation
	return modes.Form != nil || modes.URL == nil
}
