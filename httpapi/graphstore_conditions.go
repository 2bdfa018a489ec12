package httpapi

import (
	"net/http"
	"slices"

	"trails/fault"
)

// addConditions converts the conditions of a write on a graph (RFC 9110, section 13) to those of the load. A tag
// matches an existing graph while the head is the commit in the tag; this is checked in the write's transaction.
func (s *server) addConditions(r *http.Request, args map[string]any) error {
	match, anyMatch, err := tagsOf(r.Header, "If-Match")
	if err != nil {
		return err
	}
	none, anyNone, err := tagsOf(r.Header, "If-None-Match")
	if err != nil {
		return err
	}
	head, err := s.headFor(r, slices.Concat(match, none))
	if err != nil {
		return err
	}
	if len(match) > 0 {
		if !names(match, head) {
			return fault.New(fault.Precondition, "the head is none of the commits that If-Match names; read again and repeat").With("head", head)
		}
		args["if_commit"] = head
	}
	mustBe, mustNotBe := anyMatch || len(match) > 0, anyNone || names(none, head)
	if graph, err := graphOf(r); err == nil && graph == "" { // a new graph: the conditions apply to the store
		if mustNotBe {
			return fault.New(fault.Precondition, "If-None-Match: the graph store is there")
		}
		return nil
	}
	switch {
	case mustBe && mustNotBe:
		return fault.New(fault.Precondition, "If-Match and If-None-Match exclude each other here")
	case mustBe:
		args["if_graph"] = "exists"
	case mustNotBe:
		args["if_graph"] = "absent"
	}
	return nil
}

// names reports whether one of the tags contains a commit.
func names(tags []tag, commit string) bool {
	return commit != "" && slices.ContainsFunc(tags, func(t tag) bool { return t.commit() == commit })
}

// headFor is the head commit, if there are tags to compare.
func (s *server) headFor(r *http.Request, tags []tag) (string, error) {
	if len(tags) == 0 {
		return "", nil
	}
	c := s.call(r, "health", nil)
	c.IdempotencyKey = ""
	result, err := s.engine.Call(r.Context(), c)
	return result.Head, err
}
