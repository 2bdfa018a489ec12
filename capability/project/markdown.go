package project

import (
	"fmt"
	"strings"

	"trails/capability"
)

// Markdown returns the capabilities for people: the effect on the graph, the requirements and the arguments of each.
// It has less than [Listing.Manifest].
func (l Listing) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# What can be done with %s\n\nVersion %s of %d capabilities. Call one by `POST %s/invoke/{id}`, with its arguments as a JSON object.\n",
		markdownText(l.Process.Graph), l.Version, len(l.Descriptors), l.Base)
	for _, d := range l.Descriptors {
		fmt.Fprintf(&b, "\n## `%s`\n\n%s\n\n", d.ID, markdownText(d.Description))
		fmt.Fprintf(&b, "Version %s; side effects: %s; needs the scope %s; cost grows with: %s; idempotent: %t.\n", d.Version, d.SideEffects, d.PolicyRequired.Scope, d.CostEstimate, d.Idempotent)
		for _, sentence := range d.Preconditions {
			fmt.Fprintf(&b, "- %s\n", markdownText(sentence))
		}
		if len(d.InputShape.Fields) == 0 {
			continue
		}
		b.WriteString("\n| argument | type | needed | what it is |\n|---|---|---|---|\n")
		for _, f := range d.InputShape.Fields {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, markdownType(f), map[bool]string{true: "yes"}[f.Required], markdownText(describe(&f)))
		}
	}
	return []byte(b.String())
}

// markdownType names a field's type: "string", "list of iri of Note".
func markdownType(f capability.Field) string {
	name := string(f.Type)
	if f.NodeType != "" {
		name += " of " + markdownText(f.NodeType)
	}
	if f.Many {
		name = "list of " + name
	}
	return name
}

// markdownMarks escapes the special characters of CommonMark (section 2.4), and line breaks, which would end a table
// cell.
var markdownMarks = strings.NewReplacer("\\", `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "#", `\#`, "&", `\&`, "\r\n", " ", "\n", " ", "\r", " ")

func markdownText(text string) string { return markdownMarks.Replace(text) }
