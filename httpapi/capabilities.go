package httpapi

import (
	"encoding/json"
	"net/http"

	"trails/capability"
	"trails/capability/project"
)

// listed is one entry of GET /capabilities, see [project.Entry].
type listed struct{ capability.Descriptor }

// MarshalJSON writes the entry.
func (l listed) MarshalJSON() ([]byte, error) { return project.Entry(l.Descriptor) }

// capabilities answers GET /capabilities: what this caller may see.
func (s *server) capabilities(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r); err != nil {
		return err
	}
	tools, err := s.engine.Tools(r.Context(), callerOf(r))
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
