package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/kg"
)

func requestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "request",
		Short: "Decide what waits for approval",
		Long: `A merge into a protected branch waits until somebody who may decide approves it. It is made of the
commits that were shown, or has lapsed when one of the branches has moved.
`,
		Example: `  trails branch merge notes.trails draft/claude-1 --ask
  trails request list notes.trails
  trails request approve notes.trails 1
  trails request decline notes.trails 1 --reason "the dates are wrong"`,
		RunE: chooseCommand,
	}
}

// decided is the answer about a request.
type decided struct {
	Request int64   `json:"request"`
	State   string  `json:"state"`
	Source  string  `json:"source"`
	Target  string  `json:"target"`
	Merge   *merged `json:"merge"`
	DryRun  bool    `json:"dry_run"`
}

// writeDecided shows what became of a request.
func writeDecided(w io.Writer, d decided) error {
	if d.Merge != nil {
		return writeMerged(w, *d.Merge)
	}
	would := ""
	if d.DryRun {
		would = "would be "
	}
	_, err := fmt.Fprintf(w, "request %d, %s into %s: %sdeclined\n", d.Request, line(d.Source), line(d.Target), would)
	return err
}

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
