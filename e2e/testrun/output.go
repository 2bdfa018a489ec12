package testrun

import (
	"bytes"
	"sync"
)

// Output keeps what a running program or a log writes, to be read meanwhile. It is safe for concurrent use; the zero
// Output is empty.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends p.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns all that was written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
