package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"trails/admin/form"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// attempts bounds how often a write is repeated after others wrote something else.
const attempts = 5

// errStale says that the instance changed since the form was made.
var errStale = errors.New("the instance changed since the form was made")

// write makes the call of a form. A node is only changed if it is still as the form showed it: the call has the head
// of the read as its condition, and if another write has changed the head, the node is read again.
func (p *post) write() (ifCommit string, res invoke.Result, err error) {
	if p.target == nil {
		res, err = p.invoke(p.conditional(""), p.key)
		return "", res, err
	}
	for range attempts {
		ifCommit = p.target.head
		res, err = p.invoke(p.conditional(ifCommit), p.key)
		if !lostCondition(err) {
			return ifCommit, res, err
		}
		if p.target, err = p.readTarget(p.id()); err != nil {
			return "", res, err
		}
		if p.target.seen() != p.seen {
			return "", res, errStale
		}
	}
	return "", res, fault.New(fault.Conflict, "others write so fast that the instance could not be kept still; send the form again")
}

// conditional is the call's arguments under the condition that the head is this commit,
// unless it is "". What a person agreed to lose may be much.
func (p *post) conditional(head string) json.RawMessage {
	var more []form.Argument
	if head != "" {
		text, _ := json.Marshal(head) // hex digits
		more = append(more, form.Argument{Name: "if_commit", Value: text})
	}
	given := func(a form.Argument) bool { return a.Name == capability.AllowMassChange }
	if _, takes := p.capability.InputShape.Field(capability.AllowMassChange); takes && (p.loses() || p.confirmed == p.digest()) && !slices.ContainsFunc(p.args, given) {
		more = append(more, form.Argument{Name: capability.AllowMassChange, Value: json.RawMessage("true")})
	}
	return p.object(more...)
}

// lostCondition reports that the head moved on since if_commit.
func lostCondition(err error) bool {
	return fault.Is(err, fault.Precondition) && fault.Of(err).Details["if_commit"] != nil
}

// conflict is the comparison with a node that changed after its form was made.
type conflict struct {
	Changed *view.Commit
	Rows    []conflictRow
	// Same reports that the node is already as the form wants it.
	Same bool
}

// conflictRow is a property that the form changes, or that is not as the form began.
type conflictRow struct {
	Property string
	Theirs   []view.Cell
	Yours    []string
	Dated    bool // the values are days or times
	Removed  bool // by the form
	Kept     bool // the form does not change it
	Same     bool
}

// showStale shows the current node besides the input. The form below is based on the current node, with a new key.
func (s *site) showStale(w http.ResponseWriter, r *http.Request, p *post) error {
	c := p.conflict()
	p.seen, p.key = p.target.seen(), uuid.NewString()
	return s.showPosted(w, r, http.StatusConflict, p, formView{Conflict: &c})
}

func (p *post) conflict() conflict {
	c := conflict{Changed: p.target.Changed, Same: len(p.args) > 0}
	now, mine := p.begin(p.target), map[string]json.RawMessage{}
	for _, a := range p.args {
		mine[a.Name] = a.Value
	}
	for _, prop := range p.target.Properties {
		value, touched := mine[prop.Name]
		entry := p.entries[prop.Name]
		row := conflictRow{Property: prop.Name, Theirs: prop.Values, Dated: p.isDated(prop.Name), Kept: !touched}
		if !touched && entry.Was == now[prop.Name].Was {
			continue
		}
		if touched {
			row.Yours, row.Removed = entry.Texts, entry.Removed
			row.Same = form.Mark(value) == now[prop.Name].Was || row.Removed && len(prop.Values) == 0
			c.Same = c.Same && row.Same
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// refuseGone shows a form whose instance is no longer there, or never was.
func (s *site) refuseGone(w http.ResponseWriter, r *http.Request, p *post, err error) error {
	by, _ := fault.Of(err).Details["deleted_by"].(string)
	v := formView{Gone: true, DeletedBy: by, Message: fault.Of(err).Message}
	p.target = nil
	return s.showForm(w, r, http.StatusGone, p.formState, v)
}
