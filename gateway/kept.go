package gateway

import (
	"cmp"
	"slices"
	"strings"

	"trails/fault"
	"trails/quote"
	"trails/rdf"
)

// How the schema graph holds upstream servers and the settings: a node for each server with
// its definition, and one with the settings.
const (
	servers        = rdf.TrailsNS + "upstream/" // the IRI of a server without its name
	definitionProp = rdf.IRI(rdf.TrailsNS + "upstreamDefinition")
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
	Quad rdf.Quad
	Err  error
}

// FromQuads reads what [Server.Quad] wrote, by name.
func FromQuads(quads []rdf.Quad) []Kept {
	var all []Kept
	for _, q := range quads {
		if q.Predicate != definitionProp || q.Label != rdf.SchemaGraph || !IsKept(q) {
			continue
		}
		k := Kept{Quad: q}
		k.Server, k.Err = ParseServer([]byte(rdf.Lexical(q.Object)))
		if k.Err != nil {
			k.Server = Server{Name: strings.TrimPrefix(rdf.Lexical(q.Subject), servers)}
		}
		all = append(all, k)
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
