package admin

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"trails/admin/form"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// formView is what a page says besides the form.
type formView struct {
	// Message is what went wrong as a whole.
	Message  string
	Preview  *preview
	Result   *resultView
	Conflict *conflict
	// Gone means that the instance is not there; DeletedBy is the commit that
	// removed it, if there was one.
	Gone      bool
	DeletedBy string
}

// formData is what the page of a form shows.
type formData struct {
	formView
	Capability capability.Descriptor
	Type, Op   string
	Effect     string
	Form       form.Form
	Main, More []form.Field
	Target     *target
	// Pick means that the page first asks which instance.
	Pick      bool
	Key, Seen string
	// Outer is the form that this one was opened from, and OuterTitle what that is called; "" for none.
	Outer, OuterTitle string
	// Draft names what a browser keeps of the form, and Made is that of a form whose node this one just got.
	Draft, Made string
	// Posted means that the form shows what was sent, which is newer than a draft.
	Posted bool
	// Into is the element that got the new node.
	Into string
	// Makes are the types of which a node can be made for each field.
	Makes  map[string][]string
	Writes bool
	Asks   bool // that the person agrees before the call is made
	Upload string
	// Options are the first instances that each field may refer to.
	Options map[string][]suggestion
	// Labels are the names of the instances that fields refer to, by Type/id.
	Labels map[string]string
}

// furtherFields are those that few people need. The page folds them, and those that the capability calls rare.
var furtherFields = []string{"branch", "if_commit", "at", "max_chars", "timeout_ms", "cursor", "offset"}

// isFurther reports whether the page folds a field. A property may be called like most of them, and is shown.
func (f *formState) isFurther(field form.Field) bool {
	known, _ := f.shape.Field(field.Name)
	isProperty := f.capability.InputShape.NodeType != "" && !slices.Contains(furtherFields[:2], field.Name)
	return !field.Required && (known.Rare || changesOne(f.capability) && known.Type == capability.Object && !known.Nullable || slices.Contains(furtherFields, field.Name) && !isProperty)
}

// showForm answers with the form as it stands. An open form says when its instance changed.
func (s *site) showForm(w http.ResponseWriter, r *http.Request, status int, f *formState, v formView) error {
	d := f.data(v)
	d.Posted = r.Method == http.MethodPost
	p := page{
		Title: f.title(), Nav: "capabilities", Type: d.Type, Main: d.main, Scripts: []string{"form.js", "draft.js", "make.js"}, Crumbs: f.crumbs(),
	}
	if f.target != nil && v.Result == nil {
		n := f.target.Node
		p.Live = live{Mode: "notice", Types: []string{n.Type}, Instances: []string{invoke.Address(n.Type, n.ID)}, Head: f.target.head}
	}
	return s.respond(w, r, status, p)
}

// showPosted is showForm for values that were sent: on the instance as it is now.
func (s *site) showPosted(w http.ResponseWriter, r *http.Request, status int, p *post, v formView) error {
	if p.target != nil {
		p.entries = form.Rebase(p.shape, p.entries, p.begin(p.target))
	}
	return s.showForm(w, r, status, p.formState, v)
}

// showFailed answers a call that was refused: its errors next to their fields.
func (s *site) showFailed(w http.ResponseWriter, r *http.Request, p *post, err error) error {
	f := fault.Of(err)
	v := formView{}
	switch {
	case f.Kind == fault.Internal:
		v.Message = "Something broke on our side, and nothing was changed. The log has it"
		if id, ok := f.Details["trace_id"].(string); ok {
			v.Message += " under trace " + id
		}
	case f.Kind == fault.Unauthenticated: // whoever has signed in is not told this
		v.Message = fmt.Sprintf("This needs the scope %v. Open the sign-in link that this server printed when it was started, or start it with TRAILS_MCP_TOKEN; either with %[1]v in TRAILS_MCP_SCOPES", f.Details["required_scope"])
	case f.Kind == fault.Precondition && !lostCondition(err):
		p.startOver()
	case len(f.Fields) == 0:
		v.Message = f.Message
	}
	p.problems = append(p.problems, f.Fields...)
	return s.showPosted(w, r, status(err), p, v)
}

func (f *formState) data(v formView) formData {
	d := formData{
		formView: v, Capability: f.capability, Type: f.capability.InputShape.NodeType, Effect: effects[f.capability.SideEffects],
		Form: form.New(f.needed(), f.entries, f.worded()), Target: f.target, Key: f.key, Seen: f.seen,
		Pick: changesOne(f.capability) && f.target == nil && !v.Gone, Writes: f.capability.SideEffects != capability.None,
		Asks: f.capability.ConsentRequired, Upload: uploads[f.capability.ID], Labels: map[string]string{},
	}
	d.Outer, d.Draft, d.Made, d.Into, d.Makes = f.outer, f.draftKey(), f.made, f.into, f.makes()
	if d.Outer != "" {
		d.OuterTitle = f.outerTitle()
	}
	if d.Type != "" {
		d.Op = f.capability.Op()
	}
	if d.Pick {
		id, _ := f.shape.Field("id") // the form asks for the instance alone
		id.Type, id.NodeType = capability.IRI, f.capability.InputShape.NodeType
		d.Form = form.New(capability.Shape{Fields: []capability.Field{id}}, f.entries, f.worded())
	}
	for _, field := range d.Form.Fields {
		switch {
		case field.Name == "id" && f.target != nil: // the page's head shows it
		case f.isFurther(field):
			d.More = append(d.More, field)
		default:
			d.Main = append(d.Main, field)
		}
	}
	d.Options = f.options(d.Form.Fields)
	for name, known := range d.Options {
		field, _ := f.shape.Field(name)
		for _, s := range known {
			d.Labels[reference([]string{field.NodeType}, s.Value)] = s.Label
		}
	}
	if f.target == nil {
		return d
	}
	for _, p := range f.target.Properties {
		for _, c := range p.Values {
			if c.Ref != nil {
				d.Labels[referenceTo(*c.Ref)] = c.Ref.Label
			}
		}
	}
	return d
}

// worded are the mistakes with what people call the fields.
func (f *formState) worded() []fault.FieldError {
	help := fieldHelp{Words: f.capability.InputShape.NodeType != ""}
	out := slices.Clone(f.problems)
	for i := range out {
		out[i].Message = mistake(out[i], func(name string) string {
			field, _ := f.shape.Field(name)
			return help.called(form.Field{Name: name, Title: field.Label})
		})
	}
	return out
}

// needed is the shape of the form with what the instance cannot be without.
func (f *formState) needed() capability.Shape {
	shape := f.shape
	if f.target == nil {
		return shape
	}
	shape.Fields = slices.Clone(shape.Fields)
	for i := range shape.Fields {
		if field := &shape.Fields[i]; f.target.needs(field.Name) {
			field.Required, field.Nullable = true, false
		}
	}
	return shape
}

// options asks for the first nodes that each field may refer to: what a browser
// without scripts offers.
func (f *formState) options(fields []form.Field) map[string][]suggestion {
	const first = 50
	out := map[string][]suggestion{}
	for _, field := range fields {
		switch {
		case field.NodeType == "":
		case field.Name == "id":
			out["id"] = f.references(field.NodeType, "id", "", first)
		case field.Name != field.Label():
			out[field.Name] = f.nodes(field.NodeType, "", first)
		default:
			out[field.Name] = f.references(f.capability.InputShape.NodeType, field.Name, "", first)
		}
	}
	return out
}

// verbs say what a typed write does.
var verbs = map[string]string{"create": "Create", "update": "Edit", "delete": "Delete"}

func (f *formState) title() string {
	verb, ok := verbs[f.capability.Op()]
	typeName := f.capability.InputShape.NodeType
	switch {
	case !ok || typeName == "":
		return f.capability.ID
	case f.target != nil:
		return verb + " " + firstOf(line(f.target.Node.Label), f.target.Node.ID)
	}
	return verb + " " + typeName
}

func (f *formState) crumbs() []link {
	typeName := f.capability.InputShape.NodeType
	switch {
	case f.target != nil:
		n := f.target.Node
		return []link{{typeName, typeURL(typeName)}, {labelOf(n), nodeURL(n.Type, n.ID)}}
	case typeName != "":
		return []link{{typeName, typeURL(typeName)}}
	}
	return []link{{"Capabilities", "/admin/capabilities"}}
}

func (f *formState) isDelete() bool { return changesOne(f.capability) && f.capability.Op() == "delete" }

// suggestURL is where a reference's row finds what may be meant.
func (d formData) suggestURL(f form.Field, r form.Row) string {
	if f.Name != f.Label() {
		return suggestNodesURL(f, r)
	}
	return withQuery("/admin/suggest", url.Values{"type": {d.Type}, "property": {f.Name}, "list": {r.ID + "-list"}})
}

// buttons say what a typed write does.
var buttons = map[string]string{"create": "Create", "update": "Save changes", "delete": "Delete…"}

// Verb is what the button says.
func (d formData) Verb() string {
	if verb, ok := buttons[d.Op]; ok && d.Writes {
		return verb
	}
	return "Run"
}

// costs say what the work of a call grows with.
var costs = map[capability.Cost]string{
	capability.CostConstant: "nothing: it is always the same", capability.CostChange: "the size of the change",
	capability.CostResult: "the size of the answer", capability.CostGraph: "the size of the graph",
}

// Cost says what the work of the call grows with.
func (d formData) Cost() string { return costs[d.Capability.CostEstimate] }

// MoreOpen reports that a folded field has something to say.
func (d formData) MoreOpen() bool {
	return slices.ContainsFunc(d.More, func(f form.Field) bool { return f.Wrong() || f.Rows[0].Text != "" })
}
