package mcp

import (
	"context"
	"encoding/json"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	toolsChanged = "notifications/tools/list_changed"
	// ticker is a tool that nobody sees and nobody can call: the SDK notifies its
	// sessions only when a tool is registered with it, and ours never are.
	ticker = "__tick"
)

// watch runs start while anybody listens, once for all of them.
type watch struct {
	start func(ctx context.Context)

	mu        sync.Mutex
	listeners int
	stop      func() // ends start and waits for it
}

// join adds a listener; leave takes it away again and, for the last one, waits
// until the watching has ended.
func (w *watch) join() (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners++
	if w.listeners == 1 {
		w.stop = w.run()
	}
	return w.leave
}

func (w *watch) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.start(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (w *watch) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners--
	if w.listeners == 0 {
		w.stop()
	}
}

// follow tells every session, and every open subscription, that the tools may have
// changed, until ctx ends.
func (e *endpoint) follow(ctx context.Context) {
	changes := e.engine.Watch(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case c, more := <-changes:
			if !more {
				return
			}
			if c.Schema {
				e.tick()
			}
		}
	}
}

func (e *endpoint) tick() {
	tool := &sdk.Tool{Name: ticker, InputSchema: json.RawMessage(`{"type":"object"}`)}
	e.sdk.AddTool(tool, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, methodNotFound("tools/call")
	})
}

// listen opens a subscription of the protocol without sessions: the request stays
// open, and changes come while it does.
func (e *endpoint) listen(ctx context.Context, r request) (sdk.Result, error) {
	leave := e.watch.join()
	defer leave()
	return r.bySDK(ctx)
}

// isForSubscription reports that a notification goes to one subscription, not to
// the session.
func isForSubscription(params json.RawMessage) bool {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // the SDK's own JSON
	return p.Meta[sdk.MetaKeySubscriptionID] != nil
}
