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

// wrongTokens slows down those who show wrong tokens, by address. The right token is
// never kept waiting, whatever else came from its address, and makes nothing forgotten.
type wrongTokens struct {
	mu        sync.Mutex
	byNetwork map[netip.Prefix]*rate.Limiter
	waiting   int
}

// WrongToken notes that a request showed a wrong token. When its address has shown too
// many it holds the request for a moment and returns the fault that is its answer.
func (r *Resolver) WrongToken(req *http.Request) error {
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

// note counts a wrong token from an address, and returns how long that has to be quiet
// before it may be wrong again.
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
