package kg

import (
	"context"
	"io"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/results"
)

// Remote is the way out of the file, which decides what it reaches: an address that it
// may not reach is fault.Denied. Its answers are bounded, as its methods are by ctx and
// by limits of their own.
type Remote interface {
	// Select asks a SPARQL endpoint a SELECT query.
	Select(ctx context.Context, endpoint, query string) (results.Result, error)
	// Fetch opens a document.
	Fetch(ctx context.Context, address string) (Document, error)
	// Reaches reports whether there is any host that it may reach.
	Reaches() bool
}

// Document is what a [Remote] fetched. Close it.
type Document struct {
	io.ReadCloser
	// Location is where it was in the end, and MediaType what it is said to be.
	Location, MediaType string
}

// noRemote is the way out that there is unless [Options] has one.
type noRemote struct{}

func (noRemote) Select(_ context.Context, endpoint, _ string) (results.Result, error) {
	return results.Result{}, refusedRemote(endpoint)
}

func (noRemote) Fetch(_ context.Context, address string) (Document, error) {
	return Document{}, refusedRemote(address)
}

func (noRemote) Reaches() bool { return false }

func refusedRemote(address string) error {
	return fault.New(fault.Denied, "<%s> is not asked: this graph was opened without a way to other hosts", address)
}

// nameOfService is how errors call a service.
func nameOfService(name sparql.Operand) string {
	if name.Var != "" {
		return "SERVICE ?" + string(name.Var)
	}
	return "SERVICE <" + rdf.Lexical(name.Term) + ">"
}
