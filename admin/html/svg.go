package html

import (
	"fmt"
	"math"
)

// Length is a number in a picture: one digit behind the point is finer than anybody sees.
func Length(v float64) string { return fmt.Sprint(math.Round(v*10) / 10) }

// SVGLabel is a text of a picture that begins, has its middle or ends at a place: at is start, middle or end. The class may
// be "".
func SVGLabel(x, y float64, at, class, text string) Node {
	return SVGText(If(class != "", Class(class)), Attr("x", Length(x)), Attr("y", Length(y)), Attr("text-anchor", at), Text(text))
}
