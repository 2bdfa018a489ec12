package invoke

import (
	"context"
	"fmt"

	"trails/capability/project"
	"trails/kg"
)

// stats answers how much is in the file.
func stats(ctx context.Context, r *running) (any, error) {
	file, err := r.snapshot.Stats(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := r.snapshot.TypeCounts(ctx)
	if err != nil {
		return nil, err
	}
	types := map[string]int64{}
	for _, c := range counts {
		types[c.Type.Name] = c.Count
	}
	return struct {
		Graph         string           `json:"graph"`
		Head          *string          `json:"head"`
		Quads         int64            `json:"quads"`
		Terms         int64            `json:"terms"`
		Commits       int64            `json:"commits"`
		SchemaVersion int64            `json:"schema_version"`
		Types         map[string]int64 `json:"types"`
		FileBytes     int64            `json:"file_bytes"`
		LogBytes      int64            `json:"log_bytes"`
	}{r.engine.graph.Name(), headID(r.snapshot.Head()), file.Quads, file.Terms, file.Commits,
		r.snapshot.SchemaVersion(), types, file.FileBytes, file.LogBytes}, nil
}

// check is one thing that the doctor looks at.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// checks are what the doctor looks at, in this order. Each is quick; `trails verify`
// reads the whole file.
var checks = []struct {
	name string
	look func(context.Context, *running) (string, error)
}{
	{"head", checkHead},
	{"schema", checkSchema},
	{"capabilities", checkCapabilities},
	{"log", checkLog},
}

func doctor(ctx context.Context, r *running) (any, error) {
	out := struct {
		OK     bool    `json:"ok"`
		Checks []check `json:"checks"`
	}{OK: true}
	for _, c := range checks {
		detail, err := c.look(ctx, r)
		if err != nil {
			out.OK, detail = false, err.Error()
		}
		out.Checks = append(out.Checks, check{c.name, err == nil, detail})
	}
	return out, nil
}

// checkHead finds that the newest commit names the one before it.
func checkHead(ctx context.Context, r *running) (string, error) {
	head := r.snapshot.Head()
	if head.ID == (kg.CommitID{}) {
		return "no commits yet", nil
	}
	if head.Parent == (kg.CommitID{}) {
		return "the first commit is the head", nil
	}
	if _, err := r.snapshot.CommitByID(ctx, head.Parent.String()); err != nil {
		return "", fmt.Errorf("the head's parent cannot be read: %w", err)
	}
	return "the head follows its parent", nil
}

func checkSchema(_ context.Context, r *running) (string, error) {
	return fmt.Sprintf("version %d, %d types", r.snapshot.SchemaVersion(), len(r.snapshot.Schema().Types)), nil
}

// checkCapabilities lowers every descriptor to each of its views and compares what they share.
func checkCapabilities(_ context.Context, r *running) (string, error) {
	for _, en := range r.catalog.ordered {
		tool := project.MCPTool(en.Descriptor, r.engine.process())
		if tool.Description != en.Description {
			return "", fmt.Errorf("capability %s: the MCP tool's description is not the descriptor's", en.ID)
		}
	}
	return fmt.Sprintf("%d capabilities, the same in every view", len(r.catalog.ordered)), nil
}

// checkLog finds a write-ahead log that a reader keeps from starting over.
func checkLog(ctx context.Context, r *running) (string, error) {
	file, err := r.snapshot.Stats(ctx)
	if err != nil {
		return "", err
	}
	if file.LogBytes > 2*file.LongLog {
		return "", fmt.Errorf("the log has %d bytes, more than twice the %d at which it is to start over: a process reads for long; end it, or wait for it", file.LogBytes, file.LongLog)
	}
	return fmt.Sprintf("%d bytes", file.LogBytes), nil
}
