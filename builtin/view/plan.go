package view

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// PlanText lays out the plan of an explanation, as the capability query answers it, as a table for people.
func PlanText(plan [][]any) string {
	const operator = "operator"
	width := len(operator)
	for _, line := range plan {
		width = max(width, utf8.RuneCountInString(fmt.Sprint(line[0])))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%-*s  %10s  %10s  %10s  by", width, operator, "estimate", "rows", "ms")
	for _, line := range plan {
		fmt.Fprintf(&out, "\n%-*v", width, line[0])
		for _, n := range line[1:4] {
			fmt.Fprintf(&out, "  %10s", planNumber(n))
		}
		fmt.Fprintf(&out, "  %v", line[4])
	}
	return out.String()
}

// planNumber writes a number of JSON, or - for null. Rows are written whole; only an estimate can have more digits.
func planNumber(n any) string {
	f, ok := n.(float64)
	switch {
	case !ok:
		return "-"
	case f < 1e10:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', 2, 64)
}
