package admin

import (
	"maps"
	"slices"
	"strings"
)

// ShownForms are the patterns of the addresses that show a form again when it is sent without its button.
func ShownForms() (patterns []string) {
	for _, r := range slices.Concat(pageRoutes, formRoutes) {
		if r.shows {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
}

// ReadPages are the paths of the pages that are read, without what only parts of pages and scripts ask for.
func ReadPages() (paths []string) {
	for _, route := range pageRoutes {
		if path, is := strings.CutPrefix(route.pattern, "GET "); is && !route.part && !route.open {
			paths = append(paths, path)
		}
	}
	return paths
}

// Asked are the capabilities for which a question has a button of its own.
func Asked() []string { return slices.Sorted(maps.Keys(yes)) }
