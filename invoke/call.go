package invoke

import (
	"context"
	"encoding/json"
	"io"

	"trails/auth/policy"
	"trails/kg"
	"trails/kg/load"
)

// Call is one request, through whatever transport.
type Call struct {
	// Capability is a descriptor's id ("technique.create") or its tool name ("technique_create").
	Capability string
	// Args is the JSON object of arguments; empty means {}.
	Args json.RawMessage
	// Principal is the caller, as the transport has identified it.
	Principal policy.Principal
	// Via names the transport: "mcp-stdio", "mcp-http", "mcp-sse", "http", "admin", "terminal" for a person at the command
	// line, "cli" for a program there, "go". With the caller it decides the origin of what is written; see
	// [trails/auth/policy.OriginOf].
	Via string
	// Format is the form in which [Engine.Read] answers: "json", "jsonld", "turtle", "ntriples" or "rdfxml";
	// empty means the address's own. For a query with Output it is the stream's: one of
	// "json", "xml", "csv", "tsv" for SELECT and ASK, of "turtle", "ntriples", "jsonld", "rdfxml" for
	// graphs, or a comma list of them, of which the first that the form has is taken.
	Format string
	// Context is the address of the JSON-LD context for [Engine.Read], "" to include the context in the document.
	Context string
	// IdempotencyKey, when set, makes a repeated write return the result of the first one, for all programs and
	// transports of the same caller.
	IdempotencyKey string
	// TraceID is the trace id in provenance and in the log; if empty, one is made.
	TraceID string
	// ParentSpan is the caller's span, 16 hex digits of a W3C traceparent; empty means none.
	ParentSpan string
	// Inputs replace the argument "data" of a load that is too large for JSON.
	Inputs []load.Input
	// Output receives the stream of an export, or of the whole answer to a query.
	Output io.Writer
	// Progress, when set, is called during long work, from one goroutine at a time.
	Progress func(kg.Progress)
	// Whole means that the answer is for a program that can read any size. Otherwise its size is limited by the
	// argument max_chars.
	Whole bool
	// Reads means that a capability with side effects is refused.
	Reads bool
	// Into, when set, points to a variable for the handler's answer, if that is complete and of the variable's type;
	// then the result has no Structured. Other answers are JSON as usual.
	Into any
	// Ask, when set, asks the person behind the caller before something is irrecoverably lost; nil means that nobody
	// can be asked.
	Ask func(context.Context, Question) (bool, error)
	// Elicit, when set, asks that person for input that a tool of another server requests.
	Elicit Elicit
	// AskMass, when set, is used instead of Ask before a call removes more statements than [Config.MassChange].
	AskMass func(context.Context, Question) (bool, error)
}

// Question is what a person is asked before a call goes on.
type Question struct {
	// Message says in one or two sentences what would happen.
	Message string
}

// Elicit asks a person for a value of a JSON Schema. The action is accept, decline or cancel.
type Elicit func(ctx context.Context, message string, schema any) (action string, content map[string]any, err error)

// Input is one stream of data with its name in errors.
type Input = load.Input

// Progress says how far long work is.
type Progress = kg.Progress

// Document is the body of a resource.
type Document struct {
	URI  string
	MIME string
	Body []byte
	// Head is the commit that was read; empty when there is none yet.
	Head string
	// Page says which part of a list this is; nil for other documents.
	Page *Page
	// Warnings are those of the call that read it.
	Warnings []string
}

// Page is a part of a list.
type Page struct {
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
	// More reports that the list goes on after it.
	More bool `json:"more"`
}
