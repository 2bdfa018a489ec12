package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/text/jsontext"
)

// tidy corrects an error of the SDK: plain errors have the code 0, and errors about params that do not fit a Go type
// quote both.
func tidy(e *jsonrpc.Error) *jsonrpc.Error {
	out := *e
	switch {
	case strings.Contains(e.Message, "unmarshaling"):
		out.Code, out.Message = jsonrpc.CodeInvalidParams, "invalid params: a member has the wrong type"
	case e.Code == 0:
		out.Code = jsonrpc.CodeInvalidRequest
	}
	return &out
}

// TidyError is tidy for an error that is not encoded yet.
func TidyError(err error) *jsonrpc.Error {
	wire := &jsonrpc.Error{Message: err.Error()}
	var wrapped *jsonrpc.Error
	if errors.As(err, &wrapped) {
		wire.Code, wire.Data = wrapped.Code, wrapped.Data
	}
	return tidy(wire)
}

func invalid(reason string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + reason}
}

// MethodNotFound says what the SDK makes of every error with this code.
func MethodNotFound(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %q", method)}
}

// Failure returns the JSON-RPC error response for an id. The SDK would leave out an id that is null.
func Failure(id json.RawMessage, e *jsonrpc.Error) []byte {
	return Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, e})
}

// Marshal is jsontext.Marshal for values that can only fail because of a bug; the panic is caught by the transport.
func Marshal(v any) json.RawMessage {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("mcp: marshal %T: %v", v, err))
	}
	return text
}
