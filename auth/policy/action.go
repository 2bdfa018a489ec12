package policy

// Action is what a call does with a graph, as policies name it. Each capability
// requires one, and a session of the graph that is bound to it does nothing else.
type Action string

// The actions.
const (
	Read        Action = "read"         // look at the graph
	Export      Action = "export"       // read all of it as a stream
	Change      Action = "change"       // edit data
	SchemaApply Action = "schema_apply" // edit the schema, and the data as far as that follows
	Restore     Action = "restore"      // put an export, its schema included, into a file without commits
)

// Writes reports whether an action makes commits.
func (a Action) Writes() bool { return a == Change || a.EditsSchema() }

// EditsSchema reports whether an action may edit the graph that holds the schema.
func (a Action) EditsSchema() bool { return a == SchemaApply || a == Restore }
