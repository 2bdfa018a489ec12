package admin

import "net/http"

type overviewData struct{}

// overview answers /admin: what is in the graph, and what happened last.
func (s *site) overview(w http.ResponseWriter, r *http.Request) error {
	return s.respond(w, r, http.StatusOK, "overview.html", page{Title: "Overview", Nav: "overview", Live: live{Mode: "any"}, Data: overviewData{}})
}
