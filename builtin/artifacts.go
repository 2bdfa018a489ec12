package builtin

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

type artifactsPage struct {
	Limit  int    `json:"limit" min:"1" max:"200" default:"20"`
	Cursor string `json:"cursor,omitempty" doc:"next of the last page."`
}

type artifacts struct {
	Count int64 `json:"count" doc:"Of all that are kept for the caller."`
	Bytes int64 `json:"bytes" doc:"Of all that are kept for the caller."`
	rowsAnswer
}

var artifactCells = capability.CellsOf("handle:string", "media_type:string", "bytes:integer", "tool:string", "created:string", "expires:string")

var artifactsList = invoke.Define(capability.Descriptor{
	ID: "artifacts_list", Description: "List the results of tools that the file keeps for the caller, the last first.",
	OutputShape: rowsOf("A list for each artifact.", artifactCells), PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, listArtifacts, invoke.Hidden, invoke.Newest)

func listArtifacts(ctx context.Context, r *invoke.Request, in artifactsPage) (*artifacts, error) {
	from := int64(0)
	if in.Cursor != "" {
		var err error
		if from, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || from < 1 {
			return nil, fault.Argument("cursor", fault.Pattern, in.Cursor, "cursor is not the next of an earlier answer; leave it out for the first page")
		}
	}
	r.Release()
	page, err := r.Session().Artifacts(ctx, from, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &artifacts{page.Count, page.Bytes, rowsAnswer{table: tableOf(artifactCells)}}
	room := r.RoomBeside(out)
	for i, a := range page.Artifacts {
		added, err := out.add(&room, []any{a.Handle, a.MediaType, a.SizeBytes, a.Tool, a.Created.Format(time.RFC3339), a.Expires.Format(time.RFC3339)})
		if err != nil {
			return nil, err
		}
		if !added {
			out.Next = strconv.FormatInt(page.Artifacts[i-1].Seq, 10)
			r.Parts.Cut = fmt.Sprintf("%d of %d artifacts are shown; go on with cursor %q", i, page.Count, out.Next)
			return out, nil
		}
	}
	if page.More {
		out.Next = strconv.FormatInt(page.Artifacts[len(page.Artifacts)-1].Seq, 10)
	}
	return out, nil
}
