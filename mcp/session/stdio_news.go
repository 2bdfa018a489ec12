package session

import (
	"time"

	"trails/fault"
)

// restAfterPanic keeps a goroutine that panics again and again from taking a processor.
const restAfterPanic = time.Second

// What a stdio session is told without having asked.

// opened opens the mailbox, after the handshake: before it nobody is told anything.
func (c *lineConn) opened() {
	c.quitMu.Lock()
	defer c.quitMu.Unlock()
	c.closeBox = c.door.hub.open(c.box, kinds{tools: true, resources: true})
	go c.tell()
}

// quit closes the mailbox.
func (c *lineConn) quit() {
	c.quitMu.Lock()
	defer c.quitMu.Unlock()
	if c.closeBox != nil {
		c.closeBox()
	}
}

// tell writes the news as the client reads them. It ends with the connection; a
// write that is under way then ends with out.
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

// reserve makes room for n subscriptions, of all that the client has open.
func (c *lineConn) reserve(n int) (release func(), err error) {
	release = func() { c.listening.Add(int64(-n)) }
	if used := c.listening.Add(int64(n)); used > MaxSubscriptions {
		release()
		return nil, TooManySubscriptions(int(used) - n)
	}
	return release, nil
}
