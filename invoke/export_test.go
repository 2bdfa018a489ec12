package invoke

import "context"

// Settled settles the budgets, as happens about once a second.
func (e *Engine) Settled(ctx context.Context) { e.budgets.Settle(ctx, false) }
