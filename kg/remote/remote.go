// Package remote reaches other hosts over HTTP: SPARQL endpoints for SERVICE, documents for LOAD, and endpoints with
// JSON. Only hosts named at the start of the program are reached, and their answers are bounded in time and bytes.
// Proxies and cookies are not used, and no credentials except the key of [Client.Post].
//
// Start with [New]; a [Client] implements kg.Remote.
package remote

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"trails/fault"
)

// Limits bound one request. A zero field means its default.
type Limits struct {
	// Time is how long it may take, from the first byte to the last; 60 s by default.
	Time time.Duration
	// Answer and Document are the most bytes of an endpoint's answer and of a document,
	// unpacked; 16 MiB and 256 MiB by default.
	Answer, Document int64
	// Rows are the most of an answer; 10,000 by default.
	Rows int
}

// Client reaches allowed hosts. It is safe for concurrent use.
type Client struct {
	allowed hosts
	limits  Limits
	http    *http.Client
}

// New returns a client that reaches these hosts and no others: each is a host or
// host:port, which means https, and for this machine http, too; or http://host[:port].
// Without a port it is the scheme's own. What is no such host is InvalidArguments.
func New(allowed []string, l Limits) (*Client, error) {
	hosts, err := parseHosts(allowed)
	if err != nil {
		return nil, err
	}
	c := &Client{allowed: hosts, limits: Limits{
		Time:     cmp.Or(l.Time, time.Minute),
		Answer:   cmp.Or(l.Answer, 16<<20),
		Document: cmp.Or(l.Document, 256<<20),
		Rows:     cmp.Or(l.Rows, 10_000),
	}}
	c.http = &http.Client{Transport: newTransport(), CheckRedirect: c.checkRedirect}
	return c, nil
}

// Reaches reports whether any host is allowed.
func (c *Client) Reaches() bool { return len(c.allowed) > 0 }

// What a connection takes at most, beside the time of the request.
const (
	connectTime  = 10 * time.Second
	idleTime     = 30 * time.Second
	headerBytes  = 64 << 10
	maxRedirects = 5
)

// newTransport has no proxy: one from the environment would see every query, and
// reach what the list of hosts does not name.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout:    connectTime,
		IdleConnTimeout:        idleTime,
		MaxIdleConns:           8,
		MaxResponseHeaderBytes: headerBytes,
	}
}

// checkRedirect follows to allowed hosts only, and never without the query.
func (c *Client) checkRedirect(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return fault.New(fault.Unusable, "it redirects more than %d times", maxRedirects)
	case r.Method != via[0].Method:
		return fault.New(fault.Unusable, "it redirects to <%s> without the query; ask there", r.URL)
	}
	if err := c.allowed.check(r.URL); err != nil {
		return fault.New(fault.Denied, "it redirects: %v", err)
	}
	return nil
}

// target parses an address and asks whether it may be reached.
func (c *Client) target(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fault.New(fault.InvalidArguments, "<%s> is no address", address)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, c.allowed.check(u)
}

// reply is a response with status 200. Its body must be closed, which ends the request.
type reply struct {
	body            io.ReadCloser
	media, location string
}

// send makes a request, which ends at the time limit at the latest.
func (c *Client) send(ctx context.Context, r *http.Request) (reply, error) {
	timed, cancel := context.WithTimeout(ctx, c.limits.Time)
	r.Header.Set("User-Agent", agent)
	res, err := c.http.Do(r.WithContext(timed)) //nolint:bodyclose // closing the reply closes it
	if err != nil {
		cancel()
		return reply{}, c.explain(ctx, r, err)
	}
	body := ending{res.Body, func() error {
		defer cancel()
		return res.Body.Close()
	}}
	if res.StatusCode != http.StatusOK {
		defer func() { _ = body.Close() }() // only read
		return reply{}, fault.New(fault.Unusable, "<%s> answered %s%s", r.URL, res.Status, excerptOf(res.Body))
	}
	return reply{body: body, media: res.Header.Get("Content-Type"), location: res.Request.URL.String()}, nil
}

const agent = "trails"

// ending is a body that ends its request when it is closed.
type ending struct {
	io.Reader
	end func() error
}

func (b ending) Close() error { return b.end() }

// explain converts an error of a request to a fault. Cancellation by the caller stays unchanged.
func (c *Client) explain(ctx context.Context, r *http.Request, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return fault.New(f.Kind, "<%s>: %s", r.URL, f.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.TimedOut, "<%s> did not answer within %s", r.URL, c.limits.Time)
	}
	return fault.New(fault.Unusable, "the request to <%s> came to nothing: %s", r.URL, WhyUnreached(err)).Because(err)
}
