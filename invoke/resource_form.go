package invoke

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/kg"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// The forms that an address can be read in.
const (
	formJSON   = "json"
	formJSONLD = "jsonld"
	formTurtle = "turtle"
)

// maxDocumentQuads bounds what one document of a list is made of.
const maxDocumentQuads = 500_000

// form returns the form that the call asks for, the first of those offered when it
// asks for none.
func (r *Request) form(offered ...string) (string, error) {
	asked := r.Args.Text("format")
	if asked == "" {
		return offered[0], nil
	}
	if !slices.Contains(offered, asked) {
		return "", wrongForm(asked, offered)
	}
	return asked, nil
}

func wrongForm(asked string, offered []string) error {
	are := "there are "
	if len(offered) == 1 {
		are = "there is "
	}
	return fault.Arguments(fault.FieldError{
		Field: "format", Code: fault.OneOf, Value: asked, Constraint: offered,
		Message: fmt.Sprintf("it cannot be had as %q; ", asked) + are + strings.Join(offered, ", "),
	})
}

// forms are those of a fixed resource, its own first: JSON-LD is JSON, too.
func (f fixedResource) forms() []string {
	forms := []string{formJSON}
	if f.MIME == mimeJSONLD {
		forms = []string{formJSONLD, formJSON}
	}
	if f.turtle != nil {
		forms = append(forms, formTurtle)
	}
	if f.context != nil {
		forms = append(forms, formJSONLD)
	}
	return forms
}

// instanceDocument is one node in the form that is asked for.
func (r *Request) instanceDocument(t *schema.Type, iri rdf.IRI, quads []rdf.Quad) (Document, error) {
	form, err := r.form(formJSONLD, formJSON, formTurtle)
	if err != nil {
		return Document{}, err
	}
	s := r.Snapshot.Schema()
	switch form {
	case formJSON:
		body, err := encodeJSON(plainNode(s, t, iri, quads))
		return Document{MIME: mimeJSON, Body: body}, err
	case formTurtle:
		return turtleDocument(s, quads)
	}
	body, err := rdfio.EntityJSONLD(iri, quads, s.JSONLDContext(t))
	if err != nil {
		return Document{}, fmt.Errorf("write %s as JSON-LD: %w", iri, err)
	}
	return Document{MIME: mimeJSONLD, Body: body}, nil
}

// plainNode is a node with its declared properties as the typed write tools take them.
func plainNode(s *schema.Schema, t *schema.Type, iri rdf.IRI, quads []rdf.Quad) map[string]any {
	object, _ := s.Object(t, quads)
	object["id"], object["iri"], object["type"] = s.IDOf(t, iri), string(iri), t.Name
	return object
}

func turtleDocument(s *schema.Schema, quads []rdf.Quad) (Document, error) {
	var text bytes.Buffer
	if err := rdfio.WriteTurtle(&text, quads, s.TurtlePrefixes()); err != nil {
		return Document{}, fmt.Errorf("write Turtle: %w", err)
	}
	return Document{MIME: mimeTurtle, Body: text.Bytes()}, nil
}

// listDocument is all that is said of the nodes of a page.
func (r *Request) listDocument(ctx context.Context, form string, t *schema.Type, items []kg.Item) (Document, error) {
	var subjects []rdf.Term
	var quads []rdf.Quad
	for _, item := range items {
		about, err := r.Snapshot.Node(ctx, item.IRI)
		if err != nil {
			return Document{}, err
		}
		subjects, quads = append(subjects, item.IRI), append(quads, about...)
		if len(quads) > maxDocumentQuads {
			return Document{}, fault.New(fault.TooLarge, "the page has more than %d statements; ask for fewer nodes with limit", maxDocumentQuads)
		}
	}
	s := r.Snapshot.Schema()
	if form == formTurtle {
		return turtleDocument(s, quads)
	}
	body, err := rdfio.GraphJSONLD(subjects, quads, s.JSONLDContext(s.Subtypes(t)...))
	if err != nil {
		return Document{}, fmt.Errorf("write a page of %s as JSON-LD: %w", t.Name, err)
	}
	return Document{MIME: mimeJSONLD, Body: body}, nil
}

// schemaContext is the context that documents may name as [schema.ContextIRI].
func schemaContext(r *Request) ([]byte, error) { return r.Snapshot.Schema().ContextDocument() }

func schemaTurtle(_ context.Context, r *Request) ([]byte, error) {
	var text bytes.Buffer
	if err := r.Snapshot.Schema().WriteTurtle(&text); err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	return text.Bytes(), nil
}
