package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"trails/fault"
)

// Post sends JSON with a key as a bearer token (RFC 6750), unless it is "", and returns the JSON of the answer. It
// follows no redirect, because the key is for this address only. The text of an error from the endpoint is not in the
// fault. An answer that blames the body, such as 400 or 413, is the fault InvalidData.
func (c *Client) Post(ctx context.Context, address, key string, body []byte) ([]byte, error) {
	u, err := c.target(address)
	if err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, c.limits.Time)
	defer cancel()
	r, err := http.NewRequestWithContext(timed, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("post to <%s>: %w", u, err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "User-Agent": {agent}}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	here := *c.http
	here.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := here.Do(r)
	if err != nil {
		return nil, c.explain(ctx, r, err)
	}
	defer func() { _ = res.Body.Close() }() // only read
	if res.StatusCode != http.StatusOK {
		kind := fault.Unusable
		switch res.StatusCode { // of the other 4xx (RFC 9110 §15.5), another body might be answered
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests:
		default:
			if res.StatusCode/100 == 4 {
				kind = fault.InvalidData
			}
		}
		return nil, fault.New(kind, "<%s> answered %d %s", u, res.StatusCode, http.StatusText(res.StatusCode))
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, c.limits.Answer+1))
	switch {
	case err != nil:
		return nil, c.explain(ctx, r, err)
	case int64(len(answer)) > c.limits.Answer:
		return nil, fault.New(fault.TooLarge, "<%s> answered with more than %d bytes", u, c.limits.Answer)
	}
	return answer, nil
}
