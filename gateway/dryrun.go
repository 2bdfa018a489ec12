package gateway

import "maps"

// DryRun describes what a call would do, without calling the tool.
type DryRun struct {
	DryRun   bool   `json:"dry_run"` // true
	ToolID   string `json:"tool_id"`
	Upstream string `json:"upstream_name"`
	// ArgsValid is true: arguments that are not valid are an error.
	ArgsValid bool `json:"args_valid"`
	// Annotations are the server's claims about the tool, with verified: false.
	Annotations map[string]any `json:"annotations"`
	Checks      []DryCheck     `json:"checks"`
}

// DryCheck is one check that a call has to pass.
type DryCheck struct {
	Name   string `json:"name"`
	Status string `json:"status"` // pass or fail
}

// NewDryRun reports on a call with valid arguments. quota is the result of [Meter.Look], nil if it may be called.
func NewDryRun(item Item, annotations map[string]any, quota error) DryRun {
	hints := maps.Clone(annotations)
	if hints == nil {
		hints = map[string]any{}
	}
	hints["verified"] = false
	limit := "pass"
	if quota != nil {
		limit = "fail"
	}
	return DryRun{
		DryRun: true, ToolID: item.ID, Upstream: item.Name, ArgsValid: true, Annotations: hints,
		Checks: []DryCheck{{"schema_validation", "pass"}, {"rate_limit", limit}},
	}
}
