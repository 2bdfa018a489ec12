package invoke

import (
	"context"

	"trails/fault"
)

// Ready reports why all calls would fail now, or nil. It is not a call, and nothing is recorded. The detail "reason"
// of the fault may be shown to anybody: it contains at most the name of the file.
func (e *Engine) Ready(ctx context.Context) (err error) {
	defer e.survive(&err, "ready")
	err = e.graph.Ready(ctx)
	if err == nil {
		return nil
	}
	f := fault.Of(e.fail(err, "", "ready"))
	return f.With("reason", f.Message)
}
