// Package browse reads a graph for people and agents: tables of instances with conditions and
// facets, what a page about a node shows, the links to a node and what lies around it, its
// history, and searches by words and by the beginnings of labels. What an answer costs is told by
// the answer, not by the size of the graph, but where a method says so.
package browse

import (
	"trails/db"
	"trails/rdf"
	"trails/schema"
)

// Reader reads one state of a graph under its schema. It is for one goroutine at a time, and for
// as long as its source is open.
type Reader struct {
	source *db.Reader
	schema *schema.Schema
	// described caches descriptions of nodes, because the labels of a page's links repeat.
	described map[rdf.Term]*Described
}

// New returns a reader of a source.
func New(source *db.Reader, s *schema.Schema) *Reader { return &Reader{source: source, schema: s} }
