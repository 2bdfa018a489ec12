package admin

import (
	"net/http"
)

// versionsAnswer is what capability_history answers.
type versionsAnswer struct {
	ID         string   `json:"id"`
	Version    string   `json:"version"`
	Deprecates []string `json:"deprecates"`
	Versions   []struct {
		Version string `json:"version"`
		Part    string `json:"part"`
		Changes []struct {
			Field string `json:"field"`
			What  string `json:"what"`
			Part  string `json:"part"`
		} `json:"changes"`
		Time    string `json:"time"`
		Author  string `json:"author"`
		Program string `json:"program"`
		Commit  string `json:"commit"`
	} `json:"versions"`
	Cut string `json:"cut"`
}

// versions answers with the versions of a capability, the newest first.
func (s *site) versions(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r).err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var answer versionsAnswer
	if err := a.ask("capability_history", map[string]any{"id": r.PathValue("id")}, &answer); err != nil {
		return err
	}
	crumbs := []link{{"Capabilities", "/admin/capabilities"}}
	if answer.Version != "" {
		crumbs = append(crumbs, link{answer.ID, capabilityURL(answer.ID)})
	}
	return s.respond(w, r, http.StatusOK, "versions.html", page{
		Title: "Versions of " + answer.ID, Nav: "capabilities", Live: live{Mode: "notice", Head: a.head}, Data: answer, Crumbs: crumbs,
		Twins: []twin{{"JSON", "application/json", "/capabilities/" + answer.ID + "/history"}},
	})
}
