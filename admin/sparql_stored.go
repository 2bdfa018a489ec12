package admin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"trails/admin/form"
	"trails/capability"
	"trails/capability/stored"
	"trails/fault"
	"trails/schema"
	"trails/schema/infer"
)

// The page of queries opens stored queries, asks for the values of their parameters, and
// stores and removes them. What the editor holds is all there is to a stored query: its first
// lines say the id, the description and the parameters.

// storedDeeds are the actions on stored queries. Replacing or removing one asks first; the confirmation repeats the
// action with the text that the person saw. The last one keeps a chart with the stored query, which loses nothing else.
var storedDeeds = []string{"", "save", "remove", keepChart}

const keepChart = "chart"

// storedLine is a stored query in the catalogue.
type storedLine struct {
	Name, Tool, Kind, Params, Description, Problem, Text string
	View                                                 string
	Dashboard                                            int
}

// Href opens it in the editor, with the answer if the query says how that is shown.
func (l storedLine) Href() string {
	values := url.Values{}
	if shown, ok := strings.CutPrefix(l.View, "query?"); ok {
		if parsed, err := url.ParseQuery(shown); err == nil {
			values = parsed
			values.Set("run", "1")
		}
	}
	values.Set("stored", l.Name)
	return withQuery(queryURL, values)
}

// storedPart is what the page says of stored queries: which there are, which one the editor
// holds, and the inputs for its parameters.
type storedPart struct {
	List []storedLine
	// Open is the stored query whose id the text has; nil for none.
	Open *storedLine
	// HasForm means that the open one is among the capabilities with a page.
	HasForm bool
	// May means that the caller may store and remove.
	May  bool
	Form form.Form
	// Options are the first nodes that each parameter may be.
	Options map[string][]suggestion
}

// kept is the result of storing or removing a stored query.
type kept struct {
	Done      string // what was done; "" when the person is asked first
	Name      string
	Tool      string
	HasForm   bool
	Commit    string
	Signature string
	Warnings  []string
	Chart     string // where the answer is with the chart that was kept
	// Ask is what is asked: to replace or to remove the text whose mark is Mark.
	Ask, Mark, Text string
}

// declaration is the front matter of a text; the zero value is none.
type declaration struct {
	schema   *schema.Schema
	head     *stored.Query
	shape    capability.Shape
	entries  map[string]form.Entry
	problems []fault.FieldError
}

// givenOf are the values of parameters among those that a form posts.
func givenOf(values url.Values) url.Values {
	out := url.Values{}
	for name, all := range values {
		if _, field, ok := strings.Cut(name, "."); ok && strings.HasPrefix(field, "params.") {
			out[name] = all
		}
	}
	return out
}

// declaredIn reads what a text declares. Most texts declare nothing, and need no schema.
func (a *asker) declaredIn(v sparqlView) (*declaration, error) {
	d := &declaration{}
	if !strings.Contains(v.Query, "#+") {
		return d, nil
	}
	s, err := a.graphSchema()
	if err != nil {
		return d, err
	}
	d.schema, d.head = s, stored.Head(v.Query, s)
	if d.head != nil && len(d.head.Params) > 0 {
		d.shape = form.Spread(capability.Shape{Fields: []capability.Field{d.head.Arguments(s)}})
		d.entries = form.Read(d.shape, v.Given).Entries
	}
	return d, nil
}

// ask returns the text to be asked: with the values in the place of its parameters, "" when it
// declares nothing. What is wrong with a value stands at its field, too.
func (d *declaration) ask(v sparqlView) (string, error) {
	if d.head == nil {
		return "", nil
	}
	q, err := stored.Parse(v.Query, "query", d.schema)
	if err != nil || q.Query == nil {
		return "", err
	}
	args, wrong := form.Arguments(d.shape, d.entries)
	d.problems = wrong
	var call struct{ Params map[string]any }
	decoder := json.NewDecoder(bytes.NewReader(form.Object(d.shape, args)))
	decoder.UseNumber()
	if err := decoder.Decode(&call); err != nil {
		return "", err
	}
	values, err := q.Values(d.schema, call.Params)
	if err != nil {
		d.problems = append(d.problems, fault.Of(err).Fields...)
	}
	if len(d.problems) > 0 {
		return "", fault.Arguments(d.problems...)
	}
	asked, err := q.Asked(values).Bind(values.Terms)
	if err != nil {
		return "", err
	}
	return asked.String(), nil
}

// text is what is run.
func (v sparqlView) text() string { return firstOf(v.asked, v.Query) }

// storedPart reads which stored queries there are.
func (a *asker) storedPart(d *declaration) (storedPart, error) {
	out := storedPart{Form: form.New(d.shape, d.entries, d.problems), Options: map[string][]suggestion{}}
	for _, f := range out.Form.Fields {
		if f.NodeType != "" {
			const first = 50
			out.Options[f.Name] = a.nodes(f.NodeType, "", first)
		}
	}
	listed, err := a.listed()
	if err != nil {
		return out, err
	}
	out.May = listed["trails.meta.query.add"]
	var answer struct{ Queries []storedLine }
	if err := a.furnish("stored_query_list", nil, &answer); err != nil {
		return out, err
	}
	out.List = answer.Queries
	if i := slices.IndexFunc(out.List, func(l storedLine) bool { return d.head != nil && l.Name == d.head.ID }); i >= 0 {
		out.Open, out.HasForm = &out.List[i], listed[out.List[i].Tool]
	}
	return out, nil
}

// storedText is a stored query for the editor: its first lines say its id.
func (a *asker) storedText(name string) (string, error) {
	one, err := a.storedNamed(name)
	if err != nil {
		return "", err
	}
	return stored.Named(one.Text, one.Name, ""), nil
}

func (a *asker) storedNamed(name string) (storedLine, error) {
	var answer struct{ Queries []storedLine }
	if err := a.ask("stored_query_list", map[string]any{"name": name}, &answer); err != nil {
		return storedLine{}, err
	}
	return answer.Queries[0], nil
}

// plainID is how the id of a stored query is written.
var plainID = regexp.MustCompile(`^[a-z][a-z0-9_.]*$`)

// storedID makes an id from what a person called a query: My list becomes my_list, and 2024 list query_2024_list.
func storedID(title string) string {
	id := wordsOfID(title)
	switch {
	case plainID.MatchString(title) || id == "":
		return title // if it is none, storing says so
	case !plainID.MatchString(id):
		return "query_" + id
	}
	return id
}

// longestID is how many characters an id has that is made from a title.
const longestID = 60

// wordsOfID are the words of a title as an id has them: Full name and fullName are full_name. It is "" for a title
// without Latin letters and digits.
func wordsOfID(title string) string {
	var words []string
	for _, word := range strings.FieldsFunc(schema.Words(title), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }) {
		plain := strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				return c
			}
			return -1
		}, infer.Folded(word))
		if plain != "" {
			words = append(words, plain)
		}
	}
	return strings.TrimRight(firstRunes(strings.Join(words, "_"), longestID), "_…")
}

// keep stores the text, or removes the stored query with its id. It asks first if a text would be lost that the
// person has not confirmed to lose.
func (a *asker) keep(v *sparqlView) (*kept, error) {
	v.Query = stored.Named(v.Query, storedID(v.ID), v.Description)
	out := &kept{}
	declared, err := a.declaredIn(*v)
	if err != nil {
		return nil, err
	}
	if declared.head != nil {
		out.Name = declared.head.ID
	}
	var was storedLine
	if out.Name != "" {
		if was, err = a.storedNamed(out.Name); err != nil && !fault.Is(err, fault.Missing) {
			return nil, err
		}
	}
	if v.Do == keepChart {
		return out, a.keepChart(v, was, out)
	}
	sum := sha256.Sum256([]byte(was.Text))
	mark := hex.EncodeToString(sum[:12])
	if was.Text != "" && was.Text != v.Query || v.Do == "remove" {
		if v.Was != mark {
			out.Ask, out.Mark, out.Text = v.Do, mark, was.Text
			return out, nil
		}
	}
	var answer struct {
		Stored   []string
		Commit   *string
		Warnings []string
	}
	if v.Do == "remove" {
		out.Done = "Removed"
		err := a.ask("trails.meta.query.remove", map[string]any{"names": []string{out.Name}, "message": "Remove the stored query " + out.Name}, &answer)
		if err == nil && answer.Commit != nil {
			out.Commit = *answer.Commit
		}
		return out, err
	}
	err = a.ask("trails.meta.query.add", map[string]any{"queries": []any{map[string]any{"text": v.Query}}, "message": "Store the query " + out.Name}, &answer)
	if err != nil {
		return nil, err
	}
	out.Done, out.Signature, out.Warnings = "Stored", answer.Stored[0], answer.Warnings
	if answer.Commit != nil {
		out.Commit = *answer.Commit
	}
	now, err := a.storedNamed(out.Name)
	if err != nil {
		return out, err
	}
	listed, err := a.listed()
	out.Tool, out.HasForm = now.Tool, listed[now.Tool]
	return out, err
}

// IsUpdate reports that what is stored changes the graph, which this page does not run.
func (l storedLine) IsUpdate() bool { return l.Kind == "update" }

// keepChart makes the chart of the view that of the stored query.
func (a *asker) keepChart(v *sparqlView, was storedLine, out *kept) error {
	if was.Text == "" {
		return fault.Argument("do", fault.OneOf, v.Do, "a chart is kept with a stored query, and the text has the id of none; store it first")
	}
	if stored.Named(was.Text, was.Name, "") != v.Query {
		return fault.New(fault.InvalidArguments, "the text is not what is stored as %s, so that its chart may be another one; store the text first, and then keep the chart", was.Name)
	}
	text, err := stored.Viewed(was.Text, "query?"+(&answerChart{View: v.Chart}).kept().Encode())
	if err != nil {
		return err
	}
	var answer struct{ Commit *string }
	if err := a.ask("trails.meta.query.add", map[string]any{"queries": []any{map[string]any{"text": text}}, "message": "Keep a chart with the query " + was.Name}, &answer); err != nil {
		return err
	}
	v.Query = stored.Named(text, was.Name, "")
	out.Done, out.Chart = "Chart kept", storedLine{Name: was.Name, View: "query?" + (&answerChart{View: v.Chart}).kept().Encode()}.Href()
	if answer.Commit != nil {
		out.Commit = *answer.Commit
	}
	return nil
}
