package admin

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trails/admin/form"
	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
	"trails/rdf"
	"trails/schema"
	"trails/text/outline"
)

const (
	undoURL    = "/admin/undo"
	restoreURL = "/admin/restore"
	undoID     = "undo"
	loadID     = "load"
	// changesShown is how many nodes a proposal shows one by one.
	changesShown = 50
	// changeShown is how many characters of a value the message of a change has.
	changeShown = 60
	// selectedMost is how many nodes one form changes.
	selectedMost = 1000
)

// proposal is a call that a person looks at before it is made: what it would change, node by node, and one button.
type proposal struct {
	Title      string
	Capability string
	Arguments  map[string]any
	Button     string
	Nav, Type  string
	Back       link
	Action     string   // where its form is sent
	Hidden     []hidden // what the form sends again, to make the same proposal
	Changes    []view.NodeChange
	More       bool     // nodes change that are not shown
	Steps      []string // of the schema, which are taken back
	Key        string
	Mass       string // how many statements go, if a person has to agree to that; "" otherwise
	// FromOutcome means that the changes are those that the dry run lists.
	FromOutcome bool
	Outcome     struct {
		Added, Removed int64
		Warnings       []string
		Changes        wouldChange
	}
	// Problem is why it cannot be done, Mistakes what would not fit, and Clashes what later commits did.
	Problem  string
	Mistakes []fault.FieldError
	Clashes  []clash
}

// clash is what became of a node that a commit changed, so that the commit cannot be taken back. What begins with the name
// of the property, if it is about one.
type clash struct{ Node, Property, What, Commit string }

// undoProposal takes back a commit.
func (a *asker) undoProposal(values url.Values) (*proposal, error) {
	var page view.CommitPage
	if err := a.ask("commit_view", map[string]any{"id": values.Get("commit"), "limit": changesShown}, &page); err != nil {
		return nil, err
	}
	id := page.Commit.ID
	p := &proposal{
		Title: "Take back “" + line(page.Commit.What) + "”", Capability: undoID, Arguments: map[string]any{"commit": id}, Button: "Take it back",
		Nav: "commits", Back: link{"The commit", commitURL(id)}, Action: undoURL, Hidden: []hidden{{"commit", id}}, More: page.Truncated, Steps: page.Steps,
	}
	reversed := map[string]string{"made": "removed", "removed": "made", "changed": "changed"}
	for _, n := range page.Nodes {
		if n.Graph == string(rdf.SchemaGraph) && len(p.Steps) > 0 {
			continue // the steps tell it
		}
		back := n
		back.What, back.Changes = reversed[n.What], nil
		for _, c := range n.Changes {
			back.Changes = append(back.Changes, view.PropertyChange{Property: c.Property, Old: c.New, New: c.Old})
		}
		p.Changes = append(p.Changes, back)
	}
	return p, nil
}

// restoreProposal makes a node what it was as of a commit: it takes back what the commits after that changed of it.
func (a *asker) restoreProposal(values url.Values) (*proposal, error) {
	name, id := values.Get("type"), values.Get("id")
	if _, _, err := a.typeNamed(name); err != nil {
		return nil, err
	}
	var now, then view.History
	if err := a.ask("entity_history", map[string]any{"type": name, "id": id, "limit": 1}, &now); err != nil {
		return nil, err
	}
	if err := a.ask("entity_history", map[string]any{"type": name, "id": id, "limit": 1, "at": values.Get("version")}, &then); err != nil {
		return nil, err
	}
	if len(now.Entries) == 0 || len(then.Entries) == 0 || now.Entries[0].Commit.ID == then.Entries[0].Commit.ID {
		return nil, fault.Argument("version", fault.OneOf, line(values.Get("version")), "that is the version of now; choose an older one in the history of the node")
	}
	was, last := then.Entries[0].Commit, now.Entries[0].Commit
	p := &proposal{
		Title: "Restore " + name + " " + firstOf(line(now.Node.Label), id) + " as of " + when(was.Time), Capability: undoID, Button: "Restore this version",
		Nav: "types", Type: name, Back: link{"Its history", nodeURL(name, id) + "/history"}, Action: restoreURL,
		Hidden: []hidden{{"version", was.ID}, {"type", name}, {"id", id}}, FromOutcome: true,
	}
	p.Arguments = map[string]any{
		"commit": was.ID + ".." + last.ID, "nodes": []string{now.Node.IRI},
		"message": "restore " + name + " " + id + " as of " + was.ID,
	}
	return p, nil
}

// selectedProposal changes or deletes the nodes of a type that were ticked in its list. The value that a property gets is
// written as a cell of a table has it, or in the property's field of the form that changes a node, which formOf returns. With
// the fault of what was chosen it returns the proposal, too, whose page says it.
func (a *asker) selectedProposal(typeName string, values url.Values, formOf func(capability string) (*formState, error)) (*proposal, error) {
	doc, t, err := a.typeNamed(typeName)
	if err != nil {
		return nil, err
	}
	nodes, do, property, value := values["node"], values.Get("change"), values.Get("property"), strings.TrimSpace(values.Get("value"))
	field := fieldIn(values, property)
	p := &proposal{Title: "Change " + t.Name, Nav: "types", Type: t.Name, Back: link{t.Name, typeURL(t.Name)}, Action: typeURL(t.Name) + "/selected", More: len(nodes) > changesShown}
	for _, name := range append([]string{"node", "change", "property", "value"}, slices.Sorted(maps.Keys(field))...) {
		for _, text := range values[name] {
			p.Hidden = append(p.Hidden, hidden{name, text})
		}
	}
	if len(nodes) == 0 || len(nodes) > selectedMost {
		return p, fault.Argument("node", fault.MinCount, len(nodes), fmt.Sprintf("tick 1 to %d rows of the list first; %d are ticked", selectedMost, len(nodes)))
	}
	for _, iri := range nodes {
		if schema.CheckIRI(iri) != nil {
			return p, fault.Argument("node", fault.NodeKind, line(iri), "this is no IRI of a node")
		}
	}
	some := times(len(nodes), t.Name, t.Name)
	var cells []view.Cell // that the property gets
	switch do {
	case "delete":
		p.Title, p.Button = "Delete "+some, "Delete "+some
		p.Capability, p.Arguments = "mutate", map[string]any{"update": deletion(nodes), "message": "Delete " + some}
	case "set", "clear":
		known := false
		for _, q := range doc.properties(t.Name) {
			known = known || q.Name == property
		}
		if !known {
			return p, fault.Argument("property", fault.Closed, line(property), t.Name+" has no property "+line(property))
		}
		p.Title, p.Button, p.Capability = "Change "+doc.title(t.Name, property)+" of "+some, "Change "+some, loadID
		switch {
		case do == "clear":
			p.Arguments, err = setting(t.Name, nodes, property, nil)
		case len(field) > 0:
			var said json.RawMessage
			if said, err = saidIn(field, property, func() (*formState, error) { return formOf(schema.SnakeName(t.Name) + ".update") }); err == nil {
				p.Arguments, err = setting(t.Name, nodes, property, said)
			}
			cells, value = cellsOf(said), strings.Join(cellTexts(said), ", ")
			do = textIf(len(cells) > 0, "set", "clear")
		case value == "":
			return p, fault.Argument("value", fault.Required, "", "say the value that "+property+" gets; “remove the value of” removes it")
		default:
			cells = []view.Cell{{Text: value}}
			p.Arguments, err = settingText(t.Name, nodes, property, value)
		}
		if err != nil {
			return p, err
		}
		p.Arguments["message"] = textIf(do == "set", "Set "+property+" to "+outline.Shorten(value, changeShown), "Remove "+property)
	default:
		return p, fault.Argument("change", fault.OneOf, line(do), "change is set, clear or delete")
	}
	if err := p.showNodes(a, t, nodes, do, property, cells); err != nil {
		return nil, err
	}
	if do != "delete" && !p.More {
		p.Button = "Change " + times(len(p.Changes), t.Name, t.Name)
	}
	return p, nil
}

// fieldIn are the parts of a property's field among the values of a form that was sent; nothing when it has none.
func fieldIn(values url.Values, property string) url.Values {
	out := url.Values{}
	for _, prefix := range []string{form.ArgPrefix, form.ZonePrefix, form.NullPrefix, form.JSONPrefix} {
		if given, has := values[prefix+property]; has {
			out[prefix+property] = given
		}
	}
	return out
}

// saidIn is the value that the field of a property says, null for none.
func saidIn(field url.Values, property string, formOf func() (*formState, error)) (json.RawMessage, error) {
	f, err := formOf()
	if err != nil {
		return nil, err
	}
	posted := form.Read(f.shape, field)
	args, wrong := form.Arguments(f.shape, posted.Entries)
	if wrong = append(posted.Problems, wrong...); len(wrong) > 0 {
		return nil, fault.Arguments(wrong...)
	}
	for _, a := range args {
		if a.Name == property {
			return a.Value, nil
		}
	}
	return json.RawMessage("null"), nil
}

// setting are the arguments of a load that sets one property of each node to a value; null removes what it has.
func setting(typeName string, nodes []string, property string, value json.RawMessage) (map[string]any, error) {
	var out strings.Builder
	for _, iri := range nodes {
		text, err := json.Marshal(map[string]any{"type": typeName, "id": iri, "data": map[string]any{property: value}})
		if err != nil {
			return nil, fmt.Errorf("encode a change: %w", err)
		}
		out.Write(append(text, '\n'))
	}
	return map[string]any{"data": out.String(), "format": "ndjson"}, nil
}

// settingText is [setting] for a value as a cell of a table has it.
func settingText(typeName string, nodes []string, property, value string) (map[string]any, error) {
	var out strings.Builder
	rows := csv.NewWriter(&out)
	_ = rows.Write([]string{"id", property}) // Error has what went wrong
	for _, iri := range nodes {
		_ = rows.Write([]string{iri, value})
	}
	rows.Flush()
	return map[string]any{"data": out.String(), "format": "csv", "type": typeName}, rows.Error()
}

// deletion is the update that deletes nodes, and what refers to them.
func deletion(nodes []string) string {
	all := "VALUES ?node { <" + strings.Join(nodes, "> <") + "> }"
	return "DELETE { ?node ?property ?value } WHERE { " + all + " ?node ?property ?value } ;\n" +
		"DELETE { ?other ?property ?node } WHERE { " + all + " ?other ?property ?node }"
}

// showNodes reads what changes of the first nodes, without those that have the value already.
func (p *proposal) showNodes(a *asker, t schema.TypeDocument, nodes []string, do, property string, value []view.Cell) error {
	for _, iri := range nodes[:min(len(nodes), changesShown)] {
		var e view.Entity
		if err := a.furnish("entity_get", map[string]any{"type": t.Name, "id": iri, "limit": 3}, &e); err != nil {
			return err
		}
		n := view.NodeChange{Node: e.Node, What: "changed"}
		for _, q := range e.Properties {
			switch {
			case do == "delete" && len(q.Values) > 0:
				n.What, n.Changes = "removed", append(n.Changes, view.PropertyChange{Property: q.Name, Old: q.Values})
			case do != "delete" && q.Name == property:
				change := view.PropertyChange{Property: q.Name, Old: q.Values}
				if do == "set" {
					change.New = value
				}
				n.Changes = append(n.Changes, change)
			}
		}
		if do != "set" || !slices.ContainsFunc(n.Changes, func(c view.PropertyChange) bool { return slices.EqualFunc(c.Old, value, isCell) }) {
			p.Changes = append(p.Changes, n)
		}
	}
	return nil
}

// isCell reports that a value is the one that somebody wrote.
func isCell(is, written view.Cell) bool {
	return is.Text == written.Text && is.Ref == nil || is.Ref != nil && slices.Contains([]string{is.Ref.ID, is.Ref.IRI, referenceTo(*is.Ref)}, written.Text)
}

// undoPage answers what taking back a commit would change.
func (s *site) undoPage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "commit")
	if err := q.err(); err != nil {
		return err
	}
	return s.propose(w, r, q.Values, (*asker).undoProposal)
}

// undoPosted takes a commit back.
func (s *site) undoPosted(w http.ResponseWriter, r *http.Request) error {
	return s.proposed(w, r, (*asker).undoProposal)
}

// restorePage answers what making a node what it was would change.
func (s *site) restorePage(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "version", "type", "id")
	if err := q.err(); err != nil {
		return err
	}
	return s.propose(w, r, q.Values, (*asker).restoreProposal)
}

// restorePosted makes a node what it was.
func (s *site) restorePosted(w http.ResponseWriter, r *http.Request) error {
	return s.proposed(w, r, (*asker).restoreProposal)
}

// selectedPosted changes the rows of a list that were ticked.
func (s *site) selectedPosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	if values.Has(downloadName) {
		return s.tickedFile(w, r, values)
	}
	return s.propose(w, r, values, func(a *asker, values url.Values) (*proposal, error) {
		return a.selectedProposal(r.PathValue("type"), values, func(capability string) (*formState, error) { return s.newForm(w, r, capability) })
	})
}

// proposed answers a form that was sent.
func (s *site) proposed(w http.ResponseWriter, r *http.Request, of func(*asker, url.Values) (*proposal, error)) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	return s.propose(w, r, values, of)
}

// propose shows a proposal with what it would change, or makes its call, once, when its button was pressed, and shows the
// commit.
func (s *site) propose(w http.ResponseWriter, r *http.Request, values url.Values, of func(*asker, url.Values) (*proposal, error)) error {
	a := s.asker(w, r)
	key := values.Get(keyName)
	if key == "" || len(key) > 64 {
		key = uuid.NewString()
	}
	done := func(p *proposal, result invoke.Result) error {
		to := p.Back.Href
		if did := result.Written; did != nil && did.Commit != nil {
			to = commitURL(*did.Commit)
		}
		http.Redirect(w, r, a.Lead(to), http.StatusSeeOther)
		return nil
	}
	entry := s.submissions.open(a.call.Principal.ID, key)
	defer entry.close()
	p, err := of(a, values)
	if p != nil && fault.Is(err, fault.InvalidArguments) {
		p.Problem = mistakesIn(err)
		return s.respond(w, r, status(err), page{Title: p.Title, Nav: p.Nav, Type: p.Type, Crumbs: []link{p.Back}, Main: p.main})
	}
	if err != nil {
		return err
	}
	if values.Get("mass") != "" {
		p.Arguments["allow_mass_change"] = true
	}
	a.view(p.Capability, p.Arguments)
	args, err := json.Marshal(p.Arguments)
	if err != nil {
		return fmt.Errorf("encode a proposal: %w", err)
	}
	code := http.StatusOK
	switch {
	case entry.digest == digestOf(p.Capability, args):
		return done(p, entry.result)
	case entry.digest != "":
		key, p.Problem, code = uuid.NewString(), "This form was sent before, with something else, and that is done.", http.StatusUnprocessableEntity
	case values.Get(doName) == doCall:
		result, err := entry.call(a, p.Capability, key, args)
		if err == nil {
			return done(p, result)
		}
		if code = status(err); code == http.StatusInternalServerError {
			return err
		}
		p.refused(fault.Of(err))
	}
	if p.Problem == "" {
		if code, err = p.try(a); err != nil {
			return err
		}
		if r.Method == http.MethodGet { // the page that says why not is what was asked for
			code = http.StatusOK
		}
	}
	p.Key = key
	return s.respond(w, r, code, page{Title: p.Title, Nav: p.Nav, Type: p.Type, Crumbs: []link{p.Back}, Main: p.main})
}

// try asks what the call would do, and returns the status of the page.
func (p *proposal) try(a *asker) (code int, err error) {
	args := map[string]any{"dry_run": true}
	for name, value := range p.Arguments {
		args[name] = value
	}
	if err := a.ask(p.Capability, args, &p.Outcome); err != nil {
		if fault.Of(err).Kind == fault.Internal {
			return 0, err
		}
		p.refused(fault.Of(err))
		return status(err), nil
	}
	if p.FromOutcome {
		p.Changes, p.More = p.Outcome.Changes.nodes(), p.Outcome.Changes.more()
		return http.StatusOK, a.describe(p.Changes)
	}
	return http.StatusOK, nil
}

// refused takes in why the call, or its dry run, was refused.
func (p *proposal) refused(f *fault.Error) {
	if removes, ok := f.Details["removes"]; ok {
		p.Mass = fmt.Sprint(removes)
		return
	}
	p.Problem, p.Mistakes = f.Message, f.Fields[:min(len(f.Fields), 10)]
	if text, err := json.Marshal(f.Details["clashes"]); err == nil && json.Unmarshal(text, &p.Clashes) == nil && len(p.Clashes) > 0 {
		p.Problem, _, _ = strings.Cut(p.Problem, ". ") // the rest names the clashes, which are listed
	}
}
