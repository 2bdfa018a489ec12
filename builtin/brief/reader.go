package brief

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"trails/capability"
	"trails/invoke"
	"trails/schema"
)

// reader is the caller for whom a text is written, and the graph as this caller sees it. A text names only tools that its
// reader may call.
type reader struct {
	r *invoke.Request
	// tools are those that the caller may call, by name, and whether lists have them.
	tools map[string]bool
	// way says how tools are called that no list has, "" if by their names.
	way string
	// generic means that nodes of all types are written by the same tools.
	generic bool
	// audience identifies what the caller may call, and how.
	audience string
}

func newReader(ctx context.Context, r *invoke.Request) (reader, error) {
	to := reader{r: r, tools: map[string]bool{}}
	may, err := r.Tools(ctx)
	if err != nil {
		return to, err
	}
	for _, d := range may {
		to.tools[capability.ToolName(d.ID)] = false
	}
	shown, err := r.Engine().Tools(ctx, r.Principal)
	if err != nil {
		return to, err
	}
	for _, d := range shown.Listed {
		if name := capability.ToolName(d.ID); to.may(name) {
			to.tools[name] = true
		}
	}
	to.way, to.generic = to.howToCall()
	to.audience = shown.Version + " " + shown.Audience + " " + shown.Choice
	return to, nil
}

// may reports whether the caller may call a tool.
func (to reader) may(name string) bool {
	_, may := to.tools[name]
	return may
}

// makes reports whether the caller may make nodes of a type.
func (to reader) makes(t *schema.Type) bool { return to.may(schema.SnakeName(t.Name) + "_create") }

// clause is a part of a sentence, and the tools that it names.
type clause struct {
	text  string
	tools []string
}

func says(text string, tools ...string) clause { return clause{text, tools} }

// joined is a sentence of the clauses of which the caller may call all tools, with a text between two of them; "" without
// any. It begins with a capital letter.
func (to reader) joined(between string, clauses ...clause) string {
	var texts []string
	for _, c := range clauses {
		if !slices.ContainsFunc(c.tools, func(name string) bool { return !to.may(name) }) {
			texts = append(texts, c.text)
		}
	}
	text := []rune(strings.Join(texts, between))
	if len(text) > 0 && between != ", " {
		text[0] = unicode.ToUpper(text[0])
	}
	return string(text)
}
