package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

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
	values    url.Values // as they came; a question sends them again
	args      []form.Argument
	do        string
	confirmed string
}

// submit answers a form that was sent: with the form again where something is to be
// mended, with a question where something would be lost, or with the result.
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
	f.seen = values.Get(seenName)
	if key := values.Get(keyName); key != "" && len(key) <= 64 {
		f.key = key
	}
	p := &post{formState: f, values: values, args: args, do: values.Get(doName), confirmed: values.Get(confirmedName)}
	if posted.Rows {
		p.do = doEdit
	}
	return p
}

// process takes a post through its steps. The first one that answers the request is the
// last.
func (s *site) process(w http.ResponseWriter, r *http.Request, p *post) error {
	entry := s.ledger.open(p.call.Principal.ID, p.key)
	defer entry.close()
	steps := []func(http.ResponseWriter, *http.Request, *post, *ledgerEntry) (bool, error){
		s.answerSentBefore, // first: what happened under this key happened, whatever the graph is now
		s.readInstance,     // before everything that shows the instance
		s.showAgain,        // a button that only changes the form
		s.refuseStale,      // before any call: nothing is right on an instance that is another one now
		s.refuseInvalid,    // before the call: these cannot be sent
		s.dryRun,           // instead of the call
		s.confirmLoss,      // just before the call: it shows what would be lost
		s.makeCall,
	}
	for _, step := range steps {
		if answered, err := step(w, r, p, entry); answered || err != nil {
			return err
		}
	}
	return nil
}

// answerSentBefore answers a form that was sent before: the same one with what it did; one
// with other values gets another key.
func (s *site) answerSentBefore(w http.ResponseWriter, r *http.Request, p *post, e *ledgerEntry) (bool, error) {
	if e.digest == "" || p.do != doCall {
		return false, nil
	}
	if e.digest == p.digest() {
		return true, s.replay(w, r, p, e)
	}
	p.startOver()
	return false, nil
}

// startOver gives a changed form another key.
func (p *post) startOver() {
	p.problems = append(p.problems, sentBefore)
	p.key, p.confirmed = newKey(), ""
}

// sentBefore is what a changed form under a used key meets.
var sentBefore = fault.FieldError{Code: fault.Unique, Message: "This form was sent before, with other values, and that call is done. " +
	"What you changed since was not sent. Look at it and send it again, as a call of its own."}

// readInstance reads the instance that the form is about.
func (s *site) readInstance(w http.ResponseWriter, r *http.Request, p *post, _ *ledgerEntry) (bool, error) {
	id := p.id()
	if id == "" {
		return false, nil
	}
	t, err := p.readTarget(id)
	if fault.Is(err, fault.NotFound) {
		return true, s.refuseGone(w, r, p, err)
	}
	p.target = t
	return false, err
}

// showAgain shows the form as the button left it.
func (s *site) showAgain(w http.ResponseWriter, r *http.Request, p *post, _ *ledgerEntry) (bool, error) {
	if p.do == doCall || p.do == doDryRun {
		return false, nil
	}
	p.problems = nil
	return true, s.showPosted(w, r, http.StatusOK, p, formView{})
}

// refuseInvalid shows what cannot be sent, together with what the call would say of the rest.
func (s *site) refuseInvalid(w http.ResponseWriter, r *http.Request, p *post, _ *ledgerEntry) (bool, error) {
	if len(p.problems) == 0 {
		return false, nil
	}
	if _, err := p.try(); err != nil {
		p.problems = append(p.problems, onOtherFields(p.problems, fault.Of(err).Fields)...)
	}
	return true, s.showPosted(w, r, http.StatusUnprocessableEntity, p, formView{})
}

// onOtherFields leaves out errors on fields that have one already.
func onOtherFields(known, more []fault.FieldError) []fault.FieldError {
	return slices.DeleteFunc(slices.Clone(more), func(f fault.FieldError) bool {
		return slices.ContainsFunc(known, func(k fault.FieldError) bool { return k.Field == f.Field })
	})
}

// refuseStale holds up a form whose instance changed since it was made.
func (s *site) refuseStale(w http.ResponseWriter, r *http.Request, p *post, _ *ledgerEntry) (bool, error) {
	if p.target == nil || p.target.seen() == p.seen {
		return false, nil
	}
	return true, s.showStale(w, r, p)
}

// dryRun shows what the call would do.
func (s *site) dryRun(w http.ResponseWriter, r *http.Request, p *post, _ *ledgerEntry) (bool, error) {
	if p.do != doDryRun {
		return false, nil
	}
	res, err := p.try()
	if err != nil {
		return true, s.showFailed(w, r, p, err)
	}
	return true, s.showPosted(w, r, http.StatusOK, p, formView{Preview: p.preview(res)})
}

// try makes the call as a dry run; a capability that changes nothing is not called.
func (p *post) try() (invoke.Result, error) {
	if p.capability.SideEffects == capability.None {
		return invoke.Result{}, nil
	}
	return p.invoke(p.object(form.Argument{Name: "dry_run", Value: json.RawMessage("true")}), "")
}

// object is the call's arguments and more.
func (p *post) object(more ...form.Argument) json.RawMessage {
	return form.Object(append(p.args[:len(p.args):len(p.args)], more...))
}

func (f *formState) invoke(args json.RawMessage, key string) (invoke.Result, error) {
	c := f.call
	c.Capability, c.Args, c.IdempotencyKey = f.capability.ID, args, key
	return f.engine.Call(f.ctx, c)
}

// makeCall makes the call and answers with its result.
func (s *site) makeCall(w http.ResponseWriter, r *http.Request, p *post, e *ledgerEntry) (bool, error) {
	if p.capability.SideEffects == capability.None {
		res, err := p.invoke(p.object(), "")
		if err != nil {
			return true, s.showFailed(w, r, p, err)
		}
		return true, s.showPosted(w, r, http.StatusOK, p, formView{Result: p.resultOf(r, p.object(), res.Structured)})
	}
	ifCommit, res, err := p.write()
	switch {
	case errors.Is(err, errStale):
		return true, s.showStale(w, r, p)
	case fault.Is(err, fault.NotFound) && p.target != nil:
		return true, s.refuseGone(w, r, p, err)
	case err != nil:
		return true, s.showFailed(w, r, p, err)
	}
	e.finish(p.digest(), ifCommit, p.object(), res.Structured)
	http.Redirect(w, r, doneURL(p.capability.ID, p.key), http.StatusSeeOther)
	return true, nil
}

// replay makes a call again that was made before: the graph answers with the first
// one's result.
func (s *site) replay(w http.ResponseWriter, r *http.Request, p *post, e *ledgerEntry) error {
	res, err := p.invoke(p.conditional(e.ifCommit), p.key)
	if err != nil {
		return s.showFailed(w, r, p, err)
	}
	e.finish(p.digest(), e.ifCommit, p.object(), res.Structured)
	http.Redirect(w, r, doneURL(p.capability.ID, p.key), http.StatusSeeOther)
	return nil
}
