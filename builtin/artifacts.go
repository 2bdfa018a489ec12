package builtin

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/policy"
)

// Bounds of a list of artifacts.
const (
	artifactsLimit = 20
	artifactsMost  = 200
)

var artifactsList = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "artifacts_list", Description: "List the results of tools that the file keeps for the caller, the last first.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: artifactsMost, Default: artifactsLimit},
			cursorField, capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "count", Type: capability.Integer, Required: true, Description: "Of all that are kept for the caller."},
			{Name: "bytes", Type: capability.Integer, Required: true, Description: "Of all that are kept for the caller."},
			{Name: "columns", Type: capability.String, Many: true, Required: true},
			{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each artifact."},
			nextField,
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	},
	Hidden: true,
	Handle: listArtifacts,
}

func listArtifacts(ctx context.Context, r *invoke.Request) (any, error) {
	from := int64(0)
	if cursor := r.Args.Text(cursorField.Name); cursor != "" {
		var err error
		if from, err = strconv.ParseInt(cursor, 10, 64); err != nil || from < 1 {
			return nil, fault.Argument(cursorField.Name, fault.Pattern, cursor, "cursor is no next of ours; leave it out for the first page")
		}
	}
	r.Release()
	page, err := r.Session().Artifacts(ctx, from, r.Args.Integer("limit", artifactsLimit))
	if err != nil {
		return nil, err
	}
	out := struct {
		Count int64 `json:"count"`
		Bytes int64 `json:"bytes"`
		rowsAnswer
	}{page.Count, page.Bytes, rowsAnswer{Columns: []string{"handle", "media_type", "bytes", "tool", "created", "expires"}, Rows: [][]any{}}}
	room := r.Room()
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
