package fulltext_test

import (
	"testing"

	"trails/text/fulltext"
)

// Numbers and dates are found however they are written, and other texts with the same words are not.
func TestNumbersAndDatesAreFoundAsPeopleWriteThem(t *testing.T) {
	day := []string{"on 8 May 2023", "May 8th, 2023", "the 8th of May, 2023", "2023-05-08", "08.05.2023", "am 8. Mai 2023"}
	for asked, texts := range map[string]struct{ has, lacks []string }{
		"2023-05-08": {has: day, lacks: []string{"2023-05-09", "8 June 2023", "8 people met in May, and again at the end of 2023", "2023-08-05"}},
		"08.05.2023": {has: day, lacks: []string{"05.08.2023"}},
		"8 May 2023": {has: day, lacks: []string{"9 May 2023", "2023-06-08"}},
		"May 2023":   {has: append(day, "2023-05", "May, 2023"), lacks: []string{"2023-06-08", "it may rain in 2022"}},
		"2023-05":    {has: []string{"May 2023", "May of 2023", "2023-05"}, lacks: []string{"2023 was fine; what comes after it may be", "05 2023"}},
		"1,200":      {has: []string{"1,200 men", "1200 men", "1.200 Mann"}, lacks: []string{"1 of 200", "12,00"}},
		"1200":       {has: []string{"1,200 men", "1200"}, lacks: []string{"1 man and another and 200", "120"}},
		"12,345,678": {has: []string{"12345678", "12,345,678"}, lacks: []string{"12,345"}},
		"2023":       {has: []string{"2023"}, lacks: []string{"2,023"}},
		"1,20":       {has: []string{"20 and 1"}, lacks: []string{"120"}},
	} {
		q, err := fulltext.Parse(asked + " ")
		if err != nil {
			t.Fatal(err)
		}
		for want, list := range map[bool][]string{true: texts.has, false: texts.lacks} {
			for _, text := range list {
				if got := q.Has()(text); got != want {
					t.Errorf("%q is found in %q: %v, want %v", asked, text, got, want)
				}
			}
		}
	}
	// A month beside a day or a year is no common word.
	for asked, want := range map[string]bool{"what may happen": true, "what happened in May 2023": false} {
		q, err := fulltext.Parse(asked)
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range q.Terms {
			if (term.Text == "may" || term.Text == "May") && term.Common != want {
				t.Errorf("%q: %q is common: %v", asked, term.Text, term.Common)
			}
		}
	}
}
