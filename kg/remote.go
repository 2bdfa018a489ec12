package kg

import (
	"context"
	"io"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/results"
)

// Remote reaches other hosts. It decides which: a forbidden address is fault.Denied. Its answers are bounded by its
// own limits, and its methods also by ctx.
type Remote interface {
	// Select asks a SPARQL endpoint a SELECT query.
	Select(ctx context.Context, endpoint, query string) (results.Result, error)
	// Fetch opens a document.
	Fetch(ctx context.Context, address string) (Document, error)
	// Reaches reports whether it may reach any host.
	Reaches() bool
}

// Document is what a [Remote] fetched. Close it.
type Document struct {
	io.ReadCloser
	// Location is the final address, after redirects, and MediaType the declared media type.
	Location, MediaType string
}

// noRemote is the Remote that refuses everything, the default.
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
