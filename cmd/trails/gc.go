package main

import (
	"encoding/json"
	"fmt"
	"io"

	"trails/fault"
)

// collected is the answer of gc.
type collected struct {
	Rows                                 [][]json.RawMessage
	Commits, Changes, Calls, Bytes, Kept int64
	DryRun                               bool `json:"dry_run"`
}

// gc says what it drops, asks the person at the terminal, and drops it.
func (a *asked) gc() error {
	yes, _ := a.cmd.Flags().GetBool("yes")
	if a.asJSON() || a.given["dry_run"] == true {
		_, err := a.once()
		return err
	}
	tries := arguments{"dry_run": true}
	if grace, ok := a.given["grace"]; ok {
		tries["grace"] = grace
	}
	var tried collected
	if err := a.answerOf(a.ctx(), a.file, a.capability, tries, &tried); err != nil {
		return err
	}
	if err := tried.write(a.stdout); err != nil || tried.Commits == 0 {
		return err
	}
	if in := a.terminal(); in != nil && !yes && !a.isYes(in, "Drop "+count(tried.Commits, "commit")+" of "+a.file+"? This cannot be taken back.") {
		return fault.New(fault.Precondition, "%s was left as it is", a.file)
	}
	a.verb.text = decoded(func(w io.Writer, r collected) error { return r.writeSum(w) })
	_, err := a.once()
	return err
}

func writeCollected(w io.Writer, r collected) error { return r.write(w) }

// write lists each line of history, and says how much it is.
func (r collected) write(w io.Writer) error {
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = line(scalar(cell))
		}
		fate, head, commits, changes, author, made, message, since := cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7]
		if fate == "dropped" {
			fate = "drop"
		} else {
			fate = "keep"
		}
		fmt.Fprintf(w, "%s %s  commits: %s, changes: %s, newest of %s by %s, unreachable since %s  %s\n", fate, head, commits, changes, made, author, since, message)
	}
	return r.writeSum(w)
}

func (r collected) writeSum(w io.Writer) (err error) {
	dropped := "dropped"
	if r.DryRun {
		dropped = "would drop"
	}
	if r.Commits > 0 {
		_, err = fmt.Fprintf(w, "%s %s with %s and %s; %s become free in the file\n", dropped, count(r.Commits, "commit"), count(r.Changes, "change"), count(r.Calls, "recorded call"), count(r.Bytes, "byte"))
	} else if _, err = fmt.Fprintln(w, "nothing to drop: every commit is of a branch, a tag or a request, comes before one that is, or is within the grace period"); err != nil {
		return err
	}
	if err == nil && r.Kept > 0 {
		_, err = fmt.Fprintf(w, "unreachable and within the grace period: %s; --grace 0d drops all\n", count(r.Kept, "commit"))
	}
	return err
}
