package auth

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"trails/fault"
)

// Bounds of wrong tokens.
const (
	// wrongFree is how many wrong tokens from an address are answered without delay; one more is allowed each
	// wrongEvery.
	wrongFree  = 10
	wrongEvery = time.Second
	// wrongWait is the delay of further answers. At most wrongWaiting answers are delayed at a time; the rest
	// are sent at once.
	wrongWait    = time.Second
	wrongWaiting = 64
	// wrongMost is the longest time after which an address starts over.
	wrongMost = time.Minute
	// wrongAddresses is how many addresses are counted separately; all others share one count.
	wrongAddresses = 4096
)

// wrongTokens delays answers to wrong tokens, by address. The right token is never delayed, and does not
// reset the count.
type wrongTokens struct {
	mu        sync.Mutex
	byNetwork map[netip.Prefix]*rate.Limiter
	waiting   int
}

// wrongToken counts a request with a wrong token. If its address sent too many, it delays the request and
// returns the fault to answer.
func (r *Resolver) wrongToken(req *http.Request) error {
	for r.opts.Process != nil {
		r = r.opts.Process
	}
	w := &r.wrong
	wait := w.note(networkOf(ClientAddr(req)), time.Now())
	if wait <= 0 {
		return nil
	}
	w.mu.Lock()
	hold := w.waiting < wrongWaiting
	if hold {
		w.waiting++
	}
	w.mu.Unlock()
	if hold {
		select {
		case <-req.Context().Done():
		case <-time.After(wrongWait):
		}
		w.mu.Lock()
		w.waiting--
		w.mu.Unlock()
	}
	seconds := int(wait/time.Second) + 1
	return fault.New(fault.Exhausted, "too many wrong tokens came from your address; wait %d s", seconds).
		With("limit", wrongFree).With("used", wrongFree).With("retry_after", seconds)
}

// note counts a wrong token from an address, and returns how long the address must wait before the next one
// is answered without delay.
func (w *wrongTokens) note(from netip.Prefix, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byNetwork == nil {
		w.byNetwork = map[netip.Prefix]*rate.Limiter{}
	}
	if w.byNetwork[from] == nil && len(w.byNetwork) >= wrongAddresses {
		for network, limiter := range w.byNetwork {
			if limiter.TokensAt(now) >= wrongFree {
				delete(w.byNetwork, network)
			}
		}
		if len(w.byNetwork) >= wrongAddresses {
			from = netip.Prefix{}
		}
	}
	limiter := w.byNetwork[from]
	if limiter == nil {
		limiter = rate.NewLimiter(rate.Every(wrongEvery), wrongFree)
		w.byNetwork[from] = limiter
	}
	reservation := limiter.ReserveN(now, 1)
	if reservation.DelayFrom(now) <= wrongMost {
		return reservation.DelayFrom(now)
	}
	reservation.CancelAt(now)
	return wrongMost
}

// networkOf returns the network that counts as one address: an IPv6 user has 2^64 addresses.
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
