package httpapi

import (
	"encoding/json"
	"net/http"

	"trails/capability/project"
)

// capabilities answers GET /capabilities: what this caller may see.
func (s *server) capabilities(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r); err != nil {
		return err
	}
	tools, err := s.engine.Tools(r.Context(), callerOf(r))
	if err != nil {
		return err
	}
	entries := make([]json.RawMessage, len(tools.Descriptors))
	for i, d := range tools.Descriptors {
		if entries[i], err = project.Entry(d); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Version      string            `json:"version"`
		Capabilities []json.RawMessage `json:"capabilities"` // see [project.Entry]
	}{tools.Version, entries})
}
