package db

import (
	"sync/atomic"

	"trails/fault"
)

// DefaultQueryBytes is the bound on a query's memory if [Limits] has none.
const DefaultQueryBytes = 256 << 20

const (
	// sharedBytes bounds the memory of all running queries of a file, or of a [Pool], together.
	sharedBytes = 1 << 30
	// smallBytes is what a query may hold even if the others hold all of that.
	smallBytes = 16 << 20
)

// Memory counts roughly how many bytes a query holds, and checks its own limit and the limit of all queries of the
// file, or of a [Pool], together. [Reader.Memory] makes one.
type Memory struct {
	shared      *atomic.Int64
	held, limit int64
}

// Memory returns the counter for one query. The caller releases it.
func (r *Reader) Memory(limits Limits) *Memory {
	m := &Memory{shared: r.file.held, limit: limits.Bytes}
	if m.limit == 0 {
		m.limit = DefaultQueryBytes
	}
	return m
}

// Grow adds bytes, or subtracts with a negative number. Exceeding the query's own limit is the fault TooLarge,
// exceeding the limit of all queries Exhausted.
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

// Release subtracts everything that was counted.
func (m *Memory) Release() {
	m.shared.Add(-m.held)
	m.held = 0
}
