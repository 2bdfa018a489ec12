// Package stored is for stored queries: SPARQL queries and updates in a file with a name, a description and typed
// parameters. Each is one text, whose first lines are comments that begin with "#+" and are YAML together:
//
//	#+ id: techniques_of_group
//	#+ description: Techniques that a group uses.
//	#+ params:
//	#+   group: ref(Group)
//	SELECT ?technique ?name { ?use :source ?group ; :target ?technique . ?technique :name ?name }
//
// Values of parameters are bound as terms, never inserted as text.
//
// Read [Parse] first, then [Query.Bind].
package stored

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"trails/capability"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// Bounds of a stored query.
const (
	maxText        = 256 << 10 // bytes
	maxDescription = 1_000     // characters
	maxInstruction = 4_000
	maxParams      = 50
	maxView        = 8_000
	maxDashboard   = 1_000
)

// Query is a stored query or update. It is immutable, and safe for concurrent use.
type Query struct {
	// ID names it: a capability id, such as techniques_of_group or reports.monthly.
	ID string
	// Text is the complete text as written, with its front matter.
	Text        string
	Description string
	// Instruction tells a model when and how to use it; it follows the description.
	Instruction string
	// Params are in the order of the text.
	Params []Param
	// Exposed queries are tools; others can be called by name.
	Exposed bool
	// Tool is the id of its capability if that differs from ID; "" means ID.
	Tool       string
	Cost       capability.Cost
	Idempotent bool
	// View is how the pages show it, an address below /admin/: types/TYPE?… is a list of the type, which the pages read
	// themselves, and query?… shows the answer. "" says nothing.
	View string
	// Dashboard is its place on the page with several views, from 1; 0 is none.
	Dashboard int
	// Query is the parsed query, nil for an update; Update is the parsed update, nil for a query.
	Query  *sparql.Query
	Update *sparql.Update
}

// Param is a parameter: a variable of the text that gets its value from the call.
type Param struct {
	*schema.Property
	// Nullable means that it can be left out or null: its variable is then unbound.
	Nullable bool
}

// optional reports that a call may leave it out.
func (p Param) optional() bool { return p.Nullable || p.Default != nil }

// Parse reads a stored query under a schema. name is its id unless the text has another; if it is "" the text must
// have one. All errors are returned as one fault.InvalidData, with their places: Field is a path such as
// params.group.type, Source the line.
func Parse(text, name string, s *schema.Schema) (*Query, error) {
	switch {
	case len(text) > maxText:
		return nil, fault.New(fault.TooLarge, "the query has %d bytes; at most %d are allowed: shorten it, or divide it into several", len(text), maxText)
	case !utf8.ValidString(text):
		return nil, fault.New(fault.Malformed, "the query is not valid UTF-8")
	}
	q := &Query{ID: name, Text: text, Exposed: true, Cost: capability.CostGraph}
	h, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	h.read(q, s)
	if err := h.sparql(q, s); err != nil {
		return nil, err
	}
	if len(h.problems) > 0 {
		return nil, fault.Invalid(h.problems)
	}
	return q, nil
}

// Head reads only the front matter of a text, ignoring errors in it. It is nil if there is none.
func Head(text string, s *schema.Schema) *Query {
	h, err := parseHeader(text)
	if err != nil || h.root == nil {
		return nil
	}
	q := &Query{Text: text}
	h.read(q, s)
	return q
}

// Named adds an id and a description to the front matter of a text, if it has none; "" adds nothing.
func Named(text, id, description string) string {
	h, err := parseHeader(text)
	if err != nil {
		return text // for [Parse] to refuse
	}
	var lines strings.Builder
	for _, line := range [][2]string{{"id", id}, {"description", description}} {
		value, err := yaml.Marshal(strings.Join(strings.Fields(line[1]), " "))
		if h.member(line[0]) == nil && line[1] != "" && err == nil {
			lines.WriteString("#+ " + line[0] + ": " + strings.TrimSpace(string(value)) + "\n")
		}
	}
	at := 0
	if h.root != nil {
		at = strings.Index(text, "#+")
	}
	return text[:at] + lines.String() + text[at:]
}

// header is the front matter during parsing.
type header struct {
	root     *yaml.Node // a mapping; nil without front matter
	problems []fault.FieldError
}

// parseHeader reads the front matter. Its lines keep their numbers.
func parseHeader(text string) (*header, error) {
	var lines strings.Builder
	found := false
	for line := range strings.Lines(text) {
		comment := strings.TrimSpace(line)
		if comment != "" && !strings.HasPrefix(comment, "#") {
			break
		}
		if body, ok := strings.CutPrefix(comment, "#+"); ok {
			found = true
			lines.WriteString(strings.TrimPrefix(body, " "))
		}
		lines.WriteByte('\n')
	}
	if !found {
		return &header{}, nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(lines.String()), &document); err != nil {
		return nil, fault.New(fault.Malformed, "the front matter is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return &header{}, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fault.New(fault.Malformed, "line %d: the front matter must be a mapping, such as \"#+ id: open_tasks\"", root.Line)
	}
	if line := aliasIn(root); line > 0 {
		return nil, fault.New(fault.Malformed, "line %d: the front matter has no anchors and aliases; write the value out", line)
	}
	return &header{root: root}, nil
}

// aliasIn returns the line of a YAML anchor or alias, by which a small text could expand without bound; 0 if there is
// none.
func aliasIn(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return n.Line
	}
	for _, child := range n.Content {
		if line := aliasIn(child); line > 0 {
			return line
		}
	}
	return 0
}

// headerKeys are the keys of the front matter.
var headerKeys = []string{"id", "description", "instruction", "params", "expose", "tool_name", "cost", "idempotent", "view", "dashboard"}

func (h *header) report(field string, code fault.Code, n *yaml.Node, format string, args ...any) {
	h.reportAt(field, code, "", format, args...)
	if n != nil {
		f := &h.problems[len(h.problems)-1]
		f.Value, f.Source = n.Value, fmt.Sprintf("line %d", n.Line)
	}
}

func (h *header) reportAt(field string, code fault.Code, place, format string, args ...any) {
	h.problems = append(h.problems, fault.FieldError{Field: field, Code: code, Source: place, Message: field + ": " + fmt.Sprintf(format, args...)})
}

// member returns the value of a key, or nil.
func (h *header) member(key string) *yaml.Node {
	if h.root == nil {
		return nil
	}
	for i := 0; i+1 < len(h.root.Content); i += 2 {
		if h.root.Content[i].Value == key {
			return h.root.Content[i+1]
		}
	}
	return nil
}

// placeOf is the line that declares a parameter.
func (h *header) placeOf(param string) string {
	if params := h.member("params"); params != nil {
		for _, n := range params.Content {
			if n.Value == param {
				return fmt.Sprintf("line %d", n.Line)
			}
		}
	}
	return ""
}

// read reads the front matter, and reports its errors.
func (h *header) read(q *Query, s *schema.Schema) {
	members := map[string]*yaml.Node{}
	if h.root != nil {
		for i := 0; i+1 < len(h.root.Content); i += 2 {
			key, value := h.root.Content[i], h.root.Content[i+1]
			switch {
			case !slices.Contains(headerKeys, key.Value):
				h.report(key.Value, fault.Closed, key, "unknown key; there are %s%s", strings.Join(headerKeys, ", "), fault.DidYouMean(key.Value, headerKeys))
			case members[key.Value] != nil:
				h.report(key.Value, fault.Unique, key, "this is here twice; keep one")
			default:
				members[key.Value] = value
			}
		}
	}
	q.ID = cmp.Or(h.text(members, "id", 64), q.ID)
	q.Tool = h.text(members, "tool_name", 64)
	for field, id := range map[string]string{"id": q.ID, "tool_name": q.Tool} {
		switch err := capability.CheckID(id); {
		case id == "" && field == "tool_name": // the id is used instead
		case id == "":
			h.report(field, fault.Required, nil, "the query needs a name: write \"#+ id: open_tasks\"")
		case err != nil:
			h.report(field, fault.Pattern, members[field], "%v", err)
		case strings.HasPrefix(id, "trails."):
			h.report(field, fault.Closed, members[field], "names that begin with trails. belong to trails itself")
		}
	}
	q.Description = h.text(members, "description", maxDescription)
	q.Instruction = h.text(members, "instruction", maxInstruction)
	q.Exposed = h.flag(members, "expose", true)
	q.Idempotent = h.flag(members, "idempotent", false)
	if cost := h.text(members, "cost", 20); cost != "" {
		q.Cost = capability.Cost(cost)
		if !slices.Contains(capability.Costs(), q.Cost) {
			h.report("cost", fault.OneOf, members["cost"], "there are %v", capability.Costs())
		}
	}
	q.View = h.text(members, "view", maxView)
	if q.View != "" && !(strings.HasPrefix(q.View, "types/") || strings.HasPrefix(q.View, "query?")) {
		h.report("view", fault.Pattern, members["view"], "this is an address of the pages below /admin/: types/TYPE?… for a list, or query?output=chart for the answer")
	}
	if text := h.text(members, "dashboard", 20); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxDashboard {
			h.report("dashboard", fault.Datatype, members["dashboard"], "this is a place on the dashboard, a whole number from 1 to %d", maxDashboard)
		}
		q.Dashboard = n
	}
	h.params(q, members["params"], s)
}

func (h *header) text(members map[string]*yaml.Node, key string, most int) string {
	n := members[key]
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		h.report(key, fault.Datatype, n, "this must be a text")
		return ""
	case utf8.RuneCountInString(n.Value) > most:
		h.report(key, fault.MaxLength, nil, "this has more than %d characters", most)
	}
	return strings.TrimSpace(n.Value)
}

func (h *header) flag(members map[string]*yaml.Node, key string, otherwise bool) bool {
	n := members[key]
	if n == nil {
		return otherwise
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		h.report(key, fault.Datatype, n, "this must be true or false")
	}
	return n.Value == "true"
}

// kinds are the words for parameter types that differ from the schema's.
var kinds = map[string]string{"bool": "boolean", "int": "integer", "bigint": "big_integer", "blob": "bytes"}

// params reads the parameters: each has a type in one word, or the attributes of a property in the schema, and
// nullable.
func (h *header) params(q *Query, n *yaml.Node, s *schema.Schema) {
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		h.report("params", fault.Datatype, n, "this must be a mapping of names to types, such as group: ref(Group)")
		return
	}
	if len(n.Content)/2 > maxParams {
		h.report("params", fault.MaxCount, nil, "there are %d parameters; at most %d are allowed", len(n.Content)/2, maxParams)
		return
	}
	named := *n
	named.Content = nil
	nullable := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		var null *yaml.Node
		if value, null = spelled(value); null != nil {
			nullable[name.Value] = h.flag(map[string]*yaml.Node{"nullable": null}, "nullable", false)
		}
		named.Content = append(named.Content, name, value)
	}
	properties, problems := s.Parameters("params", &named)
	h.problems = append(h.problems, problems...)
	for _, p := range properties {
		q.Params = append(q.Params, Param{p, nullable[p.Name]})
	}
}

// spelled converts a parameter to the attributes of the schema: the short form, such as list(ref(Group)), becomes
// type, class and many. It removes nullable.
func spelled(n *yaml.Node) (out, nullable *yaml.Node) {
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line}
	add := func(key, value, tag string, at *yaml.Node) {
		mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: at.Line},
			&yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value, Line: at.Line})
	}
	word := func(at *yaml.Node) {
		text := strings.TrimSpace(at.Value)
		if item, ok := within("list", text); ok {
			add("many", "true", "!!bool", at)
			text = item
		} else if text == "list" {
			add("many", "true", "!!bool", at)
			text = "string"
		}
		if class, ok := within("ref", text); ok {
			add("class", class, "!!str", at)
			return
		}
		add("type", cmp.Or(kinds[text], text), "!!str", at)
	}
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag != "!!null":
		word(n)
		return mapping, nil
	case n.Kind != yaml.MappingNode:
		return n, nil // the schema reports the error
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Value == "nullable":
			nullable = value
		case key.Value == "type" && value.Kind == yaml.ScalarNode:
			word(value)
		default:
			mapping.Content = append(mapping.Content, key, value)
		}
	}
	return mapping, nullable
}

// within returns the text between the brackets of word(…).
func within(word, text string) (string, bool) {
	inner, ok := strings.CutPrefix(text, word+"(")
	if !ok {
		return "", false
	}
	inner, ok = strings.CutSuffix(inner, ")")
	return strings.TrimSpace(inner), ok
}

// sparql parses the query or the update, and checks its variables against the parameters.
func (h *header) sparql(q *Query, s *schema.Schema) error {
	var err error
	if sparql.FormOf(q.Text) != "" {
		q.Query, err = sparql.Parse(q.Text, options(s))
	} else {
		q.Update, err = sparql.ParseUpdate(q.Text, options(s))
	}
	if err != nil {
		return err
	}
	if q.Update != nil && len(q.Update.Operations) == 0 {
		return fault.New(fault.Malformed, "there is no query and no update behind the comments")
	}
	for _, p := range q.Params {
		if why := q.unusable(p); why != "" {
			h.reportAt("params."+p.Name, fault.Closed, h.placeOf(p.Name), "%s", why)
		}
	}
	for _, v := range q.unbound() {
		i := slices.IndexFunc(q.Params, func(p Param) bool { return p.Name == string(v) })
		switch {
		case i < 0:
			h.reportAt("query", fault.Required, placeAt(q.Text, max(0, sparql.PlaceOf(q.Text, "?"+string(v), 0))), "?%s has no value: no pattern binds it, and it is no parameter; declare it in params, or correct its name", v)
		case q.Params[i].Nullable && q.Params[i].Default == nil:
			h.reportAt("params."+string(v), fault.Required, h.placeOf(string(v)),
				"when ?%s is left out, what is compared with it is never true; ask first, as in FILTER(!BOUND(?%s) || …), or give it a default", v, v)
		}
	}
	return nil
}

// unusable says why the text cannot use a parameter; "" if it can.
func (q *Query) unusable(p Param) string {
	var err error
	one := map[sparql.Var]rdf.Term{sparql.Var(p.Name): rdf.Literal("", rdf.XSDString)}
	if q.Query != nil {
		_, err = q.Query.Bind(one)
	} else {
		_, err = q.Update.Bind(one)
	}
	if err == nil {
		return ""
	}
	return fault.Of(err).Fields[0].Message
}

// unbound are the variables that no pattern of the text binds.
func (q *Query) unbound() []sparql.Var {
	if q.Query != nil {
		return q.Query.Unbound()
	}
	return q.Update.Unbound()
}

// Values are the values of a call's parameters: terms for variables, a table for each list, and the parameters that
// are left out, whose variables stay unbound.
type Values struct {
	Terms  map[sparql.Var]rdf.Term
	Tables []sparql.Table
	Free   map[sparql.Var]*schema.Property
}

// Values reads the values of a call, JSON by parameter name, and reports all that are missing, unknown or wrong as
// one fault.InvalidArguments. A missing value becomes the default or, without one, leaves its variable unbound.
func (q *Query) Values(s *schema.Schema, given map[string]any) (Values, error) {
	out := Values{Terms: map[sparql.Var]rdf.Term{}, Free: map[sparql.Var]*schema.Property{}}
	var problems []fault.FieldError
	for _, p := range q.Params {
		v, name := given[p.Name], sparql.Var(p.Name)
		if v == nil {
			switch {
			case p.Default != nil:
				out.Terms[name] = p.Default
			case !p.Nullable:
				problems = append(problems, fault.FieldError{Field: p.Name, Code: fault.Required, Message: p.Name + " is required"})
			default:
				out.Free[name] = p.Property
			}
			continue
		}
		terms, wrong := s.Values(p.Property, v)
		problems = append(problems, wrong...)
		switch {
		case len(wrong) > 0:
		case p.Many():
			t := sparql.Table{Vars: []sparql.Var{name}}
			for _, term := range terms {
				t.Rows = append(t.Rows, []rdf.Term{term})
			}
			out.Tables = append(out.Tables, t)
		default:
			out.Terms[name] = terms[0]
		}
	}
	names := make([]string, len(q.Params))
	for i, p := range q.Params {
		names[i] = p.Name
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			problems = append(problems, fault.FieldError{Field: name, Code: fault.Closed, Message: fmt.Sprintf("%s has no parameter %s%s", q.ID, name, fault.DidYouMean(name, names))})
		}
	}
	for i := range problems {
		problems[i].Field = "params." + problems[i].Field
	}
	if len(problems) > 0 {
		return out, fault.Arguments(problems...)
	}
	return out, nil
}

// Value converts texts from an address or a command line to the JSON value of a parameter: to a list if it takes
// several. A text that is the JSON of a list, and one that does not fit, stays a text for [Query.Values] to handle.
func (q *Query) Value(name string, texts []any) any {
	for _, p := range q.Params {
		if p.Name != name {
			continue
		}
		if len(texts) == 0 {
			break
		}
		values := make([]any, len(texts))
		for i, t := range texts {
			text, _ := t.(string)
			values[i] = p.WordValue(text)
		}
		whole := false
		if text, isText := values[0].(string); isText {
			_, whole = capability.ListIn(text)
		}
		if len(values) == 1 && (!p.Many() || whole) {
			return values[0]
		}
		return values
	}
	return texts
}

// Asked is the query with the tables of values; the caller binds the terms.
func (q *Query) Asked(v Values) *sparql.Query {
	asked := q.Query
	for _, t := range v.Tables {
		asked = asked.WithValues(t)
	}
	return asked
}

// Told is the update with the tables of values; the caller binds the terms.
func (q *Query) Told(v Values) *sparql.Update {
	told := q.Update
	for _, t := range v.Tables {
		told = told.WithValues(t)
	}
	return told
}
