package admin

import (
	"encoding/json"
	"net/http"
	"net/url"

	"trails/auth"
	"trails/fault"
)

// resultView is what a call answered, and how else it could have been made.
type resultView struct {
	Write    bool
	Commit   string
	ID, IRI  string
	Type     string
	Deleted  bool
	Added    int64
	Removed  int64
	Replayed bool
	Shown    shown
	JSON     string
	Cut      bool // JSON is not all of it
	Same     *sameCall
}

// jsonShown is how much of a result's JSON a page shows.
const jsonShown = 64 << 10

// resultOf makes a result readable.
func (f *formState) resultOf(r *http.Request, args, structured json.RawMessage) *resultView {
	var written struct {
		Commit   *string
		Branch   string
		ID, IRI  string
		Added    int64
		Removed  int64
		Replayed bool
	}
	_ = json.Unmarshal(structured, &written) // a read answers otherwise
	out := &resultView{
		Write: written.Branch != "" && f.capability.SideEffects != "none", ID: written.ID, IRI: written.IRI, Type: f.capability.InputShape.NodeType,
		Deleted: f.isDelete(), Added: written.Added, Removed: written.Removed, Replayed: written.Replayed, Shown: shownOf(structured),
	}
	if written.Commit != nil {
		out.Commit = *written.Commit
	}
	out.JSON, out.Cut = indentedJSON(structured, jsonShown)
	if args != nil {
		out.Same = sameCallOf(auth.Origin(r), f.capability.ID, args, f.call.Principal.Authenticated)
	}
	return out
}

// doneURL is where the result of a form is shown.
func doneURL(capability, key string) string {
	return capabilityURL(capability) + "/done/" + url.PathEscape(key)
}

// done answers with the result of a form that was sent: reloading it sends nothing.
func (s *site) done(w http.ResponseWriter, r *http.Request) error {
	f, err := s.newForm(w, r, r.PathValue("id"))
	if err != nil {
		return err
	}
	args, result, ok := s.ledger.find(f.call.Principal.ID, r.PathValue("key"))
	if !ok {
		return fault.New(fault.NotFound, "this result is not kept any more; the log of commits has what was done")
	}
	return s.respond(w, r, http.StatusOK, "result.html", page{
		Title: f.title() + ": done", Nav: "capabilities", Type: f.capability.InputShape.NodeType, Scripts: []string{"form.js"},
		Crumbs: f.crumbs(), Data: doneData{Capability: f.capability.ID, Op: f.capability.Op(), Heading: f.heading(), Result: f.resultOf(r, args, result)},
	})
}

type doneData struct {
	Capability, Op, Heading string
	Result                  *resultView
}

// headingsDone say what happened.
var headingsDone = map[string]string{"create": "created", "update": "changed", "delete": "deleted"}

func (f *formState) heading() string {
	if past, ok := headingsDone[f.capability.Op()]; ok && f.capability.InputShape.NodeType != "" {
		return f.capability.InputShape.NodeType + " " + past
	}
	return f.capability.ID
}
