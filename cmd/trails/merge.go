package main

import (
	"cmp"
	"fmt"
	"io"

	"trails/kg"
)

// merged is the answer of a merge.
type merged struct {
	Source string `json:"source"`
	clashed
}

// clashed is the part of an answer that all merges have.
type clashed struct {
	Outcome string          `json:"outcome"`
	Clashes []kg.MergeClash `json:"clashes"`
	Count   int             `json:"clash_count"`
	moved
	written
}

// writeMerged shows what a merge did or, for a dry run, would do.
func writeMerged(w io.Writer, r merged) error {
	r.writeClashes(w)
	r.moved.write(w, "merge of "+line(r.Source))
	if r.Outcome == "clashes" || r.Outcome == "requested" {
		return nil // a warning says what is to be done
	}
	return writeSummary(w, r.written)
}

// writeClashes shows the clashes, and how they are decided.
func (c clashed) writeClashes(w io.Writer) {
	for _, one := range c.Clashes {
		taken := cmp.Or(one.Taken, "to be decided")
		fmt.Fprintf(w, "clash %s: %s (%s)\n", line(one.Name()), line(one.Message), taken)
	}
	if more := c.Count - len(c.Clashes); more > 0 {
		fmt.Fprintf(w, "... and %s more\n", grouped(int64(more)))
	}
}
