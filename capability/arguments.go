package capability

// BranchArgument is what every read takes.
type BranchArgument struct {
	Branch string `json:"branch,omitempty" is:"rare" doc:"The branch to read; main when left out. There is no other yet."`
}

// NoBranch stands among the arguments of a read that is of no branch.
type NoBranch struct{}

// AtArgument says which state is read.
type AtArgument struct {
	At string `json:"at,omitempty" is:"rare" min:"1" max:"64" doc:"The commit whose state is read, at least its first four digits; the newest when left out."`
}

// ReadArguments are what a read takes that can be of the past.
type ReadArguments struct {
	BranchArgument
	AtArgument
}

// The characters of an answer: when the caller says nothing, and what it may say.
const (
	DefaultChars = 20_000
	LeastChars   = 2_000
	MostChars    = 200_000
)

// MaxChars is the argument by which a read may answer more, or less. An answer that is cut
// names it.
func MaxChars() Field {
	return Field{Name: "max_chars", Type: Integer, Rare: true, MinValue: LeastChars, MaxValue: MostChars, Default: DefaultChars}
}

// WriteArguments are what every write takes; they are all of one that removes nothing but
// parts of the schema.
type WriteArguments struct {
	Branch   string `json:"branch,omitempty" is:"rare" doc:"The branch to write to; main when left out. There is no other yet."`
	Message  string `json:"message,omitempty" is:"brief" doc:"Why."`
	IfCommit string `json:"if_commit,omitempty" is:"rare" doc:"Only if it is the head."`
	DryRun   bool   `json:"dry_run" is:"brief" default:"false" doc:"Only check."`
}

// AllowMassChange is the argument that lets a write remove more statements than the process
// allows by itself.
const AllowMassChange = "allow_mass_change"

// ChangeArguments are the [WriteArguments] of what can remove data.
type ChangeArguments struct {
	WriteArguments
	AllowMassChange bool `json:"allow_mass_change" is:"rare,brief" default:"false" doc:"Remove however many statements."`
}

// changeFields are shared by the writes of all types.
var changeFields = FieldsOf[ChangeArguments]()

// Written is what every write answers, whatever it writes.
type Written struct {
	Commit   *string `json:"commit" doc:"The commit that was made; null on a dry run, or when nothing changed."`
	Branch   string  `json:"branch" doc:"The branch that moved."`
	Added    int64   `json:"added" doc:"How many statements were added."`
	Removed  int64   `json:"removed" doc:"How many statements were removed."`
	DryRun   bool    `json:"dry_run" doc:"Whether this was only tried."`
	Replayed bool    `json:"replayed,omitempty" doc:"Whether an idempotency key had been used: the commit is the first one."`
}

// Changed is what a write says of single statements.
type Changed struct {
	Changes *Changes `json:"changes,omitempty" doc:"What a dry run would change, and which values a write took out of a long list: the first of total."`
}

// ChangeResult is what a write of many statements answers.
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
