package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"trails/capability"
	"trails/rdf"
)

// entries is the view of the manifest.
func entries(in Process) Encoding { return Encoding{"/capabilities", Entry, readEntry, in} }

// Entry returns a capability as GET /capabilities lists it: the fourteen fields of the
// descriptor, the name that the tool has in MCP, and the checksum of these.
func Entry(d capability.Descriptor) ([]byte, error) {
	fields, err := d.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("descriptor %s: %w", d.ID, err)
	}
	// At the end, so that the descriptor's own bytes stay those of every other view.
	text := fmt.Appendf(fields[:len(fields)-1], `,"tool_name":%q}`, capability.ToolName(d.ID))
	sum, err := checksum(text)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(text[:len(text)-1], `,%q:%q}`, checksumName, sum), nil
}

// Manifest returns the capabilities as JSON: {"version", "capabilities"}, see [Entry].
func (l Listing) Manifest() ([]byte, error) { return l.manifest(nil) }

// LinkedManifest returns the same with a JSON-LD context in front, so that each member has
// an IRI. A capability's own is the address at which it is called.
func (l Listing) LinkedManifest() ([]byte, error) {
	context := object{"@base": l.Base + "/invoke/"}
	for term, meaning := range Context() {
		context[term] = meaning
	}
	return l.manifest(context)
}

func (l Listing) manifest(context object) ([]byte, error) {
	return l.document(entries(l.Process), checksumName, func(b *bytes.Buffer, list [][]byte) {
		b.WriteByte('{')
		if context != nil {
			fmt.Fprintf(b, `"@context":%s,`, encode(context))
		}
		fmt.Fprintf(b, `"version":%q,"capabilities":[`, l.Version)
		b.Write(bytes.Join(list, []byte{','}))
		b.WriteString("]}")
	})
}

// Context returns the JSON-LD context of a descriptor and of the manifest around it, without
// a base: the meaning of every member. Values that are JSON and no RDF stay JSON.
func Context() map[string]any {
	context := map[string]any{
		"trails": rdf.TrailsNS, "dct": "http://purl.org/dc/terms/", "td": "https://www.w3.org/2019/wot/td#", "id": "@id",
		"description":     "dct:description",
		"input_shape":     "td:hasInputSchema",
		"output_shape":    "td:hasOutputSchema",
		"idempotent":      "td:isIdempotent",
		"capabilities":    object{"@id": "trails:capabilities", "@container": "@set"},
		"preconditions":   object{"@id": "trails:preconditions", "@container": "@list"},
		"deprecates":      object{"@id": "trails:deprecates", "@container": "@set", "@type": "@id"},
		"fields":          object{"@id": "trails:fields", "@container": "@list"},
		"cells":           object{"@id": "trails:cells", "@container": "@list"},
		"types":           object{"@id": "trails:types", "@container": "@list"},
		"unique_together": object{"@id": "trails:unique_together", "@type": "@json"},
	}
	for _, name := range []string{"one_of", "min_value", "max_value", "has_value", "default"} {
		context[name] = object{"@id": "trails:" + name, "@type": "@json"}
	}
	for _, name := range strings.Fields(`version tool_name checksum side_effects cost_estimate policy_required reasoning assurance consent_required
		scope action remote upstream node_type closed name type required many min_count max_count min_length max_length pattern unique dim
		nullable needed rare brief says`) {
		context[name] = "trails:" + name
	}
	return context
}

// readEntry compares an entry of /capabilities.
func readEntry(r *reading, d capability.Descriptor, text []byte) error {
	var entry struct {
		ID              any             `json:"id"`
		Version         any             `json:"version"`
		Description     any             `json:"description"`
		Input           json.RawMessage `json:"input_shape"`
		Output          json.RawMessage `json:"output_shape"`
		Preconditions   []any           `json:"preconditions"`
		SideEffects     any             `json:"side_effects"`
		CostEstimate    any             `json:"cost_estimate"`
		PolicyRequired  any             `json:"policy_required"`
		Idempotent      any             `json:"idempotent"`
		Reasoning       any             `json:"reasoning"`
		Deprecates      []any           `json:"deprecates"`
		Assurance       any             `json:"assurance"`
		ConsentRequired any             `json:"consent_required"`
		ToolName        any             `json:"tool_name"`
	}
	if err := parse(text, &entry); err != nil {
		return err
	}
	r.same("id", entry.ID, d.ID)
	r.same("id", entry.ToolName, capability.ToolName(d.ID))
	r.same("version", entry.Version, d.Version)
	r.same("description", entry.Description, d.Description)
	r.sameShape("input_shape", entry.Input, d.InputShape)
	r.sameShape("output_shape", entry.Output, d.OutputShape)
	r.sameList("preconditions", entry.Preconditions, d.Preconditions)
	r.same("side_effects", entry.SideEffects, d.SideEffects)
	r.same("cost_estimate", entry.CostEstimate, d.CostEstimate)
	r.same("policy_required", entry.PolicyRequired, required(d))
	r.same("idempotent", entry.Idempotent, d.Idempotent)
	r.same("reasoning", entry.Reasoning, d.Reasoning)
	r.sameList("deprecates", entry.Deprecates, d.Deprecates)
	r.same("assurance", entry.Assurance, d.Assurance)
	r.same("consent_required", entry.ConsentRequired, d.ConsentRequired)
	return nil
}

// required is the member policy_required as it parses.
func required(d capability.Descriptor) object {
	o := object{"scope": d.PolicyRequired.Scope, "action": d.PolicyRequired.Action}
	if d.PolicyRequired.Remote {
		o["remote"] = true
	}
	if d.PolicyRequired.Upstream {
		o["upstream"] = true
	}
	return o
}
