package admin

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"trails/capability"
	"trails/fault"
)

// question is the page that asks before data is lost.
type question struct {
	Title      string
	Capability string
	Preview    preview
	Target     *target
	Action     string
	Button     string
	Hidden     []hidden
	Confirmed  string
}

// hidden is a value that the form sends again.
type hidden struct{ Name, Value string }

// yes is what the button of the question says, by capability.
var yes = map[string]string{
	"load": "Yes, replace what is there", "mutate": "Yes, make the change", "undo": "Yes, take it back", "branches_delete": "Yes, delete the branch",
	schemaApplyID: "Yes, change the schema", schemaBuilderID: "Yes, change the schema", revokeID: "Yes, revoke it",
	"trails.meta.migrate.apply": "Yes, migrate", "trails.meta.migrate.rollback": "Yes, roll it back", "trails.meta.query.remove": "Yes, remove it",
	"trails.meta.gateway.remove": "Yes, remove the server", "trails.meta.promote.apply": "Yes, promote", "trails.meta.promote.undo": "Yes, take it back",
}

// isMass reports a call that was refused because it removes much, to which a person can agree.
func (p *post) isMass(err error) bool {
	_, takes := p.capability.InputShape.Field(capability.AllowMassChange)
	return takes && err != nil && fault.Of(err).Details["limit"] != nil && fault.Of(err).Details["removes"] != nil && p.confirmed != p.digest()
}

// confirmLoss delays a call that loses something until a person has confirmed exactly that. The form is kept as sent,
// without its buttons.
func (s *site) confirmLoss(w http.ResponseWriter, r *http.Request, p *post) error {
	res, err := p.try()
	if err != nil {
		return s.showFailed(w, r, p, err)
	}
	would, err := p.previewed(res)
	if err != nil {
		return err
	}
	values := maps.Clone(p.values)
	delete(values, doName)
	delete(values, confirmedName)
	values[keyName] = []string{p.key}
	q := question{
		Capability: p.capability.ID, Title: p.title() + "?", Preview: *would, Target: p.target, Action: capabilityURL(p.capability.ID),
		Button: firstOf(yes[p.capability.ID], "Yes, do it"), Hidden: hiddenOf(values), Confirmed: p.digest(),
	}
	if p.isDelete() {
		q.Button = "Yes, delete it"
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: q.Title, Nav: "capabilities", Type: p.capability.InputShape.NodeType, Crumbs: p.crumbs(), Main: q.main,
	})
}

// loses reports whether a call needs confirmation: the capability requires it, and its arguments do more than add or
// read.
func (p *post) loses() bool {
	var args struct {
		Mode string `json:"mode"`
		Plan bool   `json:"plan"`
	}
	_ = json.Unmarshal(p.object(), &args) // fields of other types are another capability's
	onlyAdds := p.capability.ID == "load" && args.Mode != "overwrite" && args.Mode != "replace"
	return p.capability.ConsentRequired && !args.Plan && !onlyAdds
}

// hiddenOf are the values of a form, by name.
func hiddenOf(values url.Values) []hidden {
	var out []hidden
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, v := range values[name] {
			out = append(out, hidden{name, v})
		}
	}
	return out
}
