package session

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
)

const (
	// MaxSubscriptions is the most addresses that one session may be subscribed to.
	MaxSubscriptions = 1000
	// restBetween is the minimum time between two deliveries of one mailbox.
	restBetween = 50 * time.Millisecond

	// CommitKey is the member of a notification's _meta with the commit.
	CommitKey = "trails/commit"
	// ResyncKey is true in it if there may have been further changes.
	ResyncKey = "trails/resync"

	updatedNote          = "notifications/resources/updated"
	toolsChangedNote     = "notifications/tools/list_changed"
	resourcesChangedNote = "notifications/resources/list_changed"
)

// kinds are the lists whose changes a listener wants.
type kinds struct{ tools, resources bool }

// mailbox holds the changes of which one listener has not been notified: one entry for each subscribed address,
// however often it changes, and one for each list. So its size is bounded by the subscriptions, and filling it never
// blocks. Its owner waits for bell and then calls take. It is safe for concurrent use.
type mailbox struct {
	bell chan struct{} // signalled, without blocking, when there is something to take
	// stops end the watching of addresses that are not of the line of main, by address, and lines are the lines of those
	// that are of the graph; guarded by the hub's lock.
	stops map[string]func()
	lines map[string]*line

	mu    sync.Mutex
	uris  map[string]string // canonical address → as the client wrote it
	news  map[string]change // by canonical address
	order []string          // of the addresses in news
	wants kinds
	lists kinds     // which changed
	quiet time.Time // not signalled before this time
	rung  bool      // signalled, or about to be
}

// change is the accumulated change of an address since the last notification.
type change struct {
	commit string
	resync bool
}

func newMailbox() *mailbox {
	return &mailbox{bell: make(chan struct{}, 1), uris: map[string]string{}, news: map[string]change{}, stops: map[string]func(){}, lines: map[string]*line{}}
}

// add adds a subscription; uri is the address as the client wrote it, replacing an earlier one.
func (b *mailbox) add(address, uri string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, has := b.uris[address]; !has && len(b.uris) >= MaxSubscriptions {
		return TooManySubscriptions(len(b.uris))
	}
	b.uris[address] = uri
	return nil
}

// TooManySubscriptions is the fault for a caller with too many subscriptions.
func TooManySubscriptions(used int) error {
	return fault.New(fault.Exhausted, "too many subscriptions; subscribe to the type instead of its instances").
		With("limit", MaxSubscriptions).With("used", used).With("retry_after", 1)
}

// remove removes a subscription and its pending change.
func (b *mailbox) remove(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.uris, address)
	if _, waits := b.news[address]; waits {
		delete(b.news, address)
		at := slices.Index(b.order, address)
		b.order = slices.Delete(b.order, at, at+1)
	}
}

// has reports whether the owner is subscribed to an address.
func (b *mailbox) has(address string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, has := b.uris[address]
	return has
}

// addresses are those that the owner is subscribed to.
func (b *mailbox) addresses() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.uris))
}

// put adds the change of an address, without signalling.
func (b *mailbox) put(address string, n change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, has := b.uris[address]; !has {
		return
	}
	old, waits := b.news[address]
	if !waits {
		b.order = append(b.order, address)
	}
	b.news[address] = change{commit: n.commit, resync: n.resync || old.resync}
}

// putLists adds changes of lists.
func (b *mailbox) putLists() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lists = b.wants
}

// ring signals the owner if there is something to take, at once or after restBetween has passed.
func (b *mailbox) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung || len(b.news) == 0 && b.lists == (kinds{}) {
		return
	}
	b.rung = true
	if rest := time.Until(b.quiet); rest > 0 {
		time.AfterFunc(rest, func() { wake(b.bell) })
		return
	}
	wake(b.bell)
}

// wake sends a value to a channel of capacity one, unless it is full.
func wake(waiting chan struct{}) {
	select {
	case waiting <- struct{}{}:
	default:
	}
}

// take empties the mailbox, and returns the notifications, oldest first.
func (b *mailbox) take() []notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rung, b.quiet = false, time.Now().Add(restBetween)
	var out []notice
	if b.lists.tools {
		out = append(out, notice{method: toolsChangedNote})
	}
	if b.lists.resources {
		out = append(out, notice{method: resourcesChangedNote})
	}
	b.lists = kinds{}
	for _, address := range b.order {
		out = append(out, notice{method: updatedNote, uri: b.uris[address], change: b.news[address]})
	}
	clear(b.news)
	b.order = b.order[:0]
	return out
}

func (b *mailbox) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.news)
	for _, changed := range []bool{b.lists.tools, b.lists.resources} {
		if changed {
			n++
		}
	}
	return n
}

// notice is one notification to send.
type notice struct {
	method string
	uri    string // of what was updated
	change change
}

// messages encodes notifications as JSON-RPC; subscription is the id of their request, or nil in a session.
func messages(notices []notice, subscription json.RawMessage) [][]byte {
	texts := make([][]byte, len(notices))
	for i, n := range notices {
		meta, params := map[string]any{}, map[string]any{}
		if subscription != nil {
			meta[sdk.MetaKeySubscriptionID] = subscription
		}
		if n.method == updatedNote {
			params["uri"] = n.uri
			if n.change.commit != "" {
				meta[CommitKey] = n.change.commit
			}
			if n.change.resync {
				meta[ResyncKey] = true
			}
		}
		if len(meta) > 0 {
			params["_meta"] = meta
		}
		texts[i] = notification(n.method, params)
	}
	return texts
}

func notification(method string, params any) []byte {
	return Marshal(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", method, params})
}
