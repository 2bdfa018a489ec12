package view

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
	"trails/text/jsontext"
)

// The forms that an address can be read in.
const (
	formJSON   = "json"
	formJSONLD = "jsonld" // one of [rdfio.GraphForms]
)

// MaxDocumentQuads bounds the quads of one document.
const MaxDocumentQuads = 500_000

// form returns the requested form, or the first of those offered.
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

// forms are the forms of the resource, the default first.
func (f Forms) forms() []string {
	if f.Graph == nil {
		return []string{formJSON}
	}
	return withGraphForms(formJSON)
}

// withGraphForms are the first forms, followed by all other formats of graphs.
func withGraphForms(first ...string) []string {
	for _, f := range rdfio.GraphForms {
		if !slices.Contains(first, f.Name) {
			first = append(first, f.Name)
		}
	}
	return first
}

// instanceDocument is one node in the form that is asked for.
func instanceDocument(r *invoke.Request, t *schema.Type, iri rdf.IRI, quads []rdf.Quad) (invoke.Document, error) {
	form, err := form(r, withGraphForms(formJSONLD, formJSON)...)
	if err != nil {
		return invoke.Document{}, err
	}
	s := r.Snapshot.Schema()
	return fittingValues(r, invoke.Address(t.Name, s.IDOf(t, iri)), quads, func(quads []rdf.Quad) (invoke.Document, error) {
		switch form {
		case formJSON:
			body, err := jsontext.Marshal(plainNode(s, t, iri, quads))
			return invoke.Document{MIME: mimeJSON, Body: body}, err
		case formJSONLD:
		default:
			return graphDocument(form, quads, s.TurtlePrefixes())
		}
		body, err := rdfio.EntityJSONLD(iri, quads, contextOf(r))
		if err != nil {
			return invoke.Document{}, fmt.Errorf("write %s as JSON-LD: %w", iri, err)
		}
		return invoke.Document{MIME: mimeJSONLD, Body: body}, nil
	})
}

// contextOf is the graph's context: an address from which the caller can load it, or within the document the parts
// that it uses. A JSON-LD processor cannot load [schema.ContextIRI].
func contextOf(r *invoke.Request) rdfio.JSONLDContext {
	c := r.Snapshot.Schema().JSONLDContext()
	c.Address, c.Used, c.Ignored = r.Args.Text("context"), true, []string{ownMember(r.Snapshot.Schema(), "cut")}
	if len(r.Parts.Warnings) > 0 {
		c.Ignored = append(c.Ignored, ownMember(r.Snapshot.Schema(), "warnings"))
	}
	return c
}

// plainNode is a node with its declared properties as the typed write tools take them.
func plainNode(s *schema.Schema, t *schema.Type, iri rdf.IRI, quads []rdf.Quad) map[string]any {
	object, _ := s.Object(t, quads)
	object["id"], object["iri"], object["type"] = s.IDOf(t, iri), string(iri), t.Name
	return object
}

// graphDocument is a graph in a form other than JSON-LD.
func graphDocument(form string, quads []rdf.Quad, prefixes map[string]string) (invoke.Document, error) {
	var text bytes.Buffer
	f, _ := rdfio.GraphFormNamed(form)
	if err := f.Write(&text, quads, prefixes); err != nil {
		return invoke.Document{}, fmt.Errorf("write %s: %w", form, err)
	}
	return invoke.Document{MIME: f.Media, Body: text.Bytes()}, nil
}

// nodesOf reads all that is said of each of the nodes of a page.
func nodesOf(ctx context.Context, r *invoke.Request, rows []browse.TableRow) ([][]rdf.Quad, error) {
	nodes, n := make([][]rdf.Quad, len(rows)), 0
	for i, row := range rows {
		var err error
		if nodes[i], err = r.Snapshot.Node(ctx, row.Node.Term); err != nil {
			return nil, err
		}
		if n += len(nodes[i]); n > MaxDocumentQuads {
			return nil, fault.New(fault.TooLarge, "the page has more than %d statements; ask for fewer nodes with limit", MaxDocumentQuads)
		}
	}
	return nodes, nil
}

// listDocument is what is said of the nodes of a page. Of a single one that is too long
// values are left out.
func listDocument(r *invoke.Request, form string, t *schema.Type, rows []browse.TableRow, nodes [][]rdf.Quad) (invoke.Document, error) {
	s := r.Snapshot.Schema()
	subjects := make([]rdf.Term, len(rows))
	for i, row := range rows {
		subjects[i] = row.Node.Term
	}
	of := func(quads []rdf.Quad) (invoke.Document, error) {
		if form != formJSONLD {
			return graphDocument(form, quads, s.TurtlePrefixes())
		}
		body, err := rdfio.GraphJSONLD(subjects, quads, contextOf(r))
		if err != nil {
			return invoke.Document{}, fmt.Errorf("write a page of %s as JSON-LD: %w", t.Name, err)
		}
		return invoke.Document{MIME: mimeJSONLD, Body: body}, nil
	}
	if len(rows) != 1 {
		return of(slices.Concat(nodes...))
	}
	return fittingValues(r, invoke.Address(t.Name, rdf.Lexical(subjects[0])), nodes[0], of)
}
