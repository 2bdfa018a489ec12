package db

import "sync/atomic"

// Pool is the memory that the open files of a process share: page caches, and what running queries hold. The zero Pool is
// ready. It is safe for concurrent use, and must not be copied.
type Pool struct {
	files atomic.Int64 // that are open
	held  atomic.Int64 // bytes held by running queries
}

// share returns what each file has of the memory of page caches that one alone has, as the divisor. Together they have half
// of it: each file takes other memory besides.
func (p *Pool) share() int {
	if p == nil {
		return 1
	}
	return 2 * max(1, int(p.files.Load()))
}
