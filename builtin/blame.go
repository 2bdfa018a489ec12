package builtin

import (
	"context"
	"fmt"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/invoke"
	"trails/rdf"
	"trails/text/outline"
)

// blameAsked names a node.
type blameAsked struct {
	ID     string `json:"id" is:"brief" doc:"Type/id, IRI or exact label."`
	Limit  int    `json:"limit" is:"rare" min:"1" max:"10000" default:"200"`
	Offset int    `json:"offset" is:"rare" min:"0" default:"0" doc:"How many values to pass over."`
}

// blameTold is a part of the values of a node.
type blameTold struct {
	table
	oneOrigin
	More bool `json:"more,omitempty" doc:"Whether there are values after these."`
}

var blameCells = capability.CellsOf("property:string", "value", "commit:string", "time:string", "who:string", "call:string null", "message:string", "graph:string null", "origin:string")

var blameBuiltin = invoke.Define(capability.Descriptor{
	ID: "blame", Description: "Which commit set each value of a node.",
	OutputShape:    rowsOf("A list for each value: property, value, the first digits of the commit's id, its time, its author, the call that made it or null, its message, the named graph or null, and the origin where not all have the same.", blameCells),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, blame, invoke.On("compact"))

func blame(ctx context.Context, r *invoke.Request, in blameAsked) (*blameTold, error) {
	d, err := nodeOf(ctx, r, "id", in.ID)
	if err != nil {
		return nil, err
	}
	r.Uses(d.IRI())
	list, err := r.Snapshot.Blame(ctx, d, in.Limit+1, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &blameTold{table: tableOf(blameCells)}
	room := r.RoomBeside(out)
	for _, b := range list {
		added := len(out.Rows) < in.Limit
		if added {
			predicate, _ := b.Predicate.(rdf.IRI)
			property := r.Snapshot.Schema().Short(predicate)
			if b.Property != nil {
				property = b.Property.Name
			}
			var call any
			if b.Activity != nil {
				call = b.Activity.Capability
			}
			row := []any{property, valueTold(r, b.Property, b.Object), b.Commit.ID.String(), b.Commit.Time.UTC().Format(time.DateTime), b.Commit.Author, call, outline.Shorten(b.Commit.Message, commitText), view.Plain(r.Snapshot.Schema(), b.Label), b.Origin.String()}
			if added, err = out.add(&room, row); err != nil {
				return nil, err
			}
		}
		if !added {
			out.More, r.Parts.Cut = true, fmt.Sprintf("%d values are shown; go on with offset %d", len(out.Rows), in.Offset+len(out.Rows))
			break
		}
	}
	out.oneOrigin = out.sameOrigin()
	return out, nil
}
