package builtin

import (
	"context"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
)

// exporting says what is exported, and how.
type exporting struct {
	Format load.Format `json:"format" default:"nquads"`
	Graph  rdf.IRI     `json:"graph,omitempty"`
	Type   string      `json:"type,omitempty" doc:"Only the nodes of this type, as csv, tsv or ndjson."`
}

var exportBuiltin = invoke.Define(capability.Descriptor{
	ID: "export", Description: "Stream the graph in canonical order, so that the same graph gives the same bytes.",
	InputShape: details(
		capability.Field{Name: "format", OneOf: anyOf(kg.ExportFormats())},
		capability.Field{Name: "graph", Description: "Only this named graph; " + string(rdf.DefaultGraph) + " is the default graph."}),
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Export}, Idempotent: true,
}, export, invoke.Streams)

func export(ctx context.Context, r *invoke.Request, in exporting) (out kg.Exported, err error) {
	if r.Output == nil {
		return out, fault.New(fault.InvalidArguments, "export needs an output to stream to")
	}
	if in.Graph != "" && in.Type != "" {
		return out, fault.New(fault.InvalidArguments, "a graph has statements, and a type nodes: give graph or type")
	}
	_, err = r.InTurn(ctx, func(ctx context.Context) (any, error) {
		if in.Type != "" {
			out, err = r.Snapshot.ExportType(ctx, r.Output, in.Format, in.Type, r.Progress)
		} else {
			out, err = r.Snapshot.ExportGraph(ctx, r.Output, in.Format, in.Graph, r.Progress)
		}
		r.Parts.Records = out.Records
		return nil, err
	})
	if out.LeftOut.Count > 0 {
		r.Warn("%s", out.LeftOut.String())
	}
	return out, err
}

// schemaContext is the context that documents may refer to as [schema.ContextIRI].
func schemaContext(r *invoke.Request) ([]byte, error) { return r.Snapshot.Schema().ContextDocument() }

func schemaGraph(r *invoke.Request) ([]rdf.Quad, map[string]string) {
	s := r.Snapshot.Schema()
	return s.Quads(), s.TurtlePrefixes()
}
