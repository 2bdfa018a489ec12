package main

import (
	"cmp"
	"fmt"
	"io"

	"trails/kg"
)

// merged is the answer of a merge.
type merged struct {
	Outcome string          `json:"outcome"`
	Source  string          `json:"source"`
	Clashes []kg.MergeClash `json:"clashes"`
	Count   int             `json:"clash_count"`
	moved
	written
}

// writeMerged shows what a merge did or, for a dry run, would do.
func writeMerged(w io.Writer, r merged) error {
	for _, c := range r.Clashes {
		taken := cmp.Or(c.Taken, "to be decided")
		fmt.Fprintf(w, "clash %s: %s (%s)\n", line(c.Name()), line(c.Message), taken)
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
