package policy_test

import (
	"testing"
	"time"

	"trails/auth/policy"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestWhoseAccountACallIsOn(t *testing.T) {
	ci := policy.Principal{ID: "token:ci", Authenticated: true}
	for _, c := range []struct {
		name              string
		actor, capability string
		who               policy.Principal
		want              string
		counts            bool
	}{
		{"a named caller has their own", "token:ci", "", ci, "token:ci", true},
		{"another caller has none", "token:cd", "", ci, "", false},
		{"each caller has their own", "*", "", ci, "token:ci", true},
		{"all callers share one", "", "", ci, "", true},
		{"another capability is not counted", "", "list", ci, "", false},
		{"the capability is counted", "", "query", ci, "", true},
		{"all anonymous callers are one", "*", "", policy.Principal{}, "anonymous", true},
		{"the operator is not each caller", "*", "", policy.Local("ana", ""), "", false},
		{"the operator is none of all", "", "", policy.Local("ana", ""), "", false},
		{"the operator who is named is counted", "local:ana", "", policy.Local("ana", ""), "local:ana", true},
		{"who started a process is not its operator", "*", "", policy.Principal{ID: "local:ana"}, "local:ana", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, counts := policy.BudgetKey{Actor: c.actor, Capability: c.capability}.Account(c.who, "query")
			if got != c.want || counts != c.counts {
				t.Errorf("got %q, %t", got, counts)
			}
		})
	}
}

func TestAnAccountIsThereAgainInTheNextPeriod(t *testing.T) {
	b := policy.Budget{BudgetKey: policy.BudgetKey{Period: policy.Hour}, Limits: policy.Amounts{policy.Rows: 100}}
	for _, c := range []struct {
		name       string
		used       int64
		after      time.Duration
		want       int64
		refillsFor time.Duration
	}{
		{"in the same period it is as it was", 60, 59 * time.Minute, 60, time.Hour},
		{"in the next it is whole", 60, time.Hour, 0, 2 * time.Hour},
		{"what was beyond the limit counts in the next", 130, time.Hour, 30, 2 * time.Hour},
		{"up to all of it", 1000, time.Hour, 100, 2 * time.Hour},
		{"so it is refilled a period later", 1000, 0, 1000, 2 * time.Hour},
		{"but not in the one after", 1000, 2 * time.Hour, 0, 3 * time.Hour},
		{"a clock that is put back refills nothing", 60, -time.Minute, 60, time.Hour},
		{"nor by a period", 60, -time.Hour, 60, time.Hour},
		{"a clock that was far ahead is passed over", 60, -2 * time.Hour, 0, -time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := policy.Account{Began: noon, Used: policy.Amounts{policy.Rows: c.used, policy.Calls: 7}}.In(b, noon.Add(c.after))
			if a.Used[policy.Rows] != c.want || !a.Refills(b, policy.Rows).Equal(noon.Add(c.refillsFor)) {
				t.Errorf("used %v, refilled at %s", a.Used, a.Refills(b, policy.Rows))
			}
		})
	}
}

func TestChargesReserveAndPay(t *testing.T) {
	b := policy.Budget{BudgetKey: policy.BudgetKey{Period: policy.Hour}, Limits: policy.Amounts{policy.Calls: 10}}
	for _, c := range []struct {
		name           string
		used           int64
		paid           time.Time
		pay, want      int64
		after, granted int64
	}{
		{"what is wanted is reserved", 3, noon, 0, 4, 7, 4},
		{"but no more than is left", 8, noon, 0, 4, 10, 2},
		{"and nothing of what is used up", 12, noon, 0, 4, 12, 0},
		{"what is paid is not left", 3, noon, 5, 4, 10, 2},
		{"what is given back is", 10, noon, -3, 2, 9, 2},
		{"what was reserved in an earlier period is no more", 10, noon.Add(-time.Hour), -3, 0, 10, 0},
		{"what was used in one is paid", 3, noon.Add(-time.Hour), 3, 0, 6, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			charge := policy.Charge{Account: policy.Account{Began: c.paid}, Pay: policy.Amounts{c.pay}, Want: policy.Amounts{c.want}}
			a, granted := charge.Apply(policy.Account{Began: noon, Used: policy.Amounts{c.used}}, b, noon)
			if a.Used[policy.Calls] != c.after || granted[policy.Calls] != c.granted {
				t.Errorf("used %d, reserved %d", a.Used[policy.Calls], granted[policy.Calls])
			}
		})
	}
}

func TestBudgetsAreDescribed(t *testing.T) {
	for want, k := range map[string]policy.BudgetKey{
		"of token:ci for query, an hour":    {Actor: "token:ci", Capability: "query", Period: policy.Hour},
		"of each caller, a day":             {Actor: "*", Period: policy.Day},
		"of all callers together, a minute": {Period: policy.Minute},
	} {
		if got := k.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for want, n := range map[string]int64{"1.5 seconds": 1_500_000, "0 seconds": 999, "20 seconds": 20_000_000, "0.001 seconds": 1_999} {
		if got := policy.Seconds.Text(n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
