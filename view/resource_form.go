package view

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/jsontext"
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

// MaxDocumentQuads bounds what one document is made of.
const MaxDocumentQuads = 500_000

// form returns the form that the call asks for, the first of those offered when it
// asks for none.
func form(r *invoke.Request, offered ...string) (string, error) {
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

// forms are those of the resource, its own first: JSON-LD is JSON, too.
func (f Forms) forms() []string {
	forms := []string{formJSON}
	if f.MIME == mimeJSONLD {
		forms = []string{formJSONLD, formJSON}
	}
	if f.Turtle != nil {
		forms = append(forms, formTurtle)
	}
	if f.Context != nil {
		forms = append(forms, formJSONLD)
	}
	return forms
}

// instanceDocument is one node in the form that is asked for.
func instanceDocument(r *invoke.Request, t *schema.Type, iri rdf.IRI, quads []rdf.Quad) (invoke.Document, error) {
	form, err := form(r, formJSONLD, formJSON, formTurtle)
	if err != nil {
		return invoke.Document{}, err
	}
	s := r.Snapshot.Schema()
	switch form {
	case formJSON:
		body, err := jsontext.Marshal(plainNode(s, t, iri, quads))
		return invoke.Document{MIME: mimeJSON, Body: body}, err
	case formTurtle:
		return turtleDocument(s, quads)
	}
	body, err := rdfio.EntityJSONLD(iri, quads, s.JSONLDContext(t))
	if err != nil {
		return invoke.Document{}, fmt.Errorf("write %s as JSON-LD: %w", iri, err)
	}
	return invoke.Document{MIME: mimeJSONLD, Body: body}, nil
}

// plainNode is a node with its declared properties as the typed write tools take them.
func plainNode(s *schema.Schema, t *schema.Type, iri rdf.IRI, quads []rdf.Quad) map[string]any {
	object, _ := s.Object(t, quads)
	object["id"], object["iri"], object["type"] = s.IDOf(t, iri), string(iri), t.Name
	return object
}

func turtleDocument(s *schema.Schema, quads []rdf.Quad) (invoke.Document, error) {
	var text bytes.Buffer
	if err := rdfio.WriteTurtle(&text, quads, s.TurtlePrefixes()); err != nil {
		return invoke.Document{}, fmt.Errorf("write Turtle: %w", err)
	}
	return invoke.Document{MIME: mimeTurtle, Body: text.Bytes()}, nil
}

// listDocument is all that is said of the nodes of a page.
func listDocument(ctx context.Context, r *invoke.Request, form string, t *schema.Type, items []kg.Item) (invoke.Document, error) {
	var subjects []rdf.Term
	var quads []rdf.Quad
	for _, item := range items {
		about, err := r.Snapshot.Node(ctx, item.IRI)
		if err != nil {
			return invoke.Document{}, err
		}
		subjects, quads = append(subjects, item.IRI), append(quads, about...)
		if len(quads) > MaxDocumentQuads {
			return invoke.Document{}, fault.New(fault.TooLarge, "the page has more than %d statements; ask for fewer nodes with limit", MaxDocumentQuads)
		}
	}
	s := r.Snapshot.Schema()
	if form == formTurtle {
		return turtleDocument(s, quads)
	}
	body, err := rdfio.GraphJSONLD(subjects, quads, s.JSONLDContext(s.Subtypes(t)...))
	if err != nil {
		return invoke.Document{}, fmt.Errorf("write a page of %s as JSON-LD: %w", t.Name, err)
	}
	return invoke.Document{MIME: mimeJSONLD, Body: body}, nil
}
