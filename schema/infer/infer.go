// Package infer proposes a schema for data that has none: types, datatypes, references,
// what is required, unique or one of few values, with a comment on why. The proposal is
// text for a person to edit, and the data that it was made from fits it. It knows neither
// files nor formats: records are given to it one by one.
//
// Read [Proposal] first. Memory is bounded, whatever the number of records: what would
// need more than is held, such as whether millions of values differ, is not proposed.
package infer

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"trails/rdf"
	"trails/schema"
)

// Record is a node, or with Edge a link between two.
type Record struct {
	Type, ID string
	// Data are decoded JSON values by name; with Cells the texts of a table's cells.
	Data  map[string]any
	Cells bool
	// Names give the order of Data; without them it is that of the names.
	Names []string
	// Key is the column or member of Data that ID is from; KeyAsked says that the caller
	// named it, and did not only find it called id.
	Key      string
	KeyAsked bool
	// Named says that the data gives the type and the id beside its values, as records do.
	Named bool
	// Header says that these are the names of a table's columns, and no node; Unnamed are
	// those that the table does not say.
	Header  bool
	Unnamed map[string]bool
	// Edge is the name of a link, From and To are Type/id.
	Edge, From, To string
}

// Bounds of what is held.
const (
	maxHashes     = 2_000_000 // values that are remembered to be told apart, of all properties together
	maxTypes      = 1000
	maxProperties = 1000 // of a type
	maxTargets    = 50   // types that one property refers to
	fewValues     = 12   // of a property whose values are listed
	manyRows      = 50   // values that it must have
	shortText     = 60   // bytes of a value that is listed or told apart
)

// Proposal gathers what records have in common. The zero Proposal is ready to use. It is
// not safe for concurrent use.
type Proposal struct {
	// Conventions are those that the caller knows of; what they leave open is found out.
	Conventions Conventions
	// Strict proposes what all values fit. Without it a few bad ones do not decide, and the
	// rows that have them are not loaded.
	Strict bool

	types   []*typeStats
	byName  map[string]*typeStats
	hashes  int // held by all sets
	records int64
}

// typeStats are what the records of a type have.
type typeStats struct {
	name       string
	nodes      int64
	withID     int64
	ids        set
	shape      shape // of the ids
	properties []*propertyStats
	byName     map[string]*propertyStats
	cells      bool
	named      bool   // records say the type
	key        string // the property that the ids are from
	keyAsked   bool
	noKey      bool // the ids cannot be the nodes'

	decided     bool
	conventions Conventions
}

// propertyStats are what one property's values have. Of the cells of a table it is not
// known whether ";" separates values, so that both readings are kept.
type propertyStats struct {
	name     string // in the data
	nodes    int64  // that have it
	edges    int64
	ids      int64 // nodes whose id it is
	arrays   bool  // a value is an array
	vector   int   // the length that all arrays of numbers have; -1: they have none in common
	whole    values
	parts    values
	written  written
	split    bool     // a cell has ";"
	long     bool     // a cell has a long text, or none beside a ";"
	empty    bool     // a cell is an empty JSON array
	again    bool     // a node has it that came before
	unnamed  bool     // the column has no name of its own
	sameLang bool     // a node has two texts of one language
	loose    int      // how often a check has refused what was proposed
	bad      []string // the first values that are not as proposed, with their places
}

// Add takes one record. It refuses a type or property beyond the bounds.
func (p *Proposal) Add(r Record) error {
	if !r.Header {
		p.records++
	}
	if r.Edge != "" {
		return p.addEdge(r)
	}
	t, err := p.typeOf(r.Type)
	if err != nil {
		return err
	}
	t.cells, t.named = t.cells || r.Cells, t.named || r.Named
	if r.Key != "" {
		t.key, t.keyAsked = r.Key, r.KeyAsked
	}
	names := r.Names
	if names == nil {
		names = slices.Sorted(maps.Keys(r.Data))
	}
	if r.Cells {
		names = r.byLanguage(names)
	}
	if r.Header {
		for _, name := range names {
			s, err := t.property(name)
			if err != nil {
				return err
			}
			s.unnamed = r.Unnamed[name]
		}
		return nil
	}
	t.nodes++
	again := false
	if r.ID != "" {
		t.withID++
		t.shape.add(r.ID)
		again = !t.ids.add(p, r.ID)
	}
	for _, name := range names {
		s, err := t.property(name)
		if err != nil {
			return err
		}
		s.again = s.again || again && r.Named && r.Data[name] != nil
		switch v := r.Data[name].(type) {
		case nil:
		case []any:
			s.arrays = true
			s.sameLang = s.sameLang || repeatsLanguage(v)
			if len(v) > 0 {
				s.nodes++
				s.addArray(p, v)
			}
		default:
			s.nodes++
			if text, isText := v.(string); isText && text == r.ID {
				s.ids++
			}
			s.add(p, v, r.Cells)
		}
	}
	return nil
}

func (p *Proposal) addEdge(r Record) error {
	name, _, _ := strings.Cut(r.From, "/")
	t, err := p.typeOf(name)
	if err != nil {
		return err
	}
	t.named = true
	s, err := t.property(r.Edge)
	if err != nil {
		return err
	}
	s.edges++
	s.whole.add(p, r.To, false)
	return nil
}

func (p *Proposal) typeOf(name string) (*typeStats, error) {
	if t := p.byName[name]; t != nil {
		return t, nil
	}
	if !typeName.MatchString(name) {
		return nil, fmt.Errorf("%q cannot be the name of a type, which begins with an upper-case letter and has letters and digits", name)
	}
	if len(p.types) == maxTypes {
		return nil, fmt.Errorf("the data has more than %d types", maxTypes)
	}
	t := &typeStats{name: name, byName: map[string]*propertyStats{}}
	if p.byName == nil {
		p.byName = map[string]*typeStats{}
	}
	p.types, p.byName[name] = append(p.types, t), t
	return t, nil
}

func (t *typeStats) property(name string) (*propertyStats, error) {
	if s := t.byName[name]; s != nil {
		return s, nil
	}
	if len(t.properties) == maxProperties {
		return nil, fmt.Errorf("%s has more than %d properties", t.name, maxProperties)
	}
	s := &propertyStats{name: name}
	t.properties, t.byName[name] = append(t.properties, s), s
	return s, nil
}

// addArray takes the values of one node.
func (s *propertyStats) addArray(p *Proposal, array []any) {
	if s.vector == 0 {
		s.vector = len(array)
	}
	if s.vector != len(array) || slices.ContainsFunc(array, func(v any) bool { _, isNumber := number(v); return !isNumber }) {
		s.vector = -1
	}
	for _, v := range array {
		s.whole.add(p, v, false)
	}
}

// add takes the value of one node. The text of a cell is one value, and several.
func (s *propertyStats) add(p *Proposal, v any, cells bool) {
	text, isText := v.(string)
	s.whole.add(p, v, cells && isText)
	if cells && isText {
		s.written.add(text)
	}
	if !cells || !isText || s.long {
		return
	}
	parts, isArray := cellParts(text)
	s.split, s.empty = s.split || len(parts) > 1 || isArray, s.empty || len(parts) == 0
	for _, part := range parts {
		short, isText := part.(string)
		s.long = s.long || !isText || !isArray && short == "" || len(short) > shortText
	}
	if s.long {
		s.parts.forget(p)
		return
	}
	for _, part := range parts {
		s.parts.add(p, part, !isArray)
	}
}

// cellParts are the values of a cell that has many: the texts between ";", or those of a
// JSON array.
func cellParts(text string) (parts []any, isArray bool) {
	if strings.HasPrefix(strings.TrimSpace(text), "[") && json.Unmarshal([]byte(text), &parts) == nil {
		return parts, true
	}
	parts = nil
	for part := range strings.SplitSeq(text, ";") {
		parts = append(parts, strings.TrimSpace(part))
	}
	return parts, false
}

// set remembers texts by their hashes, while there is room.
type set struct {
	hashes map[uint64]struct{}
	twice  bool // a text was added again
	over   bool // there was no room, or a text that is not remembered
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	return h.Sum64()
}

// add reports false for a text that is known to have been added before.
func (s *set) add(p *Proposal, text string) (fresh bool) {
	if s.over {
		return true
	}
	// Texts that differ in spelling alone are one value where values are unique.
	if len(text) > 4*shortText || p.hashes >= maxHashes || !norm.NFC.IsNormalString(text) {
		s.forget(p)
		return true
	}
	if s.hashes == nil {
		s.hashes = map[uint64]struct{}{}
	}
	h := hash(text)
	if _, known := s.hashes[h]; known {
		s.twice = true
		return false
	}
	s.hashes[h] = struct{}{}
	p.hashes++
	return true
}

// forget gives the room back.
func (s *set) forget(p *Proposal) {
	p.hashes -= len(s.hashes)
	*s = set{over: true}
}

// missing counts what was added and is not in another set; all of it when that is not known.
func (s *set) missing(other *set) (n int64) {
	if s.over || other.over {
		return math.MaxInt64
	}
	for h := range s.hashes {
		if _, ok := other.hashes[h]; !ok {
			n++
		}
	}
	return n
}

// within reports whether all that was added is in another set; false when that is not known.
func (s *set) within(other *set) bool {
	return s.missing(other) == 0
}

var (
	typeName     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	propertyName = regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)
)

// TypeName makes a type's name of a file's: order-items is OrderItems.
func TypeName(file string) string {
	name := camel(file, true)
	if name == "" || !typeName.MatchString(name) {
		name = "T" + name
	}
	name = name[:min(len(name), longName)]
	if !schema.FreeTypeName(name) { // it is a tool's, or has too long ones
		name = "T" + name[:min(len(name), longName/2)]
	}
	return name
}

// longName is where a name that is made of a text ends.
const longName = 50

// Folded is what two names have in common that a person takes for one: their letters and
// digits, whatever the case and the accents. Full time and fullTime are one.
func Folded(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// ColumnName is a name on one line: white space is one blank, and what is not seen is left
// out.
func ColumnName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, name)
	return strings.Join(strings.Fields(name), " ")
}

// camel joins the words of a text; the letters that names cannot have are left out.
func camel(text string, upper bool) string {
	var b strings.Builder
	begin := true
	for _, r := range norm.NFKD.String(text) {
		switch isWord := r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)); {
		case unicode.Is(unicode.Mn, r):
		case !isWord:
			begin = begin || !unicode.IsLetter(r)
		case begin && (upper || b.Len() > 0):
			b.WriteRune(unicode.ToUpper(r))
			begin = false
		default:
			b.WriteRune(r)
			begin = false
		}
	}
	return b.String()
}

// byLanguage puts the cells of columns that are called as title@en together, each with its
// language, as those of one column, and returns the names then.
func (r *Record) byLanguage(names []string) []string {
	var out []string
	var data map[string]any
	for _, name := range names {
		base, tag, tagged := rdf.SplitLang(name)
		if primary, _, _ := strings.Cut(tag, "-"); !tagged || base == "" || slices.Contains(names, base) || len(primary) > longestLanguage {
			out = append(out, name)
			continue
		}
		if data == nil {
			data = maps.Clone(r.Data)
		}
		delete(data, name)
		if !slices.Contains(out, base) {
			out = append(out, base)
			if !r.Header {
				data[base] = []any{}
			}
		}
		if text, _ := r.Data[name].(string); text != "" && !r.Header {
			list, _ := data[base].([]any)
			data[base] = append(list, schema.LangJSON(text, tag))
		}
	}
	if data != nil {
		r.Data = data
	}
	return out
}

// longestLanguage is how many letters the codes of ISO 639 have: what is longer behind an @ is
// likely to be no language.
const longestLanguage = 3

// repeatsLanguage reports whether two texts of a list have one language.
func repeatsLanguage(list []any) bool {
	seen := map[string]bool{}
	for _, v := range list {
		if members, isObject := v.(map[string]any); isObject {
			tag, _ := members[schema.LangTag].(string)
			if tag = rdf.LangTag(tag); seen[tag] {
				return true
			}
			seen[tag] = true
		}
	}
	return false
}
