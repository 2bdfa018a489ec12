package mcp

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/fault"
	"trails/invoke"
	"trails/mcp/session"
	"trails/text/jsontext"
	"trails/text/outline"
)

// Codes of the contract, section 7, in JSON-RPC's implementation-defined range. codeCancelled is for a request that
// its sender cancelled, and is not read by the sender.
const (
	codeCancelled       = -32000
	codeUnauthenticated = -32001
	codeDenied          = -32002
	codeExhausted       = -32003
	codeScopeDenied     = -32004
)

// messageChars bounds the message of an error, of which many hosts show nothing else to a model. errorChars bounds
// the text of a refusal in a result.
const (
	messageChars = 2_000
	errorChars   = 15_000
)

// ToolErrors says how tools report invalid arguments and data.
type ToolErrors string

// The ways. ToolErrorsAuto is the protocol's own: results in the protocol without sessions
// (2026-07-28), errors in those before.
const (
	ToolErrorsAuto     ToolErrors = "auto"
	ToolErrorsProtocol ToolErrors = "protocol" // JSON-RPC errors, with code -32602
	ToolErrorsResult   ToolErrors = "result"   // results with isError
)

// AllToolErrors lists the ways.
func AllToolErrors() []ToolErrors {
	return []ToolErrors{ToolErrorsAuto, ToolErrorsProtocol, ToolErrorsResult}
}

// asResult reports whether a tool returns a fault as a result.
func (e *endpoint) asResult(r request, f *fault.Error) bool {
	if f.Kind != fault.InvalidArguments && f.Kind != fault.InvalidData {
		return verdicts[f.Kind].result
	}
	return e.opts.ToolErrors == ToolErrorsResult || e.opts.ToolErrors != ToolErrorsProtocol && isSessionless(r)
}

// refused converts a fault to a result: the text has everything in words, the message first, and the structured
// content has the same as members.
func refused(r request, f *fault.Error) *toolResult {
	first := struct {
		Kind    string `json:"kind"`
		Code    int64  `json:"code,omitempty"`
		Message string `json:"message"`
	}{f.Kind.String(), 0, f.Message}
	if len(f.Fields) > 0 {
		first.Code = verdicts[f.Kind].code
	}
	structured := session.Marshal(first)
	if members := f.Members(); len(members) > 0 {
		structured = jsontext.Joined(structured, session.Marshal(members))
	}
	text := f.Told(errorChars)
	if len(f.Details) > 0 {
		text += "\n" + outline.TextOf(session.Marshal(f.Details))
	}
	return newToolResult(r, invoke.Result{Structured: structured, Parts: invoke.Parts{Text: text, Failed: true}})
}

// verdict is how MCP reports a kind of fault.
type verdict struct {
	code int64
	// result means that a tool returns it as a result with isError, for the model to read; other methods use code, and
	// error.data has kind and message, too.
	result bool
}

// verdicts is the one table from meaning to code (contract, section 7).
var verdicts = map[fault.Kind]verdict{
	fault.Internal:         {code: jsonrpc.CodeInternalError},
	fault.InvalidData:      {code: jsonrpc.CodeInvalidParams},
	fault.InvalidArguments: {code: jsonrpc.CodeInvalidParams},
	fault.UnknownTool:      {code: jsonrpc.CodeInvalidParams},
	fault.Unauthenticated:  {code: codeUnauthenticated},
	fault.ScopeDenied:      {code: codeScopeDenied},
	fault.Denied:           {code: codeDenied},
	fault.Exhausted:        {code: codeExhausted},
	fault.Busy:             {code: codeExhausted},
	fault.NotFound:         {code: jsonrpc.CodeInvalidParams},
	fault.Missing:          {code: jsonrpc.CodeInvalidParams, result: true},
	fault.Precondition:     {code: jsonrpc.CodeInvalidParams, result: true},
	fault.Conflict:         {code: jsonrpc.CodeInvalidParams, result: true},
	fault.Malformed:        {code: jsonrpc.CodeInvalidParams, result: true},
	fault.TooLarge:         {code: jsonrpc.CodeInvalidParams, result: true},
	fault.TimedOut:         {code: jsonrpc.CodeInvalidParams, result: true},
	fault.Unusable:         {code: jsonrpc.CodeInvalidParams, result: true},
}

// Code returns the JSON-RPC code for a kind of fault, and whether a tool answers it as a result
// with isError instead.
func Code(k fault.Kind) (code int64, result bool) { return verdicts[k].code, verdicts[k].result }

// Refuse converts any error of a handler to a JSON-RPC error. An internal error is logged completely, and only its
// trace id is shown.
func (e *endpoint) Refuse(ctx context.Context, method string, err error) *jsonrpc.Error {
	switch why := context.Cause(ctx); {
	case fault.Is(why, fault.TimedOut): // the server has cut it
		err = why
	case errors.Is(ctx.Err(), context.Canceled):
		return &jsonrpc.Error{Code: codeCancelled, Message: "request cancelled"}
	}
	if wire := (*jsonrpc.Error)(nil); errors.As(err, &wire) {
		return wire
	}
	f := fault.Of(err)
	if f.Kind == fault.Internal && f.Details["trace_id"] == nil { // the engine has not logged it
		f = e.internal("internal error", method, "error", err)
	}
	return encodeFault(f)
}

// internal logs an internal error, and returns what its caller is told: the trace id under which it was logged.
func (e *endpoint) internal(what, method string, cause ...any) *fault.Error {
	trace := invoke.NewTraceID()
	e.log.Error(what, append([]any{"trace_id", trace, "method", method}, cause...)...)
	return fault.New(fault.Internal, "Internal error").With("trace_id", trace)
}

func encodeFault(f *fault.Error) *jsonrpc.Error {
	v := verdicts[f.Kind]
	out := &jsonrpc.Error{Code: v.code, Message: f.Told(messageChars)}
	if f.Kind == fault.Internal {
		out.Message = "Internal error"
	}
	data := f.Members()
	if v.result {
		data["kind"], data["message"] = f.Kind.String(), f.Message
	}
	if len(data) > 0 {
		out.Data = session.Marshal(data)
	}
	return out
}
