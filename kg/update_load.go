package kg

import (
	"bufio"
	"context"
	"errors"
	"mime"
	"net/url"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/sparql"
)

// fetchAll reads the documents of the request's LOADs, before anything is locked. A failure under SILENT counts as an
// empty document.
func (u *updating) fetchAll(ctx context.Context, s *Session) error {
	for _, operation := range u.operations {
		op, ok := operation.(sparql.Load)
		if !ok || u.fetched[op] != nil {
			continue
		}
		spool, leftOut, err := s.fetch(ctx, op)
		switch {
		case err == nil:
			u.fetched[op] = spool
			u.from.add(policy.Upstream, string(op.Source))
			u.leftOut.Take(leftOut)
		case ctx.Err() != nil:
			return ctx.Err()
		case !op.Silent:
			return err
		default:
			u.fetched[op], u.unread[op] = new(change.Spool), fault.Of(err).Error()
		}
	}
	return nil
}

// forget removes the fetched documents.
func (u *updating) forget() {
	for _, spool := range u.fetched {
		spool.Close()
	}
}

// load is LOAD (section 3.1.4).
func (u *updating) load(ctx context.Context, op sparql.Load) error {
	for e, err := range u.fetched[op].Edits(ctx) {
		if err != nil {
			return err
		}
		if err := u.edit(change.Assert, e.Quad); err != nil {
			return err
		}
	}
	return nil
}

// fetch reads one document.
func (s *Session) fetch(ctx context.Context, op sparql.Load) (*change.Spool, rdfio.LeftOut, error) {
	var none rdfio.LeftOut
	if err := checkLoad(op); err != nil {
		return nil, none, err
	}
	doc, err := s.graph.remote.Fetch(ctx, string(op.Source))
	if err != nil {
		f := *fault.Of(err)
		f.Message = "LOAD: " + f.Message
		return nil, none, &f
	}
	defer func() { _ = doc.Close() }() // only read
	text := bufio.NewReaderSize(doc, load.Sniffed)
	format, err := formatOfDocument(doc, text)
	if err != nil {
		return nil, none, err
	}
	under, err := s.schemaNow(ctx)
	if err != nil {
		return nil, none, err
	}
	data, err := load.Read(ctx, load.Options{
		Inputs: []load.Input{{Name: doc.Location, Reader: text}}, Format: load.Format(format),
		Graph: op.Into.Graph, Base: rdf.IRI(doc.Location),
	}, under.schema, nil)
	if err != nil {
		return nil, none, err
	}
	if len(data.Bad) > 0 {
		data.Close()
		return nil, none, fault.Invalid(data.Bad)
	}
	if err := checkGraphsOf(ctx, op, data.Edits); err != nil {
		data.Close()
		return nil, none, err
	}
	return data.Edits, data.LeftOut, nil
}

// schemaNow is the schema of the head.
func (s *Session) schemaNow(ctx context.Context) (c *compiled, err error) {
	err = s.View(ctx, func(snap *Snapshot) error {
		c = snap.compiled
		return nil
	})
	return c, err
}

// checkLoad refuses a LOAD that cannot succeed wherever it is fetched from.
func checkLoad(op sparql.Load) error {
	if scheme, _, _ := strings.Cut(string(op.Source), ":"); strings.EqualFold(scheme, "file") {
		return fault.New(fault.Denied, "LOAD <%s> is refused: an update reads no files; load it as data", string(op.Source))
	}
	return checkUpdatable(op.Into.Graph)
}

// checkGraphsOf refuses a document with named graphs that LOAD cannot fill.
func checkGraphsOf(ctx context.Context, op sparql.Load, spool *change.Spool) error {
	for e, err := range spool.Edits(ctx) {
		if err != nil {
			return err
		}
		if op.Into.Graph != "" && e.Quad.Label != op.Into.Graph {
			return fault.New(fault.InvalidData, "LOAD <%s>: the document has graphs of its own; load it without INTO", string(op.Source))
		}
		if err := checkUpdatable(e.Quad.Label); err != nil {
			return err
		}
	}
	return nil
}

// formatsByMedia maps media types to formats. Those of unsaidMedia do not identify a format.
var (
	formatsByMedia = map[string]rdfio.Format{
		"text/turtle": rdfio.Turtle, "application/x-turtle": rdfio.Turtle, "application/trig": rdfio.TriG,
		"application/n-triples": rdfio.NTriples, "application/n-quads": rdfio.NQuads,
		"application/rdf+xml": rdfio.RDFXML, "application/xml": rdfio.RDFXML, "text/xml": rdfio.RDFXML,
		"application/ld+json": rdfio.JSONLD,
	}
	unsaidMedia = []string{"", "text/plain", "application/json", "application/octet-stream", "binary/octet-stream", "application/gzip", "application/x-gzip"}
)

// formatOfDocument decides by the media type, then the name, then the beginning.
func formatOfDocument(doc Document, text *bufio.Reader) (rdfio.Format, error) {
	media, _, err := mime.ParseMediaType(doc.MediaType)
	if err != nil {
		media = strings.ToLower(doc.MediaType)
	}
	format := formatsByMedia[media]
	if format == "" && slices.Contains(unsaidMedia, media) {
		head, err := text.Peek(load.Sniffed)
		var refused *fault.Error
		if errors.As(err, &refused) {
			return "", refused
		}
		name := ""
		if at, err := url.Parse(doc.Location); err == nil {
			name = at.Path
		}
		format = rdfio.Sniff(head, name)
	}
	if format == "" {
		return "", fault.New(fault.Unusable, "<%s> came as %q, which is no form of RDF", doc.Location, doc.MediaType)
	}
	return format, nil
}
