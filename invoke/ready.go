package invoke

import "context"

// Ready reports why calls would fail now, whatever they ask; nil when they would
// not. It is no call: nothing of it is recorded.
func (e *Engine) Ready(ctx context.Context) (err error) {
	defer e.survive(&err, "ready")
	if err := e.graph.Ready(ctx); err != nil {
		return e.fail(err, "", "ready")
	}
	return nil
}
