package gateway

import (
	"encoding/json"

	"trails/text/quote"
)

// Stripped is a tool in a list that shows all of them: its name is its id, and its schema is
// asked for when it is chosen.
type Stripped struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Strip returns the item as a list shows it that has all tools.
func (item Item) Strip() Stripped {
	description := quote.Line(item.Description, maxDescription)
	return Stripped{Name: item.ID, Description: Truncate(description, usualTokens), InputSchema: json.RawMessage(`{"type":"object"}`)}
}
