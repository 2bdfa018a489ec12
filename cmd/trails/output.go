package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"trails/invoke"
)

// asJSON reports whether the caller wants the structured result itself.
func (p *program) asJSON() bool { return p.output == "json" }

// print writes a result: unchanged with -o json, otherwise as text with the given function.
func (p *program) print(structured any, text func(io.Writer) error) error {
	if !p.asJSON() {
		return text(p.stdout)
	}
	raw, isRaw := structured.(json.RawMessage)
	if !isRaw {
		var err error
		if raw, err = json.Marshal(structured); err != nil {
			return err
		}
	}
	return writeLine(p.stdout, raw)
}

// writeLine writes text that ends in exactly one newline.
func writeLine(w io.Writer, text []byte) error {
	_, err := w.Write(append(bytes.TrimRight(text, "\n"), '\n'))
	return err
}

// written is the common part of the answers of writes, and the node or the number of records.
type written struct {
	invoke.Written
	ID, IRI string
	Records int64
	LeftOut int64             `json:"left_out"`
	Rejects []json.RawMessage // the first statements that a lenient load left out
	Preview []json.RawMessage // the first nodes of a load that is only tried
}

// writeSummary says which commit a write made, and on which branch.
func writeSummary(w io.Writer, r written) error {
	if r.ID != "" {
		fmt.Fprintf(w, "%s  <%s>\n", line(r.ID), line(r.IRI))
	}
	changes := fmt.Sprintf("+%s -%s quads", grouped(r.Added), grouped(r.Removed))
	switch {
	case r.DryRun:
		fmt.Fprintf(w, "dry run, nothing was changed; it would be %s on %s\n", changes, line(r.Branch))
	case r.Commit == nil:
		fmt.Fprintf(w, "nothing to change; %s stays where it was\n", line(r.Branch))
	case r.Replayed:
		fmt.Fprintf(w, "commit %s\nmade before under this idempotency key; nothing was changed now\n", line(*r.Commit))
	default:
		fmt.Fprintf(w, "commit %s\n%s moved, %s\n", line(*r.Commit), line(r.Branch), changes)
	}
	return nil
}
