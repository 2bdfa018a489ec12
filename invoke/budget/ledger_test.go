package budget_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/invoke/budget"
	"trails/kg"
)

// What reserving and settling cost by themselves: without budgets, with one of another caller, and with one that counts.
func BenchmarkReserve(b *testing.B) {
	ana := policy.Local("ana", "")
	for name, actor := range map[string]string{"without budgets": "", "of another": "token:other", "counted": "token:ci"} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "budgets.db")
			if err := kg.Create(b.Context(), path, kg.CreateOptions{By: ana}); err != nil {
				b.Fatal(err)
			}
			g, err := kg.Open(b.Context(), path, kg.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer g.Close()
			if actor != "" {
				of := policy.Budget{BudgetKey: policy.BudgetKey{Actor: actor, Period: policy.Day}, Limits: policy.Amounts{policy.Calls: 1e12}}
				if _, err := g.Session(ana).SetBudget(b.Context(), of, false, kg.Activity{}); err != nil {
					b.Fatal(err)
				}
			}
			l := budget.New(g, slog.New(slog.DiscardHandler), time.Now)
			err = g.Session(ana).View(b.Context(), func(s *kg.Snapshot) error {
				for b.Loop() {
					h, err := l.Reserve(b.Context(), s, policy.Principal{ID: "token:ci"}, "query", 10)
					if err != nil {
						return err
					}
					h.Settle(policy.Amounts{})
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
