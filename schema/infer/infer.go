// Package infer proposes a schema for data without one: types, datatypes, references, required,
// unique and enumerated properties, with a comment on the reason for each. The proposal is text
// for a person to edit, and the data from which it was made is valid under it. The package
// knows neither files nor formats: it gets records one by one.
//
// Read [Proposal] first. Memory is bounded for any number of records. What would need more
// memory, such as uniqueness of millions of values, is not proposed.
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

// Record is a node or, with Edge, a link between two nodes.
type Record struct {
	Type, ID string
	// Data holds decoded JSON values by name or, with Cells, the texts of a table's cells.
	Data  map[string]any
	Cells bool
	// Names gives the order of Data; without it names are sorted.
	Names []string
	// Key is the column or member of Data that holds the ID. KeyAsked means that the caller
	// named it; else it was found because it is called id.
	Key      string
	KeyAsked bool
	// Named means that the data contains the type and the id beside the values, as records do.
	Named bool
	// Header means that the record gives a table's column names, and is no node. Unnamed are
	// columns without a name of their own.
	Header  bool
	Unnamed map[string]bool
	// Sheets are, with Header, those of the workbook that are not hidden.
	Sheets []string
	// Line is where a row of a table is in its input, from 1.
	Line int
	// Edge is the name of a link; From and To are its ends, as Type/id.
	Edge, From, To string
}

// Bounds of memory and of what is proposed.
const (
	maxHashes     = 2_000_000 // hashes of values kept to count distinct ones, over all properties
	maxTypes      = 1000
	maxProperties = 1000 // per type
	maxTargets    = 50   // types that one property may refer to
	fewValues     = 12   // values of an enumerated property
	manyRows      = 50   // values needed to propose an enumeration
	shortText     = 60   // bytes of a value that is enumerated or hashed
	itemWords     = 5    // words of a value among several in a cell
)

// Proposal collects statistics of records and proposes a schema from them. The zero Proposal is
// ready to use. It is not safe for concurrent use.
type Proposal struct {
	// Conventions are those the caller knows; empty fields are inferred.
	Conventions Conventions
	// Strict proposes only what all values fit. Otherwise a few bad values are tolerated, and a
	// load leaves out their rows.
	Strict bool
	// Given are decisions of a person about columns of tables, by the one-line names of the columns. Values that do not
	// fit a decision are bad, however many they are.
	Given map[string]Given
	// Labels means that rows are loaded in a way in which references may be labels.
	Labels bool

	types   []*typeStats
	byName  map[string]*typeStats
	hashes  int // used by all sets
	records int64
}

// Given is what a person decided about a column. The zero Given decides nothing.
type Given struct {
	// Skip leaves the column out.
	Skip bool
	// Property is the name of the property, if it is not to be made from that of the column.
	Property string
	// Kind is a datatype, or the name of a type for a reference.
	Kind string
}

// givenOf returns the decision about a column of a table.
func (p *Proposal) givenOf(t *typeStats, s *propertyStats) Given {
	if t.named {
		return Given{}
	}
	return p.Given[ColumnName(s.name)]
}

// typeStats are the statistics of a type's records.
type typeStats struct {
	name       string
	nodes      int64
	withID     int64
	ids        set
	shape      shape // the common form of the ids
	properties []*propertyStats
	byName     map[string]*propertyStats
	cells      bool
	workbook   bool   // its cells are of a workbook
	named      bool   // the data contains the type
	key        string // the property that holds the ids
	keyAsked   bool
	noKey      bool   // the ids cannot identify nodes
	refused    string // why a load refused one

	decided     bool
	conventions Conventions
}

// propertyStats are the statistics of a property. Whether ";" separates values in a table's
// cells is not known in advance, so whole cells and their parts are both counted. Until the two differ, only whole
// cells are.
type propertyStats struct {
	name     string // as in the data
	nodes    int64  // nodes with a value
	edges    int64
	ids      int64 // nodes whose value is their id
	arrays   bool  // a value is an array
	vector   int   // the common length of all arrays of numbers; -1 if they differ
	whole    values
	parts    values
	apart    bool // parts differ from whole; otherwise parts are not counted
	written  written
	split    bool             // a cell has ";"
	prose    bool             // a part beside a ";" is long, empty or a piece of a sentence
	empty    bool             // a cell is an empty JSON array, or has spaces alone
	again    bool             // a node has it in several records
	unnamed  bool             // the column has no name in the data
	sameLang bool             // a node has two texts in one language
	loose    int              // how often the proposal for it was refused
	refused  string           // the first reason
	noValue  map[string]int64 // cells that may say that there is no value, by their text
	bad      []string         // the first values that do not fit, with their places
}

// Add counts one record. It refuses more types or properties than the bounds.
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
	t.workbook = t.workbook || len(r.Sheets) > 0
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
			text, isText := v.(string)
			if isText && strings.TrimSpace(text) == "" {
				text = " " // how many spaces there are says nothing
			}
			if r.Cells && isText && (isNoValue(text) || text == " ") && text != r.ID {
				if s.noValue == nil {
					s.noValue = map[string]int64{}
				}
				s.noValue[text]++
				continue
			}
			s.nodes++
			if isText && text == r.ID {
				s.ids++
			}
			s.add(p, v, r.Cells)
		}
	}
	return nil
}

// countNoValues counts the cells such as N/A, or of spaces alone, of columns whose values are texts: they are texts, too.
func (p *Proposal) countNoValues() {
	for _, t := range p.types {
		for _, s := range t.properties {
			word, _ := p.byConvention(t, s)
			if word != "" || len(s.whole.fit) > 0 && !s.isText() {
				continue
			}
			for _, text := range slices.Sorted(maps.Keys(s.noValue)) {
				for range s.noValue[text] {
					s.nodes++
					s.add(p, text, true)
				}
			}
			s.noValue = nil
		}
	}
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
	s.divide(p)
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
		return nil, fmt.Errorf("%s has more than %d properties; give the data fewer columns or members, in tables that refer to each other, or as names and values in rows", t.name, maxProperties)
	}
	s := &propertyStats{name: name}
	t.properties, t.byName[name] = append(t.properties, s), s
	return s, nil
}

// addArray counts the values of one node.
func (s *propertyStats) addArray(p *Proposal, array []any) {
	if s.vector == 0 {
		s.vector = len(array)
	}
	if s.vector != len(array) || slices.ContainsFunc(array, func(v any) bool { _, isNumber := number(v); return !isNumber }) {
		s.vector = -1
	}
	s.divide(p)
	for _, v := range array {
		s.whole.add(p, v, false)
	}
}

// divide begins to count parts of cells by themselves.
func (s *propertyStats) divide(p *Proposal) {
	if !s.apart {
		s.apart = true
		if !s.prose {
			s.parts = s.whole.clone(p)
		}
	}
}

// add counts the value of one node. A cell is counted both as one value and as several.
func (s *propertyStats) add(p *Proposal, v any, cells bool) {
	text, isText := v.(string)
	var parts []any
	isArray := false
	if cells && isText && !s.prose {
		parts, isArray = cellParts(text)
	}
	if !isArray && len(parts) == 1 && parts[0] == v && !s.apart {
		s.prose = len(text) > shortText || text == ""
		parts = nil
	} else {
		s.divide(p)
	}
	s.whole.add(p, v, cells && isText)
	if cells && isText {
		s.written.add(text)
	}
	if !cells || !isText || s.prose || !s.apart {
		return
	}
	s.split, s.empty = s.split || len(parts) > 1 || isArray, s.empty || len(parts) == 0
	for _, part := range parts {
		short, isText := part.(string)
		s.prose = s.prose || !isText || !isArray && (short == "" || len(parts) > 1 && isSentence(short)) || len(short) > shortText
	}
	if s.prose {
		s.parts.forget(p)
		return
	}
	for _, part := range parts {
		s.parts.add(p, part, !isArray)
	}
}

// isSentence reports a text that reads as a piece of a sentence, by quotation marks, the mark at its end or many words.
// A ";" beside it separates no values. Commas and full stops say nothing: names of authors have both.
func isSentence(text string) bool {
	return strings.ContainsAny(text, `"“”„«»`) || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") || len(strings.Fields(text)) > itemWords
}

// cellParts returns the values of a cell with several: the texts between ";", or the elements
// of a JSON array.
func cellParts(text string) (parts []any, isArray bool) {
	if strings.HasPrefix(strings.TrimSpace(text), "[") && json.Unmarshal([]byte(text), &parts) == nil {
		return parts, true
	}
	parts = nil
	if strings.TrimSpace(text) == "" {
		return nil, false // a cell of spaces has none
	}
	for part := range strings.SplitSeq(text, ";") {
		parts = append(parts, strings.TrimSpace(part))
	}
	return parts, false
}

// set is a set of texts, kept as hashes while memory is left.
type set struct {
	hashes map[uint64]struct{}
	twice  bool // a text was added again
	over   bool // texts are missing: no memory was left, or one could not be hashed
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	return h.Sum64()
}

// add reports false for a text that is known to be in the set.
func (s *set) add(p *Proposal, text string) (fresh bool) {
	if s.over {
		return true
	}
	// Values that differ only in Unicode normalization count as equal where values are unique.
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

// clone is a copy that can be added to by itself.
func (s *set) clone(p *Proposal) set {
	if p.hashes+len(s.hashes) > maxHashes {
		return set{over: true}
	}
	p.hashes += len(s.hashes)
	return set{hashes: maps.Clone(s.hashes), twice: s.twice, over: s.over}
}

// forget frees the memory.
func (s *set) forget(p *Proposal) {
	p.hashes -= len(s.hashes)
	*s = set{over: true}
}

// missing counts the texts that are not in other; it is the largest int64 if that is unknown.
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

// within reports whether all texts are in other; false if that is unknown.
func (s *set) within(other *set) bool {
	return s.missing(other) == 0
}

var (
	typeName     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	propertyName = regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)
)

// IsTypeName reports whether a type can have this name.
func IsTypeName(name string) bool { return typeName.MatchString(name) && schema.FreeTypeName(name) }

// TypeName makes a type's name from a file's: order-items becomes OrderItems.
func TypeName(file string) string {
	name := camel(file, true)
	if name == "" || !typeName.MatchString(name) {
		name = "T" + name
	}
	name = name[:min(len(name), longName)]
	if !schema.FreeTypeName(name) { // a name that a tool uses, or with too many letters
		name = "T" + name[:min(len(name), longName/2)]
	}
	return name
}

// PropertyName makes a property's name from the title of a column or field: Full name becomes fullName.
func PropertyName(title string) string {
	name := camel(title, false)
	switch {
	case name == strings.ToUpper(name):
		name = strings.ToLower(name)
	case name != "":
		name = strings.ToLower(name[:1]) + name[1:]
	}
	if !propertyName.MatchString(name) {
		name = "column" + name
	}
	name = name[:min(len(name), longName)]
	if schema.ReservedProperty(name) {
		name += "Value"
	}
	return name
}

// longName is the length at which a name made from a text is cut.
const longName = 50

// Folded returns the letters and digits of a name, without case and accents. People take names
// with the same Folded for the same: Full time and fullTime.
func Folded(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// ColumnName returns a name on one line: white space becomes one space, and invisible
// characters are dropped.
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

// camel joins the words of a text, without characters that names cannot have.
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

// byLanguage combines the cells of columns named like title@en and title@de into one column
// with language tags, and returns the new column names.
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

// longestLanguage is the length of the codes of ISO 639: longer text after an @ is probably no
// language.
const longestLanguage = 3

// repeatsLanguage reports whether two texts of a list have the same language.
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
