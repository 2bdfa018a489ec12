package policy

import (
	"fmt"
	"strings"
	"time"

	"trails/text/quote"
)

// Measure is something that a budget limits, an index into [Amounts].
type Measure int

// The measures. Calls and cost are known before a call, the others after it.
const (
	Calls   Measure = iota
	Rows            // entries of the answers' lists, and records that loads read and exports wrote
	Bytes           // of the answers
	Seconds         // of work, without waiting for a turn
	Cost            // see [trails/capability.Cost]
	measures
)

var measureNames = [measures]string{"calls", "rows", "bytes", "seconds", "cost"}

// String returns the name of the measure, such as "calls".
func (m Measure) String() string { return measureNames[m] }

// Text writes an amount of the measure with its name, such as "3 calls".
func (m Measure) Text(n int64) string { return m.Number(n) + " " + m.String() }

// Number writes an amount of the measure; seconds have up to three decimals.
func (m Measure) Number(n int64) string {
	if m != Seconds {
		return fmt.Sprint(n)
	}
	text := fmt.Sprintf("%d.%03d", n/1e6, n%1e6/1e3)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Value is an amount of the measure for programs: a number, of seconds with a fraction.
func (m Measure) Value(n int64) any {
	if m == Seconds {
		return float64(n/1e3) / 1e3 // whole milliseconds
	}
	return n
}

// Amounts has an amount for each [Measure]: of calls and so on; of seconds it has microseconds.
type Amounts [measures]int64

// Period is the time after which a budget is there again. Periods begin at whole minutes, hours and days of UTC.
type Period time.Duration

// The periods.
const (
	Minute = Period(time.Minute)
	Hour   = Period(time.Hour)
	Day    = Period(24 * time.Hour)
)

// Periods lists them.
func Periods() []Period { return []Period{Minute, Hour, Day} }

// String returns the name of the period, "" if it is none of [Periods].
func (p Period) String() string {
	return map[Period]string{Minute: "minute", Hour: "hour", Day: "day"}[p]
}

// each is how often the period comes, such as "an hour".
func (p Period) each() string {
	if p == Hour {
		return "an hour"
	}
	return "a " + p.String()
}

// ParsePeriod returns the period with a name; ok is false if there is none.
func ParsePeriod(name string) (p Period, ok bool) {
	for _, p := range Periods() {
		if p.String() == name {
			return p, true
		}
	}
	return 0, false
}

// Begin returns when the period began that a time is in.
func (p Period) Begin(at time.Time) time.Time { return at.UTC().Truncate(time.Duration(p)) }

// Current returns when the period began that counts at a time, if the last one that was counted began at last. A clock that
// is put back by up to one period does not begin an earlier one, so it refills nothing. If last is further in the future, a
// clock was wrong then, and it is passed over.
func (p Period) Current(last, now time.Time) time.Time {
	current := p.Begin(now)
	if last.After(current) && last.Sub(current) <= time.Duration(p) {
		return last
	}
	return current
}

// EachCaller is the actor of budgets that each caller has alone.
const EachCaller = "*"

// BudgetKey is what a file has at most one budget for.
type BudgetKey struct {
	// Actor is the ID of the caller whom the budget is for, [EachCaller] for each one alone, or "" for all together.
	Actor string
	// Capability is the id of what is called, "" for all together.
	Capability string
	Period     Period
}

// Budget limits what callers may use within a period.
type Budget struct {
	// ID identifies the budget in its file as long as it is there.
	ID int64
	BudgetKey
	// Limits are positive; 0 is no limit.
	Limits Amounts
	// Changed by Author at this time, which is later than that of all changes before.
	Changed time.Time
	Author  string
}

// maxShown is how many characters of a name a budget's text has.
const maxShown = 400

// String describes the budget for people: whose it is, and of what.
func (b BudgetKey) String() string {
	whose := "of " + quote.Line(b.Actor, maxShown)
	switch b.Actor {
	case EachCaller:
		whose = "of each caller"
	case "":
		whose = "of all callers together"
	}
	if b.Capability != "" {
		whose += " for " + quote.Line(b.Capability, maxShown)
	}
	return whose + ", " + b.Period.each()
}

// LocalActor begins the ID of users of the machine.
const LocalActor = "local:"

// isOperator reports whether the caller can do everything with the file anyway: at its command line, or as the operator.
func (p Principal) isOperator() bool { return p.Authenticated && strings.HasPrefix(p.ID, LocalActor) }

// ActorOf returns who a caller is for budgets: the ID, which all anonymous callers share.
func ActorOf(p Principal) string {
	if p.ID == "" {
		return Anonymous("", Scopes{}).ID
	}
	return p.ID
}

// Account returns on whose account a call of p is, "" for the one of all; ok is false if the budget does not count it. The
// operator, and who has a shell where the file is, are not limited unless the budget names them.
func (b BudgetKey) Account(p Principal, capability string) (actor string, ok bool) {
	switch who := ActorOf(p); {
	case b.Capability != "" && b.Capability != capability:
		return "", false
	case b.Actor == who:
		return who, true
	case p.isOperator():
		return "", false
	case b.Actor == EachCaller:
		return who, true
	case b.Actor == "":
		return "", true
	}
	return "", false
}

// Account is what was used of a budget.
type Account struct {
	// Budget is the ID of the budget, and Actor whose account it is; "" is that of all callers.
	Budget int64
	Actor  string
	// Began is when the period began in which Used was used. Used contains what processes have reserved.
	Began time.Time
	Used  Amounts
}

// In returns the account as it is at a time. What was used beyond a limit counts in the next period, up to all of it.
func (a Account) In(b Budget, now time.Time) Account {
	current := b.Period.Current(a.Began, now)
	if current.Equal(a.Began) {
		return a
	}
	used := a.Used
	a.Used = Amounts{}
	if current.Sub(a.Began) == time.Duration(b.Period) {
		for m, limit := range b.Limits {
			a.Used[m] = max(0, min(limit, used[m]-limit))
		}
	}
	a.Began = current
	return a
}

// Refills returns when something of a measure is there again, after nothing was left.
func (a Account) Refills(b Budget, m Measure) time.Time {
	end := a.Began.Add(time.Duration(b.Period))
	if a.Used[m] >= 2*b.Limits[m] {
		end = end.Add(time.Duration(b.Period))
	}
	return end
}

// Charge asks for a part of a budget, and pays.
type Charge struct {
	Account // of which it has what identifies the account, and Began is the period that is paid for
	// Pay was used beyond what was reserved before; a negative amount was reserved and is given back.
	Pay Amounts
	// Want is what is to be reserved, if so much is left.
	Want Amounts
}

// Apply returns the account after a charge at a time, and what was reserved.
func (c Charge) Apply(a Account, b Budget, now time.Time) (after Account, granted Amounts) {
	a = a.In(b, now)
	for m, limit := range b.Limits {
		pay := c.Pay[m]
		if !c.Began.Equal(a.Began) {
			pay = max(0, pay) // what was reserved in an earlier period is no more
		}
		a.Used[m] = max(0, a.Used[m]+pay)
		if limit > 0 {
			granted[m] = max(0, min(c.Want[m], limit-a.Used[m]))
			a.Used[m] += granted[m]
		}
	}
	return a, granted
}
