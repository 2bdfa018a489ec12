package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"trails/fault"
	"trails/policy"
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
	read func(context.Context, *running) (any, error)
	// turtle is the same as Turtle; nil when it cannot be had so.
	turtle func(context.Context, *running) ([]byte, error)
	// context is what it says as a JSON-LD context; nil when it is none.
	context func(*running) ([]byte, error)
}

// fixedResources are listed first, in this order.
var fixedResources = []fixedResource{
	{Resource{URI: "trails://schema", Name: "schema", Title: "Schema", MIME: mimeJSON,
		Description: "Types, properties and constraints. Read it before the first write."}, schemaGet, schemaTurtle, schemaContext},
	{Resource{URI: "trails://stats", Name: "stats", Title: "Statistics", MIME: mimeJSON,
		Description: "How much is in the file: statements, terms, commits, instances by type, bytes."}, stats, nil, nil},
	{Resource{URI: "trails://doctor", Name: "doctor", Title: "Doctor", MIME: mimeJSON,
		Description: "What is checked of the file and its capabilities, and whether it is well."}, doctor, nil, nil},
	{Resource{URI: "trails://kg/types", Name: "kg-types", Title: "Types", MIME: mimeJSON,
		Description: "Every type with its description, address and number of instances."}, kgTypes, nil, nil},
	{Resource{URI: "trails://prov/latest", Name: "prov-latest", Title: "Latest provenance", MIME: mimeJSONLD,
		Description: "The latest 100 calls as PROV-O activities: who, what, when, with which outcome and commit."}, provLatest, provTurtle, nil},
}

// resourceReadTool names the capability behind every address.
const resourceReadTool = "resource_read"

// mayRead is what a read of any address by p is refused with; nil when it is not.
func mayRead(p policy.Principal) error { return policy.Allow(p, policy.Runtime, resourceReadTool) }

// Resources lists the addresses that p can read: the fixed ones, then one umbrella per
// type. Whom a read would be refused sees none.
func (e *Engine) Resources(ctx context.Context, p policy.Principal) (_ []Resource, err error) {
	defer e.survive(&err, "resources")
	snap, err := e.graph.Session(p).Snapshot(ctx)
	if err != nil {
		return nil, e.fail(err, "", "resources")
	}
	defer snap.Close()
	if mayRead(p) != nil {
		return nil, nil
	}
	var out []Resource
	for _, f := range fixedResources {
		out = append(out, f.Resource)
	}
	for _, t := range snap.Schema().Types {
		out = append(out, umbrella(t))
	}
	return out, nil
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
	}
}

// document is a resource's body in the making.
type document struct {
	mime string
	body []byte
	page *Page // of a list
}

// Read reads one trails:// address through the same stages as any call; of c it
// uses Principal, Via, TraceID and Format. An address that is not there is
// fault.NotFound, a form that it cannot be had in fault.InvalidArguments.
func (e *Engine) Read(ctx context.Context, uri string, c Call) (Document, error) {
	asked := map[string]string{"uri": uri}
	if c.Format != "" {
		asked["format"] = c.Format
	}
	args, err := encodeJSON(asked)
	if err != nil {
		return Document{}, e.fail(err, c.TraceID, uri)
	}
	c.Capability, c.Args = resourceReadTool, args
	result, err := e.Call(ctx, c)
	if err != nil {
		return Document{}, err
	}
	var d struct {
		MIME string          `json:"mime"`
		Body json.RawMessage `json:"body"`
		Page *Page           `json:"page"`
	}
	if err := json.Unmarshal(result.Structured, &d); err != nil {
		return Document{}, e.fail(err, c.TraceID, uri)
	}
	body, err := unpack(d.MIME, d.Body)
	if err != nil {
		return Document{}, e.fail(err, c.TraceID, uri)
	}
	return Document{URI: uri, MIME: d.MIME, Body: body, Head: result.Head, Page: d.Page}, nil
}

// pack makes a body a part of a JSON result: what is no JSON travels as a string.
func pack(mime string, body []byte) (json.RawMessage, error) {
	if mime == mimeJSON || mime == mimeJSONLD {
		return body, nil
	}
	return encodeJSON(string(body))
}

func unpack(mime string, body json.RawMessage) ([]byte, error) {
	if mime == mimeJSON || mime == mimeJSONLD {
		return body, nil
	}
	var text string
	err := json.Unmarshal(body, &text)
	return []byte(text), err
}

// resourceRead is the handler behind every address.
func resourceRead(ctx context.Context, r *running) (any, error) {
	uri := r.args.text("uri")
	d, err := r.readURI(ctx, uri)
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.NotFound {
		return nil, f.With("uri", uri)
	}
	if err != nil {
		return nil, err
	}
	body, err := pack(d.mime, d.body)
	return struct {
		URI  string          `json:"uri"`
		MIME string          `json:"mime"`
		Body json.RawMessage `json:"body"`
		Page *Page           `json:"page,omitempty"`
	}{uri, d.mime, body, d.page}, err
}

var errNoResource = fault.New(fault.NotFound, "Resource not found")

func (r *running) readURI(ctx context.Context, uri string) (document, error) {
	for _, f := range fixedResources {
		if f.URI == uri || f.URI+"?branch="+mainBranch == uri {
			return r.fixed(ctx, f)
		}
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "trails" || u.Host != "kg" || u.Fragment != "" || u.User != nil {
		return document{}, errNoResource
	}
	name, id, isInstance := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	t := r.snapshot.Schema().Type(name)
	if t == nil {
		return document{}, errNoResource
	}
	if !isInstance {
		return r.readList(ctx, t, u.RawQuery)
	}
	if id, err = url.PathUnescape(id); err != nil || id == "" {
		return document{}, errNoResource
	}
	if err := noFilter(u.RawQuery); err != nil {
		return document{}, err
	}
	return r.readInstance(ctx, t, id)
}

func (r *running) fixed(ctx context.Context, f fixedResource) (document, error) {
	form, err := r.form(f.forms()...)
	if err != nil {
		return document{}, err
	}
	if form == formTurtle {
		body, err := f.turtle(ctx, r)
		return document{mime: mimeTurtle, body: body}, err
	}
	if form == formJSONLD && f.context != nil {
		body, err := f.context(r)
		return document{mime: mimeJSONLD, body: body}, err
	}
	v, err := f.read(ctx, r)
	if err != nil {
		return document{}, err
	}
	body, err := encodeJSON(v)
	return document{mime: f.MIME, body: body}, err
}
