package session

import (
	"context"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"trails/fault"
	"trails/invoke"
)

// Addresses that every graph has and that can be subscribed to.
const (
	SchemaAddress  = "trails://schema"
	StatsAddress   = "trails://stats"
	ChangesAddress = "trails://changes"
	TypesAddress   = "trails://kg/types"
	kgAddress      = "trails://kg/"
)

// Line is what one watch of the engine tells: the changes of a branch, as those with the same rights see them.
type Line struct {
	Branch string // "" is main
	Rights string // the key of the rights
}

func (l Line) suffix() string {
	if l.Branch == "" {
		return ""
	}
	return "?branch=" + url.QueryEscape(l.Branch)
}

// hub notifies the listeners of one server of changes. It watches each line of the engine once for all of them, and
// finds the listeners for a change by its addresses. Filling a mailbox never blocks, so a slow listener delays neither
// writers nor other listeners.
type hub struct {
	log  *slog.Logger
	main *line // whose lists every open mailbox may hear of

	// starting guards lines, and starting and stopping their watches, apart from mu: stopping waits for publish to
	// return.
	starting sync.Mutex
	lines    map[Line]*line

	mu    sync.Mutex
	boxes map[*mailbox]struct{}
}

// line is what the hub knows of a watched branch.
type line struct {
	watch     func(context.Context) <-chan invoke.Change // watches the engine
	suffix    string                                     // of its addresses in mailboxes
	listeners int
	stop      func() // stops the watch, and waits for its end

	head string // last known commit
	// byAddress maps an address to the mailboxes that are subscribed to it, byType a type to the subscribed addresses
	// below it.
	byAddress map[string]map[*mailbox]struct{}
	byType    map[string]map[string]struct{}
}

// newHub returns a hub; main watches what listeners hear who subscribe to no other line.
func newHub(main func(context.Context) <-chan invoke.Change, log *slog.Logger) *hub {
	return &hub{log: log, main: newLine(main), lines: map[Line]*line{}, boxes: map[*mailbox]struct{}{}}
}

func newLine(watch func(context.Context) <-chan invoke.Change) *line {
	return &line{watch: watch, byAddress: map[string]map[*mailbox]struct{}{}, byType: map[string]map[string]struct{}{}}
}

// join adds a listener of main.
func (h *hub) join() (leave func()) {
	h.starting.Lock()
	defer h.starting.Unlock()
	return h.joinLine(h.main, func() {})
}

// joinLine adds a listener of a line, and watches it if it is the first. Changes after it returns are reported; leave
// removes the listener, and calls idle behind the last one.
func (h *hub) joinLine(l *line, idle func()) (leave func()) {
	l.listeners++
	if l.listeners == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		changes, done := l.watch(ctx), make(chan struct{})
		go func() {
			defer close(done)
			h.follow(ctx, l, changes)
		}()
		l.stop = func() {
			cancel()
			<-done
		}
	}
	return sync.OnceFunc(func() {
		h.starting.Lock()
		defer h.starting.Unlock()
		l.listeners--
		if l.listeners == 0 {
			l.stop()
			idle()
		}
	})
}

func (h *hub) follow(ctx context.Context, l *line, changes <-chan invoke.Change) {
	for {
		select {
		case <-ctx.Done():
			return
		case c, more := <-changes:
			if !more {
				return
			}
			if err := fault.Guard(func() error { h.publish(l, c); return nil }); err != nil {
				h.log.Error("news were not told to all; everybody is told that some may be missing", "error", err)
				h.resyncAll()
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

// subscribe adds an address of main to a mailbox, unless the mailbox was closed.
func (h *hub) subscribe(b *mailbox, address, asked string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, open := h.boxes[b]; !open {
		return nil
	}
	return h.lineOf(b, address).add(b, address, asked)
}

// subscribeLine adds an address of another line, unless the mailbox was closed. An address that the mailbox has stays
// on its line.
func (h *hub) subscribeLine(b *mailbox, address, asked string, key Line, watch func(context.Context) <-chan invoke.Change) error {
	h.starting.Lock()
	l := h.lines[key]
	if l == nil {
		l = newLine(watch)
		l.suffix = key.suffix()
		h.lines[key] = l
	}
	leave := h.joinLine(l, func() { delete(h.lines, key) })
	h.starting.Unlock()
	h.mu.Lock()
	_, open := h.boxes[b]
	full := address + l.suffix
	var err error
	switch {
	case open && b.has(full):
		err = h.lineOf(b, full).add(b, address, asked)
	case open:
		if err = l.add(b, address, asked); err == nil {
			b.lines[full], b.stops[full], leave = l, leave, nil
		}
	}
	h.mu.Unlock()
	if leave != nil {
		leave()
	}
	return err
}

// lineOf returns the line of an address that a mailbox has.
func (h *hub) lineOf(b *mailbox, full string) *line {
	if l := b.lines[full]; l != nil {
		return l
	}
	return h.main
}

// add adds a subscription of a mailbox.
func (l *line) add(b *mailbox, address, asked string) error {
	if err := b.add(address+l.suffix, asked); err != nil {
		return err
	}
	entry(l.byAddress, address)[b] = struct{}{}
	if name, isInstance := typeOf(address); isInstance {
		entry(l.byType, name)[address] = struct{}{}
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

// drop removes a subscription of a mailbox.
func (h *hub) drop(b *mailbox, full string) {
	l := h.lineOf(b, full)
	delete(b.lines, full)
	address := strings.TrimSuffix(full, l.suffix)
	delete(l.byAddress[address], b)
	if len(l.byAddress[address]) > 0 {
		return
	}
	delete(l.byAddress, address)
	name, _ := typeOf(address)
	delete(l.byType[name], address)
	if len(l.byType[name]) == 0 {
		delete(l.byType, name)
	}
}

// typeOf returns the type in the canonical address of an instance.
func typeOf(address string) (name string, isInstance bool) {
	rest, isKG := strings.CutPrefix(address, kgAddress)
	name, _, isInstance = strings.Cut(rest, "/")
	return name, isKG && isInstance
}

// publish adds a change of a line to the mailboxes that it concerns, and then signals each. Lists are of main.
func (h *hub) publish(l *line, c invoke.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.head = c.Head
	filled := map[*mailbox]struct{}{}
	if l == h.main && (c.Offer || c.Schema) {
		for b := range h.boxes {
			b.putLists()
			filled[b] = struct{}{}
		}
	}
	put := func(address string, n change) {
		for b := range l.byAddress[address] {
			b.put(address+l.suffix, n)
			filled[b] = struct{}{}
		}
	}
	here, unknown := change{commit: c.Head}, change{commit: c.Head, resync: true}
	if c.Schema { // with another schema each address may read differently, even if its type is gone
		named := map[string]bool{SchemaAddress: true, StatsAddress: true, ChangesAddress: true, TypesAddress: true}
		for _, name := range c.Types {
			named[invoke.Address(name, "")] = true
		}
		for _, address := range c.Instances {
			named[address] = true
		}
		for _, address := range slices.Sorted(maps.Keys(l.byAddress)) {
			put(address, change{commit: c.Head, resync: !named[address]})
		}
	} else {
		put(StatsAddress, here)
		put(ChangesAddress, here)
		put(TypesAddress, here)
		for _, name := range c.Types {
			put(invoke.Address(name, ""), here)
			if c.Resync { // the changed instances are not known
				for _, address := range slices.Sorted(maps.Keys(l.byType[name])) {
					put(address, unknown)
				}
			}
		}
		for _, address := range c.Instances {
			put(address, here)
		}
	}
	for b := range filled {
		b.ring()
	}
}

// resync marks everything in a mailbox as changed, because changes may have been missed.
func (h *hub) resync(b *mailbox) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.missed(b)
}

// resyncAll does this for all mailboxes.
func (h *hub) resyncAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for b := range h.boxes {
		if err := fault.Guard(func() error { h.missed(b); return nil }); err != nil {
			h.log.Error("a listener was not told", "error", err)
		}
	}
}

func (h *hub) missed(b *mailbox) {
	b.putLists()
	for _, address := range slices.Sorted(slices.Values(b.addresses())) {
		b.put(address, change{commit: h.lineOf(b, address).head, resync: true})
	}
	b.ring()
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
