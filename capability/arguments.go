package capability

// ReadArguments are what every read of the graph takes: they name the state that is read.
type ReadArguments struct {
	BranchArgument
	AtArgument
}

// BranchArgument names a branch that is read.
type BranchArgument struct {
	Branch string `json:"branch,omitempty" is:"rare" doc:"The branch to read; main when left out."`
}

// AtArgument names a commit whose state is read.
type AtArgument struct {
	At string `json:"at,omitempty" is:"rare" min:"1" max:"64" doc:"The commit whose state is read: four digits of its id or more, head~2, or a time (2026-11-27T12:00:00Z); the newest when left out."`
}

// NoView marks the arguments of a read that reads no state of the graph, such as one of the process or of provenance.
type NoView struct{}

// The size of an answer in characters: the default, and the allowed range.
const (
	DefaultChars = 20_000
	LeastChars   = 2_000
	MostChars    = 200_000
)

// MaxChars is the argument that changes the maximum size of an answer. An answer that is cut names it.
func MaxChars() Field {
	return Field{Name: "max_chars", Type: Integer, Rare: true, MinValue: LeastChars, MaxValue: MostChars, Default: DefaultChars}
}

// WriteArguments are the arguments of all writes, and the only ones of writes that remove nothing outside the schema.
type WriteArguments struct {
	Branch   string `json:"branch,omitempty" is:"rare" doc:"The branch to write to; main when left out."`
	Message  string `json:"message,omitempty" is:"brief" doc:"Why."`
	IfCommit string `json:"if_commit,omitempty" is:"rare" doc:"Only if it is the head."`
	DryRun   bool   `json:"dry_run" is:"brief" default:"false" doc:"Only check."`
}

// TryArgument is the argument of what makes no commit and can be tried.
type TryArgument struct {
	DryRun bool `json:"dry_run" is:"brief" default:"false" doc:"Only check."`
}

// AllowMassChange is the argument that lets a write remove more statements than the process
// allows by itself.
const AllowMassChange = "allow_mass_change"

// ChangeArguments are the arguments of writes that can remove data.
type ChangeArguments struct {
	WriteArguments
	AllowMassChange bool `json:"allow_mass_change" is:"rare,brief" default:"false" doc:"Remove however many statements."`
}

// Ask is the argument that keeps a call as a request.
const Ask = "ask"

// AskArgument is the argument of calls that somebody else can be asked to make.
type AskArgument struct {
	Ask bool `json:"ask" is:"rare,brief" default:"false" doc:"Do nothing, but ask somebody who may decide."`
}

// RequestNumber is the member of an answer with the number of the request that a call was kept as.
func RequestNumber() Field {
	return Field{Name: "request", Type: Integer, Description: "The request that waits, where ask was given; requests_list tells what becomes of it."}
}

// writeFields and changeFields are shared by the writes of all types.
var (
	writeFields  = FieldsOf[WriteArguments]()
	changeFields = FieldsOf[ChangeArguments]()
)

// Written is the part of an answer that all writes have.
type Written struct {
	Commit   *string `json:"commit" doc:"The commit that was made; null on a dry run, or when nothing changed."`
	Branch   string  `json:"branch" doc:"The branch that moved."`
	Added    int64   `json:"added" doc:"How many statements were added."`
	Removed  int64   `json:"removed" doc:"How many statements were removed."`
	DryRun   bool    `json:"dry_run" doc:"Whether this was only tried."`
	Replayed bool    `json:"replayed,omitempty" doc:"Whether an idempotency key had been used: the commit is the first one."`
}

// Changed is the answer of a write of single statements.
type Changed struct {
	Changes *Changes `json:"changes,omitempty" doc:"What a dry run would change, and which values a write took out of a long list: the first of total."`
}

// ChangeResult is the answer of a write of many statements.
type ChangeResult struct {
	Written
	Changed
}

// Changes lists statements that a write added (+) or removed (-).
type Changes struct {
	Total   int64    `json:"total"`
	Nodes   int64    `json:"nodes,omitempty" doc:"How many nodes a dry run would change, where there is more than one."`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows" type:"any" doc:"A list for each statement, by node: + or -, node, property, value, and graph where one of them is in a named graph."`
}
