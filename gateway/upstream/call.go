package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/gateway"
	"trails/kg/remote"
	"trails/text/quote"
)

// Hooks are what a call answers to while it runs; each may be nil.
type Hooks struct {
	// Progress hears how far the server is. It must not wait.
	Progress func(done, total float64, message string)
	// Elicit asks the person behind the call, with a message and a JSON Schema of the server.
	// It returns what the person did, accept, decline or cancel, and what they wrote.
	Elicit func(ctx context.Context, message string, schema any) (action string, content map[string]any, err error)
}

// greeter is the client of the server, with what the server may ask of it.
func (l *link) greeter() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "trails", Version: cmp.Or(l.pool.config.Version, "dev")}, &mcp.ClientOptions{
		Logger:             l.pool.config.Log,
		Capabilities:       &mcp.ClientCapabilities{},
		ElicitationHandler: l.elicit,
	})
}

// notified hears what a server says without being asked, and reports that the client need not: it
// takes long to read what comes in a flood.
func (l *link) notified(method string, params json.RawMessage) bool {
	switch method {
	case "notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed":
		l.listChanged()
	case "notifications/progress":
		l.progress(params)
	case "notifications/resources/updated":
		l.updated(params)
	case "notifications/message": // of its log
		l.heard(string(params[:min(len(params), maxComplaint)]))
	}
	return method != "notifications/cancelled" // of a question, which the client has asked
}

// listChanged hears that the server offers something else: at once, and again after a while when
// it says so without a pause.
func (l *link) listChanged() {
	l.mu.Lock()
	if l.changing {
		l.mu.Unlock()
		return
	}
	since := time.Since(l.changed)
	if wait := l.apart - since; wait > 0 {
		l.changing = true
		time.AfterFunc(wait, func() {
			l.mu.Lock()
			l.changing = false
			l.mu.Unlock()
			l.listChanged()
		})
		l.mu.Unlock()
		return
	}
	closed := l.closed
	if l.apart *= 2; l.apart == 0 || since > l.apart {
		l.apart = changesApart
	}
	l.apart = min(l.apart, longestApart)
	if l.changed = time.Now(); !closed {
		l.another()
	}
	l.mu.Unlock()
	if !closed {
		l.pool.config.Changed(l.server.Name)
	}
}

// How long there is between two changes of a list that are passed on: twice as long each time while
// there are always more.
const (
	changesApart = time.Second
	longestApart = time.Minute
)

// progress finds the call that it is of by its token, which is ours, and passes it on: all of it at
// first, and then what comes a while after what was passed on last.
func (l *link) progress(params json.RawMessage) {
	var said mcp.ProgressNotificationParams
	if json.Unmarshal(params, &said) != nil {
		return
	}
	l.mu.Lock()
	c := l.calls[fmt.Sprint(said.ProgressToken)]
	passes := c != nil && c.hooks.Progress != nil && (c.progressed < progressFree || time.Since(c.last) > progressApart)
	if passes {
		c.progressed, c.last = c.progressed+1, time.Now()
	}
	l.mu.Unlock()
	if passes {
		c.hooks.Progress(said.Progress, said.Total, said.Message)
	}
}

// How much progress of a call is passed on.
const (
	progressFree  = 100
	progressApart = 100 * time.Millisecond
)

// elicit asks the person behind the call that runs. A question does not say which call it is
// of: when several run it is declined, so that nobody is asked for another.
func (l *link) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	var hooks Hooks
	l.mu.Lock()
	for _, one := range l.calls {
		hooks = one.hooks
	}
	if len(l.calls) != 1 {
		hooks = Hooks{}
	}
	l.mu.Unlock()
	if hooks.Elicit == nil || r.Params.Mode == "url" {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	action, content, err := hooks.Elicit(ctx, r.Params.Message, r.Params.RequestedSchema)
	return &mcp.ElicitResult{Action: action, Content: content}, err
}

// Part is one part of what a server answers: a text, or bytes with their media type.
type Part struct {
	Role string // of a message of a prompt
	Text string
	Data []byte
	MIME string
	URI  string // of a resource that is there, or that is linked to
	Name string // of a resource that is linked to, "" for what is no link
}

// Answer is what a tool answered.
type Answer struct {
	Parts      []Part
	Structured any
	IsError    bool
}

// Call calls a tool by the name that the server gives it; one of a server that is pinned, as it
// was accepted at the last [Pool.Listings]. Its error is a *gateway.Error, but for the end of ctx.
func (p *Pool) Call(ctx context.Context, s gateway.Server, tool string, args json.RawMessage, hooks Hooks) (Answer, error) {
	if err := p.vouch(ctx, s, gateway.Tool, tool); err != nil {
		return Answer{}, err
	}
	return with(ctx, p, s, hooks, func(ctx context.Context, session *mcp.ClientSession, token string) (Answer, error) {
		params := &mcp.CallToolParams{Name: tool, Arguments: args}
		params.SetProgressToken(token)
		r, err := session.CallTool(ctx, params)
		if err != nil {
			return Answer{}, err
		}
		a := Answer{Structured: r.StructuredContent, IsError: r.IsError}
		for _, c := range r.Content {
			a.Parts = append(a.Parts, part(c))
		}
		p.redactor(ctx, s).parts(a.Parts)
		return a, nil
	})
}

// Read reads a resource.
func (p *Pool) Read(ctx context.Context, s gateway.Server, uri string, hooks Hooks) ([]Part, error) {
	if err := p.vouch(ctx, s, gateway.Resource, uri); err != nil {
		return nil, err
	}
	return with(ctx, p, s, hooks, func(ctx context.Context, session *mcp.ClientSession, token string) (parts []Part, err error) {
		params := &mcp.ReadResourceParams{URI: uri}
		params.SetProgressToken(token)
		r, err := session.ReadResource(ctx, params)
		if err != nil {
			return nil, err
		}
		for _, c := range r.Contents {
			parts = append(parts, contents(c))
		}
		p.redactor(ctx, s).parts(parts)
		return parts, nil
	})
}

// Prompt gets the messages of a prompt.
func (p *Pool) Prompt(ctx context.Context, s gateway.Server, name string, args map[string]string, hooks Hooks) ([]Part, error) {
	if err := p.vouch(ctx, s, gateway.Prompt, name); err != nil {
		return nil, err
	}
	return with(ctx, p, s, hooks, func(ctx context.Context, session *mcp.ClientSession, token string) (parts []Part, err error) {
		params := &mcp.GetPromptParams{Name: name, Arguments: args}
		params.SetProgressToken(token)
		r, err := session.GetPrompt(ctx, params)
		if err != nil {
			return nil, err
		}
		for _, m := range r.Messages {
			one := part(m.Content)
			one.Role = string(m.Role)
			parts = append(parts, one)
		}
		p.redactor(ctx, s).parts(parts)
		return parts, nil
	})
}

func part(c mcp.Content) Part {
	switch c := c.(type) {
	case *mcp.TextContent:
		return Part{Text: c.Text}
	case *mcp.ImageContent:
		return Part{Data: c.Data, MIME: c.MIMEType}
	case *mcp.AudioContent:
		return Part{Data: c.Data, MIME: c.MIMEType}
	case *mcp.ResourceLink:
		if c.URI == "" {
			return Part{Text: fmt.Sprintf("(a link without an address: %s)", cmp.Or(c.Name, c.Title, c.Description))}
		}
		return Part{Text: c.Description, MIME: c.MIMEType, URI: c.URI, Name: cmp.Or(c.Name, c.Title, c.URI)}
	case *mcp.EmbeddedResource:
		return contents(c.Resource)
	}
	return Part{Text: fmt.Sprintf("(content of a kind that is not known: %T)", c)}
}

func contents(c *mcp.ResourceContents) Part {
	if c == nil {
		return Part{Text: "(a resource without content)"}
	}
	return Part{Text: c.Text, Data: c.Blob, MIME: c.MIMEType, URI: c.URI}
}

// with does something in a session, in its turn and within the time of a call.
func with[T any](ctx context.Context, p *Pool, s gateway.Server, hooks Hooks, do func(context.Context, *mcp.ClientSession, string) (T, error)) (out T, err error) {
	l, release, err := p.link(ctx, s)
	if err != nil {
		return out, err
	}
	defer release()
	return on(ctx, l, s, hooks, do)
}

// on does it on a link.
func on[T any](ctx context.Context, l *link, s gateway.Server, hooks Hooks, do func(context.Context, *mcp.ClientSession, string) (T, error)) (out T, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, s.Timeout(), gateway.Fail(gateway.UpstreamTimeout, s.Name, "the upstream %s did not answer within %s", s.Name, s.Timeout()))
	defer cancel()
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-limited.Done():
		return out, ended(ctx, limited)
	}
	for attempt := 1; ; attempt++ {
		session, err := l.up(limited)
		if err != nil {
			if limited.Err() != nil {
				err = ended(ctx, limited)
			}
			return out, err
		}
		token, began := l.begin(hooks), time.Now()
		// The session waits for nobody, so that a server that is dead holds no call.
		done := make(chan error, 1)
		var answer T
		go func() {
			got, err := do(limited, session, token)
			if err == nil {
				answer = got
			}
			done <- err
		}()
		answered := false
		select {
		case err = <-done:
			answered = err == nil
		case <-limited.Done():
		}
		var e *gateway.Error
		var f *refusal
		var odd *noMessage
		switch {
		case answered:
			out = answer
		case limited.Err() != nil:
			err = ended(ctx, limited)
		case errors.As(err, &f) && f.session:
			l.renew(session)
			if attempt == 1 {
				l.over(token, time.Since(began), err)
				continue // the server has not done it, and has a new session for who asks
			}
			err = f.failure(s, l.clean)
		case !errors.As(err, &e):
			failure := l.classified(err)
			l.pool.config.Log.Info("a call of an upstream server failed", "server", s.Name, "error", failure.Code, "said", quote.Line(l.clean.shown(fault.Whole(err)), maxLogged))
			l.mu.Lock()
			if l.session == session && failure.Code == gateway.UpstreamUnavailable && f == nil && !errors.As(err, &odd) {
				l.drop(failure) // before who comes next meets the same
			}
			l.mu.Unlock()
			err = failure
		}
		l.over(token, time.Since(began), err)
		return out, err
	}
}

// renew forgets a session that the server does not know any more. It has not failed.
func (l *link) renew(session *mcp.ClientSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session != session {
		return
	}
	go finish(session, l.end)
	l.session, l.end = nil, nil
	l.another()
	if len(l.follows) > 0 && !l.resuming && !l.closed {
		l.resuming = true
		l.asking.Go(l.resume)
	}
}

// maxLogged bounds what the log has of an error of a server, in characters; callers are shown less.
const maxLogged = 64 << 10

// ended says why a call ended before its answer: its own time, or that of its caller.
func ended(ctx, limited context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(limited)
}

// running is a call that runs.
type running struct {
	hooks      Hooks
	progressed int       // how often progress was passed on
	last       time.Time // when
}

func (l *link) begin(hooks Hooks) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens++
	token := "t" + strconv.FormatInt(l.tokens, 10)
	l.calls[token] = &running{hooks: hooks}
	return token
}

func (l *link) over(token string, took time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, token)
	l.counts.Calls++
	l.counts.Latency = took
	if err != nil {
		l.counts.Failed++
	}
}

// lastWords says how the command of the server ended, when this error means that it has; "" for
// an address, and for another error.
func (l *link) lastWords(err error) string {
	how := l.ending.Load()
	if how == nil || !errors.Is(err, mcp.ErrConnectionClosed) && !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "EOF") && !strings.Contains(err.Error(), "closed") && !errors.Is(err, syscall.EPIPE) {
		return ""
	}
	return how.String()
}

// ourSteps are what the client was at, which is of no use to who called a tool.
var ourSteps = regexp.MustCompile(`(calling|sending) "[^"]*": (rejected by transport: )?`)

// classified finds out what an error of a server or of the way to it means.
func (l *link) classified(err error) *gateway.Error {
	name := l.server.Name
	fail := func(code gateway.Code) *gateway.Error {
		return gateway.Fail(code, name, "the upstream %s: %s", name, l.clean.shown(ourSteps.ReplaceAllString(err.Error(), "")))
	}
	var known *gateway.Error
	var answered *jsonrpc.Error
	var http_ *refusal
	var odd *noMessage
	var way *url.Error
	switch {
	case errors.As(err, &known):
		return known
	case fault.Is(err, fault.Unusable):
		failure := gateway.Fail(gateway.UpstreamUnavailable, name, "%s", fault.Of(err).Message)
		failure.Cause = err
		return failure
	case errors.As(err, &http_):
		return http_.failure(l.server, l.clean)
	case errors.As(err, &odd):
		code := gateway.UpstreamError
		if odd.broken {
			code = gateway.UpstreamUnavailable
		}
		return gateway.Fail(code, name, "the upstream %s: %s", name, l.clean.shown(odd.Error()))
	case errors.Is(err, errTooLong):
		return gateway.Fail(gateway.UpstreamError, name, "the upstream %s: %s", name, errTooLong)
	case errors.Is(err, context.DeadlineExceeded):
		return gateway.Fail(gateway.UpstreamTimeout, name, "the upstream %s did not answer in time", name)
	case errors.As(err, &way):
		code := gateway.UpstreamUnavailable
		if way.Timeout() {
			code = gateway.UpstreamTimeout
		}
		failure := gateway.Fail(code, name, "the upstream %s cannot be reached: %s", name, l.clean.shown(remote.WhyUnreached(way)))
		failure.Cause = errors.New(l.clean.shown(way.Error()))
		return failure
	case errors.As(err, &answered):
		return fail(gateway.UpstreamError).WithFields(l.clean.fields(fieldsOf(answered.Data)))
	}
	if how := l.lastWords(err); how != "" {
		return gateway.Fail(gateway.UpstreamUnavailable, name, "the upstream %s is not there any more: %s", name, how)
	}
	switch {
	case strings.Contains(err.Error(), "json: "):
		return gateway.Fail(gateway.UpstreamError, name, "the upstream %s: it answered with something that has not the form that MCP gives it", name)
	case !errors.Is(err, mcp.ErrConnectionClosed) && !strings.Contains(err.Error(), "connection") && !strings.Contains(err.Error(), "EOF"):
		return fail(gateway.UpstreamError)
	case len(l.server.Command) > 0:
		return gateway.Fail(gateway.UpstreamUnavailable, name, "the upstream %s is not there any more: it has closed its standard output", name)
	}
	return gateway.Fail(gateway.UpstreamUnavailable, name, "the upstream %s has ended, or cannot be reached: %s", name, l.clean.shown(ourSteps.ReplaceAllString(err.Error(), "")))
}
