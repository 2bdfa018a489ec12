package gateway

import (
	"encoding/json"

	"trails/text/quote"
)

// Stripped is a tool in a list of all tools: its name is its id, and its schema is requested separately.
type Stripped struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Strip returns the item for a list of all tools.
func (item Item) Strip() Stripped {
	description := quote.Line(item.Description, maxDescription)
	return Stripped{Name: item.ID, Description: Truncate(description, usualTokens), InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)}
}
