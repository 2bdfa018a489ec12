package kg

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/text/quote"
)

// BudgetsVersion identifies the budgets of a graph: equal versions mean equal budgets. The zero value means none.
type BudgetsVersion = db.BudgetsVersion

// BudgetsVersion returns the version of the graph's budgets, without reading them.
func (s *Snapshot) BudgetsVersion(ctx context.Context) (BudgetsVersion, error) {
	return s.source.BudgetsVersion(ctx)
}

// Budgets lists the graph's budgets in the order in which they were first set.
func (s *Snapshot) Budgets(ctx context.Context) ([]policy.Budget, error) {
	return s.source.Budgets(ctx)
}

// Accounts lists what was used of the budgets, as it was when something of each was used last; see [policy.Account.In].
func (s *Snapshot) Accounts(ctx context.Context) ([]policy.Account, error) {
	return s.source.Accounts(ctx)
}

// Account returns what was used of a budget on the account of an actor, as [Snapshot.Accounts] does; ok is false if nothing
// was.
func (s *Snapshot) Account(ctx context.Context, budget int64, actor string) (a policy.Account, ok bool, err error) {
	return s.source.Account(ctx, budget, actor)
}

// ChargeBudgets makes charges, and returns the account after each, and what it reserved. It does not wait behind a long
// write: fault.TimedOut means to try again later. A file that cannot be written is fault.Unusable.
func (g *Graph) ChargeBudgets(ctx context.Context, charges []policy.Charge, now time.Time) (after []policy.Account, granted []policy.Amounts, err error) {
	if err := g.Foreign(); err != nil {
		return nil, nil, err
	}
	return g.file.ChargeBudgets(ctx, charges, now)
}

// SetBudget sets the limits of a budget, of which it takes the key and the limits; replaced reports that there was one.
// What was used of that stays used.
func (s *Session) SetBudget(ctx context.Context, b policy.Budget, dryRun bool, a Activity) (replaced bool, err error) {
	if err := s.may(ctx, policy.Administer, ""); err != nil {
		return false, err
	}
	if err := checkBudget(b); err != nil {
		return false, err
	}
	b.Author = s.principal.Author()
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) (err error) {
		replaced, err = w.SetBudget(ctx, b, s.graph.now())
		return err
	})
	return replaced, err
}

// maxActor is how many bytes the actor of a budget has at most.
const maxActor = 500

func checkBudget(b policy.Budget) error {
	var wrong []fault.FieldError
	if strings.ContainsFunc(b.Actor, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) || len(b.Actor) > maxActor {
		wrong = append(wrong, fault.FieldError{Field: "actor", Code: fault.Pattern, Value: quote.Line(b.Actor, maxSaid),
			Message: fmt.Sprintf("%q is no caller: give one as commits and provenance have it, such as token:ci or anonymous, or * for each one alone", quote.Line(b.Actor, maxSaid))})
	}
	if b.Period.String() == "" {
		wrong = append(wrong, fault.FieldError{Field: "per", Code: fault.OneOf, Message: "a budget is per minute, hour or day"})
	}
	some := false
	for m, limit := range b.Limits {
		if some = some || limit > 0; limit < 0 {
			wrong = append(wrong, fault.FieldError{Field: policy.Measure(m).String(), Code: fault.MinValue, Value: limit, Message: "a limit is at least 1"})
		}
	}
	if !some && len(wrong) == 0 {
		return fault.Argument("calls", fault.Required, nil, "a budget limits something: give calls, rows, bytes, seconds or cost")
	}
	if len(wrong) > 0 {
		return fault.Arguments(wrong...)
	}
	return nil
}

// RemoveBudget removes a budget, and what was used of it. An unknown one is the fault Missing.
func (s *Session) RemoveBudget(ctx context.Context, k policy.BudgetKey, dryRun bool, a Activity) error {
	if err := s.may(ctx, policy.Administer, ""); err != nil {
		return err
	}
	return s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) error { return w.RemoveBudget(ctx, k) })
}
