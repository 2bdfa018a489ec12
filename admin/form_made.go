package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trails/admin/form"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
)

// A form can lead to the form of another type, whose node it then refers to. The second form carries the first with
// all that was typed, so that no script and no memory of the server is needed.

// The names that the second form posts besides its own.
const (
	outerName = "_outer" // the first form as it was sent, urlencoded, with forName and intoName
	forName   = "_for"   // its capability
	intoName  = "_into"  // the field that gets the new node
)

// What the buttons of these forms do.
const (
	doMake = "make" // before a field and a type: leads to the form of the type
	doBack = "back" // leads back to the first form, without a node
)

// outerMost is how many bytes the first form may have on the way.
const outerMost = formLimit / 2

// creatable returns the capability that creates a type, if the caller may call it.
func (f *formState) creatable(typeName string) (string, bool) {
	i := slices.IndexFunc(f.callable, func(d capability.Descriptor) bool {
		return d.InputShape.NodeType == typeName && d.Op() == "create"
	})
	if i < 0 {
		return "", false
	}
	return f.callable[i].ID, true
}

// makes are the types of which a node can be made for each field that refers to one.
func (f *formState) makes() map[string][]string {
	out := map[string][]string{}
	if f.capability.SideEffects == capability.None {
		return out
	}
	for _, field := range f.shape.Fields {
		if field.NodeType == "" || field.Name == "id" && changesOne(f.capability) {
			continue
		}
		types := field.NodeTypes
		if len(types) == 0 {
			types = []string{field.NodeType}
		}
		for _, one := range types {
			if _, ok := f.creatable(one); ok {
				out[field.Name] = append(out[field.Name], one)
			}
		}
	}
	return out
}

// makeFor answers with the form of a type whose node a field of the form is to refer to.
func (s *site) makeFor(w http.ResponseWriter, r *http.Request, p *post, about string) error {
	field, typeName, _ := strings.Cut(about, " ")
	id, ok := p.creatable(typeName)
	if !ok || !slices.Contains(p.makes()[field], typeName) {
		return fault.New(fault.NotFound, "the form cannot make %s for %s", line(typeName), line(field))
	}
	outer := url.Values{}
	for name, values := range p.values {
		if name != doName && name != confirmedName {
			outer[name] = values
		}
	}
	outer.Set(keyName, p.key)
	outer.Set(forName, p.capability.ID)
	outer.Set(intoName, field)
	text := outer.Encode()
	if len(text) > outerMost {
		p.problems = []fault.FieldError{{Field: field, Code: fault.MaxLength, Message: "the form is too long to be taken along to another one: make the " + typeName + " in a tab of its own, and choose it here"}}
		return s.showPosted(w, r, http.StatusRequestEntityTooLarge, p, formView{})
	}
	inner, err := s.newForm(w, r, id)
	if err != nil {
		return err
	}
	inner.Branch, inner.outer = p.Branch, text
	inner.entries["branch"] = form.Entry{Texts: p.entries["branch"].Texts} // where the first form writes
	return s.showForm(w, r, http.StatusOK, inner, formView{})
}

// outerTitle is what the form that this one was opened from is called.
func (f *formState) outerTitle() string {
	values, err := url.ParseQuery(f.outer)
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(f.callable, func(d capability.Descriptor) bool { return d.ID == values.Get(forName) })
	if i < 0 {
		return ""
	}
	outer := formState{capability: f.callable[i]}
	return outer.title()
}

// goBack answers with the first form, in which the field refers to the node as well; "" for none.
func (s *site) goBack(w http.ResponseWriter, r *http.Request, p *post, node string) error {
	values, err := url.ParseQuery(p.outer)
	if err != nil {
		return fault.New(fault.Malformed, "the form that this one was opened from cannot be read").Because(err)
	}
	f, err := s.newForm(w, r, values.Get(forName))
	if err != nil {
		return err
	}
	if values.Get(keyName) == p.key { // it is another form, and its key is not in use
		values.Del(keyName)
	}
	outer := f.read(values)
	outer.do = doEdit
	field, ok := outer.shape.Field(values.Get(intoName))
	if node != "" && ok {
		e := outer.entries[field.Name]
		e.Removed = false
		if !field.Many {
			e.Texts = nil
		}
		e.Texts = append(slices.DeleteFunc(slices.Clone(e.Texts), func(text string) bool { return text == "" }), node)
		outer.entries[field.Name] = e
		outer.made = p.draftKey()
		outer.into = form.ID(field.Name)
	}
	return s.process(w, r, outer)
}

// madeNode is how a field refers to the node that the form made; "" if it made none.
func (p *post) madeNode(id, iri string) string {
	if id == "" && iri == "" {
		return ""
	}
	return referenceTo(view.Node{Type: p.capability.InputShape.NodeType, ID: id, IRI: iri})
}
