package html

import (
	"maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

// Elements.
var (
	Bdi        = element("bdi")
	A          = html.A
	Abbr       = html.Abbr
	Article    = html.Article
	Aside      = html.Aside
	B          = html.B
	BlockQuote = html.BlockQuote
	Body       = html.Body
	Br         = html.Br
	Button     = html.Button
	Circle     = element("circle")
	Caption    = html.Caption
	Code       = html.Code
	DataList   = html.DataList
	Dd         = html.Dd
	Del        = html.Del
	Details    = html.Details
	Div        = html.Div
	Dl         = html.Dl
	Doctype    = html.Doctype
	Dt         = html.Dt
	Em         = html.Em
	FieldSet   = html.FieldSet
	Footer     = html.Footer
	Form       = html.Form
	G          = element("g")
	H1         = html.H1
	H2         = html.H2
	H3         = html.H3
	HTML       = html.HTML
	NoScript   = html.NoScript
	Head       = html.Head
	Header     = html.Header
	Hr         = html.Hr
	Input      = html.Input
	Ins        = html.Ins
	Kbd        = html.Kbd
	Label      = html.Label
	Legend     = html.Legend
	Li         = html.Li
	Link       = html.Link
	Main       = html.Main
	Mark       = html.Mark
	Meta       = html.Meta
	Nav        = html.Nav
	Ol         = html.Ol
	OptGroup   = html.OptGroup
	Option     = html.Option
	P          = html.P
	Path       = element("path")
	Pre        = html.Pre
	Rect       = element("rect")
	S          = html.S
	SVGText    = element("text")
	Script     = html.Script
	Section    = html.Section
	Select     = html.Select
	Span       = html.Span
	SVG        = html.SVG
	Summary    = html.Summary
	TBody      = html.TBody
	THead      = html.THead
	Table      = html.Table
	Td         = html.Td
	Textarea   = html.Textarea
	Th         = html.Th
	Time       = html.Time
	TitleEl    = html.TitleEl
	Tr         = html.Tr
	Ul         = html.Ul
	Wbr        = html.Wbr
)

// Attributes. Those of scripts and addresses are functions of this package, see [Attr].
var (
	Aria         = html.Aria
	AutoComplete = html.AutoComplete
	AutoFocus    = html.AutoFocus
	Charset      = html.Charset
	Checked      = html.Checked
	Class        = html.Class
	ColSpan      = html.ColSpan
	Content      = html.Content
	Data         = html.Data
	DateTime     = html.DateTime
	Defer        = html.Defer
	Dir          = html.Dir
	Download     = html.Download
	EncType      = html.EncType
	For          = html.For
	ID           = html.ID
	Lang         = html.Lang
	List         = html.List
	MaxLength    = html.MaxLength
	Method       = html.Method
	Name         = html.Name
	Placeholder  = html.Placeholder
	Rel          = html.Rel
	Required     = html.Required
	Role         = html.Role
	Rows         = html.Rows
	Scope        = html.Scope
	Selected     = html.Selected
	Step         = html.Step
	TabIndex     = html.TabIndex
	Title        = html.Title
	Type         = html.Type
	Value        = html.Value
)

// element is an element by its name, for those that the library does not have.
func element(name string) func(children ...Node) Node {
	return func(children ...Node) Node { return gomponents.El(name, children...) }
}
