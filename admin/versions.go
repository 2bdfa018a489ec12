package admin

import (
	"net/http"

	"trails/builtin/view"
)

// versionsData is what the page of versions shows.
type versionsData struct {
	view.CapabilityHistory
	Cut string
}

// versions answers with the versions of a capability, the newest first.
func (s *site) versions(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r).err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var answer versionsData
	if err := a.ask("capability_history", map[string]any{"id": r.PathValue("id")}, &answer); err != nil {
		return err
	}
	crumbs := []link{{"Capabilities", "/admin/capabilities"}}
	if answer.Version != nil {
		crumbs = append(crumbs, link{answer.ID, capabilityURL(answer.ID)})
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Versions of " + answer.ID, Nav: "capabilities", Live: live{Mode: "notice", Head: a.head}, Main: answer.main, Crumbs: crumbs,
		Twins: []twin{{"JSON", "application/json", "/capabilities/" + answer.ID + "/history"}},
	})
}
