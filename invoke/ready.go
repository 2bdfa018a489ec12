package invoke

import (
	"context"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
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

// SeesAll reports whether a caller may see the whole graph; numbers about all of it are for those alone. It is not a call,
// and nothing is recorded.
func (e *Engine) SeesAll(ctx context.Context, p policy.Principal) (all bool, err error) {
	defer e.survive(&err, "sees all")
	err = e.session(p).View(ctx, func(s *kg.Snapshot) error {
		all = s.SeesAll()
		return nil
	})
	if err != nil {
		return false, e.fail(err, "", "sees all")
	}
	return all, nil
}
