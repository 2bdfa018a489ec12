package project

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/text/jsontext"
	"trails/text/outline"
)

// Finding is a problem with a capability or a document about capabilities.
type Finding struct {
	// Capability is an id; "" if it is about none.
	Capability string `json:"capability,omitempty"`
	// Field is the descriptor's, or a place in one of its shapes: "input_shape.title.pattern".
	Field string `json:"field,omitempty"`
	// Rule names what does not hold: "edited".
	Rule string `json:"rule"`
	Says string `json:"says"` // what was found
	Mend string `json:"mend" doc:"How it is put right."`
}

// String says all but the way out.
func (f Finding) String() string {
	var about []string
	if f.Capability != "" {
		about = append(about, "capability "+f.Capability)
	}
	if f.Field != "" {
		about = append(about, "field "+f.Field)
	}
	if len(about) == 0 {
		return f.Says
	}
	return strings.Join(about, ", ") + ": " + f.Says
}

// Known finds the descriptor of an id and version, or the current one for version "".
type Known func(id, version string) (capability.Descriptor, bool)

// Saved is the result of checking a saved document about capabilities.
type Saved struct {
	// Kind says what it is, in words: "an OpenAPI document".
	Kind string
	// Entries is how many capabilities it shows.
	Entries int
	// Findings are the differences from what was served, and from what would be served now.
	Findings []Finding
}

// The rules of [CheckSaved].
const (
	ruleEdited   = "edited"    // it differs from what was served
	ruleUnsealed = "no-sum"    // it has no checksum
	ruleStale    = "stale"     // it was served, and there is a newer version
	ruleGone     = "not-there" // it was served, and the capability is gone
)

// anew says how to correct a document that was edited by hand.
const anew = "fetch the document anew; what should be otherwise is changed in the schema, the stored query or the program that the capability comes from"

// maxShown is how many characters of a value a finding shows.
const maxShown = 200

// CheckSaved checks whether a saved document is unchanged and still up to date. It recognizes /openapi.json, a Thing
// Description, a manifest in JSON, and a tool or list of tools; other documents are the fault InvalidArguments.
func CheckSaved(text []byte, in Process, known Known) (Saved, error) {
	var document any
	if err := parse(text, &document); err != nil {
		return Saved{}, fault.Argument("served", fault.Datatype, nil, "the document is no JSON: "+err.Error())
	}
	s := &saving{known: known, in: in}
	top, _ := document.(map[string]any)
	if result, ok := top["result"].(map[string]any); ok {
		top = result // of JSON-RPC
	}
	list, isList := document.([]any)
	if tools, ok := top["tools"].([]any); ok {
		list, isList = tools, true
	}
	var err error
	switch {
	case isList:
		s.Kind = "a list of tools"
		for _, tool := range list {
			err = cmp.Or(err, s.tool(tool))
		}
	case top["inputSchema"] != nil:
		s.Kind, err = "a tool", s.tool(top)
	case top["openapi"] != nil:
		s.Kind, err = "an OpenAPI document", s.openAPI(top)
	case top["actions"] != nil:
		s.Kind, err = "a Thing Description", s.thing(top)
	case top["capabilities"] != nil:
		s.Kind, err = "a manifest", s.manifest(top)
	case top["input_shape"] != nil:
		s.Kind = "an entry of a manifest"
		_, err = s.entry(entries(in), top, checksumName, top)
	default:
		return Saved{}, fault.Argument("served", fault.Datatype, nil, "the document is none of those that trails serves: OpenAPI, a Thing Description, a manifest in JSON, a list of tools or one of them")
	}
	return s.Saved, err
}

// saving checks one document.
type saving struct {
	Saved
	known Known
	in    Process
}

func (s *saving) tool(v any) error {
	tool, _ := v.(map[string]any)
	inner, _ := tool["trails"].(map[string]any)
	meta, _ := tool["_meta"].(map[string]any)
	again, has := meta["trails"].(map[string]any)
	switch {
	case inner == nil: // some programs drop one, some the other
		inner = maps.Clone(again)
		tool["trails"] = inner
	case has && !jsontext.Equal(again, inner):
		s.add(Finding{textAt(inner, "id"), "", ruleEdited, "what trails says of it in _meta is not what it says beside that: one of the two was changed by hand", anew})
	}
	if inner == nil {
		inner = map[string]any{}
	}
	tool["_meta"] = map[string]any{"trails": maps.Clone(inner)}
	_, err := s.entry(Tools(s.in), tool, checksumName, inner)
	return err
}

func (s *saving) openAPI(document map[string]any) error {
	paths, _ := document["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[path].(map[string]any)
		operation, _ := item["post"].(map[string]any)
		if inner, ok := operation["x-trails"].(map[string]any); ok {
			sum, err := s.entry(Operations(s.in), operation, checksumName, inner)
			if err != nil {
				return err
			}
			item["post"] = sum
		}
	}
	return s.frame(document, "x-trails-"+checksumName)
}

func (s *saving) thing(document map[string]any) error {
	actions, _ := document["actions"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(actions)) {
		action, _ := actions[name].(map[string]any)
		sum, err := s.entry(Actions(s.in), action, "trails:"+checksumName, action)
		if err != nil {
			return err
		}
		actions[name] = sum
	}
	return s.frame(document, "trails:"+checksumName)
}

func (s *saving) manifest(document map[string]any) error {
	list, _ := document["capabilities"].([]any)
	for i, v := range list {
		one, _ := v.(map[string]any)
		sum, err := s.entry(entries(s.in), one, checksumName, one)
		if err != nil {
			return err
		}
		list[i] = sum
	}
	return s.frame(document, checksumName)
}

// entry checks the entry of one capability. inner, which may be a part of it, has the checksum under a name, and id
// and version. It returns the checksum in the entry.
func (s *saving) entry(v Encoding, entry map[string]any, name string, inner map[string]any) (checksum any, err error) {
	s.Entries++
	prefix := strings.TrimSuffix(name, checksumName)
	id, version := textAt(inner, prefix+"id"), textAt(inner, prefix+"version")
	checksum = inner[name]
	text, err := jsontext.Marshal(entry)
	if err != nil {
		return checksum, err
	}
	delete(inner, name)
	delete(entry, "_meta") // of a tool: it repeats what is beside it
	sum, err := sumOfValue(entry)
	if err != nil {
		return checksum, err
	}
	now, there := s.known(id, "")
	meant, has := now, there
	if there && version != "" && version != now.Version {
		meant, has = s.known(id, version)
	}
	r := &reading{capability: id, view: v.Name, in: s.in, saved: true}
	if has {
		if err := v.read(r, meant, text); err != nil {
			r.found = append(r.found, Difference{Capability: id, Encoding: v.Name, Shown: "what cannot be read: " + err.Error()})
		}
	}
	switch {
	case checksum == nil:
		s.add(Finding{id, "", ruleUnsealed, "it has no checksum, so that nobody can tell whether it was changed by hand", anew})
		s.differing(r.found, ruleStale, "it is not as it is now", anew)
	case checksum != sum && len(r.found) == 0:
		s.add(Finding{id, "", ruleEdited, "it was changed by hand, in what no field of the descriptor says, or only its checksum was", anew})
	case checksum != sum:
		s.differing(r.found, ruleEdited, "it was changed by hand", anew)
	case !there:
		s.add(Finding{id, "", ruleGone, "it is not there any more", "fetch the document anew"})
	case version != "" && version != now.Version:
		s.add(Finding{id, "version", ruleStale, fmt.Sprintf("it is version %s, and there is %s now", version, now.Version), "fetch the document anew"})
	case len(r.found) > 0:
		s.differing(r.found, ruleStale, "it is as it was served, which is not as it is now", "fetch the document anew")
	}
	return checksum, nil
}

func (s *saving) add(f Finding) { s.Findings = append(s.Findings, f) }

// differing adds a finding for each field that differs from the descriptor.
func (s *saving) differing(found []Difference, rule, says, mend string) {
	for _, d := range found {
		s.add(Finding{d.Capability, d.Field, rule, fmt.Sprintf("%s: it shows %s, and the descriptor says %s", says, brief(d.Shown), brief(d.Meant)), mend})
	}
}

func textAt(o map[string]any, name string) string {
	text, _ := o[name].(string)
	return text
}

func brief(text string) string {
	return outline.Begin(orNothing(text), maxShown)
}

// frame checks the document with each entry replaced by its checksum.
func (s *saving) frame(document map[string]any, name string) error {
	checksum := document[name]
	delete(document, name)
	sum, err := sumOfValue(document)
	switch {
	case err != nil:
		return err
	case checksum == nil:
		s.add(Finding{Rule: ruleUnsealed, Says: "the document has no checksum, so that nobody can tell whether it was changed by hand", Mend: "fetch the document anew"})
	case checksum != sum:
		s.add(Finding{Rule: ruleEdited, Says: "the document was changed by hand around its capabilities, or one was taken out or put in", Mend: "fetch the document anew"})
	}
	return nil
}

func sumOfValue(v any) (any, error) {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return nil, err
	}
	return checksum(json.RawMessage(text))
}
