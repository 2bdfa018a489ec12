package admin

import (
	"net/http"

	"trails/builtin/view"
)

// versions answers with the versions of a capability, the newest first.
func (s *site) versions(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r).err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var answer struct {
		view.CapabilityHistory
		Cut string
	}
	if err := a.ask("capability_history", map[string]any{"id": r.PathValue("id")}, &answer); err != nil {
		return err
	}
	crumbs := []link{{"Capabilities", "/admin/capabilities"}}
	if answer.Version != nil {
		crumbs = append(crumbs, link{answer.ID, capabilityURL(answer.ID)})
	}
	return s.respond(w, r, http.StatusOK, "versions.html", page{
		Title: "Versions of " + answer.ID, Nav: "capabilities", Live: live{Mode: "notice", Head: a.head}, Data: answer, Crumbs: crumbs,
		Twins: []twin{{"JSON", "application/json", "/capabilities/" + answer.ID + "/history"}},
	})
}
