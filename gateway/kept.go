package gateway

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/text/quote"
)

// How the schema graph holds upstream servers and the settings: a node for each server with
// its definition and with each definition that was accepted of it, and one with the settings.
const (
	servers        = rdf.TrailsNS + "upstream/" // the IRI of a server without its name
	definitionProp = rdf.IRI(rdf.TrailsNS + "upstreamDefinition")
	acceptedProp   = rdf.IRI(rdf.TrailsNS + "upstreamAccepted")
	settingsNode   = rdf.IRI(rdf.TrailsNS + "gateway")
	settingsProp   = rdf.IRI(rdf.TrailsNS + "gatewaySettings")
)

// IsKept reports whether a quad of the schema graph is about an upstream server or the
// settings, and not of the schema.
func IsKept(q rdf.Quad) bool {
	iri, ok := q.Subject.(rdf.IRI)
	return ok && (iri == settingsNode || strings.HasPrefix(string(iri), servers))
}

// Quad is how the file keeps the definition.
func (s Server) Quad() rdf.Quad {
	return rdf.Quad{Subject: rdf.IRI(servers + s.Name), Predicate: definitionProp, Object: rdf.Literal(s.Text(), rdf.XSDString), Label: rdf.SchemaGraph}
}

// Kept is an upstream server as the file has it. One that cannot be read, because a later
// program wrote it, has an Err, and nothing else than its name.
type Kept struct {
	Server
	Accepted Acceptance
	Quads    []rdf.Quad // all that the file has of it
	Err      error
}

// Definitions are the quads with the definition: one, or several where branches were merged.
func (k Kept) Definitions() []rdf.Quad {
	return slices.DeleteFunc(slices.Clone(k.Quads), func(q rdf.Quad) bool { return q.Predicate != definitionProp })
}

// FromQuads reads the upstream servers of a schema graph, by name. What was accepted and
// cannot be read, because a later program wrote it, counts as not accepted.
func FromQuads(quads []rdf.Quad) []Kept {
	byName := map[string]*Kept{}
	for _, q := range quads {
		if q.Label != rdf.SchemaGraph || !IsKept(q) || q.Subject == settingsNode {
			continue
		}
		name := strings.TrimPrefix(rdf.Lexical(q.Subject), servers)
		k := byName[name]
		if k == nil {
			k = &Kept{Server: Server{Name: name}, Accepted: Acceptance{}}
			byName[name] = k
		}
		k.Quads = append(k.Quads, q)
		switch q.Predicate {
		case definitionProp:
			if k.Server, k.Err = ParseServer([]byte(rdf.Lexical(q.Object))); k.Err != nil {
				k.Server = Server{Name: name}
			}
		case acceptedProp:
			a := Accepted{Quad: q}
			if json.Unmarshal([]byte(rdf.Lexical(q.Object)), &a) != nil {
				continue
			}
			if string(a.Offered.InputSchema) == "null" {
				a.Offered.InputSchema = nil // which is how none is written
			}
			k.Accepted[a.Offered.thing()] = append(k.Accepted[a.Offered.thing()], a)
		}
	}
	var all []Kept
	for _, k := range byName {
		if len(k.Definitions()) > 0 {
			all = append(all, *k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Named returns the upstream server of a name. The fault Missing names the nearest one; one
// that cannot be read is the fault that says so.
func Named(all []Kept, name string) (Kept, error) {
	var names []string
	for _, k := range all {
		if k.Name == name {
			return k, k.Err
		}
		names = append(names, k.Name)
	}
	return Kept{}, fault.New(fault.Missing, "there is no upstream %s%s", quote.Text(name, 80), fault.DidYouMean(name, names))
}

// Quad is how the file keeps the settings.
func (s Settings) Quad() rdf.Quad {
	return rdf.Quad{Subject: settingsNode, Predicate: settingsProp, Object: rdf.Literal(s.Text(), rdf.XSDString), Label: rdf.SchemaGraph}
}

// KeptSettings are the settings as the file has them. The zero KeptSettings are those of a
// file that has none. Those that cannot be read, because a later program wrote them, have
// an Err.
type KeptSettings struct {
	Settings
	Quad rdf.Quad
	Err  error
}

// SettingsFromQuads reads what [Settings.Quad] wrote.
func SettingsFromQuads(quads []rdf.Quad) (k KeptSettings) {
	for _, q := range quads {
		if q.Subject != settingsNode || q.Predicate != settingsProp || q.Label != rdf.SchemaGraph {
			continue
		}
		k.Quad = q
		if k.Settings, k.Err = ParseSettings([]byte(rdf.Lexical(q.Object))); k.Err != nil {
			k.Settings = Settings{}
		}
	}
	return k
}
