package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
)

// restAfterPanic is the pause after a panic, so that repeated panics do not use up a processor.
const restAfterPanic = time.Second

const (
	// drainTimeout is how long the end of stdin waits for answers in flight.
	drainTimeout = 30 * time.Second
	// lastAnswers is how long the end of the process does, and then how long calls that it cuts have to say so.
	lastAnswers = 2 * time.Second
)

// RunStdio serves one session: a message a line on in, an answer a line on out. It
// returns nil when in has ended and every answer is out (or thirty seconds later),
// and ctx's error when ctx ends first: then calls in flight may continue for two seconds
// before they are cut, which their answers say. A read of in or a write to out that is under
// way then cannot be broken off; it ends with in or out.
func (d *Doors) RunStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	here := d.door(OverStdio, false)
	c := &lineConn{
		door: here, gate: stdioGate{auth: d.Auth}, in: bufio.NewReaderSize(in, 64<<10), out: out,
		incoming: make(chan jsonrpc.Message), closed: make(chan struct{}),
		pending: newPending(), batches: map[jsonrpc.ID]*lineBatch{}, box: newMailbox(),
	}
	defer d.slots.count(OverStdio)()
	defer d.hub.join()()
	defer func() {
		c.quitMu.Lock()
		defer c.quitMu.Unlock()
		if c.closeBox != nil {
			c.closeBox()
		}
	}()
	defer c.shut()
	var cut context.CancelCauseFunc
	c.calls, cut = context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	stop := context.AfterFunc(ctx, func() {
		c.await(lastAnswers)
		cut(invoke.Stopped())
		c.await(lastAnswers)
		c.shut()
	})
	defer stop()
	go c.readLines()
	session := withOutlet(here.Context(withMailbox(context.WithoutCancel(ctx), c.box)), c)
	err := here.SDK().Run(session, onConn{c})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("serve MCP over stdio: %w", err)
	}
	return nil
}

// onConn is a transport for one open connection.
type onConn struct{ sdk.Connection }

// Connect returns the connection.
func (t onConn) Connect(context.Context) (sdk.Connection, error) { return t.Connection, nil }

// lineConn is the connection of a stdio session. The SDK's own would end on malformed JSON, on a space after a
// message and on batches, and would drop pending answers at the end of its input. This one answers bad lines itself,
// passes only accepted messages to the SDK, and ends after the last answer.
type lineConn struct {
	door     *door
	gate     stdioGate
	in       *bufio.Reader
	incoming chan jsonrpc.Message // closed at the end of in, after all answers
	readErr  error                // reason for the end of in; set before incoming is closed
	closed   chan struct{}
	once     sync.Once // closes closed

	outMu sync.Mutex
	out   io.Writer

	calls     context.Context // ends when calls in flight are cut
	pending   *pendingRequests
	box       *mailbox
	listening atomic.Int64 // number of subscribed addresses

	version atomic.Value // string: the version of the handshake
	batchMu sync.Mutex
	batches map[jsonrpc.ID]*lineBatch // by request that came in a batch

	quitMu   sync.Mutex
	closeBox func() // nil before the handshake
}

// SessionID is empty: there is one session, and it needs no name.
func (c *lineConn) SessionID() string { return "" }

// Close ends reading and writing. It does not wait for a read of in.
func (c *lineConn) Close() error {
	c.shut()
	return nil
}

func (c *lineConn) shut() { c.once.Do(func() { close(c.closed) }) }

// Read returns the next admitted message. The context that the SDK gives it never
// ends; closed does.
func (c *lineConn) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m, more := <-c.incoming:
		if !more {
			return nil, c.readErr
		}
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	}
}

// readLines reads in to its end; it is the only reader.
func (c *lineConn) readLines() {
	defer close(c.incoming)
	for {
		line, whole, err := ReadLine(c.in, maxLine)
		open := true
		if bug := fault.Guard(func() error { open = c.take(line, whole); return nil }); bug != nil {
			open = c.send(Failure(nullID, c.door.Refuse(context.Background(), "", bug))) == nil
		}
		if !open {
			err = io.EOF
		}
		if err != nil {
			c.readErr = err
			c.drain()
			return
		}
	}
}

// ReadLine returns the next line with its end, or whole false when it was longer than
// limit bytes and has been skipped. A line may come with the error that ends in.
func ReadLine(in *bufio.Reader, limit int) (line []byte, whole bool, err error) {
	whole = true
	for {
		chunk, err := in.ReadSlice('\n')
		if whole = whole && len(line)+len(chunk) <= limit; whole {
			line = append(line, chunk...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// take handles one line. It returns false if the connection was closed.
func (c *lineConn) take(line []byte, whole bool) bool {
	if !whole {
		return c.send(Failure(nullID, invalid(fmt.Sprintf("the message is larger than %d bytes", maxLine)))) == nil
	}
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return true
	case isBatch(line) && c.version.Load() == batching:
		return c.acceptBatch(line)
	}
	m, bad := parse(line)
	return c.acceptMessage(m, bad, nil)
}

// acceptMessage passes on a valid message, and answers an invalid one, in its batch if there is one. It returns false
// if the connection was closed.
func (c *lineConn) acceptMessage(m Message, bad *jsonrpc.Error, b *lineBatch) bool {
	if b != nil && (bad != nil || m.isCall()) {
		b.expect()
	}
	if bad != nil {
		return c.reply(Failure(m.idText, bad), b) == nil
	}
	if m.response {
		return !c.pending.answered(m) || c.deliver(m.answer())
	}
	caller, err := c.admit(&m)
	if err != nil {
		if !m.isCall() {
			return true // a notification has no answer, not even a refusal
		}
		return c.reply(Failure(m.idText, c.door.Refuse(context.Background(), m.Method, err)), b) == nil
	}
	if m.moot {
		return true // a flood of these is dear in the SDK
	}
	if b != nil && m.isCall() {
		c.keepBatch(m.id, b)
	}
	req := m.request()
	req.Extra = envelope{request: m.id, id: m.idText, principal: caller, over: func() context.Context { return c.calls }}.extra()
	return c.deliver(req)
}

// deliver shows the SDK a message. It returns false when the connection was closed
// meanwhile.
func (c *lineConn) deliver(msg jsonrpc.Message) bool {
	select {
	case c.incoming <- msg:
		return true
	case <-c.closed:
		return false
	}
}

// admit checks the token and the message, and records a request as pending.
func (c *lineConn) admit(m *Message) (policy.Principal, error) {
	p, err := c.gate.admit(context.Background(), m)
	if err == nil {
		err = c.door.Check(*m)
	}
	if err == nil {
		err = c.pending.add(m)
	}
	return p, err
}

// Write writes an answer, a notification, or a request of the server.
func (c *lineConn) Write(_ context.Context, msg jsonrpc.Message) error {
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		return c.answer(msg)
	case *jsonrpc.Request:
		if !c.pending.sent(msg) {
			return nil
		}
	}
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return c.send(text)
}

// answer writes the answer to a request, which is then no longer pending.
func (c *lineConn) answer(res *jsonrpc.Response) error {
	was := c.pending.get(res.ID)
	defer c.pending.done(res.ID)
	batch := c.batchOf(res.ID)
	if res.Error != nil && was.cancelled {
		return c.reply(nil, batch) // a cancelled request has no answer (MCP, cancellation)
	}
	if res.Error != nil {
		res.Error = TidyError(res.Error)
	} else if was.method == "initialize" {
		c.version.Store(agreedVersion(res.Result))
		defer c.opened()
	}
	text, err := jsonrpc.EncodeMessage(res)
	if err != nil {
		return err
	}
	return c.reply(text, batch)
}

// send writes one line. Lines never mix.
func (c *lineConn) send(text []byte) error {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	select {
	case <-c.closed:
		return io.ErrClosedPipe
	default:
	}
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// drain waits until every request has been answered: a client may write its requests, close its end, and then read.
// Requests of the server fail.
func (c *lineConn) drain() {
	c.pending.endClient()
	c.await(drainTimeout)
}

// await waits until every request has been answered, so long at most. Subscriptions are not waited for.
func (c *lineConn) await(most time.Duration) {
	patience := time.NewTimer(most)
	defer patience.Stop()
	for c.pending.unanswered() > 0 {
		for _, none := range c.pending.takeFailed() {
			c.deliver(none)
		}
		select {
		case <-c.pending.changed:
		case <-patience.C:
			return
		case <-c.closed:
			return
		}
	}
}

// opened opens the mailbox after the handshake; before it there are no notifications.
func (c *lineConn) opened() {
	c.quitMu.Lock()
	defer c.quitMu.Unlock()
	c.closeBox = c.door.hub.open(c.box, kinds{tools: true, resources: true})
	go c.tell()
}

// tell writes notifications as fast as the client reads them. It ends with the connection; a pending write ends with
// out.
func (c *lineConn) tell() {
	for {
		select {
		case <-c.box.bell:
			var failed error
			err := fault.Guard(func() error { failed = c.notify(messages(c.box.take(), nil)...); return nil })
			if failed != nil {
				return
			}
			if err != nil {
				c.door.Log.Error("news were not told; the client is told that some may be missing", "error", err)
				time.Sleep(restAfterPanic)
				c.door.hub.resync(c.box)
			}
		case <-c.closed:
			return
		}
	}
}

// notify writes notifications.
func (c *lineConn) notify(texts ...[]byte) error {
	for _, text := range texts {
		if err := c.send(text); err != nil {
			return err
		}
	}
	return nil
}

// beat does nothing: a pipe is not cut for being silent.
func (c *lineConn) beat() error { return nil }

// reserve reserves room for n subscriptions of the client.
func (c *lineConn) reserve(n int) (release func(), err error) {
	release = func() { c.listening.Add(int64(-n)) }
	if used := c.listening.Add(int64(n)); used > MaxSubscriptions {
		release()
		return nil, TooManySubscriptions(int(used) - n)
	}
	return release, nil
}
