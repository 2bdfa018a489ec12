package migration

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
	"trails/sparql"
	"trails/text/outline"
)

// Move is one unit in which a migration runs: consecutive steps of a schema patch, a step that
// changes values, or an update.
type Move struct {
	// First and Last are the numbers of the first and the last step, from 1.
	First, Last int
	// Before is the schema before the move, After the one after it. They are the same for an
	// update.
	Before *schema.Schema
	After  schema.Patched
	// Update is an update's data change, and Text the beginning of its text; nil and "" for
	// other moves.
	Update *sparql.Update
	Text   string
	// Values describes a step that changes values; nil for other moves.
	Values *Values

	back     *sparql.Update // reverse of an update
	backText string
	history  string // why the move cannot be reversed by steps of its own
}

// Values describes how a split, merge or conversion moves the values of a type's properties.
type Values struct {
	// Type is the type's name before and after.
	Type string
	// From are properties before the move, To those after it.
	From, To []*schema.Property
	// Between is the separator of the parts of a split or merged text.
	Between string
	word    Word
}

// String describes the step: "split Person.name into first and last".
func (v *Values) String() string {
	from, to := namesOf(v.From), namesOf(v.To)
	if v.word == Convert {
		return fmt.Sprintf("change type of %s.%s: %s → %s", v.Type, to, v.From[0].Datatype, v.To[0].Datatype)
	}
	if len(v.From) > 1 {
		return fmt.Sprintf("merge %s.%s into %s", v.Type, from, to)
	}
	return fmt.Sprintf("split %s.%s into %s", v.Type, from, to)
}

func namesOf(properties []*schema.Property) string {
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.Name
	}
	return strings.Join(names, " and ")
}

// Of returns the new values of a node for each property in To, from its old values for each
// property in From. If these cannot be converted, it returns the reason.
func (v *Values) Of(from [][]rdf.Term) (to [][]rdf.Term, reason string) {
	to = make([][]rdf.Term, len(v.To))
	for _, value := range slices.Concat(from...) {
		if tag, tagged := rdf.LangOf(value); tagged && !v.To[0].IsLang() {
			return nil, fmt.Sprintf("%q would lose its language, %s; write an update with STR", outline.Begin(rdf.Lexical(value), longestShown), tag)
		}
	}
	add := func(i int, lexical string, was rdf.IRI) string {
		text, ok := converted(lexical, was, datatypeOf(v.To[i]))
		if v.To[i].IsLang() {
			return fmt.Sprintf("%q has no language; write an update with STRLANG", outline.Begin(lexical, longestShown))
		}
		if !ok {
			return fmt.Sprintf("%q is no %s", outline.Begin(lexical, longestShown), v.To[i].Datatype)
		}
		to[i] = append(to[i], rdf.Literal(text, datatypeOf(v.To[i])))
		return ""
	}
	if len(v.From) == 1 && len(v.To) == 1 {
		for _, value := range from[0] {
			if rdf.DatatypeOf(value) == rdf.RDFLangString {
				to[0] = append(to[0], value)
			} else if reason := add(0, rdf.Lexical(value), rdf.DatatypeOf(value)); reason != "" {
				return nil, reason
			}
		}
		return to, ""
	}
	var texts []string
	for i, values := range from {
		switch {
		case len(values) > 1:
			return nil, fmt.Sprintf("%s has %d values, and it is not known which goes with which", v.From[i].Name, len(values))
		case len(values) == 1 && !rdf.IsLiteral(values[0]):
			return nil, fmt.Sprintf("%s refers to a node, and is no text", v.From[i].Name)
		case len(values) == 1:
			texts = append(texts, rdf.Lexical(values[0]))
		}
	}
	if len(texts) == 0 {
		return to, ""
	}
	for i, part := range strings.SplitN(strings.Join(texts, v.Between), v.Between, len(v.To)) {
		if reason := add(i, part, rdf.XSDString); reason != "" {
			return nil, v.To[i].Name + ": " + reason
		}
	}
	return to, ""
}

// longestShown is how many characters of a text are quoted in a message.
const longestShown = 80

func datatypeOf(p *schema.Property) rdf.IRI { return schema.Datatypes[p.Datatype].IRI }

// midnight is appended to a date to make it a time.
const midnight = "T00:00:00Z"

// converted returns the lexical form of a value under another datatype: the same if it is valid
// there; for a date the beginning of its day, which converts back to the date.
func converted(lexical string, was, to rdf.IRI) (string, bool) {
	if to == rdf.XSDString || xsd.Valid(lexical, to) {
		return lexical, true
	}
	date, whole := strings.CutSuffix(lexical, midnight)
	switch {
	case was == rdf.XSDDateTime && to == rdf.XSDDate && whole && xsd.Valid(date, to):
		return date, true
	case was == rdf.XSDDate && to == rdf.XSDDateTime && xsd.Valid(lexical+midnight, to):
		return lexical + midnight, true
	}
	return "", false
}

// MovesOf returns the moves of each migration, applied one after the other to a schema, and the
// resulting schema. Errors are those of [Migration.Moves].
func MovesOf(all []*Migration, from *schema.Schema) (listed [][]Move, to *schema.Schema, err error) {
	listed, to = make([][]Move, len(all)), from
	for i, m := range all {
		if listed[i], err = m.Moves(to); err != nil {
			return nil, nil, err
		}
		if moves := listed[i]; len(moves) > 0 {
			to = moves[len(moves)-1].After.Schema
		}
	}
	return listed, to, nil
}

// Moves reads the steps for the schema before the first one. Errors in steps are
// fault.InvalidData, an invalid update is fault.Malformed, each with its place.
func (m *Migration) Moves(s *schema.Schema) ([]Move, error) {
	var moves []Move
	for i := 0; i < len(m.Steps); {
		move, err := m.move(i, s)
		if err != nil {
			return nil, err
		}
		moves = append(moves, move)
		s, i = move.After.Schema, move.Last
	}
	return moves, nil
}

// move reads the step at i, together with the steps of a schema patch after it.
func (m *Migration) move(i int, s *schema.Schema) (move Move, err error) {
	move = Move{First: i + 1, Last: i + 1, Before: s, After: schema.Patched{Schema: s, Renamed: s}}
	step := m.Steps[i]
	var patch []*yaml.Node
	switch step.Word {
	case Update:
		return m.update(move, step)
	case Patch:
		for move.Last < len(m.Steps) && m.Steps[move.Last].Word == Patch {
			move.Last++
		}
		for _, one := range m.Steps[i:move.Last] {
			patch = append(patch, one.node)
		}
	default:
		if patch, err = m.patchFor(move.First, step, s); err != nil {
			return move, err
		}
	}
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.SequenceNode, Content: patch})
	if err != nil {
		return move, fmt.Errorf("write the patch of %s: %w", m.Place(move.First), err)
	}
	if move.After, err = s.Patch(text); err != nil {
		return move, m.placed(err, move, step.Word)
	}
	if step.Word != Patch {
		if len(move.After.Idle) > 0 { // a conversion to the present datatype
			move.After.Idle[0].Word = string(step.Word)
			return move, nil
		}
		return move, m.values(&move, step)
	}
	for _, change := range move.After.Steps(s) {
		if change.Lossy || change.Backfill && change.Kind == schema.ChangeConstraint {
			move.history = change.String()
			return move, nil
		}
	}
	if _, err := renamedBack(move); err != nil {
		move.history = "a name that is given away and taken again"
	}
	return move, nil
}

// patchFor returns the schema patch of a step that changes values.
func (m *Migration) patchFor(number int, step Step, s *schema.Schema) ([]*yaml.Node, error) {
	typeName, own, _ := strings.Cut(step.property, ".")
	t := s.Type(typeName)
	var added, dropped []*yaml.Node
	text := func(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text} }
	with := func(word, name string, words *yaml.Node) *yaml.Node {
		about := text(typeName + "." + name)
		if words != nil {
			about = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{about, words}}
		}
		return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text(word), about}}
	}
	there := func(name string) bool { return t != nil && s.Property(t, name) != nil }
	missing := func(name string) error {
		message, _ := s.NoProperty(t, name)
		return m.refuse(number, step.property, fault.Class, "%s", message)
	}
	words := step.words
	if words == nil {
		words = text("string")
	}
	switch {
	case t == nil:
		return nil, m.refuse(number, step.property, fault.Class, "there is no type %q%s", typeName, fault.DidYouMean(typeName, schema.NamesOf(s.Types)))
	case step.Word == Convert:
		return []*yaml.Node{with("alter_property", own, words)}, nil
	case step.Word == Split && !there(own):
		return nil, missing(own)
	}
	for _, other := range step.others {
		switch words := other.words; {
		case step.Word == Merge && !there(other.name):
			return nil, missing(other.name)
		case step.Word == Merge:
			dropped = append(dropped, with("drop_property", other.name, nil))
		case !there(other.name):
			if words == nil {
				words = text("string")
			}
			added = append(added, with("add_property", other.name, words))
		case words != nil && words.Tag != "!!null":
			return nil, m.refuse(number, step.property, fault.Unique, "%s.%s is there already; name it without words to have it take values", typeName, other.name)
		}
	}
	if step.Word == Split {
		dropped = append(dropped, with("drop_property", own, nil))
	} else if !there(own) {
		added = append(added, with("add_property", own, words))
	}
	return append(added, dropped...), nil
}

// values sets the properties from which and to which a step moves values.
func (m *Migration) values(move *Move, step Step) error {
	typeName, own, _ := strings.Cut(step.property, ".")
	one, others := []string{own}, make([]string, len(step.others))
	for i, o := range step.others {
		others[i] = o.name
	}
	v := &Values{Type: typeName, Between: step.between, word: step.Word}
	find := func(s *schema.Schema, names []string) (list []*schema.Property) {
		for _, name := range names {
			list = append(list, s.Property(s.Type(typeName), name))
		}
		return list
	}
	switch from, to := move.Before, move.After.Schema; step.Word {
	case Split:
		v.From, v.To = find(from, one), find(to, others)
	case Merge:
		v.From, v.To = find(from, others), find(to, one)
		move.history = v.String()
	default:
		v.From, v.To = find(from, one), find(to, one)
	}
	for _, p := range slices.Concat(v.From, v.To) {
		switch {
		case datatypeOf(p) == "" || datatypeOf(p) == schema.Vector:
			return m.refuse(move.First, step.property, fault.Datatype, "%s.%s has values of the type %s, which are no text; write an update", typeName, p.Name, p.Datatype)
		case step.Word != Convert && p.Many():
			return m.refuse(move.First, step.property, fault.MaxCount, "%s.%s takes many values, and it is not known which goes with which; write an update", typeName, p.Name)
		}
	}
	move.Values = v
	return nil
}

// update reads the texts of an update, with the prefixes of the schema.
func (m *Migration) update(move Move, step Step) (_ Move, err error) {
	parse := func(text string, line int) (*sparql.Update, error) {
		u, err := sparql.ParseUpdate(text, sparql.Options{Prefixes: move.Before.TurtlePrefixes()})
		if err != nil {
			place := fmt.Sprintf("%s, the update from line %d on", m.Place(move.First), line)
			var f *fault.Error
			if errors.As(err, &f) {
				placed := *f
				placed.Message = place + ": " + f.Message
				return nil, &placed
			}
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		if len(u.Operations) == 0 {
			return nil, m.refuse(move.First, "update", fault.Required, "line %d: there is nothing to do in it; write the update, or leave the step out", line)
		}
		for _, op := range u.Operations {
			if _, load := op.(sparql.Load); load {
				return nil, m.refuse(move.First, "update", fault.Closed, "a migration reads nothing from outside the file; LOAD cannot be in it")
			}
			if modify, ok := op.(sparql.Modify); ok {
				if _, err := modify.AnswerServices(func(sparql.Service, []sparql.Table) (sparql.Op, error) { return nil, errors.New("a service") }); err != nil {
					return nil, m.refuse(move.First, "update", fault.Closed, "a migration reads nothing from outside the file; SERVICE cannot be in it")
				}
				if sparql.Searches(modify.Where) {
					return nil, m.refuse(move.First, "update", fault.Closed, "a migration does the same in each file, and what trails:matches finds depends on all texts of one; compare values instead, with FILTER(CONTAINS(…))")
				}
			}
		}
		return u, nil
	}
	if move.Update, err = parse(step.forward, step.at[0]); err != nil {
		return move, err
	}
	move.Text, move.backText = outline.Begin(strings.Join(strings.Fields(step.forward), " "), longestShown), outline.Begin(strings.Join(strings.Fields(step.reverse), " "), longestShown)
	if step.byHistory {
		move.history = "update with reverse: history"
		return move, nil
	}
	move.back, err = parse(step.reverse, step.at[1])
	return move, err
}

// refuse reports what is wrong with one step.
func (m *Migration) refuse(step int, field string, code fault.Code, format string, args ...any) error {
	return fault.Invalid([]fault.FieldError{{Field: field, Code: code, Source: m.Place(step), Message: field + ": " + fmt.Sprintf(format, args...)}})
}

// stepNumber matches the number of a step in the errors of a patch.
var stepNumber = regexp.MustCompile(`\bstep (\d+)\b`)

// placed adds the steps' places to the errors of a patch made from them.
func (m *Migration) placed(err error, move Move, word Word) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	number := func(text string) int {
		n, err := strconv.Atoi(stepNumber.FindStringSubmatch(text)[1])
		if err != nil || word != Patch {
			return move.First
		}
		return move.First + n - 1
	}
	placed := *f
	placed.Fields = slices.Clone(f.Fields)
	for i := range placed.Fields {
		field := &placed.Fields[i]
		field.Message = stepNumber.ReplaceAllStringFunc(field.Message, func(text string) string { return fmt.Sprintf("step %d", number(text)) })
		if stepNumber.MatchString(field.Source) {
			field.Source = m.Place(number(field.Source))
		} else {
			field.Source = m.Place(move.First)
		}
	}
	if len(placed.Fields) == 0 {
		placed.Message = m.Place(move.First) + ": " + f.Message
	}
	return &placed
}

// ByHistory returns why moves can only be reversed by inverting their commit: one of them loses
// information. It is "" if each can be reversed by steps of its own.
func ByHistory(moves []Move) string {
	for _, move := range moves {
		if move.history != "" {
			return move.history
		}
	}
	return ""
}

// Back returns the moves that reverse the given ones. Each must be reversible by steps of its
// own, see [ByHistory].
func Back(moves []Move) ([]Move, error) {
	var back []Move
	for _, move := range slices.Backward(moves) {
		b := Move{First: move.First, Last: move.Last, Before: move.After.Schema, Update: move.back, Text: move.backText}
		renamed, err := renamedBack(move)
		if err != nil {
			return nil, err
		}
		b.After = schema.Patched{Schema: move.Before, Renamed: renamed}
		if v := move.Values; v != nil {
			b.Values = &Values{Type: v.Type, From: v.To, To: v.From, Between: v.Between, word: v.word}
		}
		back = append(back, b)
	}
	return back, nil
}

// renamedBack returns the schema after a move, with the names from before it.
func renamedBack(move Move) (*schema.Schema, error) {
	if move.After.Renamed == move.Before {
		return move.After.Schema, nil
	}
	var steps strings.Builder
	for _, step := range move.After.Steps(move.Before) {
		if step.Kind == schema.RenameProperty {
			fmt.Fprintf(&steps, "- rename_property: {%q: %q}\n", step.Type+"."+step.Property, step.From)
		}
	}
	for _, step := range move.After.Steps(move.Before) {
		if step.Kind == schema.RenameType {
			fmt.Fprintf(&steps, "- rename_type: {%q: %q}\n", step.Type, step.From)
		}
	}
	patched, err := move.After.Schema.Patch([]byte(steps.String()))
	return patched.Schema, err
}

// Describe describes a schema step as a person would: "widen Task.title max_length: 10 → 20".
func Describe(step schema.Step) string {
	text := step.String()
	rest, changes := strings.CutPrefix(text, "change ")
	if !changes {
		return text
	}
	switch {
	case step.Kind == schema.ChangeDatatype || step.Kind == schema.ChangeClass:
		return "change type of " + rest
	case step.Kind != schema.ChangeConstraint:
		return text
	case step.Constraint == "min_count" || step.Constraint == "max_count":
		rest = "cardinality of " + rest
	case step.Constraint == "one_of" && !step.Checks && step.To != nil:
		return "extend enum " + rest
	}
	if step.Checks {
		return "narrow " + rest
	}
	return "widen " + rest
}
