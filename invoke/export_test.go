package invoke

import (
	"context"
	"time"
)

// Settled settles the budgets, as happens about once a second.
func (e *Engine) Settled(ctx context.Context) { e.budgets.Settle(ctx, false) }

// Paused is how long the call paused for calls of others.
func (r *Request) Paused() time.Duration { return r.place.Paused() }
