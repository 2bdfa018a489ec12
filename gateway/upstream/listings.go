package upstream

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"time"

	"trails/fault"
	"trails/gateway"
	"trails/text/quote"
)

// Unavailable is a server whose offer is not known, with the reason.
type Unavailable struct {
	Server  string
	Problem *gateway.Error
}

// Times of listings.
const (
	listingPatience = 5 * time.Second  // maximum wait for servers before an answer without them
	listingTimeout  = 30 * time.Second // maximum time for a server to start and list its offer
	listingRest     = 30 * time.Second // pause before a failed server without a pause of its own is asked again
	lingering       = time.Minute      // how long an unused server keeps running
)

// Listings returns what servers offer, in order, and which are unavailable. A server with Pin that was not started
// yet offers what was accepted. Others are asked at the same time, on first use; the answer is cached until the
// server reports a change, ends, or is refreshed, and a failure until it is retried. If a required server is
// unavailable, the error is a [*gateway.Error], or that of ctx. Servers that are not named any more are ended.
func (p *Pool) Listings(ctx context.Context, servers []gateway.Kept) (all []gateway.Listing, missing []Unavailable, err error) {
	p.keep(servers)
	asked := make([]*offer, len(servers))
	for i, k := range servers {
		if k.Err != nil {
			asked[i] = failed(gateway.Fail(gateway.UpstreamError, k.Name, "%s", fault.Of(k.Err).Message))
			continue
		}
		l, release, err := p.link(ctx, k.Server)
		if err != nil {
			asked[i] = failed(gatewayError(k.Name, err))
			continue
		}
		defer release()
		if accepted := k.Accepted.Of(k.Server); k.Pin && len(accepted) > 0 && l.idle() {
			asked[i] = &offer{ready: closed, catalog: Catalog{Offered: accepted}}
			continue
		}
		asked[i] = l.offer(k.Server)
	}
	var again time.Time
	wait := time.NewTimer(p.config.Patience)
	defer wait.Stop()
	patience := wait.C
	for i, k := range servers {
		if k.Required {
			select {
			case <-asked[i].ready:
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}
		select {
		case <-asked[i].ready:
		default:
			select {
			case <-asked[i].ready:
			case <-patience:
				patience = closedTimer // for those behind it, too
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}
		if asked[i].isLate() {
			missing = append(missing, Unavailable{k.Name, gateway.Fail(gateway.UpstreamTimeout, k.Name, "the upstream %s has not said yet what it offers, and is waited for; ask again in a while", k.Name)})
			continue
		}
		problem := asked[i].problem
		if problem == nil {
			all = append(all, asked[i].catalog.listing(k))
			continue
		}
		// A change for one caller's credential does not concern others.
		if until := asked[i].until; !k.PerCaller() && (again.IsZero() || until.Before(again)) {
			again = until
		}
		missing = append(missing, Unavailable{k.Name, problem})
		if k.Required && err == nil {
			err = problem
		}
	}
	p.mu.Lock()
	if !again.IsZero() && (p.again.IsZero() || again.Before(p.again)) {
		p.again = again
	}
	p.mu.Unlock()
	if err != nil {
		return nil, missing, err
	}
	return all, missing, nil
}

// Kinds returns, without contacting them, the kinds of things that servers may offer: all kinds if the offer of one
// is unknown.
func (p *Pool) Kinds(servers []gateway.Kept) map[gateway.Kind]bool {
	all := map[gateway.Kind]bool{}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range servers {
		has, known, digest := map[gateway.Kind]bool{}, false, k.Digest()
		for _, l := range p.links {
			if l.digest == digest {
				one, is := l.known(k.Server)
				maps.Copy(has, one)
				known = known || is
			}
		}
		if accepted := k.Accepted.Of(k.Server); !known && k.Pin && len(accepted) > 0 {
			has, known = kindsOf(accepted), true
		}
		if !known {
			has = map[gateway.Kind]bool{gateway.Tool: true, gateway.Resource: true, gateway.Prompt: true}
		}
		maps.Copy(all, has)
	}
	return all
}

// known returns the kinds that a server offers within a definition, if known.
func (l *link) known(s gateway.Server) (map[gateway.Kind]bool, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, asked := l.offers[s.Text()]
	if !asked {
		return nil, false
	}
	select {
	case <-o.ready:
		return o.kinds, o.problem == nil
	default:
		return nil, false
	}
}

// kindsOf are the kinds of what is offered.
func kindsOf(all []gateway.Offered) map[gateway.Kind]bool {
	kinds := map[gateway.Kind]bool{}
	for _, o := range all {
		kinds[o.Kind] = true
	}
	return kinds
}

// Generation changes when [Pool.Listings] may return something else for the same servers.
func (p *Pool) Generation() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.again.IsZero() && !time.Now().Before(p.again) {
		p.again = time.Time{}
		p.generation.Add(1)
	}
	return p.generation.Load()
}

// Refresh drops the cached offer of servers with this name.
func (p *Pool) Refresh(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		if l.server.Name == name {
			l.mu.Lock()
			l.another()
			l.mu.Unlock()
		}
	}
}

// keep records what was accepted of servers, and ends those that are not among these, unless they are named or called
// again within a minute, as by two branches with different servers.
func (p *Pool) keep(servers []gateway.Kept) {
	named := map[string]bool{}
	for _, k := range servers {
		if k.Err == nil {
			named[k.Digest()] = true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range servers {
		p.accepted[k.Name] = k.Accepted
	}
	for key, l := range p.links {
		switch {
		case named[l.digest] && l.server.PerCaller() && l.users == 0: // its caller uses it again, or it ends
		case named[l.digest]:
			l.stay()
		case l.leaving == nil:
			l.leaving = time.AfterFunc(p.config.Lingering, func() { p.leave(key, l) })
		}
	}
}

// stay cancels the end of a link; the pool's mu must be held.
func (l *link) stay() {
	if l.leaving != nil {
		l.leaving.Stop()
		l.leaving = nil
	}
}

// leave ends a link unless it is needed again.
func (p *Pool) leave(key string, l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case l.leaving == nil || p.links[key] != l: // it is needed, or has ended
	case l.users > l.listeners:
		l.leaving.Reset(p.config.Lingering)
	default:
		delete(p.links, key)
		p.leavers.Go(l.close)
	}
}

// offer is what a server offers, once it is known.
type offer struct {
	ready   chan struct{} // closed when it is known
	catalog Catalog
	problem *gateway.Error        // why there is no catalog
	until   time.Time             // no retry before this time
	kinds   map[gateway.Kind]bool // the kinds in the catalog
	late    atomic.Bool           // somebody did not wait for it
}

// isLate reports whether it is not ready, and records that somebody did not wait, so that the generation changes when
// it is ready.
func (o *offer) isLate() bool {
	late := func() bool {
		select {
		case <-o.ready:
			return false
		default:
			return true
		}
	}
	if !late() {
		return false
	}
	o.late.Store(true)
	return late() // it may have become ready in between
}

// closedTimer has fired.
var closedTimer = func() chan time.Time { c := make(chan time.Time); close(c); return c }()

// failed is an offer that could not be requested.
func failed(problem *gateway.Error) *offer {
	return &offer{ready: closed, problem: problem, until: time.Now().Add(listingRest)}
}

// closed is a closed channel.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// idle reports whether the server is not running, asked or paused.
func (l *link) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session == nil && l.starting == nil && !l.asked() && !time.Now().Before(l.until)
}

// vouch checks, before something of a server with Pin is used, that its current definition is the accepted one; what
// was listed may be the accepted definitions of a server that had not been started. Addresses that are not listed may
// come from a template, and pass.
func (p *Pool) vouch(ctx context.Context, s gateway.Server, kind gateway.Kind, name string) error {
	if !s.Pin {
		return nil
	}
	l, release, err := p.link(ctx, s)
	if err != nil {
		return err
	}
	defer release()
	o := l.offer(s)
	select {
	case <-o.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if o.problem != nil {
		return o.problem
	}
	p.mu.Lock()
	accepted := p.accepted[s.Name]
	p.mu.Unlock()
	for _, offered := range o.catalog.Offered {
		if offered.Kind != kind || kind == gateway.Resource && offered.URI != name || kind != gateway.Resource && offered.Name != name {
			continue
		}
		if held := gateway.HeldBack(s, offered, accepted); held != nil {
			return held
		}
		return nil
	}
	if kind == gateway.Resource {
		return nil
	}
	return gateway.Fail(gateway.HydrateFailed, name, "the upstream %s offers no %s %s any more", s.Name, kind, quote.Text(name, 80))
}

// offer returns what the server offers within a definition, and requests it if unknown. Definitions of one link
// differ in their filters.
func (l *link) offer(s gateway.Server) *offer {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, known := l.offers[s.Text()]
	if known {
		select {
		case <-o.ready:
			known = o.problem == nil || time.Now().Before(o.until)
		default:
		}
	}
	if known {
		return o
	}
	if l.closed {
		return failed(gateway.Fail(gateway.UpstreamUnavailable, s.Name, "the upstream %s is not in use any more", s.Name))
	}
	if len(l.offers) >= maxOffers {
		clear(l.offers)
	}
	o = &offer{ready: make(chan struct{})}
	l.offers[s.Text()] = o
	l.asking.Go(func() {
		defer func() {
			close(o.ready)
			if o.late.Load() {
				l.pool.generation.Add(1)
				l.pool.config.Changed(s.Name)
			}
		}()
		ctx, cancel := context.WithTimeoutCause(l.living, listingTimeout, gateway.Fail(gateway.UpstreamTimeout, s.Name, "the upstream %s did not say what it offers within %s", s.Name, listingTimeout))
		defer cancel()
		var err error
		if o.catalog, err = l.catalog(ctx, s); err == nil {
			o.kinds = kindsOf(o.catalog.Offered)
			l.tellLeftOut(s, o.catalog)
			if s.Pin {
				l.pool.generation.Add(1) // it may differ from what was accepted
			}
			return
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		o.problem = gatewayError(s.Name, err)
		l.mu.Lock()
		defer l.mu.Unlock()
		if o.until = l.until; time.Now().Before(o.until) {
			return
		}
		rest := listingRest
		if o.problem.Retryable && o.problem.Code != gateway.UpstreamTimeout { // it has answered, and may answer better
			rest = min(max(4*firstRest, gateway.RetryAfter(o.problem)), longestRest)
		}
		o.until = time.Now().Add(rest)
	})
	return o
}

// listing converts the catalog of a server, with what was accepted.
func (c Catalog) listing(k gateway.Kept) gateway.Listing {
	return gateway.Listing{Server: k.Server, Offered: c.Offered, Accepted: k.Accepted, Problems: c.Problems}
}

// LeftOut are the things of a listing that no directory can have.
func (c Catalog) LeftOut(s gateway.Server) []*gateway.Error {
	return gateway.NewDirectory(nil, []gateway.Listing{c.listing(gateway.Kept{Server: s})}).Problems()
}

// Uncallable are of the tools that nobody can call, by what their schemas say.
func (c Catalog) Uncallable(s gateway.Server) []*gateway.Error {
	return gateway.NewDirectory(nil, []gateway.Listing{c.listing(gateway.Kept{Server: s})}).Uncallable()
}

// mostLogged bounds what the log has of what is left out of one listing.
const mostLogged = 20

// tellLeftOut logs and counts what is left out.
func (l *link) tellLeftOut(s gateway.Server, c Catalog) {
	all := c.LeftOut(s)
	for _, problem := range all[:min(len(all), mostLogged)] {
		l.pool.config.Log.Warn("something of an upstream server is left out", "server", s.Name, "problem", problem.Message)
	}
	if more := len(all) - mostLogged; more > 0 {
		l.pool.config.Log.Warn("more of an upstream server is left out", "server", s.Name, "more", more)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.LeftOut = len(all)
}

// maxOffers bounds the cached offers of one link.
const maxOffers = 8

// asked reports whether the offer has been requested; l.mu must be held.
func (l *link) asked() bool {
	for _, o := range l.offers {
		select {
		case <-o.ready:
		default:
			return true
		}
	}
	return false
}

// another drops the cached offers; l.mu must be held.
func (l *link) another() {
	clear(l.offers)
	l.pool.generation.Add(1)
}

// gatewayError converts an error for agents.
func gatewayError(server string, err error) *gateway.Error {
	var e *gateway.Error
	if errors.As(err, &e) {
		return e
	}
	return gateway.Fail(gateway.UpstreamUnavailable, server, "the upstream %s is not in use any more", server)
}
