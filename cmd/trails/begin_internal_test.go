package main

import (
	"context"

	"trails/auth/policy"
	"trails/capability"
	"trails/invoke"
)

// beginning is how labels begin.
type beginning struct {
	Word  string `json:"word" doc:"What a label begins with." min:"1"`
	Limit int    `json:"limit" doc:"How many labels." min:"1" max:"100" default:"10"`
}

// labels are those that begin so.
type labels struct {
	Labels []string `json:"labels" doc:"In the order of the file."`
}

func init() {
	builtins = append(builtins, invoke.Define(capability.Descriptor{
		ID: "begin", Description: "Find nodes by how their labels begin.",
		PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, begin))
}

func begin(ctx context.Context, r *invoke.Request, in beginning) (*labels, error) {
	found := &labels{Labels: []string{}}
	nodes, err := r.Snapshot.SuggestEntities(ctx, r.Snapshot.Schema().Types, in.Word, in.Limit)
	for _, n := range nodes.Nodes {
		found.Labels = append(found.Labels, n.Label)
	}
	return found, err
}
