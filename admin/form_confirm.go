package admin

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"trails/admin/form"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
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
	"load": "Yes, replace what is there", "mutate": "Yes, make the change", "undo": "Yes, take it back",
	schemaApplyID: "Yes, change the schema", schemaBuilderID: "Yes, change the schema",
	"trails.meta.migrate.apply": "Yes, migrate", "trails.meta.migrate.rollback": "Yes, roll it back",
	"trails.meta.promote.apply": "Yes, promote", "trails.meta.promote.undo": "Yes, take it back",
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
	p, res, err = p.withLinks(res, err)
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
		q.Button = textIf(p.given(detachName), "Yes, delete it and the links to it", "Yes, delete it")
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: q.Title, Nav: "capabilities", Type: p.capability.InputShape.NodeType, Crumbs: p.crumbs(), Main: q.main,
	})
}

// detachName is the argument that lets a delete remove the links to the node, too.
const detachName = "detach"

// given reports that the form has a value for an argument.
func (p *post) given(name string) bool {
	return slices.ContainsFunc(p.args, func(a form.Argument) bool { return a.Name == name })
}

// withLinks tries a delete that was refused for the links to the node with these links, so that a person is asked about
// all that goes at once. It stays refused where nodes cannot be without the links, or the form says that they stay.
func (p *post) withLinks(res invoke.Result, err error) (*post, invoke.Result, error) {
	_, takes := p.shape.Field(detachName)
	if err == nil || !p.isDelete() || !takes || p.given(detachName) || !slices.ContainsFunc(fault.Of(err).Fields, func(f fault.FieldError) bool { return f.Code == fault.Class }) {
		return p, res, err
	}
	values := maps.Clone(p.values)
	values[form.ArgPrefix+detachName] = []string{"true"}
	all := p.read(values)
	if res, failed := all.try(); failed == nil {
		return all, res, nil
	}
	return p.read(p.values), res, err
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
