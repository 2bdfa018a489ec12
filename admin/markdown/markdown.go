// Package markdown draws texts in Markdown (CommonMark with tables, strikethrough and plain addresses) as elements of
// a page. Nothing of a text becomes markup of its own: HTML in it is text, pictures are links, and links lead to the
// web alone.
package markdown

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	h "trails/admin/html"
)

// Bounds of a text that is drawn.
const (
	// MaxText is the greatest length in bytes.
	MaxText = 64 << 10
	// maxDepth is how deep elements stand within each other; what is deeper is text.
	maxDepth = 24
)

var parser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify)).Parser()

// Marked reports whether a text has anything that Markdown would draw differently from the text as it is: more than one
// paragraph, a mark, or an address.
func Marked(source string) bool {
	return len(source) <= MaxText && strings.ContainsAny(source, "\n*_`[#>|~")
}

// Draw returns the elements of a text. A line break in a paragraph stays one. The address of a link must be one of the
// web, or the link is its text. A text of more than [MaxText] bytes is one text.
func Draw(source string) h.Node {
	if len(source) > MaxText {
		return h.Text(source)
	}
	d := drawing{source: []byte(source)}
	return d.children(parser.Parse(text.NewReader(d.source)), 0)
}

type drawing struct{ source []byte }

func (d drawing) children(n ast.Node, depth int) h.Node {
	var out h.Group
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		out = append(out, d.node(child, depth+1))
	}
	return out
}

// node draws a block or a part of a line.
func (d drawing) node(n ast.Node, depth int) h.Node {
	if depth > maxDepth {
		return h.Text(d.textOf(n))
	}
	if n.Type() == ast.TypeBlock {
		return d.block(n, depth)
	}
	inside := func() h.Node { return d.children(n, depth) }
	switch n := n.(type) {
	case *ast.Text:
		return h.Group{h.Text(string(n.Value(d.source))), h.If(n.SoftLineBreak() || n.HardLineBreak(), h.Br())}
	case *ast.String:
		return h.Text(string(n.Value))
	case *ast.Emphasis:
		if n.Level == 1 {
			return h.Em(inside())
		}
		return h.B(inside())
	case *extensions.Strikethrough:
		return h.S(inside())
	case *ast.CodeSpan:
		return h.Code(h.Text(d.textOf(n)))
	case *ast.Link:
		return link(string(n.Destination), inside())
	case *ast.Image:
		return link(string(n.Destination), h.Text("picture: "+d.textOf(n)))
	case *ast.AutoLink:
		return link(string(n.URL(d.source)), h.Text(string(n.Label(d.source))))
	case *ast.RawHTML:
		return h.Text(d.lines(n.Segments))
	}
	return inside()
}

// block draws a block, such as a paragraph, with what it has inside.
func (d drawing) block(n ast.Node, depth int) h.Node {
	inside := func() h.Node { return d.children(n, depth) }
	switch n := n.(type) {
	case *ast.Paragraph:
		return h.P(inside())
	case *ast.Heading:
		return h.P(h.Class("heading"), h.B(inside()))
	case *ast.ThematicBreak:
		return h.Hr()
	case *ast.CodeBlock:
		return h.Pre(h.TabIndex("0"), h.Code(h.Text(d.lines(n.Lines()))))
	case *ast.FencedCodeBlock:
		return h.Pre(h.TabIndex("0"), h.Code(h.Text(d.lines(n.Lines()))))
	case *ast.HTMLBlock:
		return h.P(h.Text(d.lines(n.Lines())))
	case *ast.Blockquote:
		return h.BlockQuote(inside())
	case *ast.List:
		if n.IsOrdered() {
			return h.Ol(inside())
		}
		return h.Ul(inside())
	case *ast.ListItem:
		return h.Li(inside())
	case *extensions.Table:
		return h.Div(h.Class("scroll"), h.Table(inside()))
	case *extensions.TableHeader:
		return h.THead(h.Tr(d.cells(n, depth, func(cell h.Node) h.Node { return h.Th(h.Scope("col"), cell) })))
	case *extensions.TableRow:
		return h.Tr(d.cells(n, depth, func(cell h.Node) h.Node { return h.Td(cell) }))
	}
	return inside()
}

func (d drawing) cells(row ast.Node, depth int, of func(h.Node) h.Node) h.Node {
	var out h.Group
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		out = append(out, of(d.children(cell, depth+1)))
	}
	return out
}

// link leads to a page of the web; to anything else it is the text.
func link(to string, inside h.Node) h.Node {
	if !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "http://") {
		return inside
	}
	return h.A(h.Class("outside"), h.Rel("noopener noreferrer external nofollow"), h.Href(to), inside)
}

// lines are the lines of a block, as they are.
func (d drawing) lines(of *text.Segments) string {
	var out strings.Builder
	for i := range of.Len() {
		line := of.At(i)
		out.Write(line.Value(d.source))
	}
	return out.String()
}

// textOf is the text below a node, without marks.
func (d drawing) textOf(n ast.Node) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it returns what the function does
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Value(d.source))
			}
		case *ast.String:
			if entering {
				out.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}
