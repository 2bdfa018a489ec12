package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/invoke"
)

// confirmation is the form of a question: one checkbox.
var confirmation = json.RawMessage(`{"type":"object","properties":{"confirm":{"type":"boolean","title":"Go on","description":"Whether to go on; without a tick nothing is changed.","default":false}},"required":["confirm"]}`)

// asking returns the function that asks the person behind the client a question, nil if that is not possible.
func (e *endpoint) asking(r request) func(context.Context, invoke.Question) (bool, error) {
	session := e.formsOf(r)
	if session == nil {
		return nil
	}
	return func(ctx context.Context, q invoke.Question) (bool, error) {
		res, err := session.Elicit(ctx, formOf(q.Message))
		if err != nil {
			return false, err
		}
		return isYes(res), nil
	}
}

// eliciting returns the function that asks that person for a value of a schema, nil if that is not possible.
func (e *endpoint) eliciting(r request) invoke.Elicit {
	session := e.formsOf(r)
	if session == nil {
		return nil
	}
	return func(ctx context.Context, message string, schema any) (string, map[string]any, error) {
		res, err := session.Elicit(ctx, &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema})
		if err != nil {
			return "", nil, err
		}
		return res.Action, res.Content, nil
	}
}

// formsOf returns the session of a client that shows forms, or nil: the client must have declared that it has forms,
// and the transport must carry our requests. In the protocol without sessions a server sends none.
func (e *endpoint) formsOf(r request) *sdk.ServerSession {
	session, ok := r.GetSession().(*sdk.ServerSession)
	if e.stateless || !ok || isSessionless(r) {
		return nil
	}
	if hello := session.InitializeParams(); hello == nil || !showsForms(hello.Capabilities) {
		return nil
	}
	return session
}

func formOf(question string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: question, RequestedSchema: confirmation}
}

// isYes reports that the form was accepted with the checkbox ticked.
func isYes(answer *sdk.ElicitResult) bool {
	tick, _ := answer.Content["confirm"].(bool)
	return tick && answer.Action == "accept"
}

// showsForms reports that the client shows forms: it says so or names no mode at all, as clients that only know forms
// do.
func showsForms(client *sdk.ClientCapabilities) bool {
	if client == nil || client.Elicitation == nil {
		return false
	}
	return client.Elicitation.Form != nil || client.Elicitation.URL == nil
}
