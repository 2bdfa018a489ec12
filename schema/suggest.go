package schema

import (
	"fmt"
	"strings"

	"trails/fault"
)

// didYouMean names the nearest candidate, or lists all of them when none is near.
func didYouMean(word string, candidates []string) string {
	if hint := fault.DidYouMean(word, candidates); hint != "" {
		return hint
	}
	return "; there is " + listed(candidates)
}

// listed joins up to 24 candidates for a message.
func listed(candidates []string) string {
	const most = 24
	switch {
	case len(candidates) == 0:
		return "none"
	case len(candidates) > most:
		return strings.Join(candidates[:most], ", ") + fmt.Sprintf(" and %d more", len(candidates)-most)
	}
	return strings.Join(candidates, ", ")
}
