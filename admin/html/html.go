// Package html is the vocabulary that pages are written with: the elements and attributes of gomponents, as far as a
// page may use them. Text and the values of attributes are escaped by gomponents. What could be run or followed has
// one way each: addresses are given by [Href], [Action] and [Src], which look at them; [Raw] takes constants alone;
// and [Attr] refuses attributes that hold addresses, scripts or styles.
//
// Elements and attributes are variables, because the compiler copies the body of a short function into each of its
// calls: 2 MB for 2,500 elements.
package html

import (
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

// Node is an element, an attribute, text, or a [Group] of these; nil is nothing.
type Node = gomponents.Node

// Group is several nodes in a row.
type Group = gomponents.Group

// If is n, or nothing. Its argument is made in each case; [Iff] is for what cannot always be made.
func If(ok bool, n Node) Node {
	if ok {
		return n
	}
	return nil
}

// Iff is what f returns, or nothing.
func Iff(ok bool, f func() Node) Node {
	if ok {
		return f()
	}
	return nil
}

// Map is a node for each of a list.
func Map[T any](list []T, f func(T) Node) Group {
	nodes := make(Group, len(list))
	for i, t := range list {
		nodes[i] = f(t)
	}
	return nodes
}

// Text is a text, Textf one with values.
var (
	Text  = gomponents.Text
	Textf = gomponents.Textf
)

// constant is a string that other packages can only write out: no text of the graph is one.
type constant string

// Raw is HTML that stands in the source.
func Raw(markup constant) Node { return gomponents.Raw(string(markup)) }

// unsafe are the attributes that are not given by [Attr], besides those of events.
var unsafe = []string{"href", "src", "action", "formaction", "style", "srcdoc", "srcset", "data", "poster", "ping"}

// Attr is an attribute by its name; without a value it is a mark, as hidden is.
func Attr(name string, value ...string) Node {
	if lower := strings.ToLower(name); slices.Contains(unsafe, lower) || strings.HasPrefix(lower, "on") {
		panic("html: the attribute " + name + " has a function of its own, or none")
	}
	return gomponents.Attr(name, value...)
}

// Leader is what a page is written to that has a say in where its addresses lead, such as to pages of the same branch.
type Leader interface{ Lead(to string) string }

// leadBy is where an address leads on a page that is written to w.
func leadBy(w io.Writer, to string) string {
	if l, ok := w.(Leader); ok {
		return l.Lead(to)
	}
	return to
}

// Site is what a page is written to whose site does not begin at /: its addresses do, and Prefix stands before them.
type Site interface{ Prefix() string }

// placed is an address as a page that is written to w has it.
func placed(w io.Writer, to string) string {
	if s, ok := w.(Site); ok && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		return s.Prefix() + to
	}
	return to
}

// address is an attribute that holds one. With asIs a [Leader] has no say.
type address struct {
	name, to string
	asIs     bool
}

func (a address) Render(w io.Writer) error {
	if _, alone := w.(Alone); alone {
		return nil
	}
	to := a.to
	if !a.asIs {
		to = leadBy(w, to)
	}
	return gomponents.Attr(a.name, Address(placed(w, to))).Render(w)
}

// Type makes it an attribute.
func (address) Type() gomponents.NodeType { return gomponents.AttributeType }

// Href is the address of a link, see [Address] and [Leader].
func Href(to string) Node { return address{name: "href", to: to} }

// Elsewhere is the address of a link that leads there, whatever a [Leader] says.
func Elsewhere(to string) Node { return address{"href", to, true} }

// Action is the address that a form is posted to, see [Address] and [Leader].
func Action(to string) Node { return address{name: "action", to: to} }

// Ask is the attribute of this name with an address that a script asks, see [Address] and [Leader].
func Ask(name, to string) Node { return address{name: name, to: to} }

// Src is the address of a script, see [Address].
func Src(from string) Node { return address{"src", from, true} }

// GetForm is a form whose fields become the query of an address. What a [Leader] adds to the address becomes hidden fields,
// because a browser leaves out what the address has behind its question mark.
func GetForm(to string, children ...Node) Node {
	return gomponents.NodeFunc(func(w io.Writer) error {
		path, asked, _ := strings.Cut(leadBy(w, to), "?")
		given, err := url.ParseQuery(asked)
		if err != nil {
			return err
		}
		var kept Group
		for _, name := range slices.Sorted(maps.Keys(given)) {
			kept = append(kept, Input(Type("hidden"), Name(name), Value(given.Get(name))))
		}
		return Form(Method("get"), html.Action(Address(placed(w, path))), kept, Group(children)).Render(w)
	})
}

// Address returns an address that a browser may be sent to: a place on this site, or a page of the web. Any other,
// such as javascript:, becomes "#". What an address cannot hold is escaped.
func Address(to string) string {
	scheme, _, has := strings.Cut(to, ":")
	if has && !strings.ContainsAny(scheme, "/?#") && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "#"
	}
	var out strings.Builder
	for i := range len(to) {
		c := to[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("!#$&*+,/:;=?@[]-._~", c) >= 0,
			c == '%' && i+2 < len(to) && isHex(to[i+1]) && isHex(to[i+2]):
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02x", c)
		}
	}
	return out.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
