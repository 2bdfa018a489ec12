package gateway

import (
	"encoding/json"

	"trails/text/quote"
)

// Item is one entry of a catalog, with everything for searching and showing it. Its texts may come from a server, and
// are cleaned and bounded when shown.
type Item struct {
	// ID is the text of an [ID], or one of [Distinct]; any other text for entries without one.
	ID          string
	Kind        Kind
	Namespace   string
	Name        string // its name at the server
	Description string
	Tags        []string
	Parameters  []string // the names of its arguments
	Examples    []string // example calls or requests
	Types       []string // the types of the schema that it reads or writes
	HasSchema   bool
	SideEffects bool
	CostHint    float64 // 0 if unknown; only comparable with others
}

// maxDescription is how many characters of a description are used.
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

// Item converts the tool to an item. A name that no id can have is fault.Malformed.
func (d Definition) Item(server string) (Item, error) {
	schema := shapeOf(d.InputSchema)
	id, err := Signature{Server: server, Name: d.Name, Version: d.Meta.Version}.id(schema)
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
