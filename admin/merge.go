package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
)

const (
	mergeURL   = "/admin/merge"
	mergeID    = "branches_merge"
	valueTaken = "value" // the choice of a value of one's own
)

// merge is the page of a merge: what is merged into what, how clashes are decided, and what would come of it.
type merge struct {
	Source, Target string
	Commit         string // the source, where that is no branch
	Take, Message  string // Take decides every clash without a decision of its own
	Decided        map[string]mergeChoice
	Kept           []string // resolutions of what is no clash any more
	AllowMass      bool
	Key, Seen      string // Seen are the heads that the preview was made of
	Branches       []branch
	Preview        mergePreview
	Labels         map[string]string // of the nodes of its clashes, by their names
	Problem        string
	Mistakes       []fault.FieldError
	Mass           string // how many statements go, if a person has to agree to that; "" otherwise
	Asks           bool   // the target is protected from the viewer, who asks for the merge
}

// mergeChoice decides a clash: a side, or a value.
type mergeChoice struct{ Take, Value string }

// mergePreview is the answer of a merge.
type mergePreview struct {
	Outcome    string       `json:"outcome"`
	Clashes    []mergeClash `json:"clashes"`
	ClashCount int          `json:"clash_count"`
	Nodes      []string     `json:"nodes"`
	NodeCount  int64        `json:"node_count"`
	Added      int64        `json:"added"`
	Removed    int64        `json:"removed"`
	Changes    wouldChange  `json:"changes"`

	Lines []view.NodeChange `json:"-"` // the changes, node by node
}

// mergeClash is one clash of it.
type mergeClash struct {
	Kind, Node, Property, Message, Taken string
	Base, Ours, Theirs                   []string
}

// Name is what a resolution calls it. A node whose own name has a dot ends in one.
func (c mergeClash) Name() string {
	if c.Property != "" || strings.Contains(c.Node, ".") {
		return c.Node + "." + c.Property
	}
	return c.Node
}

// mergePage answers the page of a merge with its preview, once it says what is merged.
func (s *site) mergePage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "source", "target")
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	m := &merge{Source: q.Get("source"), Target: firstOf(q.Get("target"), a.Branch, mainBranch), Key: uuid.NewString()}
	return s.showMerge(w, r, a, m, http.StatusOK)
}

// mergePosted answers the decisions: with another preview, or with the result of the merge.
func (s *site) mergePosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	a, m := s.asker(w, r), mergeOf(values)
	if values.Get(doName) != doCall {
		return s.showMerge(w, r, a, m, http.StatusOK)
	}
	if err := m.readBranches(a); err != nil {
		return err
	}
	args := m.arguments()
	if m.Asks {
		args["ask"] = true
	}
	return s.makeMerge(w, r, a, m, mergeID, args, func(code int) error { return s.showMerge(w, r, a, m, code) })
}

// makeMerge makes the call of a form once, and shows the form again with what is in the way of it.
func (s *site) makeMerge(w http.ResponseWriter, r *http.Request, a *asker, m *merge, capability string, arguments map[string]any, again func(code int) error) error {
	args, err := json.Marshal(arguments)
	if err != nil {
		return fmt.Errorf("encode a merge: %w", err)
	}
	digest, entry := digestOf(capability, args), s.submissions.open(a.call.Principal.ID, m.Key)
	defer entry.close()
	switch {
	case entry.digest == digest:
		return m.done(w, r, capability, entry.result)
	case entry.digest != "":
		m.Key, m.Problem = uuid.NewString(), "This form was sent before, with other decisions, and that is done."
		return again(http.StatusUnprocessableEntity)
	case capability == mergeID && m.Seen != m.heads(): // a request is bound to its commits, and has lapsed when a branch has moved
		m.Problem = "One of the two branches has moved since. Look at what would be merged now."
		return again(http.StatusPreconditionFailed)
	}
	result, err := entry.call(a, capability, m.Key, args)
	if err != nil {
		m.refused(fault.Of(err))
		return again(status(err))
	}
	return m.done(w, r, capability, result)
}

// mergeOf reads a posted form.
func mergeOf(values url.Values) *merge {
	m := &merge{
		Source: values.Get("source"), Target: values.Get("target"), Take: values.Get("take"), Message: values.Get("message"),
		Kept: values["kept"], AllowMass: values.Get("mass") != "", Key: firstOf(values.Get(keyName), uuid.NewString()), Seen: values.Get(seenName),
		Decided: map[string]mergeChoice{},
	}
	for i := 0; values.Get(clashField("clash", i)) != ""; i++ {
		if take := values.Get(clashField("take", i)); take != "" {
			m.Decided[values.Get(clashField("clash", i))] = mergeChoice{take, values.Get(clashField("value", i))}
		}
	}
	return m
}

// clashField is the name of a field about the clash in this place.
func clashField(name string, place int) string { return fmt.Sprintf("%s.%d", name, place) }

// arguments are those of the call.
func (m *merge) arguments() map[string]any {
	args := m.decisions()
	args["source"], args["target"] = m.Source, m.Target
	if m.Message != "" {
		args["message"] = m.Message
	}
	return args
}

// decisions are the arguments that say how clashes are decided, and that much may be removed.
func (m *merge) decisions() map[string]any {
	args := map[string]any{}
	if m.Take != "" {
		args["take"] = m.Take
	}
	resolutions := slices.Clone(m.Kept)
	for name, choice := range m.Decided {
		if choice.Take == valueTaken {
			resolutions = append(resolutions, name+":="+choice.Value)
		} else {
			resolutions = append(resolutions, name+"="+choice.Take)
		}
	}
	if slices.Sort(resolutions); len(resolutions) > 0 {
		args["resolutions"] = resolutions
	}
	if m.AllowMass {
		args["allow_mass_change"] = true
	}
	return args
}

// readBranches reads the branches, and whether the viewer may merge into the target or only ask for it.
func (m *merge) readBranches(a *asker) (err error) {
	m.Branches, err = a.branches()
	m.Asks = !policy.May(a.call.Principal, policy.Builder) && slices.ContainsFunc(m.Branches, func(b branch) bool { return b.Name == m.Target && b.Protected })
	return err
}

// heads names the two states that are merged.
func (m *merge) heads() string {
	source, target := m.Source, ""
	for _, b := range m.Branches {
		if b.Name == m.Source {
			source = b.Head
		}
		if b.Name == m.Target {
			target = b.Head
		}
	}
	return source + " " + target
}

// refused takes in why a merge, or its preview, was refused.
func (m *merge) refused(f *fault.Error) {
	clashes, err := json.Marshal(f.Details["clashes"])
	if err == nil && json.Unmarshal(clashes, &m.Preview.Clashes) == nil && len(m.Preview.Clashes) > 0 {
		m.Preview.ClashCount, _ = f.Details["count"].(int)
		m.Problem = "Nothing was changed: what is below has to be decided first."
		return
	}
	if removes, ok := f.Details["removes"]; ok {
		m.Mass = fmt.Sprint(removes)
	}
	m.Problem = f.Message
	m.Mistakes = f.Fields
}

// showMerge answers the page with a fresh preview.
func (s *site) showMerge(w http.ResponseWriter, r *http.Request, a *asker, m *merge, code int) error {
	if err := m.readBranches(a); err != nil {
		return err
	}
	if m.Seen = m.heads(); m.Source != "" {
		tried, err := m.try(a)
		if err != nil {
			return err
		}
		code = max(code, tried)
	}
	m.keepOthers()
	return s.respond(w, r, code, page{Title: "Merge", Nav: "branches", Main: m.main, Crumbs: []link{{"Branches", branchesURL}}})
}

// try makes the preview, and returns the status of its page.
func (m *merge) try(a *asker) (code int, err error) {
	args := m.arguments()
	args["dry_run"] = true
	var preview mergePreview
	err = a.ask(mergeID, args, &preview)
	return m.tried(a, preview, err)
}

// tried takes in a preview, or why there is none, and returns the status of its page.
func (m *merge) tried(a *asker, preview mergePreview, err error) (code int, _ error) {
	if err == nil {
		m.Preview = preview
		m.Preview.Lines = preview.Changes.nodes()
		for i := range m.Preview.Lines {
			m.Preview.Lines[i].Node.Exists = m.Preview.Lines[i].Node.Type != "" // what is made is there on the source
		}
		if err := m.nameClashes(a); err != nil {
			return 0, err
		}
		return http.StatusOK, a.describe(m.Preview.Lines, map[string]any{"branch": m.Target})
	}
	refusal, problem := fault.Of(err), m.Problem
	if refusal.Kind == fault.Internal {
		return 0, err
	}
	m.refused(refusal)
	m.Problem = firstOf(problem, m.Problem)
	return status(err), m.nameClashes(a)
}

// nameClashes reads the labels of the nodes of the clashes, on the target or else on the source.
func (m *merge) nameClashes(a *asker) error {
	var nodes []view.NodeChange
	for _, c := range m.Preview.Clashes {
		if _, _, is := nodeOf(c.Node); is {
			nodes = append(nodes, view.NodeChange{Node: nodeNamed(c.Node)})
		}
	}
	source := map[string]any{"branch": m.Source}
	if m.Commit != "" {
		source = map[string]any{"at": m.Commit}
	}
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Node.Label
	}
	if err := a.describe(nodes, map[string]any{"branch": m.Target}, source); err != nil {
		return err
	}
	m.Labels = map[string]string{}
	for i, n := range nodes {
		m.Labels[names[i]] = n.Node.Label
	}
	return nil
}

// keepOthers keeps the decisions about what the preview does not list, as resolutions.
func (m *merge) keepOthers() {
	others := merge{Decided: map[string]mergeChoice{}, Kept: m.Kept}
	for name, choice := range m.Decided {
		if !slices.ContainsFunc(m.Preview.Clashes, func(c mergeClash) bool { return c.Name() == name }) {
			others.Decided[name] = choice
		}
	}
	m.Kept, _ = others.decisions()["resolutions"].([]string)
}

// done sends the browser to the result, or to the request that was made.
func (m *merge) done(w http.ResponseWriter, r *http.Request, capability string, result invoke.Result) error {
	to := withQuery(capabilityURL(capability)+"/done/"+url.PathEscape(m.Key), url.Values{"branch": {m.Target}})
	var made struct{ Request int64 }
	if err := json.Unmarshal(result.Structured, &made); err == nil && capability == mergeID && made.Request != 0 {
		to = requestURL(made.Request)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
