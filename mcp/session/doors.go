// Package session carries the messages of the Model Context Protocol: over stdio, over
// Streamable HTTP without and with sessions, and over the legacy transport. It knows the
// caller, admits only one well-formed JSON-RPC message at a time, keeps for each session
// what its client has not read yet, and tells those who subscribed that the graph moved.
// What a method answers is decided behind [Methods].
//
// A message passes three places: parse (message.go) refuses what is no JSON-RPC, the
// token is checked (stdio_gate.go, or admitted in door.go), and [Methods] answers. Each
// listener has a mailbox (mailbox.go), which the hub (hub.go) fills when the graph moves
// and which its owner empties when it is ready to write. A session over HTTP
// (session.go) keeps its messages in streams (event_store.go) until its client reads.
//
// Read [Doors] first, then session.
package session

import (
	"context"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/invoke"
)

// Methods answers the messages that come in at one door.
type Methods interface {
	// SDK is the server to which every message goes that is admitted.
	SDK() *sdk.Server
	// Check refuses a message that the SDK would refuse in its own words.
	Check(m Message) error
	// Refuse encodes an error of a method, for the message's sender.
	Refuse(ctx context.Context, method string, err error) *jsonrpc.Error
	// Context returns the context of the handlers of a new session.
	Context(ctx context.Context) context.Context
}

// Config is what the doors of one process share.
type Config struct {
	// Methods returns what answers at a door of this name; stateless means that a session
	// lasts one request.
	Methods func(via string, stateless bool) Methods
	// Watch returns the changes of the graph until ctx ends.
	Watch func(ctx context.Context) <-chan invoke.Change
	// Auth knows the callers.
	Auth *auth.Resolver
	// Options bounds what clients may keep open.
	Options Options
	// Log hears of bugs.
	Log *slog.Logger
}

// Doors are the ways in to one server of MCP. They are safe for concurrent use.
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
		Config: c, hub: newHub(c.Watch, c.Log), slots: newSlots(c.Options), events: newEventStore(c.Options),
		sessions: newSessions(), closing: make(chan struct{}),
	}
}

// door is one of them, and what answers there.
type door struct {
	*Doors
	Methods
	via string // the door's name in calls
}

func (d *Doors) door(via string, stateless bool) *door {
	return &door{Doors: d, Methods: d.Config.Methods(via, stateless), via: via}
}
