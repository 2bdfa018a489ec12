package db_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
)

// setBudget sets a budget at the epoch, and returns whether there was one.
func setBudget(t *testing.T, f *db.File, b policy.Budget) (replaced bool) {
	t.Helper()
	changeTokens(t, f, func(w *db.Writer) (err error) {
		replaced, err = w.SetBudget(t.Context(), b, epoch)
		return err
	})
	return replaced
}

// budgets reads the budgets, their version and their accounts.
func budgets(t *testing.T, f *db.File) (list []policy.Budget, accounts []policy.Account, v db.BudgetsVersion) {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if list, err = r.Budgets(t.Context()); err == nil {
		accounts, err = r.Accounts(t.Context())
	}
	if err == nil {
		v, err = r.BudgetsVersion(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return list, accounts, v
}

// charge makes one charge, and returns what it reserved.
func charge(t *testing.T, f *db.File, c policy.Charge, now time.Time) (after policy.Account, granted policy.Amounts) {
	t.Helper()
	accounts, grants, err := f.ChargeBudgets(t.Context(), []policy.Charge{c}, now)
	if err != nil {
		t.Fatal(err)
	}
	return accounts[0], grants[0]
}

// A budget that is set again keeps its ID and what was used; other budgets have another version.
func TestBudgetsAreSetAndRemoved(t *testing.T) {
	f := create(t)
	versions := map[db.BudgetsVersion][]policy.Budget{}
	see := func(when string, want ...policy.Budget) {
		t.Helper()
		list, _, v := budgets(t, f)
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
		if others, has := versions[v]; has && !cmp.Equal(list, others) {
			t.Errorf("%s: version %v is that of others", when, v)
		}
		versions[v] = list
	}
	see("none")
	all := policy.Budget{ID: 1, BudgetKey: policy.BudgetKey{Period: policy.Day}, Limits: policy.Amounts{policy.Rows: 1000}, Author: "ana"}
	one := policy.Budget{ID: 2, BudgetKey: policy.BudgetKey{Actor: "token:ci", Capability: "query", Period: policy.Minute}, Limits: policy.Amounts{policy.Calls: 10}, Author: "ana"}
	all.Changed, one.Changed = epoch, epoch.Add(time.Microsecond)
	setBudget(t, f, all)
	see("one", all)
	setBudget(t, f, one)
	see("two", all, one)
	charge(t, f, policy.Charge{Account: policy.Account{Budget: 2, Actor: "token:ci", Began: epoch}, Want: policy.Amounts{4}}, epoch)
	one.Limits, one.Changed = policy.Amounts{policy.Calls: 20}, epoch.Add(2*time.Microsecond)
	if !setBudget(t, f, one) {
		t.Error("the budget was not replaced")
	}
	see("raised", all, one)
	if _, accounts, _ := budgets(t, f); len(accounts) != 1 || accounts[0].Used[policy.Calls] != 4 {
		t.Errorf("a raised budget has %+v", accounts)
	}
	if report := verify(t, f); !report.OK() {
		t.Error(report.Problems)
	}
	changeTokens(t, f, func(w *db.Writer) error { return w.RemoveBudget(t.Context(), one.BudgetKey) })
	see("removed one", all)
	if after, granted := charge(t, f, policy.Charge{Account: policy.Account{Budget: 2, Actor: "token:ci", Began: epoch}, Want: policy.Amounts{1}}, epoch); after != (policy.Account{}) || granted != (policy.Amounts{}) {
		t.Errorf("what was removed grants %v: %v", granted, after)
	}
	one.Changed = epoch.Add(time.Microsecond) // its number is given again, and nothing is used of it
	setBudget(t, f, one)
	if _, accounts, _ := budgets(t, f); len(accounts) > 0 {
		t.Errorf("of a new budget there was used %+v", accounts)
	}
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.RemoveBudget(t.Context(), policy.BudgetKey{Actor: "x", Period: policy.Day}); !fault.Is(err, fault.Missing) {
		t.Errorf("what there is not is removed: %v", err)
	}
}

// Two processes reserve from one budget; together they get what it has, and in the next period again.
func TestChargesShareABudget(t *testing.T) {
	f := create(t)
	second, began := open(t, f.Path()), policy.Minute.Begin(epoch)
	setBudget(t, f, policy.Budget{BudgetKey: policy.BudgetKey{Actor: policy.EachCaller, Period: policy.Minute}, Limits: policy.Amounts{policy.Calls: 10, policy.Rows: 100}})
	want := func(n, pay int64) policy.Charge {
		return policy.Charge{Account: policy.Account{Budget: 1, Actor: "a", Began: began}, Want: policy.Amounts{policy.Calls: n}, Pay: policy.Amounts{policy.Calls: pay}}
	}
	got := int64(0)
	for i, at := range []*db.File{f, second, f, second} {
		_, granted := charge(t, at, want(4, 0), epoch.Add(time.Duration(i)*time.Second))
		got += granted[policy.Calls]
	}
	if got != 10 {
		t.Errorf("%d calls of 10 were reserved", got)
	}
	if _, granted := charge(t, second, want(4, -2), epoch); granted[policy.Calls] != 2 {
		t.Errorf("of 2 that came back %d were reserved", granted[policy.Calls])
	}
	if _, granted := charge(t, second, policy.Charge{Account: policy.Account{Budget: 1, Actor: "b", Began: began}, Want: policy.Amounts{policy.Calls: 1}}, epoch); granted[policy.Calls] != 1 {
		t.Error("another caller has no budget of their own")
	}
	if after, granted := charge(t, f, want(4, -3), epoch.Add(time.Minute)); granted[policy.Calls] != 4 || after.Used[policy.Calls] != 4 {
		t.Errorf("in the next period: reserved %v, %+v", granted, after)
	}
	if _, accounts, _ := budgets(t, f); len(accounts) != 2 {
		t.Errorf("%d accounts", len(accounts))
	}
	charge(t, f, want(1, 0), epoch.AddDate(0, 0, 3))
	if _, accounts, _ := budgets(t, f); len(accounts) != 1 {
		t.Errorf("%d accounts after days", len(accounts))
	}
}
