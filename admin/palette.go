package admin

import (
	"slices"
	"strconv"
	"sync"
	"unicode"

	"trails/schema"
)

// hues is how many colours the style sheet has for types: hue-1 and so on. A thing
// without a type has the hue 0.
const hues = 12

// palette is how a page shows the types and properties of a schema. The zero palette has none.
type palette struct {
	*typeColours
	labels propertyLabels // of [labelsOf]
}

// newPalette is the palette of a schema whose types the colours have learnt.
func newPalette(colours *typeColours, types []schema.TypeDocument) *palette {
	return &palette{typeColours: colours, labels: labelsOf(types)}
}

// property is what people call a property of any type.
func (p *palette) property(name string) string { return p.labels.title(name) }

// typeColours assigns colours to types, the same on every page. While there are enough colours they are distinct; of further
// types, those of one colour have different initials as long as there are colours for that. A type keeps its colour when
// others are added. The zero value has no types. It is safe for concurrent use.
type typeColours struct {
	mu     sync.Mutex
	names  []string
	byName map[string]typeLook
}

// typeLook is how a type looks where there is no room for its name.
type typeLook struct {
	hue  int
	mark string // a letter, or two, that no other type of the colour has
}

// learn takes the types of the schema as it is now, in their order.
func (p *typeColours) learn(types []schema.TypeDocument) {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.names, names) {
		return
	}
	p.names, p.byName = names, map[string]typeLook{}
	var taken [hues + 1]bool
	marks := map[typeLook]bool{}
	for i, name := range names {
		hue := preferred(name)
		for range hues { // all around, it is the preferred one again
			if i < hues && !taken[hue] || i >= hues && !marks[typeLook{hue, marksOf(name)[0]}] {
				break
			}
			hue = hue%hues + 1
		}
		taken[hue] = true
		look := typeLook{hue, ""}
		for _, look.mark = range marksOf(name) {
			if !marks[look] {
				break
			}
		}
		marks[look], p.byName[name] = true, look
	}
}

// marksOf are what can stand for a type, the best first: its initial, then that with the initial of another word, with
// another letter, and with a digit.
func marksOf(name string) []string {
	runes := []rune(name)
	if len(runes) == 0 {
		return []string{""}
	}
	first := string(unicode.ToUpper(runes[0]))
	marks, others := []string{first}, []string{}
	for _, r := range runes[1:] {
		if unicode.IsUpper(r) {
			marks = append(marks, first+string(r))
		} else {
			others = append(others, first+string(r))
		}
	}
	marks = append(marks, others...)
	for digit := 2; digit < 10; digit++ {
		marks = append(marks, first+strconv.Itoa(digit))
	}
	return marks
}

// hue is the colour of a type; an unknown type gets a colour by its name.
func (p *typeColours) hue(name string) int {
	if name == "" {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if look, known := p.byName[name]; known {
		return look.hue
	}
	return preferred(name)
}

// mark is the letter, or the two, that tell a type from the others of its colour; "" for no type.
func (p *typeColours) mark(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if look, known := p.byName[name]; known {
		return look.mark
	}
	return marksOf(name)[0]
}

// class is the class of the style sheet for the colour of a type.
func (p *typeColours) class(name string) string { return "hue-" + strconv.Itoa(p.hue(name)) }

// preferred is a colour that follows from the name alone (FNV-1a).
func preferred(name string) int {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return int(h%hues) + 1
}
