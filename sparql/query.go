package sparql

import "trails/rdf"

// Form is a query's form (section 16).
type Form string

// The forms.
const (
	Select    Form = "SELECT"
	Construct Form = "CONSTRUCT"
	Describe  Form = "DESCRIBE"
	Ask       Form = "ASK"
)

// Query is a query in the algebra.
type Query struct {
	Form    Form
	Dataset Dataset
	// Op is the pattern with the solution modifiers.
	Op Op
	// Vars are the variables that SELECT returns, in order, or that DESCRIBE describes.
	Vars []Var
	// Template is CONSTRUCT's.
	Template []TriplePattern
	// Describe are the IRIs that DESCRIBE names.
	Describe []rdf.IRI
	// Base is what IRI() resolves against: the BASE of the prologue, or Options.Base.
	Base string
	// Prefixes are those of the prologue, for output for people.
	Prefixes map[string]string
}

// Dataset is what FROM and FROM NAMED, or USING and USING NAMED, select. The zero value is the dataset that the query
// is run on.
type Dataset struct{ Default, Named []rdf.IRI }

// IsZero reports that the text selects no dataset.
func (d Dataset) IsZero() bool { return len(d.Default) == 0 && len(d.Named) == 0 }

// Update is an update request: operations that run in order, in one transaction.
type Update struct {
	Operations []Operation
	// Prefixes are those of the prologues, for output for people.
	Prefixes map[string]string
}

// Operation is one update operation (SPARQL 1.1 Update, section 3); the sum is sealed.
type Operation interface{ operation() }

// QuadPattern is a quad in a template or in data. A zero Graph is the default graph or that of WITH.
type QuadPattern struct {
	Graph Operand
	TriplePattern
}

// Modify is every operation on statements: INSERT DATA, DELETE DATA, DELETE WHERE
// and DELETE/INSERT. A nil Where has one solution without bindings.
type Modify struct {
	With           rdf.IRI
	Delete, Insert []QuadPattern
	Using          Dataset
	Where          Op
	// Base is what IRI() resolves against in Where.
	Base string
}

// Target is the graph or set of graphs of a management operation. The zero Target is the default graph.
type Target struct {
	Graph rdf.IRI
	// Named is NAMED, All is ALL.
	Named, All bool
}

// Load is LOAD.
type Load struct {
	Silent bool
	Source rdf.IRI
	Into   Target
}

// Clear is CLEAR.
type Clear struct {
	Silent bool
	Target Target
}

// Drop is DROP.
type Drop struct {
	Silent bool
	Target Target
}

// Create is CREATE.
type Create struct {
	Silent bool
	Graph  rdf.IRI
}

// Transfer is ADD, MOVE or COPY.
type Transfer struct {
	Silent   bool
	Kind     TransferKind
	From, To Target
}

// TransferKind distinguishes ADD, MOVE and COPY.
type TransferKind string

// The transfers.
const (
	AddGraph  TransferKind = "ADD"
	MoveGraph TransferKind = "MOVE"
	CopyGraph TransferKind = "COPY"
)

func (Modify) operation()   {}
func (Load) operation()     {}
func (Clear) operation()    {}
func (Drop) operation()     {}
func (Create) operation()   {}
func (Transfer) operation() {}
