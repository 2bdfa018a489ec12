package gateway

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"trails/fault"
	"trails/text/quote"
)

// Form is the format of a selection schema for a model API.
type Form string

// The forms.
const (
	JSONSchema Form = "json_schema" // only the schema
	OpenAI     Form = "openai"      // the response_format of OpenAI
	Anthropic  Form = "anthropic"   // a tool of Anthropic
)

// selected is the property with the selected id.
const selected = "tool_id"

// SelectionSchema returns the schema of an answer that selects one of these ids. No ids, or an unknown form, are
// fault.InvalidArguments.
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

// Selection is the result of matching a model's answer with ids.
type Selection struct {
	// Status is accepted, repaired or rejected.
	Status string `json:"status"`
	// Selected is the selected id, "" if the answer was rejected.
	Selected string `json:"selected_id,omitempty"`
	// Raw is the original answer.
	Raw string `json:"raw_id"`
	// Repair is the applied correction: strip, case_fold or prefix.
	Repair string `json:"repair,omitempty"`
	// Reason is why it was rejected.
	Reason Reason `json:"reason,omitempty"`
	// Candidates are, for a rejected answer, similar ids, otherwise the first ten offered ones.
	Candidates []string `json:"candidates,omitempty"`
}

// Reason is why an answer was rejected.
type Reason string

// The reasons.
const (
	EmptySelection    Reason = "empty_selection"
	NoCandidates      Reason = "no_candidates" // no ids were offered
	NotACandidate     Reason = "not_a_candidate"
	AmbiguousCaseFold Reason = "ambiguous_case_fold"
	AmbiguousPrefix   Reason = "ambiguous_prefix"
)

// The corrections.
const (
	strip    = "strip"
	caseFold = "case_fold"
	prefix   = "prefix"
)

// mostCandidates bounds those of a [Selection].
const mostCandidates = 10

// reject rejects an answer.
func (s Selection) reject(why Reason, candidates []string) Selection {
	s.Status, s.Reason, s.Candidates = "rejected", why, candidates[:min(len(candidates), mostCandidates)]
	return s
}

// repair returns the id for an answer, and the correction; "" if there is none.
func (s Selection) repair(selected, by string) Selection {
	s.Status, s.Selected, s.Repair, s.Reason, s.Candidates = "accepted", selected, by, "", nil
	if by != "" {
		s.Status = "repaired"
	}
	return s
}

// Select matches the answer of a model with the offered ids. Surrounding white space, case and a missing end are
// corrected if only one id fits; nothing is guessed.
func Select(answer string, offered []string) Selection {
	s := Selection{Raw: answer}
	bare := strings.TrimSpace(answer)
	switch {
	case len(offered) == 0:
		return s.reject(NoCandidates, nil)
	case bare == "":
		return s.reject(EmptySelection, offered)
	case slices.Contains(offered, answer):
		return s.repair(answer, "")
	case slices.Contains(offered, bare):
		return s.repair(bare, strip)
	}
	for _, rule := range []struct {
		name      string
		ambiguous Reason
		meant     func(id string) bool
	}{
		{caseFold, AmbiguousCaseFold, func(id string) bool { return strings.EqualFold(id, bare) }},
		{prefix, AmbiguousPrefix, func(id string) bool { return strings.HasPrefix(strings.ToLower(id), strings.ToLower(bare)) }},
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
			return s.repair(meant[0], rule.name)
		default:
			return s.reject(rule.ambiguous, meant)
		}
	}
	return s.reject(NotACandidate, offered)
}

// Resolve returns the entry for an id in a model's answer: the exact id or one without its hash, otherwise a
// correction of it among the ids offered last, or among all ids in another case. names are other names of ids. The
// [Selection] describes the correction, nil if there was none; the error is an [*Error] with the selection in its
// details.
func (d *Directory) Resolve(kind Kind, answer string, offered []string, names map[string]string) (Entry, *Selection, error) {
	if id, is := names[answer]; is {
		entry, err := d.Find(kind, id)
		return entry, nil, err
	}
	entry, err := d.Find(kind, answer)
	var failed *Error
	if err == nil || !errors.As(err, &failed) || slices.Contains(d.Held(), failed) {
		return entry, nil, err
	}
	there := slices.DeleteFunc(slices.Clone(offered), func(id string) bool { return !d.has(kind, id) })
	s := Select(answer, there)
	if strings.TrimSpace(answer) == "" {
		s = s.reject(EmptySelection, there)
	}
	if s.Reason == NotACandidate || s.Reason == NoCandidates {
		s = d.anyCase(s, kind, names)
	}
	if s.Selected != "" {
		entry, err = d.Find(kind, s.Selected)
		return entry, &s, err
	}
	switch bare := strings.TrimSpace(answer); {
	case s.Reason == EmptySelection:
		failed = Fail(failed.Code, answer, "the id is empty; give that of a card")
	case s.Reason == AmbiguousCaseFold || s.Reason == AmbiguousPrefix:
		failed = Fail(failed.Code, answer, "%s may be any of %s; give the whole id of one", quote.Text(bare, 120), strings.Join(s.Candidates, ", "))
	default:
		if bare != answer {
			if _, err := d.Find(kind, bare); err != nil {
				errors.As(err, &failed)
			}
		}
		if near, id := d.meant(kind, bare, names); near != "" {
			failed = Fail(failed.Code, answer, "no %s has the id %s; did you mean %q?", kind, quote.Text(bare, 120), near)
			s.Candidates = []string{id}
		} else if same, near := d.alike(kind, bare); len(same) > 0 {
			s.Candidates = same[:min(len(same), mostCandidates)]
		} else if near := nearest(bare, near); near != "" {
			s.Candidates = []string{near}
		}
		failed.Path = quote.Line(answer, maxMessage)
	}
	failed.Details = map[string]any{"selection": s}
	return Entry{}, nil, failed
}

// meant returns what an unknown name is similar to, and its id, "" if nothing is: one of the other names of ids, or
// else the id of one thing alone that is called so.
func (d *Directory) meant(kind Kind, bare string, names map[string]string) (name, id string) {
	known := map[string]string{}
	for id, entry := range d.entries {
		if name := entry.Item.Name; d.has(kind, id) {
			if _, twice := known[name]; twice {
				id = ""
			}
			known[name] = id
		}
	}
	maps.Copy(known, names)
	if len(known) > mostCompared {
		known = names
	}
	maps.DeleteFunc(known, func(_, id string) bool { return id == "" })
	name = fault.Meant(bare, slices.Sorted(maps.Keys(known)))
	if _, other := names[name]; !other {
		return known[name], known[name]
	}
	return name, known[name]
}

// has returns whether there is an entry of a kind with an id.
func (d *Directory) has(kind Kind, id string) bool {
	entry, known := d.entries[id]
	return known && entry.Offered.Kind == kind
}

// anyCase matches a rejected answer with all ids of a kind, with or without hash and version, and with their other
// names and the addresses of resources, ignoring case. What only begins an id, or the name in one, or begins or ends
// an address, is rejected with those.
func (d *Directory) anyCase(rejected Selection, kind Kind, names map[string]string) Selection {
	bare := strings.TrimSpace(rejected.Raw)
	var exact, folded, begun []string
	look := func(name, id string) {
		switch {
		case name == bare:
			exact = append(exact, id)
		case strings.EqualFold(name, bare):
			folded = append(folded, id)
		}
	}
	for id := range d.entries {
		if d.has(kind, id) {
			for rest, more := id, bare != ""; more; rest = strings.TrimPrefix(rest, ":") {
				if len(rest) >= len(bare) && strings.EqualFold(rest[:len(bare)], bare) {
					begun = append(begun, id)
					break
				}
				_, rest, more = strings.Cut(rest, ":")
			}
			look(id, id)
			if uri := d.entries[id].Offered.URI; kind == Resource {
				look(uri, id)
				look(d.entries[id].Item.Namespace+":"+uri, id)
				if strings.HasPrefix(uri, bare) || strings.HasSuffix(uri, "/"+strings.TrimPrefix(bare, "/")) {
					begun = append(begun, id)
				}
			}
			if begin, _, cut := strings.Cut(id, "#"); cut {
				look(begin, id)
			}
		}
	}
	for name, id := range names {
		look(name, id)
	}
	sorted := func(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }
	exact, folded, begun = sorted(exact), sorted(folded), sorted(begun)
	switch {
	case len(exact) == 1:
		return rejected.repair(exact[0], strip)
	case len(exact) > 1:
		return rejected.reject(AmbiguousPrefix, exact)
	case len(folded) == 1:
		return rejected.repair(folded[0], caseFold)
	case len(folded) > 1:
		return rejected.reject(AmbiguousCaseFold, folded)
	case len(begun) == 1:
		rejected.Candidates = begun
	case len(begun) > 1:
		return rejected.reject(AmbiguousPrefix, begun)
	}
	return rejected
}
