package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/text/quote"
)

// How the schema graph stores upstream servers and settings: one node for each server, with its definition and the
// accepted definitions, and one node for the settings.
const (
	definitionProp = rdf.IRI(rdf.TrailsNS + "upstreamDefinition")
	acceptedProp   = rdf.IRI(rdf.TrailsNS + "upstreamAccepted")
	settingsProp   = rdf.IRI(rdf.TrailsNS + "gatewaySettings")
)

// Quad is the quad that stores the definition.
func (s Server) Quad() rdf.Quad {
	return rdf.Quad{Subject: schema.UpstreamRecord.Node(s.Name), Predicate: definitionProp, Object: rdf.Literal(s.Text(), rdf.XSDString), Label: rdf.SchemaGraph}
}

// Kept is an upstream server as stored in the file. One that cannot be read, because a later program wrote it, has
// only its name and Err.
type Kept struct {
	Server
	Accepted Acceptance
	Quads    []rdf.Quad // all its quads
	Err      error
}

// Definitions are the quads with the definition: several if branches were merged.
func (k Kept) Definitions() []rdf.Quad {
	return slices.DeleteFunc(slices.Clone(k.Quads), func(q rdf.Quad) bool { return q.Predicate != definitionProp })
}

// FromQuads reads the upstream servers of a schema graph, by name. Unreadable accepted definitions, which a later
// program wrote, count as not accepted.
func FromQuads(quads []rdf.Quad) []Kept {
	byName := map[string]*Kept{}
	for _, q := range quads {
		kind, name := schema.RecordOf(q)
		if kind != schema.UpstreamRecord {
			continue
		}
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
				k.Err = unread(k.Err, "the definition of the upstream "+quote.Line(name, 80), "define it anew with trails gateway add, or take it away with trails gateway rm")
			}
		case acceptedProp:
			a := Accepted{Quad: q}
			if json.Unmarshal([]byte(rdf.Lexical(q.Object)), &a) != nil {
				continue
			}
			if string(a.Offered.InputSchema) == "null" {
				a.Offered.InputSchema = nil // the absence of settings is stored as no quad
			}
			k.Accepted[a.Offered.thing()] = append(k.Accepted[a.Offered.thing()], a)
		}
	}
	var all []Kept
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if k := byName[name]; len(k.Definitions()) > 0 {
			all = append(all, *k)
		}
	}
	return all
}

// Named returns the upstream server with a name. The fault Missing suggests a similar name; an unreadable server
// returns its error.
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
	return rdf.Quad{Subject: schema.GatewayRecord.Node(""), Predicate: settingsProp, Object: rdf.Literal(s.Text(), rdf.XSDString), Label: rdf.SchemaGraph}
}

// KeptSettings are the settings as stored in the file. The zero KeptSettings are the defaults. Unreadable ones, which
// a later program wrote, have an Err.
type KeptSettings struct {
	Settings
	Quad rdf.Quad
	Err  error
}

// SettingsFromQuads reads the quads of [Settings.Quad].
func SettingsFromQuads(quads []rdf.Quad) (k KeptSettings) {
	for _, q := range quads {
		if kind, _ := schema.RecordOf(q); kind != schema.GatewayRecord || q.Predicate != settingsProp {
			continue
		}
		k.Quad = q
		if k.Settings, k.Err = ParseSettings([]byte(rdf.Lexical(q.Object))); k.Err != nil {
			k.Settings, k.Err = Settings{}, unread(k.Err, "the settings of the gateway", "set them anew with trails gateway settings")
		}
	}
	return k
}

// unread says in one sentence which part of the file cannot be read, why, and what to do.
func unread(err error, what, way string) error {
	f := fault.Of(err)
	reason := f.Message
	if len(f.Fields) > 0 {
		reason = quote.Line(f.Fields[0].Message, 300)
	}
	if f.Count > 1 {
		reason += fmt.Sprintf("; and %d more", f.Count-1)
	}
	return fault.New(f.Kind, "%s cannot be read: %s; %s", what, reason, way)
}
