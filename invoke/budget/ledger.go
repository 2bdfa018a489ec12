// Package budget holds callers to the budgets of a graph (see [policy.Budget]): what a call needs is reserved before
// it, and what it used is settled after it.
//
// The file has what was used, for all processes. A process reserves a slice of a budget in the file, and admits calls
// from it without writing, so that a budget costs a few small writes in a period. See docs/decisions/0144-budgets.md.
//
// Read [Ledger.Reserve] first, then account.
package budget

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

const (
	// slicesOfLimit is into how many slices a limit is divided.
	slicesOfLimit = 16
	// lookAgain is after what time the file is asked again for a budget of which nothing was left.
	lookAgain = time.Second
	// idleTime is after what time without calls a process gives back what it has reserved.
	idleTime = 5 * time.Second
)

// Ledger has what a process has reserved and used of the budgets of a graph. It is safe for concurrent use.
type Ledger struct {
	graph *kg.Graph
	log   *slog.Logger
	now   func() time.Time
	known atomic.Pointer[known]

	filing   sync.Mutex // one charge at a time; taken before mu
	mu       sync.Mutex
	accounts map[accountKey]*account
}

// known are the budgets of a version.
type known struct {
	version kg.BudgetsVersion
	budgets []policy.Budget
}

// accountKey identifies an account in the file.
type accountKey struct {
	budget int64
	actor  string
}

// New returns the ledger of a process for a graph.
func New(g *kg.Graph, log *slog.Logger, now func() time.Time) *Ledger {
	return &Ledger{graph: g, log: log, now: now, accounts: map[accountKey]*account{}}
}

// Hold is what was reserved for a call. Nil is a call that no budget counts.
type Hold struct {
	ledger *Ledger
	parts  []part
	// Measured are the measures that a budget of the call limits.
	Measured [len(policy.Amounts{})]bool
	// Warning says what is left, if that is less than a tenth; otherwise it is "".
	Warning string
}

// part is what was reserved on one account.
type part struct {
	*account
	need, held policy.Amounts
}

// Reserve reserves what a call of a capability by p needs, on all accounts that count it; cost is what the capability
// declares. What the call will answer is not known, so as much is reserved as calls of this process needed on average. The
// fault Exhausted names the budget, and says when it is there again. Without budgets it reads one row and locks nothing.
func (l *Ledger) Reserve(ctx context.Context, s *kg.Snapshot, p policy.Principal, capability string, cost int64) (*Hold, error) {
	budgets, err := l.budgetsAt(ctx, s)
	if err != nil {
		return nil, err
	}
	var h *Hold
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range budgets {
		actor, counts := b.Account(p, capability)
		if !counts {
			continue
		}
		if h == nil {
			h = &Hold{ledger: l}
		}
		a, err := l.account(ctx, s, b, actor)
		if err != nil {
			return nil, err
		}
		h.parts = append(h.parts, part{account: a, need: policy.Amounts{policy.Calls: 1, policy.Cost: cost}})
		for m, limit := range b.Limits {
			h.Measured[m] = h.Measured[m] || limit > 0
		}
	}
	switch {
	case h == nil:
		return nil, nil
	case h.take(l.now()):
		l.mu.Unlock()
		err = l.fetch(ctx, h)
		l.mu.Lock()
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// budgetsAt returns the budgets that a snapshot has.
func (l *Ledger) budgetsAt(ctx context.Context, s *kg.Snapshot) ([]policy.Budget, error) {
	version, err := s.BudgetsVersion(ctx)
	if err != nil || version == (kg.BudgetsVersion{}) {
		return nil, err
	}
	if last := l.known.Load(); last != nil && last.version == version {
		return last.budgets, nil
	}
	list, err := s.Budgets(ctx)
	if err != nil {
		return nil, err
	}
	l.known.Store(&known{version, list})
	return list, nil
}

// account returns the account of an actor with a budget, which is as b says from now on. One that this process does not know
// is read, so that it is known if the file cannot be written. The lock must be held.
func (l *Ledger) account(ctx context.Context, s *kg.Snapshot, b policy.Budget, actor string) (*account, error) {
	key := accountKey{b.ID, actor}
	a := l.accounts[key]
	if a == nil || a.budget.BudgetKey != b.BudgetKey { // the number of a budget that was removed is given again
		used, ok, err := s.Account(ctx, b.ID, actor)
		if err != nil {
			return nil, err
		}
		if !ok {
			used = policy.Account{Budget: b.ID, Actor: actor, Began: b.Period.Begin(l.now())}
		}
		a = &account{budget: b, Account: used}
		l.accounts[key] = a
	}
	if a.budget.Changed.Before(b.Changed) {
		a.budget, a.dry = b, time.Time{}
	}
	a.last = l.now()
	return a, nil
}

// fetch reserves more in the file for the accounts that have too little for a call, and then takes what it needs.
func (l *Ledger) fetch(ctx context.Context, h *Hold) error {
	l.filing.Lock()
	defer l.filing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	var asked []*account
	var charges []policy.Charge
	for _, p := range h.parts {
		if p.lacks(now, p.needs()) && !now.Before(p.dry) {
			asked, charges = append(asked, p.account), append(charges, p.charge(p.needs()))
		}
	}
	if err := l.charge(ctx, now, asked, charges); err != nil {
		return err
	}
	for _, p := range h.parts {
		if slices.Contains(asked, p.account) && p.lacks(now, p.needs()) {
			p.dry = now.Add(lookAgain)
		}
	}
	if h.take(now) {
		return h.refusal(now)
	}
	return nil
}

// charge makes charges for accounts in the file. If that cannot be written now, the accounts borrow what they want of what is
// left as far as this process knows, and pay later. Both locks must be held; the one for accounts is given up meanwhile.
func (l *Ledger) charge(ctx context.Context, now time.Time, accounts []*account, charges []policy.Charge) error {
	if len(charges) == 0 {
		return nil
	}
	l.mu.Unlock()
	after, granted, err := l.graph.ChargeBudgets(ctx, charges, now)
	l.mu.Lock()
	if err != nil && ctx.Err() != nil {
		return err
	}
	for i, a := range accounts {
		switch {
		case err != nil:
			a.borrow(charges[i].Want)
		case after[i] == (policy.Account{}): // the budget was removed
			a.budget.Limits = policy.Amounts{}
			delete(l.accounts, accountKey{a.Budget, a.Actor})
		default:
			a.charged(charges[i], after[i], granted[i])
		}
	}
	if err != nil && !fault.Is(err, fault.TimedOut) {
		l.log.Warn("budgets are counted by this process alone: the file cannot be written", "error", fault.Whole(err))
	}
	return nil
}

// Settle pays what calls used beyond what was reserved, and gives back what was reserved and not used for a time; with all
// it gives back everything that no call holds. It is to be called about once a second. It never fails: what cannot be
// written now is settled later or, if the process ends, stays reserved until the end of the period.
func (l *Ledger) Settle(ctx context.Context, all bool) {
	l.filing.Lock()
	defer l.filing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.accounts) == 0 {
		return
	}
	now := l.now()
	var settled []*account
	var charges []policy.Charge
	for key, a := range l.accounts {
		a.roll(now)
		idle := now.Sub(a.last) >= idleTime
		c := a.charge(policy.Amounts{})
		if idle || all {
			c = a.giveBack()
		}
		switch {
		case c.Pay != (policy.Amounts{}):
			settled, charges = append(settled, a), append(charges, c)
		case c.Pay == (policy.Amounts{}) && idle && a.held == (policy.Amounts{}):
			delete(l.accounts, key)
		}
	}
	_ = l.charge(ctx, now, settled, charges) // ctx is at its end
}

// Settle ends a call that used so much; calls and cost are those that were reserved.
func (h *Hold) Settle(used policy.Amounts) {
	if h == nil {
		return
	}
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	for _, p := range h.parts {
		used[policy.Calls], used[policy.Cost] = p.need[policy.Calls], p.need[policy.Cost]
		for m, limit := range p.budget.Limits {
			p.account.held[m] -= p.held[m]
			if limit > 0 {
				p.spent[m] += used[m]
				p.typical[m] = (3*p.typical[m] + used[m]) / 4
			}
		}
		p.last = h.ledger.now()
	}
}
