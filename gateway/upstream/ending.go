package upstream

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"trails/text/quote"
)

// ending records how a command ended, and its last output to standard error. It is safe for concurrent use.
type ending struct {
	mu     sync.Mutex
	lines  []string
	status string
	over   chan struct{} // closed when the command has ended
	read   chan struct{} // closed after the end of its standard error
}

// How much of standard error is kept.
const (
	lastLines = 5
	lastChars = 400
)

func newEnding() *ending { return &ending{over: make(chan struct{}), read: make(chan struct{})} }

func (e *ending) wrote(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lines = append(e.lines, line); len(e.lines) > lastLines {
		e.lines = e.lines[1:]
	}
}

func (e *ending) ended(status string) {
	e.mu.Lock()
	e.status = status
	e.mu.Unlock()
	close(e.over)
}

// wait waits for one of the two channels of e, and reports whether it was closed in time. A process outside the group of
// the command may hold the standard error open.
func (e *ending) wait(until <-chan struct{}) bool {
	select {
	case <-until:
		return true
	case <-time.After(lateEnd):
		return false
	}
}

// String says how the command ended, "" if it is running.
func (e *ending) String() string {
	if !e.wait(e.over) {
		return ""
	}
	e.wait(e.read)
	e.mu.Lock()
	defer e.mu.Unlock()
	output := strings.Join(e.lines, " / ")
	if output == "" {
		return fmt.Sprintf("its command has ended (%s) and wrote nothing to its standard error", e.status)
	}
	if begin := len([]rune(output)) - lastChars; begin > 0 {
		output = "…" + string([]rune(output)[begin:])
	}
	return fmt.Sprintf("its command has ended (%s) and wrote at last: %s", e.status, quote.Line(output, lastChars+1))
}
