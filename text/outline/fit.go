package outline

import (
	"fmt"
	"unicode/utf8"
)

// leastText is how many characters a shortened text keeps at least; leastMember, how many a member gets at
// least before later members are left out.
const (
	leastText   = 80
	leastMember = 200
)

// Fit shortens v to about limit characters of JSON and returns what it left out, as phrases; nil if v fits. It
// drops the ends of lists and of long texts, the longest first. The result may exceed limit by its own notes,
// or if a thousand names leave no room for values.
func (v *Value) Fit(limit int) []string {
	var cut []string
	v.fit("", limit, &cut)
	return cut
}

func (v *Value) fit(at string, limit int, cut *[]string) {
	if v.Size() <= limit {
		return
	}
	switch v.kind {
	case scalar:
	case text:
		v.fitText(at, limit, cut)
	case array:
		v.fitArray(at, limit, cut)
	case object:
		v.fitObject(at, limit, cut)
	}
}

func (v *Value) fitText(at string, limit int, cut *[]string) {
	keep := max(limit-2, leastText)
	runes := []rune(v.text)
	// Escapes count: a text of line feeds is twice as long as JSON.
	for keep > leastText && utf8.RuneCountInString(quoted(string(runes[:min(keep, len(runes))]))) > limit {
		keep -= max(keep/10, 1)
	}
	if keep >= len(runes) {
		return
	}
	v.text = string(runes[:keep]) + fmt.Sprintf("… (%d characters)", len(runes))
	*cut = append(*cut, fmt.Sprintf("%s has %d of %d characters", named(at), keep, len(runes)))
}

// fitArray keeps as many members from the beginning as fit. The first one is shortened if necessary, so that at
// least something is kept.
func (v *Value) fitArray(at string, limit int, cut *[]string) {
	room, whole := limit-2, len(v.members)
	for i, member := range v.members {
		if i == 0 {
			member.fit(at+"[0]", room, cut)
		}
		if room -= member.Size() + 1; room < 0 && i > 0 {
			v.members = v.members[:i]
			break
		}
	}
	if len(v.members) < whole {
		*cut = append(*cut, fmt.Sprintf("%s has %d of %d members", named(at), len(v.members), whole))
	}
}

// fitObject keeps small members whole, and divides the rest of the limit among the large ones.
func (v *Value) fitObject(at string, limit int, cut *[]string) {
	room := limit - 2
	sizes := make([]int, len(v.members))
	for i, member := range v.members {
		room -= utf8.RuneCountInString(quoted(v.names[i])) + 2 // colon and comma
		sizes[i] = member.Size()
	}
	if room < leastMember && len(v.members) > 1 { // the names alone exceed the limit
		keep, used := 0, 2
		for keep < len(v.members) && used+sizes[keep] < limit {
			used += sizes[keep] + utf8.RuneCountInString(v.names[keep]) + 4
			keep++
		}
		keep = max(keep, 1)
		if keep < len(v.members) {
			*cut = append(*cut, fmt.Sprintf("%s has %d of %d members", named(at), keep, len(v.members)))
		}
		v.names, v.members = v.names[:keep], v.members[:keep]
		return
	}
	left, share := len(sizes), 0
	fits := make([]bool, len(sizes))
	for again := true; again && left > 0; {
		again, share = false, room/left
		for i, size := range sizes {
			if !fits[i] && size <= share {
				fits[i], again = true, true
				room, left = room-size, left-1
			}
		}
	}
	for i, member := range v.members {
		if !fits[i] {
			member.fit(join(at, v.names[i]), share, cut)
		}
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func named(at string) string {
	if at == "" {
		return "the answer"
	}
	return at
}

// Shorten cuts a text to most characters, including a note that it was cut.
func Shorten(s string, most int) string {
	begun := Begin(s, most)
	if begun != s {
		begun += fmt.Sprintf(" (%d characters)", utf8.RuneCountInString(s))
	}
	return begun
}

// Begin returns the first most characters of a text, with an ellipsis if there are more.
func Begin(s string, most int) string {
	for i := range s {
		if most--; most < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
