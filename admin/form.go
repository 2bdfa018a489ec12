package admin

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trails/admin/form"
	"trails/auth"
	"trails/capability"
	"trails/fault"
)

// formRoutes are the pages of capabilities and the sign-in.
var formRoutes = []route{
	{pattern: "GET /admin/capabilities", handle: (*site).capabilities},
	{pattern: "GET /admin/api", handle: (*site).api},
	{pattern: "GET /admin/capabilities/{id}", handle: (*site).emptyForm},
	{pattern: "GET /admin/capabilities/{id}/history", handle: (*site).versions},
	{pattern: "POST /admin/capabilities/{id}", handle: (*site).submit, shows: true},
	{pattern: "GET /admin/capabilities/{id}/done/{key}", handle: (*site).done},
	{pattern: "GET /admin/suggest", handle: (*site).suggest, part: true},
	{pattern: "GET /admin/changed", handle: (*site).changedBeside, part: true},
	{pattern: "POST /admin/markdown", handle: (*site).drawnMarkdown, part: true},
	{pattern: "GET /admin/login", handle: (*site).login, open: true},
	{pattern: "POST /admin/login", handle: (*site).signIn, open: true},
	{pattern: "GET " + auth.AuthorizePath, handle: (*site).authorize, open: true},
	{pattern: "POST " + auth.AuthorizePath, handle: (*site).authorizePosted},
	{pattern: "GET " + OperatorPath, handle: (*site).signInOperator, open: true},
	{pattern: "GET " + auth.ProviderPath, handle: (*site).signInAtProvider, open: true},
	{pattern: "POST /admin/logout", handle: (*site).signOut, open: true},
}

// formState is a form, its input, and the messages about it.
type formState struct {
	*asker
	capability capability.Descriptor
	shape      capability.Shape // the fields of the form, without those that the page decides
	entries    map[string]form.Entry
	problems   []fault.FieldError
	// key is the idempotency key of the form.
	key string
	// target is the node that the form changes; nil if there is none, or not yet.
	target *target
	// seen is the last commit that changed the node before the form was made.
	seen string
	// callable are the capabilities with a form that the caller may see.
	callable []capability.Descriptor
	// outer is the form that this one was opened from to make a node for it, as posted; "" for none.
	outer string
	// made is the draft of the form that made a node for this one, and into the element that got it; "" for none.
	made, into string
}

// changesOne reports a capability that changes or deletes one node, which it names by id.
func changesOne(d capability.Descriptor) bool {
	return d.InputShape.NodeType != "" && (d.Op() == "update" || d.Op() == "delete")
}

// formShape is the part of a capability's input that is in its form: without what buttons or the page decide, and
// without rarely used objects. The id of the node is chosen like any other reference.
func formShape(d capability.Descriptor) capability.Shape {
	shape := form.Spread(d.InputShape)
	shape.Fields = slices.DeleteFunc(shape.Fields, func(f capability.Field) bool {
		return f.Rare && f.Type == capability.Object || f.Name == "dry_run" || f.Name == capability.AllowMassChange || (f.Name == "if_commit" || f.Name == capability.UnsetVerb && !f.Nullable) && changesOne(d)
	})
	return shape
}

// newForm starts a form for the capability that the address names, if the caller may
// see it.
func (s *site) newForm(w http.ResponseWriter, r *http.Request, id string) (*formState, error) {
	tools, err := s.engine.ToolsOn(r.Context(), auth.PrincipalOf(r.Context()), stateOf(r).Branch)
	if err != nil {
		return nil, err
	}
	callable := withForm(tools)
	for _, d := range callable {
		if d.ID == id || capability.ToolName(d.ID) == id {
			return &formState{asker: s.asker(w, r), capability: d, shape: formShape(d), entries: map[string]form.Entry{}, key: uuid.NewString(), callable: callable}, nil
		}
	}
	return nil, notOffered(id, callable)
}

// detailOffered is the detail of a fault that names the capabilities like the one that is not offered.
const detailOffered = "offered"

// notOffered is the fault of a capability that the caller may not call. It says the same of one that does not exist, so that
// nobody learns the names of what is hidden from them.
func notOffered(id string, callable []capability.Descriptor) *fault.Error {
	near := []string{}
	for _, d := range callable {
		if alike(d.ID, id) && len(near) < mostSimilar {
			near = append(near, d.ID)
		}
	}
	return fault.New(fault.NotFound, "%s is not offered to you: either there is no capability of this name, or it needs a scope, a group or a policy that you do not have", line(id)).With(detailOffered, near)
}

// emptyForm answers the empty form, or that of one instance, with its values, when the
// address says ?id=.
func (s *site) emptyForm(w http.ResponseWriter, r *http.Request) error {
	f, err := s.newForm(w, r, r.PathValue("id"))
	if err != nil {
		return err
	}
	for name, values := range r.URL.Query() {
		if _, known := f.shape.Field(name); !known && name == "branch" {
			continue // of the page that led here
		} else if !known {
			return fault.Arguments(fault.FieldError{Field: name, Code: fault.Closed, Message: "this form has no field " + line(name)})
		}
		f.entries[name] = form.Entry{Texts: values}
	}
	if id := f.id(); id != "" {
		t, err := f.readTarget(id)
		if err != nil {
			return err
		}
		f.target, f.seen = t, t.seen()
		entries := f.begin(t)
		for name, given := range f.entries {
			given.Was = entries[name].Was
			entries[name] = given
		}
		f.entries = entries
	}
	return s.showForm(w, r, http.StatusOK, f, formView{})
}

// begin returns the form's entries for the current state of the node.
func (f *formState) begin(t *target) map[string]form.Entry {
	entries := form.Begin(f.shape, t.values, t.held)
	entries["id"] = form.Entry{Texts: []string{t.Node.ID}}
	return entries
}

// id is the instance that the form is about; "" when it does not say, or need to.
func (f *formState) id() string {
	texts := f.entries["id"].Texts
	if !changesOne(f.capability) || len(texts) != 1 {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(texts[0]), f.capability.InputShape.NodeType+"/")
}
