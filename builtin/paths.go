package builtin

import (
	"context"
	"fmt"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// pathsAsked names two nodes.
type pathsAsked struct {
	From  string `json:"from" max:"8192" doc:"Type/id, IRI or exact label."`
	To    string `json:"to" max:"8192" doc:"Type/id, IRI or exact label."`
	Steps int    `json:"steps" min:"1" max:"4" default:"4" doc:"How many links a path has at most."`
	Limit int    `json:"limit" min:"1" max:"100" default:"20" doc:"How many paths at most."`
}

var pathsBuiltin = invoke.Define(capability.Descriptor{
	ID: "paths", Description: "How are two nodes connected? The paths between them, shortest first, by links of any kind in either direction.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in pathsAsked) (*view.Paths, error) {
	from, err := nodeOf(ctx, r, "from", in.From)
	if err != nil {
		return nil, err
	}
	to, err := nodeOf(ctx, r, "to", in.To)
	if err != nil {
		return nil, err
	}
	if from.Term == to.Term {
		return nil, fault.Argument("to", fault.Class, in.To, fmt.Sprintf("from and to are the same node, %s; name another one", from.IRI()))
	}
	r.Uses(from.IRI())
	r.Uses(to.IRI())
	return view.PathsBetween(ctx, r, from, to, in.Steps, in.Limit)
}, invoke.On())
