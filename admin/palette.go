package admin

import (
	"slices"
	"strconv"
	"sync"

	"trails/schema"
)

// hues is how many colours the style sheet has for types: hue-1 and so on. A thing
// without a type has the hue 0.
const hues = 12

// palette assigns colours to types, the same on every page. While there are enough colours they are distinct, and a
// type keeps its colour when others are added. The zero palette has no types. It is safe for concurrent use.
type palette struct {
	mu     sync.Mutex
	names  []string
	byName map[string]int
}

// learn takes the types of the schema as it is now, in their order.
func (p *palette) learn(types []schema.TypeDocument) {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.names, names) {
		return
	}
	p.names, p.byName = names, map[string]int{}
	var taken [hues + 1]bool
	for i, name := range names {
		hue := preferred(name)
		for i < hues && taken[hue] {
			hue = hue%hues + 1
		}
		taken[hue], p.byName[name] = true, hue
	}
}

// hue is the colour of a type; an unknown type gets a colour by its name.
func (p *palette) hue(name string) int {
	if name == "" {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if hue, known := p.byName[name]; known {
		return hue
	}
	return preferred(name)
}

// class is the class of the style sheet for the colour of a type.
func (p *palette) class(name string) string { return "hue-" + strconv.Itoa(p.hue(name)) }

// preferred is a colour that follows from the name alone (FNV-1a).
func preferred(name string) int {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return int(h%hues) + 1
}
