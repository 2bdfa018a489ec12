package admin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	h "trails/admin/html"
)

// boxHigh is the height of a node in pictures, in units of the picture.
const boxHigh = 26

// box is a node of a picture: a frame in the colour of its type, with the mark of the type and its label, which leads to
// Href if that is not "".
type box struct {
	Type, Label string
	Class       string  // more classes
	Href, Key   string  // Key is what scripts know the node by, "" for nothing
	X, Y, Wide  float64 // of the middle of the left side, and the width
	Bold        bool
}

// markWide is the room for the mark of a type within a box.
const markWide = 20

func (b box) draw(colours *palette) h.Node {
	mark, left := colours.mark(b.Type), 0.0
	if mark != "" {
		left = markWide
	}
	room := b.Wide - left - 8
	if b.Bold {
		room /= boldWider
	}
	text := fit(line(b.Label), room)
	inside := h.Node(h.Group{h.If(text != b.Label, h.TitleEl(h.Text(b.Label))),
		rounded(b.X, b.Y-boxHigh/2, b.Wide, boxHigh),
		h.SVGLabel(b.X+(left+b.Wide)/2, b.Y+4, "middle", textIf(b.Bold, "here", ""), text)})
	if b.Href != "" {
		inside = h.A(h.Href(b.Href), h.If(b.Key != "", h.Data("node", b.Key)), inside)
	}
	return h.G(h.Class(colours.class(b.Type)+b.Class), inside, typeMark(b.X+7, b.Y+4, mark))
}

// boldWider is how much wider bold texts are.
const boldWider = 1.1

// fit is as much of a text as has room in a box.
func fit(text string, room float64) string {
	end, wide := 0, 0.0
	for i, c := range text {
		if wide += letterWide(c); wide > room {
			return strings.TrimSpace(text[:end]) + "…"
		}
		if wide+letterWide('…') <= room {
			end = i + utf8.RuneLen(c)
		}
	}
	return text
}

// letterWide is how wide a character of a label is in the wider ones of the fonts that pages use.
func letterWide(c rune) float64 {
	switch {
	case unicode.Is(unicode.Mn, c):
		return 0 // it stands over the one before
	case strings.ContainsRune("iIjl1tfr .,:;'|!()[]-", c):
		return 5.4
	case strings.ContainsRune("mwMWQ@%…—", c):
		return 13
	case c >= 0x1100 && !unicode.Is(unicode.Arabic, c): // East Asian scripts and pictures fill a square
		return 14
	case unicode.IsUpper(c):
		return 9.4
	default:
		return 8.2
	}
}

// rows places nodes that stand beneath others, such as a tree, from the top: where the next row is, and how high one is.
type rows struct{ next, high float64 }

// place returns the height of a node whose nodes beneath it are at these heights: the middle of them, or a row of its own when
// there are none.
func (r *rows) place(beneath []float64) float64 {
	if len(beneath) > 0 {
		return (beneath[0] + beneath[len(beneath)-1]) / 2
	}
	r.next += r.high
	return r.next - r.high
}

// rounded is the frame of a box.
func rounded(x, y, width, height float64) h.Node {
	return h.Rect(h.Attr("x", h.Length(x)), h.Attr("y", h.Length(y)), h.Attr("width", h.Length(width)), h.Attr("height", h.Length(height)), h.Attr("rx", "7"))
}

// typeMark is the mark of a type, which the legend and the tables say in words.
func typeMark(x, y float64, mark string) h.Node {
	return h.If(mark != "", h.G(h.Aria("hidden", "true"), h.SVGLabel(x, y, "start", "mark", mark)))
}

// drawing is a picture of so many units, from left on, with what it is called.
func drawing(left, width, height float64, name string, inside ...h.Node) h.Node {
	return h.SVG(h.Attr("viewBox", fmt.Sprintf("%s 0 %s %s", h.Length(left), h.Length(width), h.Length(height))), h.Attr("width", h.Length(width)), h.Attr("height", h.Length(height)),
		h.Role("group"), h.Aria("label", name), h.Group(inside))
}

// curve is a link between two places, which bends at these x.
func curve(fromX, fromY, bend, bendTo, toX, toY float64) h.Node {
	return h.Path(h.Class("link"), h.Attr("d", fmt.Sprintf("M%s %sC%s %s %s %s %s %s", h.Length(fromX), h.Length(fromY), h.Length(bend), h.Length(fromY), h.Length(bendTo), h.Length(toY), h.Length(toX), h.Length(toY))))
}

// linkEnd is the point where a link ends.
func linkEnd(x, y float64) h.Node {
	return h.Circle(h.Class("end"), h.Attr("cx", h.Length(x)), h.Attr("cy", h.Length(y)), h.Attr("r", "2.5"))
}
