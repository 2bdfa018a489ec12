package admin

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/fault"
)

const (
	policyURL         = "/admin/policy"
	showPoliciesID    = "trails.meta.policy.show"
	planPoliciesID    = "trails.meta.policy.plan"
	setPoliciesID     = "trails.meta.policy.apply"
	explainPoliciesID = "trails.meta.policy.explain"
	actorsMost        = 200 // callers that are offered to choose from
)

// policyData is the page of policies: what they are, a form to set others, and what they let somebody do.
type policyData struct {
	// May is whether the viewer may see and explain policies; without it the page says who may.
	May    bool
	Viewer policy.Principal
	Set    policiesSet
	Branch string // the one shown, "" for main

	// The form: its text, what it would change, and what is wrong with it.
	Text, Message  string
	Key, Confirmed string
	Plan           *policiesPlanned
	Wrong          []fault.FieldError
	Problem        string

	// The question: who does what, and the answer or why there is none.
	Asked        supposed
	Explained    *explained
	Unexplained  string
	Actors, Does []string // to choose from: callers, and what can be called
}

// policiesSet is the answer of trails.meta.policy.show.
type policiesSet struct {
	Text, Commit, Author, Time, Problem string
	Warnings                            []string
}

// policiesPlanned is the answer of trails.meta.policy.plan.
type policiesPlanned struct {
	Policies, New, Gone, Warnings []string
}

// supposed is a question about policies, as the address of the page has it.
type supposed struct {
	As, Groups, Call, Action, On string
	Scopes                       []string
}

// explained is the answer of trails.meta.policy.explain.
type explained struct {
	As                                 string
	Groups, Scopes, Policies, Warnings []string
	Asked, Why, Way, Cut               string
	Allowed                            *bool
	Rows                               []surveyed
}

// surveyed says whether somebody may read a branch or type, or call a stored query, and change it.
type surveyed struct {
	Kind, Name   string
	Read, Change *bool
}

// UnmarshalJSON reads the cells of a row.
func (s *surveyed) UnmarshalJSON(text []byte) error {
	row := [...]any{&s.Kind, &s.Name, &s.Read, &s.Change}
	return json.Unmarshal(text, &row)
}

// policyPage answers the page of policies, with the explanation that its address asks for.
func (s *site) policyPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "as", "groups", "scopes", "call", "action", "on")
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	d, err := s.policies(a)
	if err != nil {
		return err
	}
	d.Text = d.Set.Text
	d.Asked = supposed{As: strings.TrimSpace(q.Get("as")), Groups: q.Get("groups"), Call: strings.TrimSpace(q.Get("call")), Action: q.Get("action"), On: strings.TrimSpace(q.Get("on")), Scopes: q.Values["scopes"]}
	code := http.StatusOK
	if d.May && d.Asked.As != "" {
		d.Explained = &explained{}
		if err := a.ask(explainPoliciesID, d.Asked.arguments(), d.Explained); err != nil {
			if fault.Of(err).Kind == fault.Internal {
				return err
			}
			d.Explained, d.Unexplained, code = nil, messageOf(err), status(err)
		}
	} else if d.May && len(q.Values) > 0 && !q.Has("branch") {
		d.Unexplained, code = "Say who calls, such as token:ci or anonymous.", http.StatusBadRequest
	}
	return s.showPolicies(w, r, code, a, d)
}

// policies begins the page for the viewer.
func (s *site) policies(a *asker) (*policyData, error) {
	d := &policyData{May: policy.May(a.call.Principal, policy.Builder), Viewer: a.call.Principal, Branch: a.Branch, Key: uuid.NewString()}
	if !d.May {
		return d, nil
	}
	return d, a.ask(showPoliciesID, nil, &d.Set)
}

// showPolicies answers the page, with what can be chosen on it.
func (s *site) showPolicies(w http.ResponseWriter, r *http.Request, code int, a *asker, d *policyData) error {
	p := page{Title: "Policies", Nav: "policy", Main: d.main}
	if d.May {
		var tokens struct{ Rows []token }
		if err := a.ask("trails.meta.token.list", nil, &tokens); err != nil {
			return err
		}
		d.Actors = []string{policy.Anonymous("", policy.Scopes{}).ID}
		for _, t := range tokens.Rows[:min(len(tokens.Rows), actorsMost)] {
			d.Actors = append(d.Actors, policy.TokenActor+t.Name)
		}
		listed, err := a.listed()
		if err != nil {
			return err
		}
		d.Does = slices.Sorted(maps.Keys(listed))
	}
	if r.Method != http.MethodPost {
		p.Live = live{Mode: "any", Head: a.head}
	}
	return s.respond(w, r, code, p)
}

// arguments are those of the call; what was not said is left out.
func (q supposed) arguments() map[string]any {
	args := map[string]any{"as": q.As}
	for name, value := range map[string]string{"call": q.Call, "action": q.Action, "on": q.On} {
		if value != "" {
			args[name] = value
		}
	}
	if groups := strings.FieldsFunc(q.Groups, func(c rune) bool { return c == ',' || c == ' ' }); len(groups) > 0 {
		args["groups"] = groups
	}
	if len(q.Scopes) > 0 {
		args["scopes"] = q.Scopes
	}
	return args
}

// URL is the page with an explanation: what the caller of the question may do to something.
func (q supposed) URL(action policy.Action, on cedar.Resource) string {
	values := url.Values{"as": {q.As}, "action": {string(action)}, "on": {on.String()}}
	if q.Groups != "" {
		values.Set("groups", q.Groups)
	}
	if len(q.Scopes) > 0 {
		values["scopes"] = q.Scopes
	}
	return withQuery(policyURL, values)
}

// messageOf is a refusal in one line.
func messageOf(err error) string {
	f := fault.Of(err)
	if len(f.Fields) == 0 {
		return f.Message
	}
	var texts []string
	for _, field := range f.Fields {
		text := field.Message + field.More()
		for _, where := range []string{field.Field, field.Source} { // the place stands first
			if where != "" && !strings.HasPrefix(text, where+": ") {
				text = where + ": " + text
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ". ")
}

// policyPosted answers a text that was sent: with what it would change or what is wrong with it, or by setting it. It is set
// when what it changes was shown before.
func (s *site) policyPosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	d, err := s.policies(a)
	if err != nil {
		return err
	}
	d.Text, d.Message = strings.ReplaceAll(values.Get("policies"), "\r\n", "\n"), values.Get("message")
	if strings.TrimSpace(d.Text) == "" {
		d.Text = ""
	}
	if key := values.Get(keyName); key != "" && len(key) <= 64 {
		d.Key = key
	}
	args := map[string]any{"policies": d.Text}
	if d.Message != "" {
		args["message"] = d.Message
	}
	if a.Branch != "" {
		args["branch"] = a.Branch
	}
	text, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("encode policies: %w", err)
	}
	digest, entry := digestOf(setPoliciesID, text), s.submissions.open(a.call.Principal.ID, d.Key)
	defer entry.close()
	done := func() error {
		http.Redirect(w, r, a.Lead(capabilityURL(setPoliciesID)+"/done/"+url.PathEscape(d.Key)), http.StatusSeeOther)
		return nil
	}
	if entry.digest == digest {
		return done()
	}
	if entry.digest != "" {
		d.Key, d.Problem = uuid.NewString(), "This form was sent before, with another text, and that is set."
	}
	d.Plan = &policiesPlanned{}
	if err := a.ask(planPoliciesID, map[string]any{"policies": d.Text}, d.Plan); err != nil {
		return s.policiesRefused(w, r, a, d, err)
	}
	d.Confirmed = digest
	switch code := http.StatusOK; {
	case values.Get(seenName) != d.Set.Commit:
		d.Problem, code = "Somebody has set other policies since this form was made. What is said below compares yours with those.", http.StatusPreconditionFailed
		fallthrough
	case values.Get(doName) != doCall || d.Problem != "":
		return s.showPolicies(w, r, code, a, d)
	case values.Get(confirmedName) != digest:
		d.Problem = "This is another text than the one that was checked. Look at what it changes, and set it then."
		return s.showPolicies(w, r, http.StatusPreconditionFailed, a, d)
	}
	if _, err := entry.call(a, setPoliciesID, d.Key, text); err != nil {
		return s.policiesRefused(w, r, a, d, err)
	}
	return done()
}

// policiesRefused shows the form with why its text was refused.
func (s *site) policiesRefused(w http.ResponseWriter, r *http.Request, a *asker, d *policyData, err error) error {
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		return err
	}
	d.Plan, d.Confirmed = nil, ""
	d.Wrong, _ = f.Shown()
	if len(d.Wrong) == 0 {
		d.Problem = f.Message
	}
	return s.showPolicies(w, r, status(err), a, d)
}

// policyLine is a line of a text of policies.
type policyLine struct {
	Number  int
	Text    string
	IsNew   bool // the policies that are set have no such line
	IsWrong bool
	Wrong   []string // what is wrong there
}

// linesMost is how many lines of a text are shown.
const linesMost = 5000

// linesOf are the lines of a text, with what is wrong at each. Those that other does not have are new.
func linesOf(text, other string, wrong []fault.FieldError) []policyLine {
	had := map[string]bool{}
	for l := range strings.Lines(other) {
		had[strings.TrimRight(l, "\n")] = true
	}
	at := map[int][]string{}
	marked := map[int]bool{}
	for _, f := range wrong {
		at[lineOf(f.Source)] = append(at[lineOf(f.Source)], f.Message)
		for _, place := range append(f.Places, f.Source) {
			marked[lineOf(place)] = true
		}
	}
	var out []policyLine
	for l := range strings.Lines(text) {
		n := len(out) + 1
		l = strings.TrimRight(l, "\n")
		if out = append(out, policyLine{Number: n, Text: l, IsNew: !had[l], IsWrong: marked[n], Wrong: at[n]}); n == linesMost {
			break
		}
	}
	return out
}

// lineOf reads the number of a line from a place such as "line 3, column 1", or from the name of a policy with its line; 0 if
// it has none.
func lineOf(place string) int {
	_, text, _ := strings.Cut(place, "line ")
	n, _ := strconv.Atoi(strings.TrimRight(strings.SplitN(text, ",", 2)[0], ")"))
	return n
}
