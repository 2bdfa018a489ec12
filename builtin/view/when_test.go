package view_test

import (
	"strings"
	"testing"
	"time"

	"trails/builtin/view"
)

func TestWhenIsAWordADayAMonthOrARange(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"":                                "..",
		"today":                           "2026-03-01T00:00..2026-03-02T00:00",
		"Yesterday":                       "2026-02-28T00:00..2026-03-01T00:00",
		"last 7 days":                     "2026-02-23T00:00..2026-03-02T00:00",
		"last week":                       "2026-02-23T00:00..2026-03-02T00:00",
		"last 2 hours":                    "2026-03-01T08:30..2026-03-02T00:00",
		"2026-02":                         "2026-02-01T00:00..2026-03-01T00:00",
		"2025":                            "2025-01-01T00:00..2026-01-01T00:00",
		"2026-01-31":                      "2026-01-31T00:00..2026-02-01T00:00",
		"2026-01-31..2026-02":             "2026-01-31T00:00..2026-03-01T00:00",
		"yesterday..":                     "2026-02-28T00:00..",
		"..2026-01":                       "..2026-02-01T00:00",
		"2026-01-01T05:00:00Z..yesterday": "2026-01-01T05:00..2026-03-01T00:00",
	} {
		since, until, err := view.When(text, now)
		of := func(at time.Time) string {
			if at.IsZero() {
				return ""
			}
			return at.Format("2006-01-02T15:04")
		}
		if got := of(since) + ".." + of(until); err != nil || got != want {
			t.Errorf("when %q is %s, %v; want %s", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		"tomorrow": "give today, yesterday", "2026-02-30": "give today", "2026-02..2026-01": "ends before it begins", "2026-01-01T05:00:00Z": "no span of time",
	} {
		if _, _, err := view.When(text, now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("when %q: %v; want an error that says %q", text, err, says)
		}
	}
}
