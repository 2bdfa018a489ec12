package db

import (
	"sync/atomic"

	"trails/fault"
)

// DefaultQueryBytes is the bound on a query's memory when [Limits] has none.
const DefaultQueryBytes = 256 << 20

const (
	// sharedBytes is what all running queries of a file may hold together.
	sharedBytes = 1 << 30
	// smallBytes is what a query may hold even when the others hold all of that.
	smallBytes = 16 << 20
)

// Memory counts about how many bytes a query holds, against its own limit and against
// what all queries of the file may hold together. [Reader.Memory] makes one.
type Memory struct {
	shared      *atomic.Int64
	held, limit int64
}

// Memory returns a count for one query; whoever asks for it releases it.
func (r *Reader) Memory(limits Limits) *Memory {
	m := &Memory{shared: &r.file.held, limit: limits.Bytes}
	if m.limit == 0 {
		m.limit = DefaultQueryBytes
	}
	return m
}

// Grow counts more bytes, or with a negative number fewer. Past a limit it is a fault:
// TooLarge for the query's own, Exhausted for that of all.
func (m *Memory) Grow(bytes int64) error {
	m.held += bytes
	all := m.shared.Add(bytes)
	if bytes <= 0 {
		return nil
	}
	if m.held > m.limit {
		return fault.New(fault.TooLarge, "the query needs more than %d bytes of memory; restrict it, or ask for less of it at a time", m.limit)
	}
	if all > sharedBytes && m.held > smallBytes {
		return fault.New(fault.Exhausted, "the queries that run now need more than %d bytes of memory together; try again later", int64(sharedBytes))
	}
	return nil
}

// Release gives everything back.
func (m *Memory) Release() {
	m.shared.Add(-m.held)
	m.held = 0
}
