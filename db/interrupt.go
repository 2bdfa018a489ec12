package db

import (
	"context"
	"slices"
	"sync"
)

// interrupt lets contexts end what runs on a connection. SQLite is told by a channel,
// and each channel that it is given costs a goroutine and a handshake: it gets another
// one only when the last was used.
type interrupt struct {
	mu    sync.Mutex
	done  chan struct{}
	used  bool // done is closed
	armed []*arming
}

// arming is one context's hold on a connection.
type arming struct {
	conn *conn
	stop func() bool
	over bool // the context has ended
}

// interruptBy lets the end of ctx interrupt the connection until it is released. The
// one that was armed last is released first.
func (c *conn) interruptBy(ctx context.Context) *arming {
	if ctx.Done() == nil {
		return nil
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
	return a
}

// fire interrupts, unless the hold was released.
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

// release ends the hold. When its context has ended, but no other one that holds the
// connection, the connection can go on.
func (a *arming) release() {
	if a == nil {
		return
	}
	a.stop()
	i := &a.conn.interrupt
	i.mu.Lock()
	defer i.mu.Unlock()
	if at := slices.Index(i.armed, a); at >= 0 {
		i.armed = slices.Delete(i.armed, at, at+1)
	}
	i.renew(a.conn)
}

// uninterrupted releases all holds: what follows runs to its end.
func (c *conn) uninterrupted() {
	i := &c.interrupt
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, a := range i.armed {
		a.stop()
	}
	i.armed = i.armed[:0]
	i.renew(c)
}

func (i *interrupt) renew(c *conn) {
	if !i.used || slices.ContainsFunc(i.armed, func(a *arming) bool { return a.over }) {
		return
	}
	i.used, i.done = false, make(chan struct{})
	c.SetInterrupt(i.done)
}
