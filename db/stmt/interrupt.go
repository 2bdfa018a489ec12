package stmt

import (
	"context"
	"slices"
	"sync"
)

// interrupt lets contexts interrupt the statements of a connection. SQLite takes a channel for this, and each new
// channel costs a goroutine and a handshake. So a channel is reused until it has been closed.
type interrupt struct {
	mu    sync.Mutex
	done  chan struct{}
	used  bool // done has been closed
	armed []*arming
}

// arming connects one context with a connection.
type arming struct {
	conn *Conn
	stop func() bool
	over bool // the context has ended
}

// InterruptBy lets the end of ctx interrupt the connection until release is called. Of several contexts, the last is
// released first.
func (c *Conn) InterruptBy(ctx context.Context) (release func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	i := &c.interrupt
	i.mu.Lock()
	if i.done == nil {
		i.done = make(chan struct{})
		c.SetInterrupt(i.done)
	}
	a := &arming{conn: c}
	i.armed = append(i.armed, a)
	i.mu.Unlock()
	a.stop = context.AfterFunc(ctx, a.fire)
	return a.release
}

// fire interrupts the connection, unless the arming has been released.
func (a *arming) fire() {
	i := &a.conn.interrupt
	i.mu.Lock()
	defer i.mu.Unlock()
	a.over = true
	if slices.Contains(i.armed, a) && !i.used {
		i.used = true
		close(i.done)
	}
}

// Release ends the arming. If its context has ended, but no other armed one, the connection becomes usable again.
func (a *arming) release() {
	a.stop()
	i := &a.conn.interrupt
	i.mu.Lock()
	defer i.mu.Unlock()
	if at := slices.Index(i.armed, a); at >= 0 {
		i.armed = slices.Delete(i.armed, at, at+1)
	}
	i.renew(a.conn)
}

// uninterrupted releases all contexts: what follows runs to its end.
func (c *Conn) uninterrupted() {
	i := &c.interrupt
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, a := range i.armed {
		a.stop()
	}
	i.armed = i.armed[:0]
	i.renew(c)
}

func (i *interrupt) renew(c *Conn) {
	if !i.used || slices.ContainsFunc(i.armed, func(a *arming) bool { return a.over }) {
		return
	}
	i.used, i.done = false, make(chan struct{})
	c.SetInterrupt(i.done)
}
