package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/invoke"
)

// confirmID identifies our question in a result.
const confirmID = "confirm"

// roundTrip asks a question if the server may not send requests: the result of the first call contains the question,
// and the client calls again with the answer (MCP 2026-07-28, multi round-trip requests). Nothing is stored in
// between: the state that the client returns is the digest of the question. If the graph has changed and the question
// is another one, the answer does not count.
type roundTrip struct {
	state   string
	answers sdk.InputResponseMap
	// open is the question that the client must answer first.
	open string
}

// byRoundTrip returns how to ask in a call of the protocol without sessions, nil if this client shows no forms.
func byRoundTrip(r request, p *sdk.CallToolParamsRaw) *roundTrip {
	client, ok := r.Request.(interface {
		ClientCapabilities() *sdk.ClientCapabilities
	})
	if !ok || !isSessionless(r) || !showsForms(client.ClientCapabilities()) {
		return nil
	}
	return &roundTrip{state: p.RequestState, answers: p.InputResponses}
}

func (t *roundTrip) ask(_ context.Context, q invoke.Question) (bool, error) {
	answer, given := t.answers[confirmID].(*sdk.ElicitResult)
	if !given || t.state != digestOf(q.Message) {
		t.open = q.Message
		return false, nil
	}
	return isYes(answer), nil
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// inputRequired is a result with a question.
type inputRequired struct {
	complete
	Requests map[string]inputRequest `json:"inputRequests"`
	State    string                  `json:"requestState"`
}

type inputRequest struct {
	Method string            `json:"method"`
	Params *sdk.ElicitParams `json:"params"`
}

// question is the result with the open question.
func (t *roundTrip) question() *inputRequired {
	return &inputRequired{
		complete: complete{ResultType: "input_required"},
		Requests: map[string]inputRequest{confirmID: {"elicitation/create", formOf(t.open)}},
		State:    digestOf(t.open),
	}
}

// checkAnswers refuses answers that the SDK could not distinguish.
func checkAnswers(params map[string]json.RawMessage) []fault.FieldError {
	var wrong []fault.FieldError
	for name, text := range members(params["inputResponses"]) {
		answer := members(text)
		if answer["action"] == nil && answer["role"] == nil && answer["roots"] == nil {
			wrong = append(wrong, fault.FieldError{Field: "inputResponses." + name, Code: fault.Shape,
				Message: "inputResponses." + name + " is no answer: it has no action, role or roots"})
		}
	}
	return wrong
}
