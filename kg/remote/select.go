package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"trails/fault"
	"trails/sparql/results"
)

// Select asks an endpoint a SELECT query (SPARQL 1.1 Protocol, section 2.1.2) and
// returns the whole answer.
func (c *Client) Select(ctx context.Context, endpoint, query string) (results.Result, error) {
	u, err := c.target(endpoint)
	if err != nil {
		return results.Result{}, err
	}
	form := url.Values{"query": {query}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(form))
	if err != nil {
		return results.Result{}, fmt.Errorf("ask <%s>: %w", u, err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", results.JSON.MediaType()+", "+results.XML.MediaType()+";q=0.5")
	res, err := c.send(ctx, r)
	if err != nil {
		return results.Result{}, err
	}
	defer func() { _ = res.body.Close() }() // only read
	format, ok := results.FormatOf(res.media)
	if !ok || format != results.JSON && format != results.XML { // CSV and TSV do not say what a term is
		return results.Result{}, fault.New(fault.Unusable, "<%s> answered in %q, not as SPARQL results in JSON or XML%s", r.URL, res.media, excerptOf(res.body))
	}
	answer, err := results.Read(res.body, format, results.Limits{Bytes: int(c.limits.Answer), Rows: c.limits.Rows})
	var wrong *fault.SyntaxError
	switch {
	case errors.As(err, &wrong) && fault.Is(err, fault.TooLarge):
		return answer, fault.New(fault.TooLarge, "the answer of <%s> is too large, %s; put a LIMIT or more conditions into SERVICE", r.URL, wrong.Message)
	case errors.As(err, &wrong):
		return answer, fault.New(fault.Unusable, "the answer of <%s> is none: %s", r.URL, wrong.Error())
	case err != nil:
		return answer, c.explain(ctx, r, err)
	case answer.IsBoolean:
		return answer, fault.New(fault.Unusable, "<%s> answered a SELECT with a boolean", r.URL)
	}
	return answer, nil
}

// excerptBytes is how much of a refused answer is shown.
const excerptBytes = 200

// excerptOf is the beginning of a text, to show what was received.
func excerptOf(body io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(body, excerptBytes)) // as much as there is
	line := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "�")), " ")
	if line == "" {
		return ""
	}
	return fmt.Sprintf(": %q", line)
}
