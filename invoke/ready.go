package invoke

import (
	"context"

	"trails/fault"
)

// Ready reports why calls would fail now, whatever they ask; nil when they would
// not. It is no call: nothing of it is recorded. What the fault says under "reason" may
// be shown to anybody: of the file it names no more than the name.
func (e *Engine) Ready(ctx context.Context) (err error) {
	defer e.survive(&err, "ready")
	err = e.graph.Ready(ctx)
	if err == nil {
		return nil
	}
	f := fault.Of(e.fail(err, "", "ready"))
	return f.With("reason", f.Message)
}
