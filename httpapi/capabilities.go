package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"trails/capability"
)

// listed is one entry of GET /capabilities: the fourteen fields of the descriptor
// as they are everywhere, and the name that the tool has in MCP.
type listed struct{ capability.Descriptor }

// MarshalJSON adds the member at the end, so that the descriptor's own bytes stay
// those of every other view.
func (l listed) MarshalJSON() ([]byte, error) {
	fields, err := l.Descriptor.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("descriptor %s: %w", l.ID, err)
	}
	return fmt.Appendf(fields[:len(fields)-1], `,"tool_name":%q}`, capability.ToolName(l.ID)), nil
}

// capabilities answers GET /capabilities: what this caller may see.
func (s *server) capabilities(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r); err != nil {
		return err
	}
	tools, err := s.engine.Tools(r.Context(), principalOf(r))
	if err != nil {
		return err
	}
	body := struct {
		Version      string   `json:"version"`
		Capabilities []listed `json:"capabilities"`
	}{tools.Version, make([]listed, len(tools.Descriptors))}
	for i, d := range tools.Descriptors {
		body.Capabilities[i] = listed{d}
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(body)
}
