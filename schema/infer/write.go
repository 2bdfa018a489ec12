package infer

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/schema"
	"trails/text/outline"
)

func quoteMeta(text string) string { return regexp.QuoteMeta(text) }

// times returns the quantifier of a regular expression.
func times(least, most int) string {
	switch {
	case least == 1 && most == 1:
		return ""
	case least == most:
		return fmt.Sprintf("{%d}", least)
	}
	return "+"
}

// Renamed is a column or member that a load cannot match to a property by name. Property is ""
// if it is to be left out.
type Renamed struct{ Name, Property string }

// Renamed returns the columns that a load of a type's rows must map to properties.
func (p *Proposal) Renamed(typeName string) []Renamed {
	t := p.byName[typeName]
	if t == nil || t.named {
		return nil
	}
	names, folded := p.names(t), map[string]int{}
	for _, name := range names {
		folded[Folded(name)]++
	}
	var out, kept []Renamed
	for _, s := range t.properties {
		name := names[s]
		words, _ := p.property(t, s)
		switch found := s.name == name || Folded(s.name) == Folded(name) && folded[Folded(name)] == 1; {
		case t.isKey(s) && !t.keyAsked:
		case words == nil:
			out = append(out, Renamed{s.name, ""})
		case !found || t.isID(s.name): // a mapped column cannot hold the ids
			out = append(out, Renamed{s.name, name})
		default:
			kept = append(kept, Renamed{s.name, name})
		}
	}
	return sortRenamed(out, kept)
}

// RenamedRecords returns the members whose properties have other names, over the records of all
// types.
func (p *Proposal) RenamedRecords() []Renamed {
	known, same := map[string]string{}, map[string]string{}
	for _, t := range p.types {
		if !t.named {
			continue
		}
		for s, name := range p.names(t) {
			switch words, _ := p.property(t, s); {
			case words == nil:
				known[s.name] = ""
			case name != s.name:
				known[s.name] = name
			default:
				same[s.name] = name
			}
		}
	}
	var out, kept []Renamed
	for name, property := range known {
		out = append(out, Renamed{name, property})
	}
	for name, property := range same {
		if _, renamed := known[name]; !renamed {
			kept = append(kept, Renamed{name, property})
		}
	}
	return sortRenamed(out, kept)
}

// sortRenamed sorts the mappings, and writes names on one line where a load still finds them. A column
// that keeps its name is added if another one looks the same on one line.
func sortRenamed(renamed, kept []Renamed) []Renamed {
	shown := map[string]int{}
	for _, r := range renamed {
		shown[ColumnName(r.Name)]++
	}
	for _, k := range kept {
		if name := ColumnName(k.Name); shown[name] > 0 {
			renamed = append(renamed, k)
			shown[name]++
		}
	}
	for i, r := range renamed {
		if name := ColumnName(r.Name); name != "" && shown[name] == 1 {
			renamed[i].Name = name
		}
	}
	sort.SliceStable(renamed, func(i, j int) bool {
		a, b := renamed[i], renamed[j]
		return cmp.Or(cmp.Compare(a.Property, b.Property), cmp.Compare(a.Name, b.Name)) < 0
	})
	return renamed
}

// Key returns the column or member with the ids of a type's rows; "" if a load finds it itself
// or there is none.
func (p *Proposal) Key(typeName string) string {
	if t := p.byName[typeName]; t != nil && t.keyAsked && t.hasKey() {
		return t.key
	}
	return ""
}

// keyNames are names, and last words of names, of columns that hold ids.
var keyNames = []string{"id", "key", "code", "no", "nr", "number", "sku", "slug", "uuid", "guid", "isbn", "identifier"}

// FindKeys finds the id column of tables without one: the first column with distinct values and
// a name from keyNames, or called as its table. Call it after the last record.
func (p *Proposal) FindKeys() {
	p.countNoValues()
	for _, t := range p.types {
		if t.named || !t.cells || t.key != "" || t.nodes < 2 {
			continue
		}
		for _, s := range t.properties {
			words := strings.Fields(strings.ToLower(strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(s.name)))
			called := len(words) > 0 && slices.Contains(keyNames, words[len(words)-1]) || strings.HasSuffix(s.name, "Id") || strings.HasSuffix(s.name, "ID") ||
				len(t.properties) > 1 && Folded(s.name) == Folded(t.name)
			of := &s.whole
			if called && s.nodes == t.nodes && !of.distinct.over && !of.distinct.twice && !of.spaced && !of.typed && !s.arrays && (s.isText() || s.isNumber() && of.fit[0] == "integer") {
				t.key, t.keyAsked, t.withID, t.ids, s.ids = s.name, true, t.nodes, of.distinct, s.nodes
				t.shape = of.shape
				break
			}
		}
	}
}

// hasKey reports whether the ids identify the nodes: they are all distinct.
func (t *typeStats) hasKey() bool {
	return t.named || t.key != "" && !t.noKey && (t.withID > 0 || t.nodes == 0) && !t.ids.twice
}

// isKey reports whether a property holds the ids.
func (t *typeStats) isKey(s *propertyStats) bool { return !t.named && s.name == t.key && t.hasKey() }

// isID reports whether a load reads a column with this name as the ids.
func (t *typeStats) isID(name string) bool { return !t.keyAsked && strings.EqualFold(name, "id") }

// References returns the types to which nodes of a type refer.
func (p *Proposal) References(typeName string) []string {
	var out []string
	if t := p.byName[typeName]; t != nil {
		for _, s := range t.properties {
			of, _ := s.valued()
			if class, because := p.reference(s, of); because != "" {
				out = append(out, strings.TrimPrefix(class, "class: "))
			}
		}
	}
	return out
}

// Loosen weakens the proposal for what a load refused: first a property keeps only a type, then
// it is left out. What was decided stands. It reports whether anything could be weakened.
func (p *Proposal) Loosen(f fault.FieldError) bool {
	name, _, _ := strings.Cut(f.Node, "/")
	t := p.byName[name]
	if t == nil {
		return false
	}
	if !t.named && t.hasKey() && (f.Code == fault.MaxCount || f.Field == "id" || f.Field == t.key) {
		t.noKey, t.refused = true, ColumnName(f.Message)
		return true
	}
	for s, name := range p.names(t) {
		if name != f.Field && s.name != f.Field && ColumnName(s.name) != f.Field || s.loose > 1 || p.givenOf(t, s).Kind != "" {
			continue
		}
		if f.Code == fault.MaxCount && !s.again {
			s.again = true
			return true
		}
		s.loose++
		s.refused = cmp.Or(s.refused, ColumnName(f.Message))
		return true
	}
	return false
}

// LoosenAll is [Proposal.Loosen] for all that a load refused.
func (p *Proposal) LoosenAll(fields []fault.FieldError) (loosened bool) {
	for _, f := range fields {
		loosened = p.Loosen(f) || loosened
	}
	return loosened
}

// names gives each property of a type a name that a schema accepts. Members with the same name
// in records of several types get the same name.
func (p *Proposal) names(t *typeStats) map[*propertyStats]string {
	called := t.properties
	if t.named {
		called = nil
		for _, other := range p.types {
			if other.named {
				called = append(called, other.properties...)
			}
		}
	}
	given, taken := map[string]string{}, map[string]bool{}
	for _, s := range t.properties {
		if g := p.givenOf(t, s); g.Property != "" {
			given[s.name], taken[g.Property] = g.Property, true
		}
	}
	for _, s := range called {
		if given[s.name] == "" && !taken[s.name] && propertyName.MatchString(s.name) && !schema.ReservedProperty(s.name) && len(s.name) <= longName {
			given[s.name], taken[s.name] = s.name, true
		}
	}
	for _, s := range called {
		if given[s.name] != "" {
			continue
		}
		name := PropertyName(s.name)
		free := name
		for n := 2; taken[free]; n++ {
			free = name + strconv.Itoa(n)
		}
		given[s.name], taken[free] = free, true
	}
	names := make(map[*propertyStats]string, len(t.properties))
	for _, s := range t.properties {
		names[s] = given[s.name]
	}
	return names
}

// YAML returns the proposed schema, with the reason for each line in a comment. The same
// records in the same order give the same text.
func (p *Proposal) YAML() []byte {
	p.countNoValues()
	var b strings.Builder
	fmt.Fprintf(&b, "# Proposed from %s. Read it through: what held for them may not hold for the next.\n", fault.Counted(p.records, "record"))
	if len(p.types) == 0 {
		return []byte(b.String() + "types: {}\n")
	}
	b.WriteString("types:\n")
	for _, t := range p.types {
		p.writeType(&b, t)
	}
	return []byte(b.String())
}

func (p *Proposal) writeType(b *strings.Builder, t *typeStats) {
	fmt.Fprintf(b, "  %s: # %s\n", t.name, fault.Counted(t.nodes, "record"))
	names := p.names(t)
	proposed, reasons := make([][]string, len(t.properties)), make([][]string, len(t.properties))
	for i, s := range t.properties {
		proposed[i], reasons[i] = p.property(t, s)
	}
	if label := p.labelOf(t); label != nil {
		fmt.Fprintf(b, "    label: %s # what people read\n", names[label])
	}
	switch pattern := t.shape.pattern(); {
	case !t.hasKey() && t.withID > 0:
		fmt.Fprintf(b, "    # %q is no id: %s; nodes are given theirs\n", ColumnName(t.key), cmp.Or(t.refused, "one is there twice"))
	case t.withID == t.nodes && t.nodes > 0:
		b.WriteString("    iri: preserve # every record has its id")
		if pattern != "" {
			b.WriteString(", and all match " + pattern)
		}
		b.WriteByte('\n')
	case t.withID > 0:
		fmt.Fprintf(b, "    # %d records have an id, the others are given one\n", t.withID)
	}
	begun := false
	for i, s := range t.properties {
		if t.isKey(s) && !t.keyAsked {
			continue
		}
		if !begun {
			b.WriteString("    properties:\n")
			begun = true
		}
		words, why := proposed[i], reasons[i]
		switch label := p.label(t, s, names[s]); {
		case label != "" && words != nil:
			words = append(words, "label: "+strconv.Quote(label))
		case names[s] != s.name:
			why = append(why, fmt.Sprintf("called %q in the data", s.name))
		}
		if words == nil {
			fmt.Fprintf(b, "      # %s is left out: %s\n", names[s], strings.Join(why, "; "))
			continue
		}
		fmt.Fprintf(b, "      %s: {%s} # %s\n", key(names[s]), strings.Join(words, ", "), strings.Join(why, "; "))
	}
}

// labelOf returns the property by whose values people call the records, nil for none.
func (p *Proposal) labelOf(t *typeStats) (label *propertyStats) {
	for _, s := range t.properties {
		if !slices.Contains([]string{"name", "title", "label", "fullname", "displayname"}, Folded(s.name)) {
			continue
		}
		words, _ := p.property(t, s)
		isText := len(words) > 0 && words[0] == "type: string" && !s.many() && s.nodes == t.nodes && t.nodes > 0
		exact := slices.Contains([]string{"name", "title", "label"}, s.name)
		if isText && (label == nil || exact && label.name != "name") {
			label = s
		}
	}
	return label
}

// label returns the head of a table's column, if pages would show other words for the property's name; "" if
// they would not, if a person chose the name, and for members of records, whose names are for programs. A longer
// head than a label can be is cut.
func (p *Proposal) label(t *typeStats, s *propertyStats, name string) string {
	label := ColumnName(s.name)
	if !t.cells || t.named || s.unnamed || name == s.name || p.givenOf(t, s).Property != "" || label == schema.Words(name) || strings.ContainsRune(label, utf8.RuneError) {
		return ""
	}
	return outline.Begin(label, schema.MaxLabel-1)
}

// many reports whether a node may have several values.
func (s *propertyStats) many() bool {
	return s.arrays || s.edges > 0 || s.split && !s.prose || s.again
}

// valued returns the statistics to use: of whole cells, or of their parts.
func (s *propertyStats) valued() (of *values, parts bool) {
	if s.split && !s.prose {
		return &s.parts, true
	}
	return &s.whole, false
}

// property returns the declaration of a property, and the reasons; nil if it is left out. A
// member that one type of records must leave out is left out of all, because a load maps
// members by name alone.
func (p *Proposal) property(t *typeStats, s *propertyStats) (words, why []string) {
	words, why = p.declared(t, s)
	if words == nil || !t.named {
		return words, why
	}
	for _, other := range p.types {
		if same := other.byName[s.name]; other.named && other != t && same != nil {
			if taken, _ := p.declared(other, same); taken == nil {
				return nil, []string{"the values that " + other.name + " has cannot be loaded"}
			}
		}
	}
	return words, why
}

// declared returns what one type alone declares of a property.
func (p *Proposal) declared(t *typeStats, s *propertyStats) (words, why []string) {
	of, _ := s.valued()
	given := p.givenOf(t, s)
	switch {
	case given.Skip:
		return nil, []string{"as decided"}
	case given.Kind != "":
		return asGiven(t, s, given.Kind), append([]string{"as decided"}, s.badCells()...)
	case s.loose > 1:
		return nil, []string{"its values cannot be loaded as anything"}
	case of.count == 0 && s.unnamed && t.nodes > 0:
		return nil, []string{"it has neither a name nor a value"}
	case of.count == 0 && s.many():
		return []string{"type: string", "many: true"}, []string{"no record has a value"}
	case of.count == 0:
		return []string{"type: string"}, []string{"no record has a value"}
	}
	if s.edges > 0 {
		why = append(why, fault.Counted(s.edges, "edge"))
	}
	if s.nodes > 0 {
		why = append(why, fmt.Sprintf("in %d of %d", s.nodes, t.nodes))
	}
	for _, text := range slices.Sorted(maps.Keys(s.noValue)) {
		why = append(why, strconv.Quote(text)+" is no value")
	}
	if word, because := p.byConvention(t, s); because != "" && s.loose == 0 && !s.many() {
		why = append(append(why, because), s.badCells()...)
		if word != "" {
			words = append(words, "type: "+word)
			if s.nodes == t.nodes && t.nodes > 0 {
				words = append(words, "required: true")
			}
			return words, why
		}
	}
	class, because := p.reference(s, of)
	if because == "" {
		class, because = p.labelReference(s, of)
	}
	if because == "" && s.loose == 0 && s.tolerated(p) {
		if class, because = p.nearReference(t, s, of); because == "" && (len(of.fit) == 0 || of.fit[0] == "string") {
			if word, bad := of.mostly(); word != "" {
				because, class = fmt.Sprintf("all but %d are", bad), "type: "+word
			}
		}
		if because != "" {
			why = append(append(why, because), s.badCells()...)
			if words = append(words, class); s.nodes == t.nodes && t.nodes > 0 {
				words = append(words, "required: true")
			}
			return words, why
		}
	}
	if s.loose > 0 {
		class, because = "", ""
		why = append(why, "what was seen in its values does not hold for a load: "+s.refused)
	}
	switch {
	case because != "":
		words, why = append(words, class), append(why, because)
	case s.vector >= 8 && s.edges == 0 && s.nodes > 0 && int64(s.vector)*s.nodes == of.count && !slices.Contains(of.fit, "integer"):
		return append(words, "type: vector", fmt.Sprintf("dim: %d", s.vector)), append(why, fmt.Sprintf("all are %d numbers", s.vector))
	case len(of.fit) == 0 && s.edges == 0:
		return nil, append(why, "its values are of several kinds, or objects")
	case s.edges > 0:
		words = append(words, "type: iri")
	case s.loose > 0 && slices.Contains(of.fit, "string"):
		words = append(words, "type: string")
	default:
		words = append(words, "type: "+of.fit[0])
		if n, word := s.half(); of.fit[0] == "string" && word != "" {
			why = append(why, fmt.Sprintf("%d of %d fit type: %s, which would refuse the others", n, of.count, word))
		}
	}
	if s.nodes == t.nodes && t.nodes > 0 && s.edges == 0 && !(s.empty && s.many()) {
		words = append(words, "required: true")
	}
	if s.many() {
		words = append(words, "many: true")
		if s.split {
			why = append(why, `cells have several values, with ";" between them or as JSON`)
		}
	}
	if because != "" || s.edges > 0 || s.loose > 0 {
		return words, why
	}
	if of.fit[0] == langString && s.many() && !s.sameLang {
		words, why = append(words, "unique_lang: true"), append(why, "no two texts of a record are in one language")
	}
	enough := of.fit[0] == "string" && of.count >= 20 || of.fit[0] == "integer" && of.count >= manyRows
	isUnique := enough && !s.many() && !of.distinct.over && !of.distinct.twice && !of.spaced
	switch pattern := of.shape.pattern(); {
	case isUnique:
		words, why = append(words, "unique: true"), append(why, "all differ")
		if of.fit[0] == "string" && pattern != "" {
			words, why = append(words, "pattern: '"+strings.ReplaceAll(pattern, "'", "''")+"'"), append(why, "all match")
		}
	case of.fit[0] == "string" && !of.many && of.count >= manyRows && len(of.listed) > 1 && int64(len(of.listed))*4 <= of.count:
		var list []string
		for _, text := range slices.Sorted(maps.Keys(of.listed)) {
			list = append(list, strconv.Quote(text)) // YAML reads it as Go does
		}
		words, why = append(words, "one_of: ["+strings.Join(list, ", ")+"]"), append(why, fmt.Sprintf("%d values in all", len(list)))
	}
	return words, why
}

// asGiven is the declaration of a property whose kind was decided. Who decides that a column has texts keeps its cells
// whole: any cell is one text, whatever separators are in it.
func asGiven(t *typeStats, s *propertyStats, kind string) []string {
	word := "type: " + kind
	if typeName.MatchString(kind) {
		word = "class: " + kind
	}
	words := []string{word}
	if s.many() && (kind != "string" || s.arrays || s.edges > 0 || s.again) {
		words = append(words, "many: true")
	} else if s.nodes == t.nodes && t.nodes > 0 {
		words = append(words, "required: true")
	}
	return words
}

// half returns the narrowest datatype that at least half of a text's values have, but not all,
// and the number of those; "" for none.
func (s *propertyStats) half() (n int64, word string) {
	of, _ := s.valued()
	w := &s.written
	most := func(n int64) bool { return n < w.count && n*2 >= w.count }
	read, amounts := w.moments(), w.amounts()
	moments := slices.Max(read[:])
	if w.dateAlone != "" && slices.Max(w.times[:]) > 0 && most(moments) {
		return moments, "datetime"
	}
	for _, m := range of.nearly {
		if m.word != "string" && !m.accepted && m.count*2 <= of.count {
			return of.count - m.count, m.word
		}
	}
	amount := slices.Max(amounts[:])
	switch {
	case most(w.words):
		return w.words, "boolean"
	case most(moments) && w.dateAlone == "":
		return moments, "datetime"
	case most(moments):
		return moments, "date"
	case most(w.clocks):
		return w.clocks, "time"
	case most(amount) && !w.mixed:
		return amount, "decimal"
	}
	return 0, ""
}

// reference returns the type to which all values refer, or "".
func (p *Proposal) reference(s *propertyStats, of *values) (class, because string) {
	if !of.untyped && len(of.targets) > 0 {
		names, found := slices.Sorted(maps.Keys(of.targets)), true
		for _, name := range names {
			t := p.byName[name]
			if t == nil {
				return "", ""
			}
			found = found && of.targets[name].within(&t.ids)
		}
		switch {
		case !found:
			return "type: iri", "refers to " + strings.Join(names, ", ") + "; not all of them are known to be records here"
		case len(names) > 1:
			return "type: iri", "refers to " + strings.Join(names, ", ")
		}
		return "class: " + names[0], "all are records of " + names[0]
	}
	// Numbers count as ids if they are long, or if the property's name suggests a reference.
	// Then one distinct id is enough.
	numbers := len(of.fit) > 0 && of.fit[0] == "integer" && s.written.count > 0
	named := refers(s.name)
	if numbers && of.shortest < 4 && !named {
		return "", ""
	}
	fewest := 2
	if named {
		fewest = 1
	}
	if !numbers && !slices.Equal(of.fit, []string{"string"}) || of.typed || s.ids == s.nodes || of.distinct.over || len(of.distinct.hashes) < fewest {
		return "", ""
	}
	for _, t := range p.types {
		if of.distinct.within(&t.ids) {
			return "class: " + t.name, "all are ids of " + t.name
		}
	}
	return "", ""
}

// refers reports whether a property's name suggests that it refers to other nodes.
func refers(name string) bool {
	folded := Folded(name)
	for _, word := range []string{"manager", "parent", "boss", "supervisor", "reportsto", "owner", "lead"} {
		if strings.Contains(folded, word) {
			return true
		}
	}
	return strings.HasSuffix(folded, "id") || strings.HasSuffix(folded, "ref")
}

// tolerated reports whether a property may have a few bad values.
func (s *propertyStats) tolerated(p *Proposal) bool {
	return !p.Strict && !s.many() && s.edges == 0
}

// nearReference returns the type to which all values but a few refer. Numbers count only if the
// property's name suggests a reference.
func (p *Proposal) nearReference(t *typeStats, s *propertyStats, of *values) (class, because string) {
	numbers := len(of.fit) > 0 && of.fit[0] == "integer" && s.written.count > 0
	if word, _ := of.mostly(); word != "" && !refers(s.name) {
		return "", "" // small numbers, such as ages, are among the ids of many tables
	}
	if t.isKey(s) || of.typed || of.distinct.over || numbers && !refers(s.name) || !numbers && !slices.Equal(of.fit, []string{"string"}) {
		return "", ""
	}
	for _, other := range p.types {
		known := int64(len(of.distinct.hashes))
		if missing := of.distinct.missing(&other.ids); known-missing >= 2 && few(missing, of.count) && other.hasKey() {
			return "class: " + other.name, "nearly all are ids of " + other.name
		}
	}
	return "", ""
}

// labelReference returns the type that all values but a few are labels of, if the property's name suggests a reference and no two
// records share a label.
func (p *Proposal) labelReference(s *propertyStats, of *values) (class, because string) {
	if !p.Labels || !refers(s.name) || of.typed || of.distinct.over || !slices.Equal(of.fit, []string{"string"}) {
		return "", ""
	}
	for _, t := range p.types {
		label := p.labelOf(t)
		if label == nil || label.whole.distinct.twice {
			continue
		}
		known := int64(len(of.distinct.hashes))
		switch missing := of.distinct.missing(&label.whole.distinct); {
		case missing == 0:
			return "class: " + t.name, "all are labels of " + t.name
		case known-missing >= 2 && few(missing, of.count) && s.tolerated(p):
			return "class: " + t.name, "nearly all are labels of " + t.name
		}
	}
	return "", ""
}

// badCells returns a note on the values that do not fit.
func (s *propertyStats) badCells() []string {
	if len(s.bad) == 0 {
		return nil
	}
	return []string{"not so is " + strings.Join(s.bad, ", ")}
}

// maxBadCells is how many values the note lists.
const maxBadCells = 3

// TooMany reports whether so many of the rows are left out that the table is probably read amiss.
func TooMany(left, rows int64) bool { return left > max(3, rows/5) }

// rowOf is the place "file:line:column" of a cell without its column.
func rowOf(place string) string { return place[:max(0, strings.LastIndexByte(place, ':'))] }

// tooMany is TooMany of the rows that are left out for another reason than a decision about a column.
func (p *Proposal) tooMany(fields []fault.FieldError, left, rows int64) bool {
	if !TooMany(left, rows) || len(p.Given) == 0 {
		return TooMany(left, rows)
	}
	decided := map[string]bool{}
	for _, f := range fields {
		if s := p.propertyOf(f); s != nil && p.Given[ColumnName(s.name)].Kind != "" {
			decided[rowOf(f.Source)] = true
		}
	}
	return TooMany(left-int64(len(decided)), rows)
}

// Bad takes the errors of a load of the proposal: fields, the number of rows, and how many rows
// were left out for a reason of their own. It reports whether all errors were expected: a few bad values in a property,
// and references to rows left out. For other errors it weakens the proposal, as
// [Proposal.Loosen] does; if too many rows were left out, it makes it strict.
func (p *Proposal) Bad(fields []fault.FieldError, rows, left int64) (expected, loosened bool) {
	for _, t := range p.types {
		for _, s := range t.properties {
			s.bad = nil
		}
	}
	if p.tooMany(fields, left, rows) && !p.Strict {
		p.Strict = true
		return false, true
	}
	gone := map[string]bool{}
	for _, f := range fields {
		gone[f.Node] = true
	}
	expected = true
	counts := map[*propertyStats]int64{}
	for _, f := range fields {
		s := p.propertyOf(f)
		target, _ := f.Value.(string)
		name, _, _ := strings.Cut(f.Node, "/")
		switch {
		case f.Follows != "": // caused by an error of another row
		case s != nil && p.givenOf(p.byName[name], s).Kind != "":
			s.bad = appendBad(s.bad, target, f.Source)
		case f.Code == fault.Shape || f.Code == fault.Class && (gone[target] || s != nil && gone[name+"/"+target]): // caused by another error
		case s == nil || !s.tolerated(p) || !few(counts[s]+1, s.nodes):
			loosened, expected = p.Loosen(f) || loosened, false
		default:
			counts[s]++
			s.bad = appendBad(s.bad, target, f.Source)
		}
	}
	return expected, loosened
}

// appendBad adds a bad cell to a note, while it lists some.
func appendBad(bad []string, text, place string) []string {
	switch {
	case len(bad) < maxBadCells:
		return append(bad, fmt.Sprintf("%s in %s", strconv.Quote(text), place))
	case len(bad) == maxBadCells:
		return append(bad, "…")
	}
	return bad
}

// propertyOf returns the property of an error, or nil.
func (p *Proposal) propertyOf(f fault.FieldError) *propertyStats {
	name, _, _ := strings.Cut(f.Node, "/")
	t := p.byName[name]
	if t == nil {
		return nil
	}
	for s, name := range p.names(t) {
		if name == f.Field || s.name == f.Field || ColumnName(s.name) == f.Field {
			return s
		}
	}
	return nil
}

// key quotes a YAML key if YAML would not read it as text.
func key(name string) string {
	switch name {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(name)
	}
	return name
}
