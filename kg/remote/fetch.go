package remote

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"

	"trails/fault"
	"trails/kg"
)

const documents = "text/turtle, application/trig, application/n-quads, application/n-triples, application/rdf+xml;q=0.9, application/ld+json;q=0.8, */*;q=0.1"

// Fetch opens a document. Reading it fails where a limit is reached; gzip is unpacked.
func (c *Client) Fetch(ctx context.Context, address string) (kg.Document, error) {
	u, err := c.target(address)
	if err != nil {
		return kg.Document{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return kg.Document{}, fmt.Errorf("fetch <%s>: %w", u, err)
	}
	r.Header.Set("Accept", documents)
	res, err := c.send(ctx, r)
	if err != nil {
		return kg.Document{}, err
	}
	text, err := unpacked(res.body)
	if err != nil {
		_ = res.body.Close() // only read
		return kg.Document{}, c.explain(ctx, r, err)
	}
	return kg.Document{
		ReadCloser: &bounded{text: text, left: c.limits.Document, client: c, request: r, body: res.body},
		Location:   res.location, MediaType: res.media,
	}, nil
}

// unpacked unpacks gzip, recognized by its magic number, and returns other text unchanged.
func unpacked(in io.Reader) (io.Reader, error) {
	raw := bufio.NewReader(in)
	magic, _ := raw.Peek(2)
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return raw, nil
	}
	return gzip.NewReader(raw)
}

// bounded is a text with a bound on its remaining size.
type bounded struct {
	text    io.Reader
	left    int64
	client  *Client
	request *http.Request
	body    io.Closer
}

// Close ends the request.
func (b *bounded) Close() error { return b.body.Close() }

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fault.New(fault.TooLarge, "<%s> has more than %d bytes; fetch it otherwise, and load it", b.request.URL, b.client.limits.Document)
	}
	if err != nil && err != io.EOF {
		err = b.client.explain(b.request.Context(), b.request, err)
	}
	return n, err
}
