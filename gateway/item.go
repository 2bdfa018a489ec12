package gateway

import (
	"encoding/json"

	"trails/text/quote"
)

// Item is one thing of a catalog, with all that it is found and shown by. Its texts may be
// whatever a server has sent: they are cleaned and bounded where they are shown.
type Item struct {
	// ID is the text of an [ID], or one of [Distinct]; of what has none, any other text.
	ID          string
	Kind        Kind
	Namespace   string
	Name        string // as its server calls it
	Description string
	Tags        []string
	Parameters  []string // the names of its arguments
	Examples    []string // how it is called, or asked for
	Types       []string // the types of the schema that it reads or writes
	HasSchema   bool
	SideEffects bool
	CostHint    float64 // 0 when nothing is known of it; only to be compared with others
}

// maxDescription is how many characters of a description are looked at.
const maxDescription = 2_000

// Definition is a tool as the Model Context Protocol describes it in tools/list. Unknown
// members are left out.
type Definition struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		Title       string  `json:"title,omitempty"`
		ReadOnly    bool    `json:"readOnlyHint,omitempty"`
		Destructive bool    `json:"destructiveHint,omitempty"`
		CostHint    float64 `json:"costHint,omitempty"`
	} `json:"annotations"`
	Meta struct {
		Version string `json:"version,omitempty"`
	} `json:"_meta"`
}

// Item returns the tool as an item of the catalog. A tool whose name no id can have is
// fault.Malformed.
func (d Definition) Item(server string) (Item, error) {
	schema := shapeOf(d.InputSchema)
	id, err := Said{Server: server, Name: d.Name, Version: d.Meta.Version}.id(schema)
	if err != nil {
		return Item{}, err
	}
	item := Item{
		ID: id.String(), Kind: Tool, Namespace: id.Namespace, Name: d.Name, Tags: []string{"mcp"},
		Parameters: schema.properties, HasSchema: len(d.InputSchema) > 0, SideEffects: !d.Annotations.ReadOnly, CostHint: d.Annotations.CostHint,
	}
	for _, text := range []string{d.Description, d.Title, d.Annotations.Title} {
		if item.Description == "" {
			item.Description = quote.Line(text, maxDescription)
		}
	}
	if d.Annotations.ReadOnly {
		item.Tags = append(item.Tags, readOnlyTag)
	}
	if d.Annotations.Destructive {
		item.Tags = append(item.Tags, destructiveTag)
	}
	return item, nil
}
