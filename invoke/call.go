package invoke

import (
	"context"
	"encoding/json"
	"io"
	"strings"

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

// Result is the result of a finished call.
type Result struct {
	// Structured is the result as one JSON object, the tool's structured content. If something is missing from it or
	// there are warnings, its first members are "cut" and "warnings".
	Structured json.RawMessage
	Parts
	// Written says what a write did; nil for capabilities that do not write.
	Written *Written
	// TraceID is the call's, for logs and headers.
	TraceID string
	// Head is the commit for which the answer is valid: the one that was read or, for a write, the one it was based
	// on. It is empty before the first commit.
	Head string

	document Document // the document for Engine.Read
}

// Parts are the parts of an answer besides its structured value. The handler sets them in its [Request], and every
// transport shows those that it can.
type Parts struct {
	// Text is the text of the answer for models; "" means the outline of the structured value.
	Text string
	// Failed means that a tool of another server reported an error.
	Failed bool
	// Content is additional content for the reader.
	Content []Content
	// Artifacts are what the call made and keeps elsewhere.
	Artifacts []Artifact
	// Warnings are sentences about what the call probably did not mean.
	Warnings []string
	// Cut says what is missing from the answer, and how to get it; "" if it is complete.
	Cut string
	// Records is how many records a load read, or an export wrote.
	Records int64
	// Existed reports that the graph which a load names was there before.
	Existed bool
}

// Whole is the text for a reader who is shown nothing else: the warnings, and then the text. It is "" where the answer
// has no text of its own, because its outline begins with the warnings.
func (p Parts) Whole() string {
	if p.Text == "" || len(p.Warnings) == 0 {
		return p.Text
	}
	return "warning: " + strings.Join(p.Warnings, "\nwarning: ") + "\n" + p.Text
}

// Content is a piece of an answer: a text, an image or sound, or a document.
type Content struct {
	// URI is a document's address; "" for all others.
	URI string
	// MIME is the type of Data. If Data is empty, Text is used, as plain text if MIME is "".
	MIME string
	Text string
	Data []byte
}

// Artifact is something that can be read at its address.
type Artifact struct {
	URI, Name, MIME string
	// Size counts bytes; 0 when it is not known.
	Size int64
}

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
