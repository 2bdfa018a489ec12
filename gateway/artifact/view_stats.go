package artifact

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/text/quote"
)

// Stats shows the size and kind of an artifact, and statistics of each column of a table.
type Stats struct {
	Type string `json:"type"`
}

// mostDistinct is the maximum number of different values that are counted.
const mostDistinct = 10_000

func (s *Stats) view(a Artifact) (Excerpt, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "media type: %s\nbytes: %d\n", a.MediaType, len(a.Data))
	text, err := a.text()
	if err != nil {
		return Excerpt{Text: b.String()}, nil
	}
	fmt.Fprintf(&b, "characters: %d\nlines: %d\nwords: %d\n", utf8.RuneCountInString(text), lines(text), len(strings.Fields(text)))
	shape := a.shape()
	if shape != "" {
		fmt.Fprintf(&b, "shape: %s\n", shape)
	}
	t, err := a.tableAt("")
	if err != nil || shape == "" {
		return Excerpt{Text: b.String()}, nil
	}
	fmt.Fprintf(&b, "rows: %d\n", len(t.rows))
	for i, name := range t.columns {
		if b.Len() > mostExcerpt-500 {
			return Excerpt{Text: b.String(), Left: fmt.Sprintf("%d of %d columns", len(t.columns)-i, len(t.columns)), Next: &Rows{Type: "rows", Limit: 1}}, nil
		}
		b.WriteString(columnStats(name, t, i))
	}
	return Excerpt{Text: b.String()}, nil
}

// columnStats are the statistics of a column in one line.
func columnStats(name string, t table, at int) string {
	filled, numbers := 0, 0
	least, most, sum := math.Inf(1), math.Inf(-1), 0.0
	distinct := map[string]bool{}
	for _, row := range t.rows {
		v := value(row, at)
		if v == "" {
			continue
		}
		filled++
		if len(distinct) <= mostDistinct {
			distinct[v] = true
		}
		if n := number(v); !math.IsNaN(n) {
			numbers++
			least, most, sum = min(least, n), max(most, n), sum+n
		}
	}
	different := strconv.Itoa(len(distinct))
	if len(distinct) > mostDistinct {
		different = fmt.Sprintf("more than %d", mostDistinct)
	}
	summary := fmt.Sprintf("column %s: %d filled, %s different", quote.Text(name, 100), filled, different)
	if numbers > 0 && numbers == filled {
		summary += fmt.Sprintf(", from %g to %g, mean %g", least, most, sum/float64(numbers))
	}
	return summary + "\n"
}
