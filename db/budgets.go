package db

import (
	"context"
	"time"

	"trails/auth/policy"
	"trails/db/stmt"
	"trails/fault"
)

// budgetSums is the table of budgets.
var budgetSums = summedTable{name: "budgets", column: "sum", covers: "what it limits", rows: "SELECT " + budgetRow + `, sum
	FROM budgets WHERE seq > ? ORDER BY seq LIMIT ? + 0`}

const (
	amountColumns  = "calls, rows, bytes, time, cost"
	budgetRow      = "seq, actor, capability, period, " + amountColumns + ", changed, author"
	accountColumns = "budget, actor, began, " + amountColumns
)

// maxBudgets bounds the budgets of a file.
const maxBudgets = 1_000

// BudgetsVersion identifies the budgets of a file: equal versions mean equal budgets. The zero value means none.
type BudgetsVersion struct{ count, changed int64 }

// BudgetsVersion returns the version of the budgets. It reads no row of them.
func (r *Reader) BudgetsVersion(ctx context.Context) (v BudgetsVersion, err error) {
	if err := r.ready(ctx); err != nil {
		return v, r.fail(ctx, "budgets", err)
	}
	err = r.conn.Exec("SELECT (SELECT count(*) FROM budgets), (SELECT max(changed) FROM budgets)", func(s *stmt.Stmt) error {
		v = BudgetsVersion{s.ColumnInt64(0), s.ColumnInt64(1)}
		return nil
	})
	return v, r.fail(ctx, "budgets", err)
}

// Budgets lists the budgets of the file in the order in which they were first set.
func (r *Reader) Budgets(ctx context.Context) (list []policy.Budget, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "budgets", err)
	}
	list, err = r.conn.budgets("ORDER BY seq")
	return list, r.fail(ctx, "budgets", err)
}

// Accounts lists what was used of the budgets, as it was when somebody used something of them last.
func (r *Reader) Accounts(ctx context.Context) (list []policy.Account, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "budgets", err)
	}
	list, err = r.conn.accounts("ORDER BY budget, actor")
	return list, r.fail(ctx, "budgets", err)
}

// Account returns what was used of a budget on the account of an actor; ok is false if nothing was.
func (r *Reader) Account(ctx context.Context, budget int64, actor string) (a policy.Account, ok bool, err error) {
	if err := r.ready(ctx); err != nil {
		return a, false, r.fail(ctx, "budgets", err)
	}
	list, err := r.conn.accounts("WHERE budget = ? AND actor = ?", budget, actor)
	if err != nil || len(list) == 0 {
		return a, false, r.fail(ctx, "budgets", err)
	}
	return list[0], true, nil
}

func (c *conn) budgets(where string, args ...any) (list []policy.Budget, err error) {
	err = c.Exec("SELECT "+budgetRow+" FROM budgets "+where, func(s *stmt.Stmt) error {
		list = append(list, policy.Budget{
			ID: s.ColumnInt64(0), BudgetKey: policy.BudgetKey{Actor: s.ColumnText(1), Capability: s.ColumnText(2), Period: policy.Period(time.Duration(s.ColumnInt64(3)) * time.Second)},
			Limits: amountsAt(s, 4), Changed: s.Time(9), Author: s.ColumnText(10),
		})
		return nil
	}, args...)
	return list, err
}

func (c *conn) accounts(where string, args ...any) (list []policy.Account, err error) {
	err = c.Exec("SELECT "+accountColumns+" FROM spending "+where, func(s *stmt.Stmt) error {
		list = append(list, policy.Account{Budget: s.ColumnInt64(0), Actor: s.ColumnText(1), Began: s.Time(2), Used: amountsAt(s, 3)})
		return nil
	}, args...)
	return list, err
}

// amountsAt reads amounts from a column on.
func amountsAt(s *stmt.Stmt, column int) (a policy.Amounts) {
	for m := range a {
		a[m] = s.ColumnInt64(column + m)
	}
	return a
}

// amountsOf are amounts as the values of a row.
func amountsOf(a policy.Amounts) []any {
	list := make([]any, len(a))
	for m, n := range a {
		list[m] = n
	}
	return list
}

// SetBudget sets a budget, of which it takes the key, the limits and the author, at a time. The budget with the key keeps
// its ID and what was used of it; replaced reports that there was one.
func (w *Writer) SetBudget(ctx context.Context, b policy.Budget, at time.Time) (replaced bool, err error) {
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	replaced, err = w.setBudget(b, at)
	return replaced, w.broken(ctx, "set budget", err)
}

func (w *Writer) setBudget(b policy.Budget, at time.Time) (replaced bool, err error) {
	var count, last, changed int64
	err = w.conn.Exec("SELECT count(*), max(seq), max(changed) FROM budgets", func(s *stmt.Stmt) error {
		count, last, changed = s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2)
		return nil
	})
	if err != nil {
		return false, err
	}
	seq, replaced, err := w.conn.budgetSeq(b.BudgetKey)
	switch {
	case err != nil:
		return false, err
	case !replaced && count >= maxBudgets:
		return false, fault.New(fault.TooLarge, "a file has at most %d budgets; remove some, or set one for each caller (*)", maxBudgets)
	case !replaced:
		seq = last + 1
	}
	row := []any{seq, b.Actor, b.Capability, int64(time.Duration(b.Period) / time.Second)}
	row = append(append(row, amountsOf(b.Limits)...), max(at.UnixMicro(), changed+1), b.Author)
	return replaced, w.conn.Exec("INSERT OR REPLACE INTO budgets ("+budgetRow+", sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nil, append(row, budgetSums.sum(nil, row...))...)
}

// budgetSeq returns the number of the budget with a key.
func (c *conn) budgetSeq(k policy.BudgetKey) (seq int64, ok bool, err error) {
	list, err := c.budgets("WHERE actor = ? AND capability = ? AND period = ?", k.Actor, k.Capability, int64(time.Duration(k.Period)/time.Second))
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	return list[0].ID, true, nil
}

// RemoveBudget removes a budget, and what was used of it. An unknown one is the fault Missing.
func (w *Writer) RemoveBudget(ctx context.Context, k policy.BudgetKey) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	seq, ok, err := w.conn.budgetSeq(k)
	if err == nil && !ok {
		err = fault.New(fault.Missing, "there is no budget %s; budget list has them", k)
	}
	for _, from := range []string{"budgets WHERE seq = ?", "spending WHERE budget = ?"} {
		if err == nil {
			err = w.conn.Exec("DELETE FROM "+from, nil, seq)
		}
	}
	return w.broken(ctx, "remove budget", err)
}

// ChargeBudgets makes charges, and returns the account after each, and what it reserved. The account of a budget that was
// removed comes back as the zero Account. Like [File.Record] it does not wait behind a long write: the fault TimedOut says
// to try again later.
func (f *File) ChargeBudgets(ctx context.Context, charges []policy.Charge, now time.Time) (after []policy.Account, granted []policy.Amounts, err error) {
	err = f.beside(ctx, "charge budgets", shortWait, func(c *conn) error {
		after, granted = make([]policy.Account, len(charges)), make([]policy.Amounts, len(charges))
		for i, charge := range charges {
			after[i], granted[i], err = c.charge(charge, now)
			if err != nil {
				return err
			}
		}
		return c.Exec("DELETE FROM spending WHERE began < ?", nil, now.Add(-2*time.Duration(policy.Day)).UnixMicro())
	})
	return after, granted, err
}

func (c *conn) charge(charge policy.Charge, now time.Time) (after policy.Account, granted policy.Amounts, err error) {
	budgets, err := c.budgets("WHERE seq = ?", charge.Budget)
	if err != nil || len(budgets) == 0 {
		return after, granted, err
	}
	before := policy.Account{Budget: charge.Budget, Actor: charge.Actor, Began: budgets[0].Period.Begin(now)}
	found, err := c.accounts("WHERE budget = ? AND actor = ?", charge.Budget, charge.Actor)
	if err != nil {
		return after, granted, err
	}
	if len(found) > 0 {
		before = found[0]
	}
	after, granted = charge.Apply(before, budgets[0], now)
	if len(found) > 0 && after == found[0] {
		return after, granted, nil
	}
	row := append([]any{after.Budget, after.Actor, after.Began.UnixMicro()}, amountsOf(after.Used)...)
	return after, granted, c.Exec("INSERT OR REPLACE INTO spending ("+accountColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)", nil, row...)
}
