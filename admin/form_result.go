package admin

import (
	"encoding/json"
	"net/http"
	"slices"

	"trails/admin/form"
	"trails/auth"
	"trails/fault"
	"trails/invoke"
)

// resultView is what a call answered, and how else it could have been made.
type resultView struct {
	Write    bool
	Commit   string // that the write made; "" for none
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
	Issued   *issuedToken // nil for none
	Warnings []string     // not among what is shown
}

// jsonShown is how much of a result's JSON a page shows.
const jsonShown = 64 << 10

// resultOf makes a result readable.
func (f *formState) resultOf(r *http.Request, args json.RawMessage, res invoke.Result) *resultView {
	var named struct {
		ID, IRI  string
		Warnings []string
	}
	_ = json.Unmarshal(res.Structured, &named) // what is about no node names none
	out := &resultView{ID: named.ID, IRI: named.IRI, Warnings: named.Warnings, Type: f.capability.InputShape.NodeType, Deleted: f.isDelete(), Shown: shownAt(res.Structured, 0)}
	out.Shown.Members = slices.DeleteFunc(out.Shown.Members, func(m shownMember) bool { return m.Name == "warnings" && len(named.Warnings) > 0 })
	if did := res.Written; did != nil {
		out.Write, out.Added, out.Removed, out.Replayed = true, did.Added, did.Removed, did.Replayed
		if did.Commit != nil {
			out.Commit = *did.Commit
		}
	}
	out.JSON, out.Cut = indentedJSON(res.Structured, jsonShown)
	if args != nil {
		out.Same = sameCallOf(auth.Base(r), f.capability.ID, args, f.call.Principal.Authenticated)
	}
	return out
}

// headingsDone say what happened.
var headingsDone = map[string]string{"create": "created", "update": "changed", "delete": "deleted"}

// namesDone say so of a call that is about no type.
var namesDone = map[string]string{"branches_create": "Branch created", "branches_delete": "Branch deleted", mergeID: "Merged", decideID: "Decided", "undo": "Taken back", issueID: "Token issued", revokeID: "Token revoked", setBudgetID: "Budget set", removeBudgetID: "Budget removed", setPoliciesID: "Policies set"}

// done answers with the result of a form that was sent: reloading it sends nothing.
func (s *site) done(w http.ResponseWriter, r *http.Request) error {
	f, err := s.newForm(w, r, r.PathValue("id"))
	if err != nil {
		return err
	}
	args, answered, ok := s.submissions.find(f.call.Principal.ID, r.PathValue("key"))
	if !ok {
		return fault.New(fault.NotFound, "this result is not kept any more; the log of commits has what was done")
	}
	result := f.resultOf(r, args, answered)
	if f.capability.ID == issueID {
		result.Issued = s.issued(r, f.call.Principal.ID, answered)
	}
	typeName, heading := f.capability.InputShape.NodeType, firstOf(namesDone[f.capability.ID], f.capability.ID)
	if past, ok := headingsDone[f.capability.Op()]; ok && typeName != "" {
		heading = typeName + " " + past
	}
	if changesOne(f.capability) {
		var of struct{ ID string }
		_ = json.Unmarshal(args, &of) // the arguments of a form that took an id
		f.entries["id"] = form.Entry{Texts: []string{of.ID}}
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: f.title() + ": done", Nav: "capabilities", Type: typeName, Scripts: []string{"draft.js"},
		Crumbs: f.crumbs(), Main: doneData{Capability: f.capability.ID, Op: f.capability.Op(), Heading: heading, Draft: f.draftKey(), Result: result}.main,
	})
}

type doneData struct {
	Capability, Op, Heading string
	Draft                   string // that is no longer needed
	Result                  *resultView
}
