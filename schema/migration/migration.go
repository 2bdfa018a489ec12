// Package migration reads numbered migrations of a graph: texts that describe, step by step, how
// schema and data change from one version to the next, and how to reverse that. (The package
// migrations is about the format of the SQLite file.)
//
//	description: People have two names.
//	steps:
//	- rename_type: {Person: Human}
//	- split_property: {Human.name: {into: {first: string, last: string}, at: " "}}
//	- update:
//	    forward: DELETE { ?t :state "wip" } INSERT { ?t :state "open" } WHERE { ?t :state "wip" }
//	    reverse: history
//
// The package reads and writes no files; the package kg runs migrations.
//
// Read [Parse] first, then [Pending] and [Migration.Moves].
package migration

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"trails/fault"
	"trails/text/quote"
)

// Bounds of a migration.
const (
	maxText        = 1 << 20 // bytes
	maxShown       = 100     // characters of a wrong name in a refusal
	maxSteps       = 1_000
	maxDescription = 1_000 // characters
	maxNumber      = 9_999
)

// Migration is one numbered change of a graph. It is immutable, and safe for concurrent use.
type Migration struct {
	// Number is the position in the order of migrations, from 1.
	Number int
	// Name is the file's name without number and extension: two_names.
	Name string
	// Text is the whole migration, as written.
	Text        string
	Description string
	Steps       []Step
	// filled means that the text has a list of steps, even an empty one.
	filled bool
}

// Filled refuses migrations without steps: [New] writes a template if there is no second
// schema, and once it is applied its text can no longer change.
func Filled(all []*Migration) error {
	var fields []fault.FieldError
	for _, m := range all {
		if !m.filled {
			fields = append(fields, fault.FieldError{Field: "steps", Code: fault.Required, Value: m.File(), Source: m.File(),
				Message: "nobody has filled this migration in; write its steps, or steps: [] where there are to be none, or leave it out"})
		}
	}
	if len(fields) > 0 {
		return fault.Invalid(fields)
	}
	return nil
}

// Word is the keyword of a step; see [Patch] for the steps of a schema patch.
type Word string

// The keywords of steps that are not steps of [schema.Schema.Patch].
const (
	Patch   Word = "" // a step of a patch
	Split   Word = "split_property"
	Merge   Word = "merge_property"
	Convert Word = "convert_property"
	Update  Word = "update"
)

// Step is one step of a migration.
type Step struct {
	// Line is the step's line in the text, from 1.
	Line int
	Word Word
	node *yaml.Node
	// Texts of an update.
	forward, reverse string
	at               [2]int // the lines of forward and reverse
	// byHistory means that the update has "reverse: history".
	byHistory bool
	// Parts of a split, a merge or a conversion: Type.property; the properties on the other
	// side in order, each with its declaration or nil; the separator; and the declaration of
	// the resulting property.
	property string
	others   []named
	between  string
	words    *yaml.Node
}

// named is a property with its declaration; words is nil for an existing property.
type named struct {
	name  string
	words *yaml.Node
}

// fileName matches the file names of migrations.
var fileName = regexp.MustCompile(`^([0-9]{4})_([a-z0-9][a-z0-9_-]{0,79})\.yaml$`)

// File returns the file's name: 0007_two_names.yaml.
func (m *Migration) File() string { return FileName(m.Number, m.Name) }

// FileName returns the file's name of a migration.
func FileName(number int, name string) string { return fmt.Sprintf("%04d_%s.yaml", number, name) }

// CheckName refuses an invalid name of a migration.
func CheckName(name string) error {
	if !fileName.MatchString(FileName(1, name)) {
		return fault.Argument("name", fault.Pattern, name, fmt.Sprintf("name %q: write small letters, digits, _ and -, such as two_names", name))
	}
	return nil
}

// Checksum returns the SHA-256 of the text, in hex.
func (m *Migration) Checksum() string {
	sum := sha256.Sum256([]byte(m.Text))
	return hex.EncodeToString(sum[:])
}

// Parse reads a migration. file is a path whose last part is NNNN_name.yaml. Invalid YAML is
// fault.Malformed, more than 1 MiB fault.TooLarge. All errors in steps are returned together as
// fault.InvalidData, with their place as Source: "0007_two_names.yaml line 3, step 1".
// [Migration.Moves] checks the steps against the schema.
func Parse(file, text string) (*Migration, error) {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	parts := fileName.FindStringSubmatch(base)
	if parts == nil {
		return nil, fault.Argument("name", fault.Pattern, file, fmt.Sprintf("%s: a migration is called NNNN_name.yaml, such as 0001_two_names.yaml, with small letters, digits, _ and -", quote.Text(base, maxShown)))
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil || number < 1 || number > maxNumber {
		return nil, fault.Argument("name", fault.MinValue, file, base+": migrations are numbered from 0001")
	}
	root, err := parseTree(base, text)
	if err != nil {
		return nil, err
	}
	m := &Migration{Number: number, Name: parts[2], Text: text}
	r := reader{file: base}
	if root != nil {
		r.migration(m, root)
	}
	if len(r.problems) > 0 {
		return nil, fault.Invalid(r.problems)
	}
	return m, nil
}

// parseTree returns the mapping in a text's only document, or nil if the text has only
// comments.
func parseTree(file, text string) (*yaml.Node, error) {
	refused := func(kind fault.Kind, format string, args ...any) error {
		return fault.New(kind, "%s: %s", file, fmt.Sprintf(format, args...))
	}
	switch {
	case len(text) > maxText:
		return nil, refused(fault.TooLarge, "the migration has %d bytes; at most %d are allowed", len(text), maxText)
	case !utf8.ValidString(text):
		return nil, refused(fault.Malformed, "the migration is not valid UTF-8")
	}
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, refused(fault.Malformed, "the migration is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, refused(fault.Malformed, "line %d: the migration has more than one YAML document", second.Line)
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, refused(fault.Malformed, "line %d, column %d: the migration must be a mapping with description and steps, such as steps: [{add_property: {Task.due: date}}]", root.Line, root.Column)
	}
	if n := aliasIn(root); n != nil {
		return nil, refused(fault.Malformed, "line %d, column %d: YAML anchors and aliases are not allowed in a migration; write the value out", n.Line, n.Column)
	}
	return root, nil
}

// aliasIn returns an anchor or alias in a tree: with these a small text could expand without
// end.
func aliasIn(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return n
	}
	for _, child := range n.Content {
		if found := aliasIn(child); found != nil {
			return found
		}
	}
	return nil
}

// reader reads steps and collects the errors.
type reader struct {
	file     string
	step     int // the current step, from 1; 0 outside the steps
	problems []fault.FieldError
}

// Place returns the place of a step: "0007_two_names.yaml line 3, step 1".
func (m *Migration) Place(step int) string { return placeOf(m.File(), m.Steps[step-1].Line, step) }

func placeOf(file string, line, step int) string {
	place := fmt.Sprintf("%s line %d", file, line)
	if step > 0 {
		place += fmt.Sprintf(", step %d", step)
	}
	return place
}

func (r *reader) report(field string, code fault.Code, n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, fault.FieldError{
		Field: field, Code: code, Message: field + ": " + fmt.Sprintf(format, args...), Source: placeOf(r.file, n.Line, r.step),
	})
}

// members returns the values of a mapping by key; keys that are not in allowed are reported.
func (r *reader) members(field string, n *yaml.Node, allowed ...string) map[string]*yaml.Node {
	found := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.report(field, fault.Datatype, n, "this must be a mapping with %s", strings.Join(allowed, ", "))
		return found
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key := n.Content[i]; {
		case !slices.Contains(allowed, key.Value):
			r.report(field, fault.Closed, key, "there is no %q here; there are %s%s", key.Value, strings.Join(allowed, ", "), fault.DidYouMean(key.Value, allowed))
		case found[key.Value] != nil:
			r.report(field, fault.Unique, key, "%s is here twice; keep one", key.Value)
		default:
			found[key.Value] = n.Content[i+1]
		}
	}
	return found
}

// text reads a non-empty text. It returns "" for a missing member, and for an invalid one,
// which it reports.
func (r *reader) text(field string, n *yaml.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		r.report(field, fault.Datatype, n, "this must be a text")
		return ""
	}
	return n.Value
}

func (r *reader) migration(m *Migration, root *yaml.Node) {
	members := r.members("migration", root, "description", "steps")
	m.Description = r.text("description", members["description"])
	if count := utf8.RuneCountInString(m.Description); count > maxDescription {
		r.report("description", fault.MaxLength, members["description"], "it has %d characters; at most %d are allowed", count, maxDescription)
	}
	steps := members["steps"]
	switch {
	case steps == nil || steps.Tag == "!!null":
		return
	case steps.Kind != yaml.SequenceNode:
		r.report("steps", fault.Datatype, steps, "steps are a list, such as - add_property: {Task.due: date}")
		return
	case len(steps.Content) > maxSteps:
		r.report("steps", fault.MaxCount, steps, "there are %d steps; at most %d are allowed", len(steps.Content), maxSteps)
		return
	}
	m.filled = true
	for i, n := range steps.Content {
		r.step = i + 1
		if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
			r.report("steps", fault.Datatype, n, "a step is one word and what it is about, such as add_property: {Task.due: date}")
			continue
		}
		m.Steps = append(m.Steps, r.stepOf(n))
	}
}

func (r *reader) stepOf(n *yaml.Node) Step {
	s := Step{Line: n.Line, node: n}
	about := n.Content[1]
	switch word := Word(n.Content[0].Value); word {
	case Update:
		s.Word = word
		r.update(&s, about)
	case Split, Merge, Convert:
		s.Word = word
		r.values(&s, about)
	case Patch: // [Migration.Moves] reads it with the schema
	}
	return s
}

// history as the reverse of an update means that the update is reversed by history.
const history = "history"

func (r *reader) update(s *Step, n *yaml.Node) {
	members := r.members("update", n, "forward", "reverse")
	for i, key := range []string{"forward", "reverse"} {
		text := members[key]
		switch {
		case text != nil:
			s.at[i] = text.Line
			if text.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
				s.at[i]++ // a block's text begins on the line after its mark
			}
		case n.Kind == yaml.MappingNode && key == "reverse":
			r.report("update.reverse", fault.Required, n, `the way back is missing: write an update, or "reverse: history" to go back by the history`)
		case n.Kind == yaml.MappingNode:
			r.report("update.forward", fault.Required, n, "say what the update does")
		}
	}
	s.forward, s.reverse = r.text("update.forward", members["forward"]), r.text("update.reverse", members["reverse"])
	s.byHistory = strings.TrimSpace(s.reverse) == history
}

// examples show how to write split, merge and conversion.
var examples = map[Word]string{
	Split:   `split_property: {Person.name: {into: {first: string, last: string}, at: " "}}`,
	Merge:   `merge_property: {Person.name: {from: [first, last], with: " "}}`,
	Convert: `convert_property: {Task.size: decimal}`,
}

// values reads a split, a merge or a conversion.
func (r *reader) values(s *Step, n *yaml.Node) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		r.report(string(s.Word), fault.Datatype, n, "write it as %s", examples[s.Word])
		return
	}
	s.property = n.Content[0].Value
	_, own, ok := strings.Cut(s.property, ".")
	if !ok || own == "" {
		r.report(string(s.Word), fault.Pattern, n.Content[0], "a property is named with its type: %s", examples[s.Word])
		return
	}
	field, about := string(s.Word)+" "+s.property, n.Content[1]
	switch s.Word {
	case Patch, Update: // they move no values
	case Convert:
		s.words = about
		return
	case Split:
		members := r.members(field, about, "into", "at")
		s.others, s.between = r.list(field+" into", about, members["into"]), r.text(field+" at", members["at"])
	case Merge:
		members := r.members(field, about, "from", "with", "as")
		s.others, s.between, s.words = r.list(field+" from", about, members["from"]), r.text(field+" with", members["with"]), members["as"]
	}
	if s.between == "" {
		r.report(field, fault.Required, about, "say what stands between the values: %s", examples[s.Word])
	}
	if slices.ContainsFunc(s.others, func(o named) bool { return o.name == own }) {
		r.report(field, fault.Unique, about, "%s cannot be on both sides; rename it first", own)
	}
}

// list reads two or more properties: a list, or a mapping with declarations.
func (r *reader) list(field string, about, n *yaml.Node) (all []named) {
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			all = append(all, named{n.Content[i].Value, n.Content[i+1]})
		}
	case n.Kind == yaml.SequenceNode:
		for _, name := range n.Content {
			all = append(all, named{name: name.Value})
		}
	}
	for i, o := range all {
		if slices.ContainsFunc(all[:i], func(p named) bool { return p.name == o.name }) {
			r.report(field, fault.Unique, about, "%s is here twice", o.name)
		}
	}
	if len(all) < 2 {
		r.report(field, fault.MinCount, about, "name two properties or more")
	}
	return all
}
