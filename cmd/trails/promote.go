package main

import (
	"encoding/json"
	"fmt"
	"io"

	"trails/fault"
)

// promoted is what a promotion answers, and the plan of one.
type promoted struct {
	written
	planned
	Head *string
}

// promote copies definitions from one file to another, or undoes that.
func (a *asked) promote() error {
	flags := a.cmd.Flags()
	plan, _ := flags.GetBool("plan")
	yes, _ := flags.GetBool("yes")
	if undo, _ := flags.GetString("undo"); undo != "" {
		if len(a.words) != 1 {
			return usageError{fmt.Sprintf("promote --undo takes TO, and got %d arguments", len(a.words))}
		}
		a.file, a.capability, a.verb.text = a.words[0], "trails.meta.promote.undo", decoded(writeTaken)
		a.given["commit"] = undo
		delete(a.given, "replace")
		delete(a.given, "allow_data_loss")
		_, err := a.once()
		return err
	}
	if len(a.words) != 2 {
		return missing(a.cmd, a.words, []string{"FROM", "TO"})
	}
	a.file = a.words[1]
	var definitions json.RawMessage
	if err := a.answerOf(a.ctx(), a.words[0], "definitions_get", arguments{}, &definitions); err != nil {
		return err
	}
	problem, err := a.damage(a.ctx(), a.words[0])
	if problem != "" {
		err = failure{exitFailed, fmt.Sprintf("%s is damaged, so that nothing was promoted: %s; restore it from a backup", a.words[0], problem)}
	}
	if err != nil {
		return err
	}
	asked := arguments{"definitions": definitions}
	if plan {
		a.verb.text = decoded(func(w io.Writer, r promoted) error {
			if err := writePromotion(w, r); err != nil || r.Blocked || r.Loses == 0 {
				return err
			}
			_, err := fmt.Fprintf(w, "it removes %s: promote it with --allow-data-loss\n", count(r.Loses, "statement"))
			return err
		})
		answer, err := a.make(a.call("trails.meta.promote.plan", asked))
		if err != nil {
			return err
		}
		r, err := answered[promoted](answer)
		if err == nil && r.Blocked {
			err = failure{exitInvalid, "the data contradicts it; nothing was changed"}
		}
		return err
	}
	if !a.asJSON() {
		var tried promoted
		if err := a.answerOf(a.ctx(), a.file, "trails.meta.promote.plan", asked, &tried); err != nil {
			return err
		}
		if err := writePromotion(a.stdout, tried); err != nil {
			return err
		}
		if in := a.terminal(); in != nil && !yes && a.given["dry_run"] != true && len(tried.Rows) > 0 && !a.isYes(in, "Promote to "+a.file+"?") {
			return fault.New(fault.Precondition, "%s was left as it is", a.file)
		}
		if tried.Head != nil && a.given["if_commit"] == nil {
			a.given["if_commit"] = *tried.Head // exactly what was shown is done
		}
	}
	a.given["definitions"] = definitions
	_, err = a.once()
	return err
}

func writePromoted(w io.Writer, r promoted) error { return writeSummary(w, r.written) }

// writePromotion lists what a promotion does.
func writePromotion(w io.Writer, r promoted) error {
	if len(r.Rows) == 0 {
		_, err := fmt.Fprintln(w, "nothing to do: both files have the same definitions")
		return err
	}
	writeSteps(w, r.planned)
	return nil
}
