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

// Addresses that every graph has, and whose changes are told.
const (
	SchemaAddress = "trails://schema"
	StatsAddress  = "trails://stats"
	TypesAddress  = "trails://kg/types"
	kgAddress     = "trails://kg/"
)

// hub tells the listeners of one server that the graph moved. It watches the engine
// once for all of them, while there are any, and finds those that a change concerns
// by its addresses. Filling a mailbox never blocks, so neither a writer nor another
// listener ever waits for one that does not read.
type hub struct {
	changes func(context.Context) <-chan invoke.Change // watches the engine
	log     *slog.Logger

	// starting guards the watching, apart from mu: whoever ends it waits for a
	// publish to return.
	starting  sync.Mutex
	listeners int
	stop      func() // ends the watching and waits for it

	mu    sync.Mutex
	head  string // the last commit heard of
	boxes map[*mailbox]struct{}
	// byAddress finds the mailboxes that are subscribed to an address, byType the
	// addresses below a type that anybody is subscribed to.
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

// join watches the engine for one listener more. What changes after it returns is
// heard; leave takes the listener away again.
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

// open begins to fill a mailbox with changes of these lists, and of the addresses that
// are subscribed to; closeBox ends that.
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

// subscribe adds an address to a mailbox. A mailbox that was closed stays silent.
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

// subscribeElsewhere adds an address to a mailbox whose changes another than the engine tells of.
// begin is called without a lock, and what ends it when nobody listens any more.
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
		stop() // it was ended meanwhile, or is there twice
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

// publish puts a change into the mailboxes that it concerns, and rings each when all of
// it is there.
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
		if c.Resync { // it is not known which instances changed
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

// publishSchema changes every address: with another schema each may read differently,
// also one whose type is gone.
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

// resync fills a mailbox whose owner may have missed any change.
func (h *hub) resync(b *mailbox) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b.putAll(h.head, nil)
}

// resyncAll fills all mailboxes like that.
func (h *hub) resyncAll(head string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for b := range h.boxes {
		if err := fault.Guard(func() error { b.putAll(head, nil); return nil }); err != nil {
			h.log.Error("a listener was not told", "error", err)
		}
	}
}

// waiting is the number of notifications in mailboxes.
func (h *hub) waiting() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for b := range h.boxes {
		n += b.waiting()
	}
	return n
}
