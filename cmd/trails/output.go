package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"trails/invoke"
)

// asJSON reports whether the caller wants the structured result itself.
func (p *program) asJSON() bool { return p.output == "json" }

// print writes a result: as it is with -o json, otherwise as forPeople writes it.
func (p *program) print(structured json.RawMessage, forPeople func(io.Writer, json.RawMessage) error) error {
	if p.asJSON() {
		return writeLine(p.stdout, structured)
	}
	return forPeople(p.stdout, structured)
}

// writeLine writes text that ends in exactly one newline.
func writeLine(w io.Writer, text []byte) error {
	_, err := w.Write(append(bytes.TrimRight(text, "\n"), '\n'))
	return err
}

// written is what every write answers.
type written struct {
	ID       string `json:"id"`
	IRI      string `json:"iri"`
	Branch   string `json:"branch"`
	Commit   string `json:"commit"` // "" when none was made
	Added    int64  `json:"added"`
	Removed  int64  `json:"removed"`
	DryRun   bool   `json:"dry_run"`
	Replayed bool   `json:"replayed"`
	Records  int64  `json:"records"`
}

// isWrite reports whether a result is that of a write.
func isWrite(structured json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(structured, &members) != nil {
		return false
	}
	_, commit := members["commit"]
	_, branch := members["branch"]
	return commit && branch
}

// writeSummary says which commit a write made and which branch it moved.
func writeSummary(w io.Writer, structured json.RawMessage) error {
	var r written
	if err := json.Unmarshal(structured, &r); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	if r.ID != "" {
		fmt.Fprintf(w, "%s  <%s>\n", line(r.ID), line(r.IRI))
	}
	changes := fmt.Sprintf("+%s -%s quads", grouped(r.Added), grouped(r.Removed))
	switch {
	case r.DryRun:
		fmt.Fprintf(w, "dry run, nothing was changed; it would be %s on %s\n", changes, line(r.Branch))
	case r.Commit == "":
		fmt.Fprintf(w, "nothing to change; %s stays where it was\n", line(r.Branch))
	case r.Replayed:
		fmt.Fprintf(w, "commit %s\nmade before under this idempotency key; nothing was changed now\n", line(r.Commit))
	default:
		fmt.Fprintf(w, "commit %s\n%s moved, %s\n", line(r.Commit), line(r.Branch), changes)
	}
	return nil
}

// writeAnything shows a result that no command knows better: a write by its
// commit, everything else by its members.
func writeAnything(w io.Writer, structured json.RawMessage) error {
	if isWrite(structured) {
		return writeSummary(w, structured)
	}
	return writeValue(w, structured)
}

// answer makes a call on FILE and prints its result.
func (p *program) answer(ctx context.Context, file string, c invoke.Call, forPeople func(io.Writer, json.RawMessage) error) error {
	return p.withEngine(ctx, file, func(e *invoke.Engine) error {
		res, err := e.Call(ctx, c)
		if err != nil {
			return err
		}
		return p.print(res.Structured, forPeople)
	})
}

// read returns the body of a resource of FILE.
func (p *program) read(ctx context.Context, file, uri string) (body json.RawMessage, err error) {
	err = p.withEngine(ctx, file, func(e *invoke.Engine) error {
		doc, err := e.Read(ctx, uri, invoke.Call{Principal: me(), Via: "cli"})
		body = doc.Body
		return err
	})
	return body, err
}
