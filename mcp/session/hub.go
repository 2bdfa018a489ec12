package session

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"trails/fault"
	"trails/invoke"
)

// Addresses that every graph has and that can be subscribed to.
const (
	SchemaAddress = "trails://schema"
	StatsAddress  = "trails://stats"
	TypesAddress  = "trails://kg/types"
	kgAddress     = "trails://kg/"
)

// hub notifies the listeners of one server of changes. It watches the engine once for all of them, and finds the
// listeners for a change by its addresses. Filling a mailbox never blocks, so a slow listener delays neither writers
// nor other listeners.
type hub struct {
	changes func(context.Context) <-chan invoke.Change // watches the engine
	log     *slog.Logger

	// starting guards starting and stopping the watch, apart from mu: stopping waits for publish to return.
	starting  sync.Mutex
	listeners int
	stop      func() // stops the watch, and waits for its end

	mu    sync.Mutex
	head  string // last known commit
	boxes map[*mailbox]struct{}
	// byAddress maps an address to the mailboxes that are subscribed to it, byType a type to the subscribed addresses
	// below it.
	byAddress map[string]map[*mailbox]struct{}
	byType    map[string]map[string]struct{}
}

func newHub(watch func(context.Context) <-chan invoke.Change, log *slog.Logger) *hub {
	return &hub{
		changes:   watch,
		log:       log,
		boxes:     map[*mailbox]struct{}{},
		byAddress: map[string]map[*mailbox]struct{}{},
		byType:    map[string]map[string]struct{}{},
	}
}

// join adds a listener, and watches the engine if it is the first. Changes after it returns are reported; leave
// removes the listener.
func (h *hub) join() (leave func()) {
	h.starting.Lock()
	defer h.starting.Unlock()
	h.listeners++
	if h.listeners == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		changes, done := h.changes(ctx), make(chan struct{})
		go func() {
			defer close(done)
			h.follow(ctx, changes)
		}()
		h.stop = func() {
			cancel()
			<-done
		}
	}
	return sync.OnceFunc(func() {
		h.starting.Lock()
		defer h.starting.Unlock()
		h.listeners--
		if h.listeners == 0 {
			h.stop()
		}
	})
}

func (h *hub) follow(ctx context.Context, changes <-chan invoke.Change) {
	for {
		select {
		case <-ctx.Done():
			return
		case c, more := <-changes:
			if !more {
				return
			}
			if err := fault.Guard(func() error { h.publish(c); return nil }); err != nil {
				h.log.Error("news were not told to all; everybody is told that some may be missing", "error", err)
				h.resyncAll(c.Head)
			}
		}
	}
}

// open registers a mailbox for changes of these lists and of the subscribed addresses; closeBox ends that.
func (h *hub) open(b *mailbox, wants kinds) (closeBox func()) {
	leave := h.join()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.boxes[b] = struct{}{}
	b.mu.Lock()
	b.wants = wants
	b.mu.Unlock()
	return func() {
		defer leave()
		h.mu.Lock()
		for _, address := range b.addresses() {
			h.drop(b, address)
		}
		delete(h.boxes, b)
		stops := slices.Collect(maps.Values(b.stops))
		clear(b.stops)
		h.mu.Unlock()
		for _, stop := range stops {
			stop()
		}
	}
}

// subscribe adds an address to a mailbox, unless the mailbox was closed.
func (h *hub) subscribe(b *mailbox, address, asked string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, open := h.boxes[b]; !open {
		return nil
	}
	if err := b.add(address, asked); err != nil {
		return err
	}
	entry(h.byAddress, address)[b] = struct{}{}
	if name, isInstance := typeOf(address); isInstance {
		entry(h.byType, name)[address] = struct{}{}
	}
	return nil
}

// subscribeElsewhere adds an address whose changes are not reported by the engine. begin is called without a lock,
// and its stop function when nobody listens any more.
func (h *hub) subscribeElsewhere(b *mailbox, address string, begin func(updated func()) (stop func(), err error)) error {
	h.mu.Lock()
	_, open := h.boxes[b]
	known := b.stops[address] != nil
	var err error
	if open && !known {
		err = b.add(address, address)
	}
	h.mu.Unlock()
	if !open || known || err != nil {
		return err
	}
	stop, err := begin(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		b.put(address, change{})
		b.ring()
	})
	h.mu.Lock()
	_, open = h.boxes[b]
	switch {
	case err != nil && b.stops[address] == nil:
		b.remove(address)
	case err == nil && open && b.has(address) && b.stops[address] == nil:
		b.stops[address], stop = stop, nil
	}
	h.mu.Unlock()
	if err == nil && stop != nil {
		stop() // it was ended meanwhile, or exists twice
	}
	return err
}

func entry[K comparable](m map[string]map[K]struct{}, name string) map[K]struct{} {
	if m[name] == nil {
		m[name] = map[K]struct{}{}
	}
	return m[name]
}

func (h *hub) unsubscribe(b *mailbox, address string) {
	h.mu.Lock()
	b.remove(address)
	h.drop(b, address)
	stop := b.stops[address]
	delete(b.stops, address)
	h.mu.Unlock()
	if stop != nil {
		stop()
	}
}

func (h *hub) drop(b *mailbox, address string) {
	delete(h.byAddress[address], b)
	if len(h.byAddress[address]) > 0 {
		return
	}
	delete(h.byAddress, address)
	name, _ := typeOf(address)
	delete(h.byType[name], address)
	if len(h.byType[name]) == 0 {
		delete(h.byType, name)
	}
}

// typeOf returns the type in the canonical address of an instance.
func typeOf(address string) (name string, isInstance bool) {
	rest, isKG := strings.CutPrefix(address, kgAddress)
	name, _, isInstance = strings.Cut(rest, "/")
	return name, isKG && isInstance
}

// publish adds a change to the mailboxes that it concerns, and then signals each.
func (h *hub) publish(c invoke.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.head = c.Head
	if c.Schema {
		h.publishSchema(c)
		return
	}
	filled := map[*mailbox]struct{}{}
	put := func(address string, n change) {
		for b := range h.byAddress[address] {
			b.put(address, n)
			filled[b] = struct{}{}
		}
	}
	if c.Offer {
		for b := range h.boxes {
			b.putLists()
			filled[b] = struct{}{}
		}
	}
	here := change{commit: c.Head}
	put(StatsAddress, here)
	put(TypesAddress, here)
	for _, name := range c.Types {
		put(invoke.Address(name, ""), here)
		if c.Resync { // the changed instances are not known
			for _, address := range slices.Sorted(maps.Keys(h.byType[name])) {
				put(address, change{commit: c.Head, resync: true})
			}
		}
	}
	for _, address := range c.Instances {
		put(address, here)
	}
	for b := range filled {
		b.ring()
	}
}

// publishSchema counts as a change of every address: with another schema each may read differently, even if its type
// is gone.
func (h *hub) publishSchema(c invoke.Change) {
	named := map[string]bool{SchemaAddress: true, StatsAddress: true, TypesAddress: true}
	for _, name := range c.Types {
		named[invoke.Address(name, "")] = true
	}
	for _, address := range c.Instances {
		named[address] = true
	}
	for b := range h.boxes {
		b.putAll(c.Head, named)
	}
}

// resync marks everything in a mailbox as changed, because changes may have been missed.
func (h *hub) resync(b *mailbox) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b.putAll(h.head, nil)
}

// resyncAll does this for all mailboxes.
func (h *hub) resyncAll(head string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for b := range h.boxes {
		if err := fault.Guard(func() error { b.putAll(head, nil); return nil }); err != nil {
			h.log.Error("a listener was not told", "error", err)
		}
	}
}

// waiting is the number of notifications in all mailboxes.
func (h *hub) waiting() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for b := range h.boxes {
		n += b.waiting()
	}
	return n
}
