package main

import (
	"fmt"
	"io"
)

// merged is the answer of a merge.
type merged struct {
	Outcome string  `json:"outcome"`
	Source  string  `json:"source"`
	Clashes []clash `json:"clashes"`
	Count   int     `json:"clash_count"`
	moved
	written
}

type clash struct {
	Kind     string   `json:"kind"`
	Node     string   `json:"node"`
	Property string   `json:"property"`
	Base     []string `json:"base"`
	Ours     []string `json:"ours"`
	Theirs   []string `json:"theirs"`
	Message  string   `json:"message"`
	Taken    string   `json:"taken"`
}

// writeMerged shows what a merge did or, for a dry run, would do.
func writeMerged(w io.Writer, r merged) error {
	for _, c := range r.Clashes {
		name := c.Node
		if c.Property != "" {
			name += "." + c.Property
		}
		taken := c.Taken
		if taken == "" {
			taken = "to be decided"
		}
		fmt.Fprintf(w, "clash %s: %s (%s)\n", line(name), line(c.Message), taken)
	}
	if more := r.Count - len(r.Clashes); more > 0 {
		fmt.Fprintf(w, "... and %s more\n", grouped(int64(more)))
	}
	r.moved.write(w, "merge of "+line(r.Source))
	if r.Outcome == "clashes" {
		return nil // a warning says what is to be done
	}
	return writeSummary(w, r.written)
}
