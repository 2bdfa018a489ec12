package view

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"trails/fault"
)

// WhenRule says what the argument when takes.
const WhenRule = "today, yesterday, last 7 days, a day (2026-01-31), a month (2026-01), a year, a time, or FROM..TO of these (UTC), of which one may be left out"

var lastDays = regexp.MustCompile(`^(?:the )?(?:last|past) (?:(\d{1,4}) )?(hour|day|week)s?$`)

// When reads a span of time as the argument when has it: from since on, and before until, in UTC. A zero time is no bound.
// Words such as yesterday are of the day of now.
func When(text string, now time.Time) (since, until time.Time, err error) {
	text = strings.TrimSpace(text)
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		since, until, err = span(text, text, now)
		if err == nil && text != "" && since.Equal(until) {
			err = fault.Argument("when", fault.Pattern, text, fmt.Sprintf("%s is a moment, and no span of time; give %[1]s.. for what came after it, or ..%[1]s for what came before", text))
		}
		return since, until, err
	}
	if from, to = strings.TrimSpace(from), strings.TrimSpace(to); from != "" {
		if since, _, err = span(text, from, now); err != nil {
			return since, until, err
		}
	}
	if to != "" {
		if _, until, err = span(text, to, now); err != nil {
			return since, until, err
		}
	}
	if from != "" && to != "" && !since.Before(until) {
		return since, until, fault.Argument("when", fault.Pattern, text, fmt.Sprintf("%s ends before it begins; give the earlier one first", text))
	}
	return since, until, nil
}

// span is one word, day, month, year or time, from its beginning to its end; given is the whole argument.
func span(given, text string, now time.Time) (since, until time.Time, err error) {
	if text == "" {
		return since, until, nil
	}
	now = now.UTC()
	today := now.Truncate(24 * time.Hour)
	word := strings.ToLower(strings.Join(strings.Fields(text), " "))
	switch word {
	case "now":
		return now, now, nil
	case "today":
		return today, today.AddDate(0, 0, 1), nil
	case "yesterday":
		return today.AddDate(0, 0, -1), today, nil
	}
	if found := lastDays.FindStringSubmatch(word); found != nil {
		n := 1
		if found[1] != "" {
			n, _ = strconv.Atoi(found[1]) // digits, and few
		}
		tomorrow := today.AddDate(0, 0, 1)
		switch found[2] {
		case "hour":
			return now.Add(-time.Duration(n) * time.Hour), tomorrow, nil
		case "week":
			n *= 7
		}
		return tomorrow.AddDate(0, 0, -n), tomorrow, nil
	}
	for _, form := range []struct {
		layout      string
		years, days int
		months      int
	}{{layout: time.DateOnly, days: 1}, {layout: "2006-01", months: 1}, {layout: "2006", years: 1}} {
		if at, err := time.Parse(form.layout, text); err == nil {
			return at, at.AddDate(form.years, form.months, form.days), nil
		}
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, at, nil
	}
	return since, until, fault.Argument("when", fault.Pattern, given, fmt.Sprintf("when cannot be %.100q: give %s", given, WhenRule))
}
