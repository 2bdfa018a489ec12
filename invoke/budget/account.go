package budget

import (
	"fmt"
	"math"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/fault"
)

// account is the part that this process has in an account. The lock of the ledger guards it.
type account struct {
	budget policy.Budget
	// Account is the account in the file, as it was when it was charged last.
	policy.Account
	// granted is reserved for this process in the file, in the current period; spent is what calls used of it, or beyond
	// it, and held is reserved for calls that run.
	granted, spent, held policy.Amounts
	// due is not paid yet: it was borrowed, or used beyond what was granted in earlier periods.
	due policy.Amounts
	// typical is what a call used on average, the last ones more than others.
	typical policy.Amounts
	// dry is until when the file is not asked for more, because nothing was left.
	dry time.Time
	// last is when a call began or ended last.
	last time.Time
}

// roll begins a new period if it is time.
func (a *account) roll(now time.Time) {
	if then := a.In(a.budget, now); !then.Began.Equal(a.Began) {
		a.begin(then)
	}
}

// begin begins another period, in which nothing is granted to this process yet.
func (a *account) begin(then policy.Account) {
	for m := range a.due {
		a.due[m] = max(0, a.due[m]+a.spent[m]-a.granted[m]) // what was borrowed and not used is no more
	}
	a.Account, a.granted, a.spent, a.dry = then, policy.Amounts{}, policy.Amounts{}, time.Time{}
}

// borrow grants what is wanted of what is left, as far as this process knows, without the file.
func (a *account) borrow(want policy.Amounts) {
	for m, limit := range a.budget.Limits {
		n := max(0, min(want[m], limit-a.Used[m]))
		a.granted[m] += n
		a.Used[m] += n
		a.due[m] += n
	}
}

// free is what calls may still reserve of a measure.
func (a *account) free(m policy.Measure) int64 { return a.granted[m] - a.spent[m] - a.held[m] }

// left is what is left of a measure for all processes, as far as this one knows.
func (a *account) left(m policy.Measure) int64 {
	return max(0, a.budget.Limits[m]-a.Used[m]+a.granted[m]-a.spent[m]-a.held[m])
}

// needs is what a call reserves on the account: at least one of everything.
func (p part) needs() (n policy.Amounts) {
	for m := range n {
		n[m] = max(p.need[m], p.typical[m], 1)
	}
	n[policy.Calls], n[policy.Cost] = p.need[policy.Calls], p.need[policy.Cost]
	return n
}

// lacks reports that something that the budget limits is not there for a call.
func (a *account) lacks(now time.Time, needs policy.Amounts) bool {
	_, lacks := a.short(now, needs)
	return lacks
}

// short returns the measure of which too little is free for a call. If the file has no more, a call is admitted while
// anything is free of measures that are known after it only.
func (a *account) short(now time.Time, needs policy.Amounts) (policy.Measure, bool) {
	for m, limit := range a.budget.Limits {
		m, need := policy.Measure(m), needs[m]
		if m != policy.Calls && m != policy.Cost && now.Before(a.dry) {
			need = 1
		}
		if limit > 0 && a.free(m) < need {
			return m, true
		}
	}
	return 0, false
}

// take reserves what the call needs on all accounts, or reports that one of them lacks something.
func (h *Hold) take(now time.Time) (lacking bool) {
	for _, p := range h.parts {
		if p.roll(now); p.lacks(now, p.needs()) {
			return true
		}
	}
	for i := range h.parts {
		p := &h.parts[i]
		for m, need := range p.needs() {
			if p.budget.Limits[m] > 0 {
				p.held[m] = min(need, p.free(policy.Measure(m)))
				p.account.held[m] += p.held[m]
			}
		}
		if h.Warning == "" {
			h.Warning = p.warning()
		}
	}
	return false
}

// charge pays what was used beyond what was granted, and asks for what a call needs with a slice more.
func (a *account) charge(needs policy.Amounts) policy.Charge {
	c := policy.Charge{Account: policy.Account{Budget: a.Budget, Actor: a.Actor, Began: a.Began}}
	for m, limit := range a.budget.Limits {
		free := a.free(policy.Measure(m))
		c.Pay[m] = a.due[m] + max(0, -free)
		if limit > 0 && max(0, free) < needs[m] {
			c.Want[m] = needs[m] - max(0, free) + limit/slicesOfLimit
		}
	}
	return c
}

// giveBack pays, and gives back what no call has used or holds.
func (a *account) giveBack() policy.Charge {
	c := a.charge(policy.Amounts{})
	for m := range c.Pay {
		c.Pay[m] -= max(0, a.free(policy.Measure(m)))
	}
	return c
}

// charged notes what a charge did.
func (a *account) charged(c policy.Charge, after policy.Account, granted policy.Amounts) {
	if !after.Began.Equal(c.Began) { // for the file another period has begun, and the charge has paid for this one
		a.Account, a.granted, a.spent, a.dry = after, policy.Amounts{}, policy.Amounts{}, time.Time{}
	} else {
		for m := range a.granted {
			a.granted[m] += c.Pay[m] - a.due[m]
		}
	}
	a.Account, a.due = after, policy.Amounts{}
	for m, n := range granted {
		a.granted[m] += n
	}
}

// warning says what is left, if that is less than a tenth of a limit.
func (a *account) warning() string {
	for m, limit := range a.budget.Limits {
		if m := policy.Measure(m); limit > 0 && a.left(m) < (limit+9)/10 {
			return fmt.Sprintf("%s of %s left until %s: budget %s", m.Number(a.left(m)), m.Text(limit), clock(a.Refills(a.budget, m)), a.budget.BudgetKey)
		}
	}
	return ""
}

// refusal is the fault of a call for which a budget has too little: of the budget that is there again last.
func (h *Hold) refusal(now time.Time) error {
	var worst part
	var of policy.Measure
	var until time.Time
	for _, p := range h.parts {
		m, short := p.short(now, p.needs())
		if at := p.Refills(p.budget, m); short && at.After(until) {
			worst, of, until = p, m, at
		}
	}
	limit := worst.budget.Limits[of]
	why := fmt.Sprintf("%s of %s left in the budget %s", of.Number(worst.left(of)), of.Text(limit), worst.budget.BudgetKey)
	if need := worst.need[of]; need > 1 {
		why += fmt.Sprintf(", and this call needs %s", of.Number(need))
	}
	wait := max(1, int64(math.Ceil(until.Sub(now).Seconds())))
	return fault.New(fault.Exhausted, "%s; it is refilled at %s, in %d s. For more, ask a builder: %s", why, clock(until), wait, raise(worst.budget)).
		With("limit", of.Value(limit)).With("used", of.Value(limit-worst.left(of))).With("retry_after", wait).With("measure", of.String())
}

// raise is the command that changes a budget.
func raise(b policy.Budget) string {
	words := []string{"trails budget set FILE"}
	if b.Actor != "" {
		words = append(words, "--actor '"+b.Actor+"'")
	}
	if b.Capability != "" {
		words = append(words, "--capability "+b.Capability)
	}
	words = append(words, "--per "+b.Period.String())
	for m, limit := range b.Limits {
		if limit > 0 {
			words = append(words, "--"+policy.Measure(m).String()+" N")
		}
	}
	return strings.Join(words, " ")
}

// clock is a time for people.
func clock(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }
