package admin

import "slices"

// ShownForms are the patterns of the addresses that show a form again when it is sent without its button.
func ShownForms() (patterns []string) {
	for _, r := range slices.Concat(pageRoutes, formRoutes) {
		if r.shows {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
}
