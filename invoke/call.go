package invoke

import (
	"context"
	"encoding/json"
	"io"

	"trails/auth/policy"
	"trails/kg"
	"trails/kg/load"
)

// Call is one request to do one thing, whatever door it came through.
type Call struct {
	// Capability is a descriptor's id ("technique.create") or its tool name ("technique_create").
	Capability string
	// Args is the JSON object of arguments; empty means {}.
	Args json.RawMessage
	// Principal is who asks, as the edge resolved it.
	Principal policy.Principal
	// Via names the door: "mcp-stdio", "mcp-http", "mcp-sse", "http", "admin", "cli", "go".
	Via string
	// Format is the form in which [Engine.Read] answers: "json", "jsonld", "turtle", "ntriples" or "rdfxml";
	// empty means the address's own. For a query with Output it is the stream's: one of
	// "json", "xml", "csv", "tsv" for SELECT and ASK, of "turtle", "ntriples", "jsonld", "rdfxml" for
	// graphs, or a comma list of them, of which the first that the form has is taken.
	Format string
	// Context is the address by which JSON-LD of [Engine.Read] names its context, "" where it is to have that itself.
	Context string
	// IdempotencyKey, when set, makes a repeated write answer with the first one's result,
	// through whichever door and by whichever program of the same caller it comes again.
	IdempotencyKey string
	// TraceID follows the call into provenance and the log; empty means that one is made.
	TraceID string
	// ParentSpan is the caller's span, 16 hex digits of a W3C traceparent; empty means none.
	ParentSpan string
	// Inputs replace the argument "data" of a load that is too large for JSON.
	Inputs []load.Input
	// Output receives the stream of an export, or of the whole answer to a query.
	Output io.Writer
	// Progress, when set, hears of long work; it is called from one goroutine at a time.
	Progress func(kg.Progress)
	// Whole means that the answer goes to a program, which reads it in parts, and has as many
	// characters as there are. All others have as many as the argument max_chars says.
	Whole bool
	// Into, when set, points to what takes a whole answer of its type as the value that the
	// handler returned: then the result has no Structured. Other answers are JSON as ever.
	Into any
	// Ask, when set, puts a question to the person behind the caller before something
	// is lost that cannot be had back; nil means that nobody can be asked.
	Ask func(context.Context, Question) (bool, error)
	// Elicit, when set, asks them what the tool of another server wants to know.
	Elicit Elicit
	// AskMass, when set, is asked in the place of Ask before a call removes more statements
	// than [Config.MassChange].
	AskMass func(context.Context, Question) (bool, error)
}

// Question is what a person is asked before a call goes on.
type Question struct {
	// Message says in one or two sentences what would happen.
	Message string
}

// Elicit asks a person for what fits a JSON Schema. The action is accept, decline or cancel.
type Elicit func(ctx context.Context, message string, schema any) (action string, content map[string]any, err error)

// Input is one stream of data with the name that errors call it by.
type Input = load.Input

// Progress says how far long work is.
type Progress = kg.Progress

// Result is what a finished call answers.
type Result struct {
	// Structured is the result as one JSON object, the tool's structured content. What is
	// missing from it, and its warnings, are its first members "cut" and "warnings".
	Structured json.RawMessage
	Parts
	// Written says what a write did; nil for what wrote nothing by its nature.
	Written *Written
	// TraceID is the call's, for logs and headers.
	TraceID string
	// Head is the commit that the answer is true of: for a read the one that was
	// read, for a write the one it was made on. Empty when there is no commit yet.
	Head string

	document Document // that was read, for Engine.Read
}

// Parts are what a call answers besides its structured value. A handler fills them in by
// its [Request], and every door shows what it has a place for.
type Parts struct {
	// Text is what a model reads of the structured value; "" is its outline.
	Text string
	// Failed means that a tool of another server says that it did not do what it was asked.
	Failed bool
	// Content is for whoever reads the answer.
	Content []Content
	// Artifacts are what the call made and keeps elsewhere.
	Artifacts []Artifact
	// Warnings are sentences about what the call probably did not mean.
	Warnings []string
	// Cut says what is missing from the answer, and how to get it; "" when it is whole.
	Cut string
	// Records is how many records of data a load took in, or an export gave out.
	Records int64
	// Existed reports that the graph which a load names was there before.
	Existed bool
}

// Content is a piece of an answer: a text, an image or sound, or a document.
type Content struct {
	// URI is a document's address; "" for all others.
	URI string
	// MIME says what Data is; Text is used when Data is empty, and is plain when MIME is "".
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
	// Page says which part of a list this is; nil when it is no list.
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
