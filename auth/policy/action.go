package policy

// Action is what a call does with a graph, for policies. Each capability requires one, and restricts its
// session to it.
type Action string

// The actions.
const (
	Read         Action = "read"          // look at the graph
	Export       Action = "export"        // read all of it as a stream
	InvokeQuery  Action = "invoke_query"  // run a stored query; what it reads and changes is asked besides
	Change       Action = "change"        // edit data
	SchemaApply  Action = "schema_apply"  // edit the schema, and data that must change with it
	Restore      Action = "restore"       // load an export with its schema into a file without commits
	BranchCreate Action = "branch_create" // make a branch
	BranchDelete Action = "branch_delete" // take a branch away
	BranchMerge  Action = "branch_merge"  // take what one branch changed into another, its schema too
	BundleApply  Action = "bundle_apply"  // take commits that were made in another file
	Administer   Action = "administer"    // say who may do what: set policies, issue and revoke tokens
	Own          Action = "own"           // end what the caller gave to others; see [Action.Governed]
)

// Commits reports whether an action makes commits.
func (a Action) Commits() bool {
	return a == Change || a == SchemaApply || a == Restore || a == BranchMerge
}

// Writes reports whether an action changes the file.
func (a Action) Writes() bool {
	return a.Commits() || a == BranchCreate || a == BranchDelete || a == BundleApply || a == Administer || a == Own
}

// Governed reports whether policies decide about an action. They do not about what a caller gave to others: who could not end
// that would be at the mercy of whoever has it.
func (a Action) Governed() bool { return a != "" && a != Own }

// Free reports whether an action counts towards no budget, so that what uses one up can be stopped.
func (a Action) Free() bool { return a == Administer || a == Own }

// EditsSchema reports whether an action may edit the graph that holds the schema, and the policies.
func (a Action) EditsSchema() bool {
	return a == SchemaApply || a == Restore || a == BranchMerge || a == Administer
}
