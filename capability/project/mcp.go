// Package project converts descriptors to the formats of protocols (projections). Every function is pure: what two
// views share is equal byte for byte, and no view contains anything that the descriptor does not (contract, section
// 4).
//
// Read [MCPTool] first, then [Lower], which makes JSON Schemas of shapes.
package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"trails/auth/policy"
	"trails/capability"
)

// Tool is a capability as MCP lists it, with its members in sorted order. The discriminator is both in "trails" and
// in "_meta", because some clients drop one and some ignore the other. Meta also has the [Hints].
type Tool struct {
	Meta         map[string]any  `json:"_meta"`
	Annotations  Annotations     `json:"annotations"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	Name         string          `json:"name"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Title        string          `json:"title"`
	Trails       Discriminator   `json:"trails"`
}

// Annotations are MCP's hints; all four are always given, because the defaults are the worst case.
type Annotations struct {
	DestructiveHint bool `json:"destructiveHint"`
	IdempotentHint  bool `json:"idempotentHint"`
	OpenWorldHint   bool `json:"openWorldHint"`
	ReadOnlyHint    bool `json:"readOnlyHint"`
}

// Discriminator tells a client what a tool is in this system. The members after ID
// are shown for meta capabilities only.
type Discriminator struct {
	Kind       capability.Kind
	ID         string
	Scope      policy.Scope
	Namespace  string
	Op         string
	Idempotent bool
}

// MarshalJSON writes kind and id, and for meta capabilities the rest.
func (d Discriminator) MarshalJSON() ([]byte, error) {
	o := object{"id": d.ID, "kind": d.Kind}
	if d.Kind == capability.KindMeta {
		o["scope"], o["namespace"], o["op"], o["idempotent"] = d.Scope, d.Namespace, d.Op, d.Idempotent
	}
	return encode(o), nil
}

// Process is what views show about the process. The zero Process only reaches its file, and requires no token.
type Process struct {
	// Graph is the name of the graph.
	Graph string
	// Token means that callers over HTTP need a token.
	Token bool
	// Changes is the address of a stream of server-sent events about changes, relative to the origin; "" if there is
	// none.
	Changes string
	// Remote means that the process may reach other hosts.
	Remote bool
}

// MCPTool returns the MCP tool of a descriptor in a process. Its schemas are shared, and must not be changed.
func MCPTool(d capability.Descriptor, in Process) Tool {
	trails, name := discriminate(d), title(d)
	output, _ := outputOf(d)
	return Tool{
		Meta: metaOf(d.ID, name, trails),
		Annotations: Annotations{
			ReadOnlyHint:    d.SideEffects == capability.None,
			DestructiveHint: d.SideEffects == capability.Destroys,
			IdempotentHint:  d.Idempotent,
			OpenWorldHint:   openWorld(d, in),
		},
		Description:  d.Description,
		InputSchema:  Lower(d.InputShape),
		Name:         capability.ToolName(d.ID),
		OutputSchema: output,
		Title:        name,
		Trails:       trails,
	}
}

// metaOf returns the _meta of a tool.
func metaOf(id, title string, trails Discriminator) map[string]any {
	meta := map[string]any{"trails": trails}
	for _, h := range Hints {
		if v := h.of(id, title); v != nil {
			meta[h.Member] = v
		}
	}
	return meta
}

// openWorld reports whether a call may have effects outside the file.
func openWorld(d capability.Descriptor, in Process) bool {
	return d.PolicyRequired.Remote && in.Remote || d.PolicyRequired.Upstream
}

// encodeTool writes a tool with its checksum in both discriminators. The checksum covers the tool without _meta,
// which repeats the other discriminator.
func encodeTool(t Tool) ([]byte, error) {
	text := encode(members{
		{"annotations", t.Annotations}, {"description", t.Description}, {"inputSchema", t.InputSchema},
		{"name", t.Name}, {"outputSchema", t.OutputSchema}, {"title", t.Title}, {"trails", t.Trails},
	})
	sum, err := checksum(text)
	if err != nil {
		return nil, err
	}
	const mark = `"trails":{`
	last := bytes.LastIndex(text, []byte(mark)) + len(mark)
	trails := fmt.Appendf(nil, `%q:%q,%s`, checksumName, sum, text[last:len(text)-1])
	hints := []byte{}
	for _, h := range Hints {
		if v, given := t.Meta[h.Member]; given {
			hints = fmt.Appendf(hints, "%q:%s,", h.Member, encode(v))
		}
	}
	return fmt.Appendf(make([]byte, 0, len(text)+len(hints)+2*len(trails)), `{"_meta":{%s%s%s},%s%s}`, hints, mark, trails, text[1:last], trails), nil
}

func discriminate(d capability.Descriptor) Discriminator {
	return Discriminator{
		Kind: d.Kind(), ID: d.ID, Scope: d.PolicyRequired.Scope,
		Namespace: d.Namespace(), Op: d.Op(), Idempotent: d.Idempotent,
	}
}

// title is a short name for people and for searches: that in titles, or one of the words of the id, such as "Create
// AttackPattern"; meta capabilities keep the order of their ids: "Gen type".
func title(d capability.Descriptor) string {
	if own, ok := titles[d.ID]; ok {
		return own
	}
	words := []string{d.Op(), d.InputShape.NodeType}
	switch {
	case d.Kind() == capability.KindMeta:
		words = []string{d.Namespace(), d.Op()}
	case d.InputShape.NodeType == "":
		words[1] = d.Namespace()
	}
	text := strings.TrimSpace(strings.Join(words, " "))
	if d.InputShape.NodeType == "" {
		text = strings.NewReplacer(".", " ", "_", " ").Replace(text)
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
