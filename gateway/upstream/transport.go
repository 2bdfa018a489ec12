package upstream

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/gateway"
	"trails/kg/remote"
	"trails/text/quote"
)

// maxAnswer bounds the size of one message of a server.
const maxAnswer = 32 << 20

// connect connects to the server and does the handshake. end kills the server.
func (l *link) connect(ctx context.Context) (session *mcp.ClientSession, end func(), err error) {
	s, err := l.server.Resolved(l.pool.config.Lookup)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case s.CallerHeader != "":
		s.Headers[s.CallerHeader] = l.own.Reveal()
	case s.CallerEnv != "":
		s.Env[s.CallerEnv] = l.own.Reveal()
	}
	var t mcp.Transport
	end = func() {}
	switch {
	case len(s.Command) > 0:
		var program Program
		if program, err = l.pool.config.Program(l.server); err == nil {
			t, end, err = l.command(program, s)
		}
	default:
		var requests *http.Client
		if requests, err = client(s, l.clean, l.logOutput, l.notified); s.HTTP != "" {
			t = &mcp.StreamableClientTransport{Endpoint: s.HTTP, HTTPClient: requests, MaxEventSize: maxAnswer}
		} else {
			t = &mcp.SSEClientTransport{Endpoint: s.SSE, HTTPClient: requests, MaxEventSize: maxAnswer}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	// The context lives as long as the session, whose streams use it.
	living, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	session, err = l.greeter().Connect(living, t, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		end()
		return nil, nil, cmp.Or(ctx.Err(), err)
	}
	gone := end
	return session, func() { gone(); cancel() }, nil
}

// revision is the protocol revision for the handshake. In the newest one servers cannot ask questions during a call,
// and few servers support it.
const revision = "2025-11-25"

// inherited are environment variables passed to commands because programs need them. Others, which may be secret, are
// only passed if the definition says so.
var inherited = map[string][]string{
	"windows": {"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"},
	"":        {"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"},
}

// command runs the command of a server in its own process group.
func (l *link) command(program Program, s gateway.Server) (mcp.Transport, func(), error) {
	cmd := exec.Command(program.Path, s.Command[1:]...) //nolint:gosec,noctx // somebody at this machine agreed to it; it outlives the call that starts it
	cmd.Dir = program.Directory
	names := inherited[runtime.GOOS]
	if names == nil {
		names = inherited[""]
	}
	for _, name := range names {
		if value, ok := l.pool.config.Lookup(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	ofItsOwn(cmd)
	// We make the pipes ourselves: those of exec.Cmd are closed when the command ends, with unread output.
	notRun := fault.New(fault.Unusable, "the upstream %s cannot be started: its command %s does not run", s.Name, fault.Path(program.Path))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, notRun.Because(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, nil, notRun.Because(err)
	}
	complaints, stderr, err := os.Pipe()
	if err != nil {
		return nil, nil, notRun.Because(errors.Join(err, out.Close(), stdout.Close()))
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Start()
	_, _ = stdout.Close(), stderr.Close() // the command has them
	if err != nil {
		if _, gone := os.Stat(program.Directory); gone != nil {
			notRun = fault.New(fault.Unusable, "the upstream %s cannot be started: it runs in %s, as somebody has agreed, and that directory is not there; agree to it anew with trails gateway trust, in another one", s.Name, fault.Path(program.Directory))
		}
		return nil, nil, notRun.Because(errors.Join(err, out.Close(), complaints.Close()))
	}
	how := newEnding()
	l.ending.Store(how)
	go l.listen(l.clean.Reader(complaints), how)
	ended := how.over
	go func() {
		_ = cmd.Wait() // its state says how it ended
		kill(cmd)      // its child processes
		how.ended(cmd.ProcessState.String())
		time.AfterFunc(lateOutput, func() { _ = out.Close() }) // a process outside the group may hold it open
	}()
	end := func() {
		_ = in.Close() // a server ends when its input does
		select {
		case <-ended:
		case <-time.After(patience):
			kill(cmd)
			<-ended
		}
		_ = out.Close() // a process outside the group may hold it, as it may hold the next
		how.wait(how.read)
		_ = complaints.Close()
	}
	return &mcp.IOTransport{Reader: newMessages(l.clean.Reader(out), l.logOutput, l.notified), Writer: in, MaxLineLength: maxAnswer}, end, nil
}

// patience is how long a command may take to end by itself.
const patience = 500 * time.Millisecond

// lateOutput is how long output of an ended command is read.
const lateOutput = 10 * patience

// lateEnd is how long the end of a command is waited for that has closed its standard output, and then the end of its
// standard error: a busy machine tells both late.
const lateEnd = 4 * patience

// maxComplaint bounds a logged line of standard error, in bytes.
const maxComplaint = 1_000

// listen logs standard error by lines, and keeps the last ones.
func (l *link) listen(in io.Reader, how *ending) {
	defer close(how.read)
	lines := bufio.NewReaderSize(in, maxComplaint)
	for {
		line, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		for more && err == nil {
			_, more, err = lines.ReadLine() // the rest of a long line
		}
		output := quote.Line(l.clean.shown(string(line)), maxComplaint)
		how.wrote(output)
		l.logOutput(output)
	}
}

// logOutput logs a server's output that is not a message.
func (l *link) logOutput(line string) {
	if !l.pool.config.Log.Enabled(l.living, slog.LevelDebug) {
		return // reading a flood is slow
	}
	l.pool.config.Log.Debug("an upstream server says", "server", l.server.Name, "line", quote.Line(l.clean.shown(line), maxComplaint))
}

// client makes requests only to the origin in the server's definition.
func client(s gateway.Server, clean redactor, log func(string), notified func(string, json.RawMessage) bool) (*http.Client, error) {
	at, err := url.Parse(cmp.Or(s.HTTP, s.SSE))
	if err != nil {
		return nil, gateway.Fail(gateway.UpstreamError, s.Name, "the address of the upstream %s is none", s.Name) // Server.Check has parsed it
	}
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		base = &http.Transport{}
	}
	base = base.Clone()
	base.ResponseHeaderTimeout = s.Timeout()
	return &http.Client{
		Transport: toOrigin{base: base, server: s, origin: originOf(at), clean: clean, log: log, notified: notified, oneTime: new(atomic.Bool)},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if originOf(r.URL) != originOf(at) || r.Method != via[0].Method {
				return gateway.Fail(gateway.UpstreamError, s.Name, "the upstream %s, at %s, %s. If it has moved, name it anew with gateway add", s.Name, originOf(at), remote.SendsOn(r))
			}
			if len(via) > maxRedirects {
				return gateway.Fail(gateway.UpstreamError, s.Name, "the upstream %s redirects a request more than %d times", s.Name, maxRedirects)
			}
			return nil
		},
	}, nil
}

const maxRedirects = 5

// originOf is the scheme, the host and the port of an address.
func originOf(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// toOrigin sends requests to one origin only, whoever makes them: an event of the server with another address, a
// redirect, or a document about signing in could lead elsewhere. Headers and arguments are for that server only.
type toOrigin struct {
	base     *http.Transport
	server   gateway.Server // with the values of its headers
	origin   string
	clean    redactor
	log      func(string)
	notified func(method string, params json.RawMessage) bool // handles notifications
	oneTime  *atomic.Bool                                     // no stream can be resumed
}

// RoundTrip refuses another origin, adds the headers, and bounds the answer.
func (t toOrigin) RoundTrip(r *http.Request) (*http.Response, error) {
	if to := originOf(r.URL); to != t.origin {
		if r.Body != nil {
			_ = r.Body.Close() // nothing of it was sent
		}
		return nil, gateway.Fail(gateway.UpstreamError, t.server.Name, "the upstream %s sends requests to %s, and its definition names %s: nothing was sent; if it has moved there, name it anew with gateway add", t.server.Name, quote.Line(to, 200), t.origin)
	}
	r = r.Clone(r.Context())
	for name, value := range t.server.Headers {
		r.Header.Set(name, value)
	}
	res, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	return t.answer(r, res)
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

var errTooLong = errors.New("an answer is longer than 32 MiB; ask for less")

// Read fails behind the limit.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
