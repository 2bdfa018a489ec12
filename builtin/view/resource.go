package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
)

// Media types of resources.
const (
	mimeJSON   = "application/json"
	mimeJSONLD = "application/ld+json"
)

// Forms is an address with its available forms.
type Forms struct {
	invoke.Resource
	// JSON is the default form.
	JSON func(context.Context, *invoke.Request) (any, error)
	// Graph is the same as statements, with prefixes for writing them; nil if there is none.
	Graph func(*invoke.Request) ([]rdf.Quad, map[string]string)
	// Context is the same as a JSON-LD context; nil if there is none.
	Context func(*invoke.Request) ([]byte, error)
}

// Offered returns a resource that answers in the requested form.
func (f Forms) Offered() invoke.Resource {
	f.Read = func(ctx context.Context, r *invoke.Request, _ *url.URL) (invoke.Document, error) {
		form, err := form(r, f.forms()...)
		switch {
		case err != nil:
			return invoke.Document{}, err
		case form == formJSONLD:
			body, err := f.Context(r)
			return invoke.Document{MIME: mimeJSONLD, Body: body}, err
		case form != formJSON:
			quads, prefixes := f.Graph(r)
			return graphDocument(form, quads, prefixes)
		}
		v, err := f.JSON(ctx, r)
		if err != nil {
			return invoke.Document{}, err
		}
		body, err := jsontext.Marshal(v)
		return invoke.Document{MIME: f.MIME, Body: body}, err
	}
	return f.Resource
}

// everyType has the addresses of all types and their nodes. It also answers for a type that is not on main, but on the
// branch or at the commit that the address names.
var everyType = invoke.Resource{
	URI: "trails://kg", Name: "kg", MIME: mimeJSON, Template: "trails://kg/{type}{?where,limit,offset}", Unlisted: true, Read: readType,
}

// typeResources lists one address for each type of main, with those of its nodes below it.
type typeResources struct{}

func (typeResources) Version(s *kg.Snapshot) string { return s.SchemaKey() }

func (typeResources) Offer(s *kg.Snapshot) (invoke.Offer, error) {
	var o invoke.Offer
	for _, t := range s.Schema().Types {
		o.Resources = append(o.Resources, umbrella(t))
	}
	return o, nil
}

func umbrella(t *schema.Type) invoke.Resource {
	uri := invoke.Address(t.Name, "")
	description := fmt.Sprintf("List all %s instances as {iri, label}; filter with ?where=property=value.", t.Name)
	if t.Description != "" {
		description += " " + strings.TrimSuffix(t.Description, ".") + "."
	}
	return invoke.Resource{
		URI: uri, Name: "kg-" + t.Name, Title: t.Name, MIME: mimeJSON, Template: uri + "{?where,limit,offset}",
		Description: description + " Watching the full type fires one notification per instance mutation. For types with >1000 instances, subscribe to a specific <id> where possible.",
		Read:        readType,
	}
}

// pack makes a body a part of a JSON result: a body that is not JSON becomes a string.
func pack(mime string, body []byte) (json.RawMessage, error) {
	if mime == mimeJSON || mime == mimeJSONLD {
		return body, nil
	}
	return jsontext.Marshal(string(body))
}

// addressAsked is an address and the form in which it is read.
type addressAsked struct {
	capability.NoView
	URI     string  `json:"uri" max:"8192"`
	Context rdf.IRI `json:"context,omitempty" doc:"The address by which JSON-LD names its context, which it has itself when left out."`
	Format  string  `json:"format,omitempty" max:"20" doc:"json, jsonld or turtle, where the address can be had so; its own form when left out."`
}

// addressRead is what is at an address.
type addressRead struct {
	URI  string          `json:"uri"`
	MIME string          `json:"mime"`
	Body json.RawMessage `json:"body" doc:"JSON as it is, anything else as a string."`
	Page *invoke.Page    `json:"page,omitempty" type:"object" doc:"Which part of a list this is: offset, limit and more."`
}

// resourceRead is the handler behind every address.
func resourceRead(ctx context.Context, r *invoke.Request, in addressAsked) (*addressRead, error) {
	address, err := takeMaxChars(r, in.URI)
	if err != nil {
		return nil, err
	}
	d, err := r.ReadAddress(ctx, address)
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.NotFound {
		return nil, f.With("uri", in.URI)
	}
	if err != nil {
		return nil, err
	}
	if d, err = withCut(r, address, d); err != nil {
		return nil, err
	}
	r.Document = d
	body, err := pack(d.MIME, d.Body)
	return &addressRead{in.URI, d.MIME, body, d.Page}, err
}

// readType reads the list of a type's nodes, or one of them. It looks the type up in the request's own schema,
// because the provider's offer may be from another snapshot.
func readType(ctx context.Context, r *invoke.Request, at *url.URL) (invoke.Document, error) {
	name, escaped, isInstance := strings.Cut(strings.TrimPrefix(at.EscapedPath(), "/"), "/")
	t := r.Snapshot.Schema().Type(name)
	if t == nil {
		return invoke.Document{}, invoke.ErrNoResource
	}
	if !isInstance {
		return readList(ctx, r, t, at.RawQuery)
	}
	id, err := url.PathUnescape(escaped)
	if err != nil || id == "" {
		return invoke.Document{}, invoke.ErrNoResource
	}
	if err := noFilter(at.RawQuery); err != nil {
		return invoke.Document{}, err
	}
	return readInstance(ctx, r, t, id)
}

// resourceRead is the capability behind every address.
var resourceReadCapability = invoke.Define(capability.Descriptor{
	ID: invoke.ReadResource, Description: "Read one trails:// address.",
	CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, resourceRead, invoke.Hidden)
