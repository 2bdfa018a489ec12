package html

import (
	"fmt"
	"io"
	"math"

	"maragu.dev/gomponents"
)

// Taker is what a page is written to of which one picture alone is wanted; it writes the picture itself, or leaves it out.
type Taker interface {
	Take(name string, picture Node) error
}

// Alone is what a picture is written to that stands in no page: its addresses lead nowhere and are left out.
type Alone interface{ Alone() }

// Drawing is a picture, an element [SVG], that a [Taker] finds by its name.
func Drawing(name string, picture Node) Node {
	return gomponents.NodeFunc(func(w io.Writer) error {
		if t, ok := w.(Taker); ok {
			return t.Take(name, picture)
		}
		return picture.Render(w)
	})
}

// Located is what a page is written to that knows the page's own address.
type Located interface{ Location() string }

// Here makes a node of the address of the page that it is written to, "" where that is not known.
func Here(node func(address string) Node) Node {
	return gomponents.NodeFunc(func(w io.Writer) error {
		address := ""
		if l, ok := w.(Located); ok {
			address = l.Location()
		}
		if n := node(address); n != nil {
			return n.Render(w)
		}
		return nil
	})
}

// Length is a number in a picture: one digit behind the point is finer than anybody sees.
func Length(v float64) string { return fmt.Sprint(math.Round(v*10) / 10) }

// SVGLabel is a text of a picture that begins, has its middle or ends at a place: at is start, middle or end. The class may
// be "".
func SVGLabel(x, y float64, at, class, text string) Node {
	return SVGText(If(class != "", Class(class)), Attr("x", Length(x)), Attr("y", Length(y)), Attr("text-anchor", at), Text(text))
}
