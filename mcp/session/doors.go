// Package session carries the messages of the Model Context Protocol: over stdio, over Streamable HTTP without and
// with sessions, and over the legacy transport. It identifies the caller, accepts only well-formed JSON-RPC messages,
// buffers for each session what its client has not read yet, and notifies subscribers of changes. [Methods] answers
// the methods.
//
// A message passes three places: parse (message.go) refuses what is no JSON-RPC, the token is checked (stdio_gate.go,
// or admitted in door.go), and [Methods] answers. Each listener has a mailbox (mailbox.go), which the hub (hub.go)
// fills when the graph moves and which its owner empties when it is ready to write. A session over HTTP (session.go)
// keeps its messages in streams (event_store.go) until its client reads.
//
// Read [Doors] first, then session.
package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/invoke"
)

// Methods answers the messages of one transport.
type Methods interface {
	// SDK is the SDK server that receives every accepted message.
	SDK() *sdk.Server
	// Check refuses messages for which the SDK's error would be unclear.
	Check(m Message) error
	// Refuse encodes an error of a method, for the message's sender.
	Refuse(ctx context.Context, method string, err error) *jsonrpc.Error
	// Context returns the context of the handlers of a new session.
	Context(ctx context.Context) context.Context
}

// Config is shared by the transports of one process.
type Config struct {
	// Methods returns the methods for a transport by name; stateless means that a session lasts one request.
	Methods func(via string, stateless bool) Methods
	// Watch returns the changes of the graph until ctx ends.
	Watch func(ctx context.Context) <-chan invoke.Change
	// Auth knows the callers.
	Auth *auth.Resolver
	// Options bounds what clients may keep open.
	Options Options
	// Log receives internal errors.
	Log *slog.Logger
}

// Doors are the transports of one MCP server. They are safe for concurrent use.
type Doors struct {
	Config
	hub       *hub
	slots     *slots
	events    *eventStore
	sessions  *sessions
	closing   chan struct{} // closed by Close
	closeOnce sync.Once
}

// NewDoors returns the doors of a process. It starts nothing.
func NewDoors(c Config) *Doors {
	c.Options = c.Options.orDefaults()
	return &Doors{
		Config: c, hub: newHub(c.Watch, c.Log),
		slots:    &slots{max: c.Options.Max, maxPerCaller: c.Options.MaxPerCaller, byVia: map[string]int{}, byCaller: map[string]int{}},
		events:   &eventStore{max: c.Options.History, maxPerSession: c.Options.HistoryPerSession},
		sessions: &sessions{open: map[string]*session{}}, closing: make(chan struct{}),
	}
}

// door is one transport with its methods.
type door struct {
	*Doors
	Methods
	via string // name of the transport in calls
}

func (d *Doors) door(via string, stateless bool) *door {
	return &door{Doors: d, Methods: d.Config.Methods(via, stateless), via: via}
}

// closeGrace is how long Close lets pending requests finish.
const closeGrace = 10 * time.Second

// Close ends every session and subscription over HTTP, and lets no new one in. A
// session with pending requests ends when those are answered, or ten seconds later.
// Close returns when all have ended; it may be called more than once. The stateless
// door goes on answering.
func (d *Doors) Close() {
	d.slots.close()
	d.closeOnce.Do(func() { close(d.closing) })
	left := d.sessions.close()
	for _, one := range left {
		one.finish()
	}
	patience := time.AfterFunc(closeGrace, func() {
		for _, one := range left {
			one.end()
		}
	})
	defer patience.Stop()
	for _, one := range left {
		<-one.over
		_ = one.wait() // how the SDK ended the session does not matter any more
	}
}

// Sessions is how many sessions and subscriptions are open, by transport:
// "mcp-stdio", "mcp-http", "mcp-sse", and "mcp-listen" for open requests of
// subscriptions/listen over HTTP. Those that have none are left out.
func (d *Doors) Sessions() map[string]int { return d.slots.open() }

// PendingNotifications returns how many notifications have not been read yet.
func (d *Doors) PendingNotifications() int { return d.hub.waiting() }

// sessions are those that are open over HTTP.
type sessions struct {
	mu     sync.Mutex
	open   map[string]*session // by transport and id
	closed bool
}

func (all *sessions) add(s *session) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed {
		return false
	}
	all.open[s.via+" "+s.id] = s
	return true
}

func (all *sessions) remove(s *session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.open, s.via+" "+s.id)
}

// find returns the session with this id at a transport.
func (all *sessions) find(via, id string) (*session, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	s, ok := all.open[via+" "+id]
	return s, ok
}

// close stops accepting sessions, and returns the open ones.
func (all *sessions) close() []*session {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.closed = true
	left := make([]*session, 0, len(all.open))
	for _, s := range all.open {
		left = append(left, s)
	}
	return left
}
