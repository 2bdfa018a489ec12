package admin

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"trails/invoke"
	"trails/schema"
)

// lookedAtName is the field of the form with the head that the preview is of.
const lookedAtName = "looked"

// callAsked is what a call that waits would do.
type callAsked struct {
	Preview *preview
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
		_, err = d.tried(a, mergePreview{}, err) // the page is of the request, and says why it cannot be made
		return err
	}
	d.Call = &callAsked{Head: tried.Head, Preview: (&post{formState: &formState{}}).preview(invoke.Result{Structured: tried.Answer})}
	d.Call.Preview.Warnings = append(d.Call.Preview.Warnings, tried.Warnings...)
	return d.Call.Preview.describe(a, map[string]any{"branch": d.Target})
}

// wanted is what calls would do, as people say it.
var wanted = map[string]string{
	"mutate": "change data by a SPARQL update", loadID: "load data", undoID: "take back", "schema_undo": "take back a change of definitions",
	"undo_by": "take back what somebody wrote", schemaApplyID: "change the schema",
	"trails.meta.migrate.apply": "apply the next migration", "trails.meta.migrate.rollback": "roll the last migration back",
	"trails.meta.promote.apply": "promote the definitions of another file", "trails.meta.promote.undo": "take a promotion back",
	"trails.meta.gateway.accept": "accept what a server offers:",
}

// wantedOf has the verbs of the calls that are about one node.
var wantedOf = map[string]string{"create": "add", "update": "change", "delete": "delete"}

// wants says what the call of a request would do: delete Component kg, change the schema. Types are those of the schema, and
// label is how the node that it is about is called, its id when that is "".
func (q request) wants(types []schema.TypeDocument, label string) string {
	var args struct{ ID, Commit, Name any }
	_ = json.Unmarshal([]byte(q.Args), &args) // a list of requests may have the beginning alone
	said := func(text string, about any) string {
		if about == nil {
			return text
		}
		return text + " " + line(fmt.Sprint(about))
	}
	name, verb, _ := strings.Cut(q.Call, ".")
	if text := wantedOf[verb]; text != "" {
		for _, t := range types {
			if schema.SnakeName(t.Name) != name {
				continue
			}
			if label != "" {
				args.ID = "“" + label + "”"
			}
			return said(text+" "+t.Name, args.ID)
		}
	}
	switch text := wanted[q.Call]; {
	case q.Call == undoID:
		if q.Undone != "" {
			return said(text+" “"+q.Undone+"”,", args.Commit)
		}
		return said(text, args.Commit)
	case strings.HasSuffix(text, ":"):
		return said(text, args.Name)
	case text != "":
		return text
	}
	return "call " + line(q.Call)
}

// wants is the call of the request with the label of the node that it is about.
func (d *deciding) wants(types []schema.TypeDocument) string {
	var args struct{ ID string }
	_ = json.Unmarshal([]byte(d.Asked.Args), &args) // most calls are about no node
	label := ""
	if d.Call != nil && args.ID != "" {
		for _, n := range d.Call.Preview.Nodes {
			if n.Node.ID == args.ID {
				label = n.Node.Label
			}
		}
	}
	return d.Asked.wants(types, label)
}
