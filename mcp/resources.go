package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/invoke"
	"trails/mcp/session"
)

// resource is an entry of resources/list. The entry of a type also names its template, for clients that do not list
// templates.
type resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIME        string `json:"mimeType,omitempty"`
	Template    string `json:"uriTemplate,omitempty"`
}

// template is an entry of resources/templates/list.
type template struct {
	Template    string `json:"uriTemplate"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIME        string `json:"mimeType,omitempty"`
}

// listResources lists the addresses of the graph, and the files of the caller's skills.
func (e *endpoint) listResources(ctx context.Context, r request) (sdk.Result, error) {
	all, err := e.engine.Resources(ctx, e.principalOf(ctx, r))
	if err != nil {
		return nil, err
	}
	entries := make([]json.RawMessage, 0, len(all))
	for _, a := range all {
		entries = append(entries, session.Marshal(resource{a.URI, a.Name, a.Title, a.Description, a.MIME, a.Template}))
	}
	skills, err := e.listedSkills(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, s := range skills {
		entries = append(entries, session.Marshal(resource{URI: s.URI, Name: s.Name, Title: s.Title, Description: s.Description, MIME: "text/markdown"}))
	}
	return newList("resources", entries).answer(r, e.opts.PageSize, func(res *listResult) *[]json.RawMessage { return &res.Resources })
}

// generalTemplates are for all types: the variable for the type can be completed.
var generalTemplates = []template{
	{Template: kgPrefix + "{type}{?where,limit,offset,branch}", Name: "kg-type", Title: "Nodes of a type", MIME: "application/json",
		Description: "The nodes of one type as {iri, label}, in pages; where is one property=value."},
	{Template: kgPrefix + "{type}/{id}{?branch}", Name: "kg-node", Title: "One node", MIME: "application/ld+json",
		Description: "One node as JSON-LD; id is its local id, or its percent-encoded IRI."},
}

// listTemplates lists two templates for all types, and two for each type. They are only listed: reads do not match
// them, because the SDK's matcher compiles each on every read and parses addresses differently.
func (e *endpoint) listTemplates(ctx context.Context, r request) (sdk.Result, error) {
	all, err := e.engine.Resources(ctx, e.principalOf(ctx, r))
	if err != nil {
		return nil, err
	}
	entries := []json.RawMessage{}
	if len(all) > 0 { // they stand for readable addresses
		for _, t := range generalTemplates {
			entries = append(entries, session.Marshal(t))
		}
	}
	for _, a := range all {
		for _, t := range templatesOf(a) {
			entries = append(entries, session.Marshal(t))
		}
	}
	return newList("templates", entries).answer(r, e.opts.PageSize, func(res *listResult) *[]json.RawMessage { return &res.Templates })
}

// templatesOf returns the templates of a type's address: for filtered pages, and for its nodes. Other resources have
// none.
func templatesOf(a invoke.Resource) []template {
	if a.Template == "" {
		return nil
	}
	one := "One " + cmp.Or(a.Title, a.Name)
	return []template{
		{Template: a.Template, Name: a.Name, Title: a.Title, Description: a.Description, MIME: a.MIME},
		{Template: a.URI + "/{id}", Name: a.Name + "-one", Title: one, MIME: "application/ld+json",
			Description: one + " as JSON-LD; id is its local id, or its percent-encoded IRI."},
	}
}

// readResource reads any address; the engine knows which exist.
func (e *endpoint) readResource(ctx context.Context, r request) (sdk.Result, error) {
	p, ok := r.GetParams().(*sdk.ReadResourceParams)
	if !ok || p == nil {
		return nil, fault.Arguments(fault.FieldError{Field: "uri", Code: fault.Required, Message: "uri is required", Constraint: true})
	}
	doc, err := e.engine.Read(ctx, p.URI, e.call(ctx, r, p.Meta))
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "Resource not found").With("uri", p.URI)
	}
	if err != nil {
		return nil, err
	}
	return &contents{complete: completeFor(r), cacheable: cacheableFor(r), Contents: []content{newContent(p.URI, doc)}}, nil
}

func newContent(asked string, doc invoke.Document) content {
	c := content{URI: doc.URI, MIME: doc.MIME}
	if c.URI == "" {
		c.URI = asked
	}
	if utf8.Valid(doc.Body) {
		text := string(doc.Body)
		c.Text = &text
	} else {
		c.Blob = doc.Body
	}
	return c
}
