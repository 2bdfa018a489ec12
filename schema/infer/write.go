package infer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func quoteMeta(text string) string { return regexp.QuoteMeta(text) }

// times says how often a piece of a pattern comes.
func times(least, most int) string {
	switch {
	case least == 1 && most == 1:
		return ""
	case least == most:
		return fmt.Sprintf("{%d}", least)
	}
	return "+"
}

// Renamed is a column or member whose name cannot be a property's.
type Renamed struct{ Name, Property string }

// Renamed are those of a type, which a load maps to their properties; names that differ in
// case alone are found without.
func (p *Proposal) Renamed(typeName string) []Renamed {
	var out []Renamed
	t := p.byName[typeName]
	if t == nil {
		return nil
	}
	for s, name := range t.names() {
		if !strings.EqualFold(s.name, name) || !t.cells && s.name != name {
			out = append(out, Renamed{s.name, name})
		}
	}
	slices.SortFunc(out, func(a, b Renamed) int { return cmp.Compare(a.Property, b.Property) })
	return out
}

// reserved are the names of arguments that every call has, which no property may have.
var reserved = []string{"id", "iri", "type", "branch", "at", "message", "if_commit", "dry_run"}

// names gives each property a name that a schema takes.
func (t *typeStats) names() map[*propertyStats]string {
	names, taken := make(map[*propertyStats]string, len(t.properties)), map[string]bool{}
	give := func(s *propertyStats, name string) {
		names[s], taken[name] = name, true
	}
	for _, s := range t.properties {
		if propertyName.MatchString(s.name) && !slices.Contains(reserved, s.name) {
			give(s, s.name)
		}
	}
	for _, s := range t.properties {
		if names[s] != "" {
			continue
		}
		name := camel(s.name, false)
		switch {
		case name == strings.ToUpper(name):
			name = strings.ToLower(name)
		case name != "":
			name = strings.ToLower(name[:1]) + name[1:]
		}
		if !propertyName.MatchString(name) {
			name = "column" + name
		}
		if slices.Contains(reserved, name) {
			name += "Value"
		}
		free := name
		for n := 2; taken[free]; n++ {
			free = name + strconv.Itoa(n)
		}
		give(s, free)
	}
	return names
}

// YAML is the proposed schema as text, with a comment on each line that says why. The same
// records in the same order give the same text.
func (p *Proposal) YAML() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Proposed from %s. Read it through: what held for them may not hold for the next.\n", counted(p.records, "record"))
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
	fmt.Fprintf(b, "  %s: # %s\n", t.name, counted(t.nodes, "record"))
	names := t.names()
	for _, label := range []string{"name", "title", "label"} {
		s := t.byName[label]
		if s != nil && s.nodes == t.nodes && !s.arrays && slices.Contains(s.whole.fit, "string") && !s.many() {
			fmt.Fprintf(b, "    label: %s # what people read\n", label)
			break
		}
	}
	switch pattern := t.shape.pattern(); {
	case t.withID == t.nodes && t.nodes > 0:
		b.WriteString("    iri: preserve # every record has its id")
		if pattern != "" {
			b.WriteString(", and all match " + pattern)
		}
		b.WriteByte('\n')
	case t.withID > 0:
		fmt.Fprintf(b, "    # %d records have an id, the others are given one\n", t.withID)
	}
	if len(t.properties) == 0 {
		return
	}
	b.WriteString("    properties:\n")
	for _, s := range t.properties {
		words, why := p.property(t, s)
		if names[s] != s.name {
			why = append(why, fmt.Sprintf("called %q in the data", s.name))
		}
		if words == nil {
			fmt.Fprintf(b, "      # %s is left out: %s\n", names[s], strings.Join(why, "; "))
			continue
		}
		fmt.Fprintf(b, "      %s: {%s} # %s\n", key(names[s]), strings.Join(words, ", "), strings.Join(why, "; "))
	}
}

// many reports whether a node has several values.
func (s *propertyStats) many() bool { return s.arrays || s.edges > 0 || s.split && !s.long }

// property says what is declared of one property, and why; nil when nothing can be.
func (p *Proposal) property(t *typeStats, s *propertyStats) (words, why []string) {
	of := &s.whole
	if s.split && !s.long {
		of = &s.parts
	}
	if of.count == 0 {
		return []string{"type: string"}, []string{"no record has a value"}
	}
	if s.edges > 0 {
		why = append(why, counted(s.edges, "edge"))
	}
	if s.nodes > 0 {
		why = append(why, fmt.Sprintf("in %d of %d", s.nodes, t.nodes))
	}
	class, because := p.reference(s, of)
	switch {
	case because != "":
		words, why = append(words, class), append(why, because)
	case s.vector >= 8 && s.edges == 0 && s.nodes > 0 && int64(s.vector)*s.nodes == of.count && !slices.Contains(of.fit, "integer"):
		return append(words, "type: vector", fmt.Sprintf("dim: %d", s.vector)), append(why, fmt.Sprintf("all are %d numbers", s.vector))
	case len(of.fit) == 0 && s.edges == 0:
		return nil, append(why, "its values are of several kinds, or objects")
	case s.edges > 0:
		words = append(words, "type: iri")
	default:
		words = append(words, "type: "+of.fit[0])
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
	if because != "" || s.edges > 0 {
		return words, why
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
			quoted, err := json.Marshal(text)
			if err != nil {
				return words, why // text is always JSON
			}
			list = append(list, string(quoted))
		}
		words, why = append(words, "one_of: ["+strings.Join(list, ", ")+"]"), append(why, fmt.Sprintf("%d values in all", len(list)))
	}
	return words, why
}

// reference says which type all values refer to; "" when they are no references.
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
	if !slices.Equal(of.fit, []string{"string"}) || of.typed || s.ids == s.nodes || of.distinct.over || len(of.distinct.hashes) < 2 {
		return "", ""
	}
	for _, t := range p.types {
		if of.distinct.within(&t.ids) {
			return "class: " + t.name, "all are ids of " + t.name
		}
	}
	return "", ""
}

// key is a name as a key of YAML, which takes some words for other things than text.
func key(name string) string {
	switch name {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(name)
	}
	return name
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
