package gateway

import (
	"slices"
	"strings"

	"trails/fault"
)

// Form is how a schema of a selection is wrapped for whoever lets a model answer by it.
type Form string

// The forms.
const (
	JSONSchema Form = "json_schema" // the schema alone
	OpenAI     Form = "openai"      // the response_format of OpenAI
	Anthropic  Form = "anthropic"   // a tool of Anthropic
)

// selected is the property of a selection.
const selected = "tool_id"

// SelectionSchema returns the schema of an answer that selects one of the cards with these ids
// and nothing else. Without ids it is fault.InvalidArguments, as it is of an unknown form.
func SelectionSchema(ids []string, form Form) (map[string]any, error) {
	if len(ids) == 0 {
		return nil, fault.New(fault.InvalidArguments, "there is nothing to select from")
	}
	var offered []string
	for _, id := range ids {
		if !slices.Contains(offered, id) {
			offered = append(offered, id)
		}
	}
	schema := map[string]any{
		"type":                 "object",
		"properties":           map[string]any{selected: map[string]any{"type": "string", "enum": offered}},
		"required":             []string{selected},
		"additionalProperties": false,
	}
	const name = "tool_selection"
	switch form {
	case JSONSchema:
		return schema, nil
	case OpenAI:
		return map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": name, "strict": true, "schema": schema}}, nil
	case Anthropic:
		return map[string]any{"name": name, "description": "Select one of the tools that were found, by its id.", "input_schema": schema}, nil
	}
	return nil, fault.New(fault.InvalidArguments, "%q is no form of a schema; there are %s, %s and %s", form, JSONSchema, OpenAI, Anthropic)
}

// Selection is what became of the id that a model has answered with.
type Selection struct {
	// Status is accepted, repaired or rejected.
	Status string `json:"status"`
	// Selected is one of the ids that were offered, "" when the answer is rejected.
	Selected string `json:"selected_id,omitempty"`
	// Raw is the answer.
	Raw string `json:"raw_id"`
	// Repair is what was wrong with it: strip, case_fold or prefix.
	Repair string `json:"repair,omitempty"`
	// Reason is why it is rejected: empty_selection, ambiguous_case_fold, ambiguous_prefix or
	// not_a_candidate.
	Reason string `json:"reason,omitempty"`
}

// Select holds the answer of a model against the ids that were offered. White space around it,
// its case and a missing end are repaired when they leave one id only; nothing is guessed.
func Select(answer string, offered []string) Selection {
	s := Selection{Raw: answer}
	bare := strings.TrimSpace(answer)
	if bare == "" {
		s.Status, s.Reason = "rejected", "empty_selection"
		return s
	}
	if slices.Contains(offered, bare) {
		s.Status, s.Selected = "accepted", bare
		if bare != answer {
			s.Status, s.Repair = "repaired", "strip"
		}
		return s
	}
	for _, rule := range []struct {
		name  string
		meant func(id string) bool
	}{
		{"case_fold", func(id string) bool { return strings.EqualFold(id, bare) }},
		{"prefix", func(id string) bool { return strings.HasPrefix(strings.ToLower(id), strings.ToLower(bare)) }},
	} {
		var meant []string
		for _, id := range offered {
			if rule.meant(id) && !slices.Contains(meant, id) {
				meant = append(meant, id)
			}
		}
		switch len(meant) {
		case 0:
		case 1:
			s.Status, s.Selected, s.Repair = "repaired", meant[0], rule.name
			return s
		default:
			s.Status, s.Reason = "rejected", "ambiguous_"+rule.name
			return s
		}
	}
	s.Status, s.Reason = "rejected", "not_a_candidate"
	return s
}
