package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/kg"
	"trails/schema"
)

// Media types of resources.
const (
	mimeJSON   = "application/json"
	mimeJSONLD = "application/ld+json"
	mimeTurtle = "text/turtle"
)

// fixedResource is an address that every graph has.
type fixedResource struct {
	Resource
	read func(context.Context, *Request) (any, error)
	// turtle is the same as Turtle; nil when it cannot be had so.
	turtle func(context.Context, *Request) ([]byte, error)
	// context is what it says as a JSON-LD context; nil when it is none.
	context func(*Request) ([]byte, error)
}

// resource is what is offered.
func (f fixedResource) resource() Resource {
	f.Read = func(ctx context.Context, r *Request, _ *url.URL) (Document, error) { return r.fixed(ctx, f) }
	return f.Resource
}

// typeResources offers one address for each type, below which are those of its nodes.
type typeResources struct{}

func (typeResources) Version(s *kg.Snapshot) string { return s.SchemaKey() }

func (typeResources) Offer(s *kg.Snapshot) (Offer, error) {
	var o Offer
	for _, t := range s.Schema().Types {
		o.Resources = append(o.Resources, umbrella(t))
	}
	return o, nil
}

func umbrella(t *schema.Type) Resource {
	uri := Address(t.Name, "")
	description := fmt.Sprintf("List all %s instances as {iri, label}; filter with ?where=property=value.", t.Name)
	if t.Description != "" {
		description += " " + strings.TrimSuffix(t.Description, ".") + "."
	}
	return Resource{
		URI: uri, Name: "kg-" + t.Name, Title: t.Name, MIME: mimeJSON, Template: uri + "{?where,limit,offset}",
		Description: description + " Watching the full type fires one notification per instance mutation. For types with >1000 instances, subscribe to a specific <id> where possible.",
		Read: func(ctx context.Context, r *Request, at *url.URL) (Document, error) {
			return r.readType(ctx, t, uri, at)
		},
	}
}

// pack makes a body a part of a JSON result: what is no JSON travels as a string.
func pack(mime string, body []byte) (json.RawMessage, error) {
	if mime == mimeJSON || mime == mimeJSONLD {
		return body, nil
	}
	return encodeJSON(string(body))
}

// resourceRead is the handler behind every address.
func resourceRead(ctx context.Context, r *Request) (any, error) {
	uri := r.Args.Text("uri")
	d, err := r.ReadAddress(ctx, uri)
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.NotFound {
		return nil, f.With("uri", uri)
	}
	if err != nil {
		return nil, err
	}
	body, err := pack(d.MIME, d.Body)
	return struct {
		URI  string          `json:"uri"`
		MIME string          `json:"mime"`
		Body json.RawMessage `json:"body"`
		Page *Page           `json:"page,omitempty"`
	}{uri, d.MIME, body, d.Page}, err
}

// readType reads the list of a type's nodes, or one of them.
func (r *Request) readType(ctx context.Context, t *schema.Type, uri string, at *url.URL) (Document, error) {
	escaped, isInstance := strings.CutPrefix(at.Scheme+"://"+at.Host+at.EscapedPath(), uri+"/")
	if !isInstance {
		return r.readList(ctx, t, at.RawQuery)
	}
	id, err := url.PathUnescape(escaped)
	if err != nil || id == "" {
		return Document{}, ErrNoResource
	}
	if err := noFilter(at.RawQuery); err != nil {
		return Document{}, err
	}
	return r.readInstance(ctx, t, id)
}

func (r *Request) fixed(ctx context.Context, f fixedResource) (Document, error) {
	form, err := r.form(f.forms()...)
	if err != nil {
		return Document{}, err
	}
	if form == formTurtle {
		body, err := f.turtle(ctx, r)
		return Document{MIME: mimeTurtle, Body: body}, err
	}
	if form == formJSONLD && f.context != nil {
		body, err := f.context(r)
		return Document{MIME: mimeJSONLD, Body: body}, err
	}
	v, err := f.read(ctx, r)
	if err != nil {
		return Document{}, err
	}
	body, err := encodeJSON(v)
	return Document{MIME: f.MIME, Body: body}, err
}

// resourceRead is the capability behind every address.
var resourceReadCapability = Capability{
	Descriptor: capability.Descriptor{
		ID: ReadResource, Description: "Read one trails:// address.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "uri", Type: capability.String, Required: true, MaxLength: ptr(8192)},
			{Name: "format", Type: capability.String, MaxLength: ptr(20), Description: "json, jsonld or turtle, where the address can be had so; its own form when left out."},
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "uri", Type: capability.String, Required: true},
			{Name: "mime", Type: capability.String, Required: true},
			{Name: "body", Type: capability.Any, Required: true, Description: "JSON as it is, anything else as a string."},
			{Name: "page", Type: capability.Object, Description: "Which part of a list this is: offset, limit and more."},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: resourceRead, Hidden: true,
}
