package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"trails/fault"
)

// Bounds of wrong tokens.
const (
	// wrongFree is how many wrong tokens of one address are answered at once; each
	// wrongEvery there is one more.
	wrongFree  = 10
	wrongEvery = time.Second
	// wrongWait is how long the answer to any more waits, and wrongWaiting how many
	// answers do at a time: the rest is answered at once.
	wrongWait    = time.Second
	wrongWaiting = 64
	// wrongMost is the longest that an address has to be quiet, however often it was wrong.
	wrongMost = time.Minute
	// wrongAddresses is how many addresses are remembered. All others are one together.
	wrongAddresses = 4096
)

// WrongTokens slows down those who show wrong tokens, by address. The right token is
// never kept waiting, whatever else came from its address, and makes nothing forgotten.
// The zero value is ready; it is safe for concurrent use.
type WrongTokens struct {
	mu sync.Mutex
	// paid is when an address has no debt any more: each wrong token adds wrongEvery.
	paid    map[netip.Prefix]time.Time
	waiting int
}

// Slow notes that a request showed a wrong token. Of an address that has shown too many
// it holds the request for a moment and returns the fault that is its answer.
func (t *WrongTokens) Slow(r *http.Request) error {
	wait := t.note(networkOf(ClientAddr(r)), time.Now())
	if wait <= 0 {
		return nil
	}
	t.hold(r.Context())
	seconds := int(wait/time.Second) + 1
	return fault.New(fault.Exhausted, "too many wrong tokens came from your address; wait %d s", seconds).
		With("limit", wrongFree).With("used", wrongFree).With("retry_after", seconds)
}

// note adds to the debt of an address, and returns how long it has to be quiet before it
// may be wrong again.
func (t *WrongTokens) note(from netip.Prefix, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paid == nil {
		t.paid = map[netip.Prefix]time.Time{}
	}
	if _, known := t.paid[from]; !known && len(t.paid) >= wrongAddresses {
		t.forgive(now)
		if len(t.paid) >= wrongAddresses {
			from = netip.Prefix{}
		}
	}
	paid := t.paid[from]
	if paid.Before(now) {
		paid = now
	}
	paid = paid.Add(wrongEvery)
	if most := now.Add(wrongFree*wrongEvery + wrongMost); paid.After(most) {
		paid = most
	}
	t.paid[from] = paid
	return paid.Sub(now) - wrongFree*wrongEvery
}

// forgive forgets the addresses without a debt.
func (t *WrongTokens) forgive(now time.Time) {
	for from, paid := range t.paid {
		if !paid.After(now) {
			delete(t.paid, from)
		}
	}
}

// hold keeps a request waiting, if not too many wait.
func (t *WrongTokens) hold(ctx context.Context) {
	t.mu.Lock()
	if t.waiting >= wrongWaiting {
		t.mu.Unlock()
		return
	}
	t.waiting++
	t.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(wrongWait):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting--
}

// networkOf is what counts as one address: in IPv6 whoever has one has 2^64 of them.
func networkOf(address string) netip.Prefix {
	addr, ok := parseAddr(address)
	if !ok {
		return netip.Prefix{}
	}
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}
