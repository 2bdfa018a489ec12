package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trails/admin/form"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// The names that a form's page posts besides the fields.
const (
	keyName       = "_key"       // makes the call happen once
	seenName      = "_seen"      // the commit that last changed the instance
	doName        = "_do"        // the button that was pressed
	confirmedName = "_confirmed" // what the person agreed to lose
)

// What the buttons of a form do.
const (
	doCall   = "call"
	doDryRun = "dry-run"
	doEdit   = "edit" // shows the form again
)

// post is a form that was sent.
type post struct {
	*formState
	values    url.Values // as sent; a question sends them again
	args      []form.Argument
	do        string
	confirmed string
}

// submit answers a submitted form: with the form again if something must be corrected, with a question if data would
// be lost, or with the result.
func (s *site) submit(w http.ResponseWriter, r *http.Request) error {
	f, err := s.newForm(w, r, r.PathValue("id"))
	if err != nil {
		return err
	}
	limit := int64(formLimit)
	if uploads[f.capability.ID] != "" {
		limit = bulkLimit
	}
	values, err := readForm(w, r, limit)
	if err != nil {
		return err
	}
	return s.process(w, r, f.read(values))
}

// read takes a posted form in.
func (f *formState) read(values url.Values) *post {
	posted := form.Read(f.shape, values)
	args, wrong := form.Arguments(f.shape, posted.Entries)
	f.entries, f.problems = posted.Entries, append(posted.Problems, wrong...)
	f.seen, f.outer = values.Get(seenName), values.Get(outerName)
	if given := form.ArgPrefix + "branch"; values.Has(given) { // what is changed is read where it is changed
		f.Branch = branchNamed(strings.TrimSpace(values.Get(given)))
	}
	if key := values.Get(keyName); key != "" && len(key) <= 64 {
		f.key = key
	}
	p := &post{formState: f, values: values, args: args, do: values.Get(doName), confirmed: values.Get(confirmedName)}
	if posted.Rows {
		p.do = doEdit
	}
	return p
}

// process handles a post: it returns the earlier result, shows the form with errors, asks, or makes the call.
func (s *site) process(w http.ResponseWriter, r *http.Request, p *post) error {
	entry := s.submissions.open(p.call.Principal.ID, p.key)
	defer entry.close()
	// What was done under this key is done, whatever the graph is now. A form with other values gets another key.
	if entry.digest != "" && p.do == doCall {
		if entry.digest == p.digest() {
			return s.replay(w, r, p, entry)
		}
		p.startOver()
	}
	// The instance is read before everything that shows it.
	if id := p.id(); id != "" {
		t, err := p.readTarget(id)
		if fault.Is(err, fault.NotFound) {
			return s.refuseGone(w, r, p, err)
		}
		if err != nil {
			return err
		}
		p.target = t
	}
	switch what, about, _ := strings.Cut(p.do, " "); {
	case what == doMake:
		return s.makeFor(w, r, p, about)
	case what == doBack && p.outer != "":
		return s.goBack(w, r, p, "")
	}
	if p.do != doCall && p.do != doDryRun { // a button that only changes the form
		p.problems = nil
		return s.showPosted(w, r, http.StatusOK, p, formView{})
	}
	// If the node has changed, everything else is wrong as well.
	if p.target != nil && p.target.seen() != p.seen {
		return s.showStale(w, r, p)
	}
	// Input errors are shown together with the errors of the other fields from the call.
	if len(p.problems) > 0 {
		if _, err := p.try(); err != nil {
			p.problems = append(p.problems, slices.DeleteFunc(slices.Clone(fault.Of(err).Fields), func(f fault.FieldError) bool {
				return slices.ContainsFunc(p.problems, func(known fault.FieldError) bool { return known.Field == f.Field })
			})...)
		}
		return s.showPosted(w, r, http.StatusUnprocessableEntity, p, formView{})
	}
	if p.do == doDryRun {
		res, err := p.try()
		if err != nil {
			return s.showFailed(w, r, p, err)
		}
		would, err := p.previewed(res)
		if err != nil {
			return err
		}
		return s.showPosted(w, r, http.StatusOK, p, formView{Preview: would})
	}
	if p.loses() && p.confirmed != p.digest() {
		return s.confirmLoss(w, r, p)
	}
	return s.makeCall(w, r, p, entry)
}

// startOver gives a changed form another key, and says so.
func (p *post) startOver() {
	p.problems = append(p.problems, fault.FieldError{Code: fault.Unique, Message: "This form was sent before, with other values, and that call is done. " +
		"What you changed since was not sent. Look at it and send it again, as a call of its own."})
	p.key, p.confirmed = uuid.NewString(), ""
}

// try makes the call as a dry run; a capability that changes nothing is not called.
func (p *post) try() (invoke.Result, error) {
	if p.capability.SideEffects == capability.None {
		return invoke.Result{}, nil
	}
	return p.invoke(p.object(form.Argument{Name: "dry_run", Value: json.RawMessage("true")}), "")
}

// object is the call's arguments with additional ones.
func (p *post) object(more ...form.Argument) json.RawMessage {
	return form.Object(p.capability.InputShape, append(p.args[:len(p.args):len(p.args)], more...))
}

func (f *formState) invoke(args json.RawMessage, key string) (invoke.Result, error) {
	c := f.call
	c.Capability, c.Args, c.IdempotencyKey = f.capability.ID, args, key
	return f.engine.Call(f.ctx, c)
}

// makeCall makes the call and answers with its result.
func (s *site) makeCall(w http.ResponseWriter, r *http.Request, p *post, e *submission) error {
	if p.capability.SideEffects == capability.None {
		res, err := p.invoke(p.object(), "")
		if err != nil {
			return s.showFailed(w, r, p, err)
		}
		return s.showPosted(w, r, http.StatusOK, p, formView{Result: p.resultOf(r, p.object(), res)})
	}
	ifCommit, res, err := p.write()
	switch {
	case errors.Is(err, errStale):
		return s.showStale(w, r, p)
	case fault.Is(err, fault.NotFound) && p.target != nil:
		return s.refuseGone(w, r, p, err)
	case p.isMass(err):
		return s.confirmLoss(w, r, p)
	}
	return s.finish(w, r, p, e, ifCommit, res, err)
}

// replay repeats a call: the graph returns the first result. A call that wrote nothing to the graph, such as one of
// another server's tool, is not repeated, because the graph has no key for it.
func (s *site) replay(w http.ResponseWriter, r *http.Request, p *post, e *submission) error {
	if e.result.Written == nil {
		p.showDone(w, r)
		return nil
	}
	res, err := p.invoke(p.conditional(e.ifCommit), p.key)
	return s.finish(w, r, p, e, e.ifCommit, res, err)
}

// finish notes what a write did, and sends the browser to the page of its result.
func (s *site) finish(w http.ResponseWriter, r *http.Request, p *post, e *submission, ifCommit string, res invoke.Result, err error) error {
	if err != nil {
		return s.showFailed(w, r, p, err)
	}
	e.secret, res = partSecret(p.capability.ID, res)
	e.finish(p.digest(), ifCommit, p.object(), res)
	if p.outer != "" {
		var named struct{ ID, IRI string }
		_ = json.Unmarshal(res.Structured, &named) // what is about no node names none
		return s.goBack(w, r, p, p.madeNode(named.ID, named.IRI))
	}
	p.showDone(w, r)
	return nil
}

// showDone sends the browser to the page of the result.
func (p *post) showDone(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, p.Lead(capabilityURL(p.capability.ID)+"/done/"+url.PathEscape(p.key)), http.StatusSeeOther)
}
