package admin

import (
	"encoding/json"
	"fmt"
	"maps"

	"trails/invoke"
	"trails/text/jsontext"
)

// lookedAtName is the field of the form with the head that the preview is of.
const lookedAtName = "looked"

// callAsked is what a call that waits would do.
type callAsked struct {
	Preview *preview
	Lines   shown  // statements that it would add and remove
	Head    string // commit that it was tried on, or that the reader of the form looked at
}

// isCall reports a request for another call than a merge.
func (d *deciding) isCall() bool { return d.Asked.Call != mergeID }

// isOpen reports that it can still be approved or declined.
func (q request) isOpen() bool { return q.State == requestWaits || q.State == requestLapsed }

// tryCall makes the preview of a call that waits: of the approval, or of the same call for who may not approve.
func (d *deciding) tryCall(a *asker) (err error) {
	d.Call = nil
	if !d.Asked.isOpen() || d.Target == "" {
		return nil
	}
	var tried struct {
		Answer   json.RawMessage
		Head     string
		Warnings []string
	}
	if d.MayApprove {
		err = a.ask(decideID, map[string]any{"request": d.Asked.Number, "decision": "approve", "dry_run": true}, &tried)
	} else {
		var kept map[string]any
		if err := json.Unmarshal([]byte(d.Asked.Args), &kept); err != nil {
			return fmt.Errorf("arguments of request %d: %w", d.Asked.Number, err)
		}
		maps.Copy(kept, map[string]any{"dry_run": true, "branch": d.Target})
		err = a.ask(d.Asked.Call, kept, &tried.Answer)
	}
	if err != nil {
		_, err = d.tried(mergePreview{}, err) // the page is of the request, and says why it cannot be made
		return err
	}
	members, _ := jsontext.Members(tried.Answer)
	d.Call = &callAsked{Head: tried.Head, Preview: (&post{formState: &formState{}}).preview(invoke.Result{Structured: tried.Answer})}
	d.Call.Preview.Warnings = append(d.Call.Preview.Warnings, tried.Warnings...)
	for _, m := range members {
		if m.Name == "changes" {
			d.Call.Lines = shownAt(m.Value, 0)
		}
	}
	return nil
}
