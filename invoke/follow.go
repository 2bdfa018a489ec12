package invoke

import (
	"context"
	"encoding/json"
	"time"

	"trails/fault"
)

// Follow makes a call of a feed, then the ones that go on from its cursors: at once while there is more, and else when the
// branch has moved, by any process. It passes each result to each, and after every while without one nil, unless while is
// 0. It ends without an error when ctx or the engine ends, and otherwise with the first error of a call or of each; the branch that it
// follows being deleted is one.
func (e *Engine) Follow(ctx context.Context, c Call, while time.Duration, each func(*Result) error) error {
	args := map[string]any{}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return fault.New(fault.Malformed, "the arguments are not a JSON object")
	}
	branch, _ := args["branch"].(string)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	moves := e.join(ctx, c.Principal, branch) // before the first call, so that nothing is missed in between
	for {
		res, err := e.Call(ctx, c)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = each(&res)
		}
		if err != nil {
			return err
		}
		var page struct {
			Cursor string
			More   bool
		}
		if err := json.Unmarshal(res.Structured, &page); err != nil {
			return err
		}
		delete(args, "start")
		args["cursor"] = page.Cursor
		if c.Args, err = json.Marshal(args); err != nil {
			return err
		}
		if page.More {
			continue
		}
		if ended, err := await(ctx, moves, while, each); err != nil || ended {
			return err
		}
	}
}

// await waits until something is received or the channel is closed, which it reports.
func await(ctx context.Context, moves <-chan Change, while time.Duration, each func(*Result) error) (ended bool, err error) {
	var idle <-chan time.Time
	if while > 0 {
		tick := time.NewTicker(while)
		defer tick.Stop()
		idle = tick.C
	}
	for {
		select {
		case _, open := <-moves:
			return !open, nil
		case <-ctx.Done():
			return true, nil
		case <-idle:
			if err := each(nil); err != nil {
				return false, err
			}
		}
	}
}
