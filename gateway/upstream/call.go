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

// Hooks are called during a call; each may be nil.
type Hooks struct {
	// Reads says that the call changes nothing, so that it can be made again whatever became of it.
	Reads bool
	// Progress receives the progress of the server. It must not wait.
	Progress func(done, total float64, message string)
	// Elicit asks the person behind the call, with a message and a JSON Schema from the server. It returns the action
	// (accept, decline or cancel) and the input.
	Elicit func(ctx context.Context, message string, schema any) (action string, content map[string]any, err error)
}

// greeter is the MCP client of the server, with its handlers.
func (l *link) greeter() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "trails", Version: cmp.Or(l.pool.config.Version, "dev")}, &mcp.ClientOptions{
		Logger:             l.pool.config.Log,
		Capabilities:       &mcp.ClientCapabilities{},
		ElicitationHandler: l.elicit,
	})
}

// notified handles notifications, and reports whether the client need not: reading a flood of them is slow.
func (l *link) notified(method string, params json.RawMessage) bool {
	switch method {
	case "notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed":
		l.listChanged()
	case "notifications/progress":
		l.progress(params)
	case "notifications/resources/updated":
		l.updated(params)
	case "notifications/message": // of its log
		l.logOutput(string(params[:min(len(params), maxComplaint)]))
	case "notifications/cancelled": // of a question, which the client has asked
		l.mu.Lock()
		defer l.mu.Unlock()
		l.taken++
		return l.taken > l.asks+takenFree
	}
	return true
}

// takenFree is how many questions a server may take back in a call before it has asked them, as far as is known here:
// the client asks beside what is read.
const takenFree = 100

// listChanged handles a change of the server's offer: at once, and delayed if it repeats often.
func (l *link) listChanged() {
	l.mu.Lock()
	if l.changing {
		l.mu.Unlock()
		return
	}
	since := time.Since(l.changed)
	if wait := l.interval - since; wait > 0 {
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
	if l.interval *= 2; l.interval == 0 || since > l.interval {
		l.interval = changesApart
	}
	l.interval = min(l.interval, longestApart)
	if l.changed = time.Now(); !closed {
		l.another()
	}
	l.mu.Unlock()
	if !closed {
		l.pool.config.Changed(l.server.Name)
	}
}

// The time between two passed-on list changes, doubled while there are always more.
const (
	changesApart = time.Second
	longestApart = time.Minute
)

// progress passes on progress for the call with its token: at first everything, later at intervals.
func (l *link) progress(params json.RawMessage) {
	var notice mcp.ProgressNotificationParams
	if json.Unmarshal(params, &notice) != nil {
		return
	}
	l.mu.Lock()
	c := l.calls[fmt.Sprint(notice.ProgressToken)]
	passes := c != nil && c.hooks.Progress != nil && (c.progressed < progressFree || time.Since(c.last) > progressApart)
	if passes {
		c.progressed, c.last = c.progressed+1, time.Now()
	}
	l.mu.Unlock()
	if passes {
		c.hooks.Progress(notice.Progress, notice.Total, notice.Message)
	}
}

// Bounds on passed-on progress of a call.
const (
	progressFree  = 100
	progressApart = 100 * time.Millisecond
)

// elicit asks the person behind the running call. A question does not say which call it belongs to, so it is declined
// if several are running.
func (l *link) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	var hooks Hooks
	l.mu.Lock()
	l.asks++
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

// Part is one part of a server's answer: text, or bytes with a media type.
type Part struct {
	Role string // of a prompt's message
	Text string
	Data []byte
	MIME string
	URI  string // of an included or linked resource
	Name string // of a linked resource, otherwise ""
}

// Answer is what a tool answered.
type Answer struct {
	Parts      []Part
	Structured any
	IsError    bool
}

// Call calls a tool by its name at the server; of a server with Pin, as accepted at the last [Pool.Listings]. Its
// error is a *gateway.Error, or that of ctx.
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
	hooks.Reads = true
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
	hooks.Reads = true
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

// with calls f in a session, within the concurrency and time limits.
func with[T any](ctx context.Context, p *Pool, s gateway.Server, hooks Hooks, do func(context.Context, *mcp.ClientSession, string) (T, error)) (out T, err error) {
	l, release, err := p.link(ctx, s)
	if err != nil {
		return out, err
	}
	defer release()
	return on(ctx, l, s, hooks, do)
}

// on does this on a link.
func on[T any](ctx context.Context, l *link, s gateway.Server, hooks Hooks, do func(context.Context, *mcp.ClientSession, string) (T, error)) (out T, err error) {
	err = l.do(ctx, s, hooks, func(ctx context.Context, session *mcp.ClientSession, token string) (keep func(), err error) {
		got, err := do(ctx, session, token)
		return func() { out = got }, err
	})
	return out, err
}

// do calls the server, once more if it has forgotten the session, and keeps an answer that came in time.
func (l *link) do(ctx context.Context, s gateway.Server, hooks Hooks, call func(context.Context, *mcp.ClientSession, string) (keep func(), err error)) error {
	limited, cancel := context.WithTimeoutCause(ctx, s.Timeout(), gateway.Fail(gateway.UpstreamTimeout, s.Name, "the upstream %s did not answer within %s", s.Name, s.Timeout()))
	defer cancel()
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-limited.Done():
		return ended(ctx, limited)
	}
	for attempt := 1; ; attempt++ {
		session, err := l.up(limited)
		if err != nil {
			if limited.Err() != nil {
				err = ended(ctx, limited)
			}
			return err
		}
		token, began := l.begin(hooks), time.Now()
		// The call does not wait for the session, so a dead server cannot block it.
		done := make(chan error, 1)
		var answer func()
		go func() {
			keep, err := call(limited, session, token)
			answer = keep
			done <- err
		}()
		answered := false
		select {
		case err = <-done:
			if answered = err == nil; !answered && strings.Contains(err.Error(), unanswered) {
				err = &noMessage{"a stream that ended without an answer", hooks.Reads}
			}
		case <-limited.Done():
		}
		var e *gateway.Error
		var f *refusal
		var odd *noMessage
		switch {
		case answered:
			answer()
		case limited.Err() != nil:
			err = ended(ctx, limited)
		case errors.As(err, &f) && f.session:
			l.renew(session)
			if attempt == 1 {
				l.over(token, time.Since(began), err)
				continue // the server has not done it, and starts a new session for the next call
			}
			err = f.failure(s, l.clean)
		case !errors.As(err, &e):
			failure := l.classified(err)
			l.pool.config.Log.Info("a call of an upstream server failed", "server", s.Name, "error", failure.Code, "said", quote.Line(l.clean.shown(fault.Whole(err)), maxLogged))
			l.mu.Lock()
			if l.session == session && failure.Code == gateway.UpstreamUnavailable && f == nil && !errors.As(err, &odd) {
				l.drop(failure) // before the next caller uses the same session
			}
			l.mu.Unlock()
			err = failure
		}
		l.over(token, time.Since(began), err)
		return err
	}
}

// unanswered is what the client says of a request whose stream has ended.
const unanswered = "request terminated without response"

// renew drops a session that the server does not know any more. That is not a failure.
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

// maxLogged is how many characters of a server's error are logged; callers see fewer.
const maxLogged = 64 << 10

// ended says why a call ended without an answer: its own time limit, or that of its caller.
func ended(ctx, limited context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(limited)
}

// running is a call that runs.
type running struct {
	hooks      Hooks
	progressed int       // number of progress reports passed on
	last       time.Time // when
}

func (l *link) begin(hooks Hooks) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens++
	l.asks, l.taken = 0, 0
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

// lastWords says how the server's command ended, if that caused the error; otherwise "".
func (l *link) lastWords(err error) string {
	how := l.ending.Load()
	if how == nil || !errors.Is(err, mcp.ErrConnectionClosed) && !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "EOF") && !strings.Contains(err.Error(), "closed") && !errors.Is(err, syscall.EPIPE) {
		return ""
	}
	return how.String()
}

// ourSteps are descriptions of client steps, which are useless to callers.
var ourSteps = regexp.MustCompile(`(calling|sending) "[^"]*": (rejected by transport: )?`)

// clientTooLong are the client's words for an event or a line that is longer than maxAnswer.
var clientTooLong = regexp.MustCompile(`SSE event exceeded \d+ bytes|exceeded the configured maximum line length`)

// classified converts an error of a server or of its connection.
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
	case errors.Is(err, errTooLong), clientTooLong.MatchString(err.Error()):
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
	if strings.Contains(err.Error(), "json: ") { // whether or not the client has ended its connection over it
		return gateway.Fail(gateway.UpstreamError, name, "the upstream %s: it answered with something that has not the form that MCP gives it", name)
	}
	if how := l.lastWords(err); how != "" {
		return gateway.Fail(gateway.UpstreamUnavailable, name, "the upstream %s is not there any more: %s", name, how)
	}
	switch {
	case !errors.Is(err, mcp.ErrConnectionClosed) && !strings.Contains(err.Error(), "connection") && !strings.Contains(err.Error(), "EOF"):
		return fail(gateway.UpstreamError)
	case len(l.server.Command) > 0:
		return gateway.Fail(gateway.UpstreamUnavailable, name, "the upstream %s is not there any more: it has closed its standard output", name)
	}
	return gateway.Fail(gateway.UpstreamUnavailable, name, "the upstream %s has ended, or cannot be reached: %s", name, l.clean.shown(ourSteps.ReplaceAllString(err.Error(), "")))
}
