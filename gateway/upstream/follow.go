package upstream

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/gateway"
)

// mostFollowed bounds the resources of a link that are subscribed to.
const mostFollowed = 1_000

// followed is a resource that somebody has subscribed to: at the server once, however many they
// are.
type followed struct {
	told map[*subscriber]struct{}
	done chan struct{} // closed when it is known whether the server agrees
	err  error
}

// subscriber is one who hears that a resource has changed.
type subscriber struct{ updated func() }

// Subscribe tells of changes of a resource until stop is called: it calls updated, which must
// not wait, when the server says that the resource was updated, or may have been while the
// server was not up. A server that ends is started again for it. Those who subscribe with one
// credential share one subscription at the server. The error, of a server that cannot tell or
// does not agree, is a *gateway.Error, but for the end of ctx, which bounds the beginning alone.
func (p *Pool) Subscribe(ctx context.Context, s gateway.Server, uri string, updated func()) (stop func(), err error) {
	if err := p.vouch(ctx, s, gateway.Resource, uri); err != nil {
		return nil, err
	}
	l, release, err := p.link(ctx, s)
	if err != nil {
		return nil, err
	}
	one := &subscriber{updated}
	for {
		l.mu.Lock()
		f := l.follows[uri]
		first := f == nil
		switch {
		case l.closed:
			err = gateway.Fail(gateway.UpstreamUnavailable, s.Name, "the upstream %s is not in use any more", s.Name)
		case first && len(l.follows) >= mostFollowed:
			err = gateway.Fail(gateway.RateLimited, s.Name, "%d resources of the upstream %s are subscribed to, and there is no room for another", mostFollowed, s.Name)
		case first:
			f = &followed{told: map[*subscriber]struct{}{}, done: make(chan struct{})}
			l.follows[uri] = f
		}
		if err == nil {
			f.told[one] = struct{}{}
		}
		l.mu.Unlock()
		if err != nil {
			release()
			return nil, err
		}
		if first {
			_, f.err = on(ctx, l, s, Hooks{}, func(ctx context.Context, session *mcp.ClientSession, _ string) (struct{}, error) {
				return struct{}{}, l.follow(ctx, session, uri)
			})
			if f.err != nil {
				l.mu.Lock()
				delete(l.follows, uri) // who waits for it sees why
				l.mu.Unlock()
			}
			close(f.done)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			l.unfollow(uri, f, one)
			release()
			return nil, ctx.Err()
		}
		if f.err == nil {
			p.count(l, 1)
			return func() {
				l.unfollow(uri, f, one)
				p.count(l, -1)
				release()
			}, nil
		}
		if first || ctx.Err() != nil {
			release()
			return nil, f.err
		} // the call of another has failed, perhaps because they left: ask anew
	}
}

// count notes how many of those who may call a link only listen.
func (p *Pool) count(l *link, more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.listeners += more
}

// follow subscribes at the server, when what is sent before about any resource has been answered.
func (l *link) follow(ctx context.Context, session *mcp.ClientSession, uri string) error {
	if has := session.InitializeResult().Capabilities; has == nil || has.Resources == nil || !has.Resources.Subscribe {
		return gateway.Fail(gateway.UpstreamError, uri, "the upstream %s does not tell when its resources change; read this one when you need it", l.server.Name)
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
}

// unfollow ends what one has subscribed to, at the server with the last one.
func (l *link) unfollow(uri string, f *followed, one *subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(f.told, one)
	session := l.session
	if len(f.told) > 0 || l.follows[uri] != f {
		return
	}
	delete(l.follows, uri)
	if session == nil || l.closed {
		return
	}
	l.asking.Go(func() { // nobody waits for it
		ctx, cancel := context.WithTimeout(l.living, l.server.Timeout())
		defer cancel()
		select {
		case l.turn <- struct{}{}:
			defer func() { <-l.turn }()
		case <-ctx.Done():
			return
		}
		l.mu.Lock()
		again := l.follows[uri] != nil
		l.mu.Unlock()
		if !again {
			_ = session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}) // it tells of it in vain then
		}
	})
}

// updated tells those who have subscribed to a resource, or to one that it is a part of.
func (l *link) updated(params json.RawMessage) {
	var said mcp.ResourceUpdatedNotificationParams
	if json.Unmarshal(params, &said) != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for uri, f := range l.follows {
		if said.URI == uri || strings.HasPrefix(said.URI, strings.TrimSuffix(uri, "/")+"/") {
			f.tell()
		}
	}
}

func (f *followed) tell() {
	for one := range f.told {
		one.updated()
	}
}

// resume starts a server again that somebody listens to, until it is up, and subscribes at it
// to what was subscribed to. There may have been changes meanwhile.
func (l *link) resume() {
	for {
		l.mu.Lock()
		wait, needed := time.Until(l.until), len(l.follows) > 0 && !l.closed
		if !needed {
			l.resuming = false
		}
		l.mu.Unlock()
		if !needed {
			return
		}
		select {
		case <-time.After(max(wait, firstRest/10)):
		case <-l.living.Done():
			continue
		}
		session, err := l.up(l.living)
		if err != nil {
			continue // it rests, or the link is closed
		}
		l.mu.Lock()
		uris := make([]string, 0, len(l.follows))
		for uri := range l.follows {
			uris = append(uris, uri)
		}
		l.mu.Unlock()
		for _, uri := range uris {
			ctx, cancel := context.WithTimeout(l.living, l.server.Timeout())
			if err := l.follow(ctx, session, uri); err != nil && ctx.Err() == nil {
				l.pool.config.Log.Warn("a resource of an upstream server is not subscribed to any more", "server", l.server.Name, "problem", l.classified(err).Message)
			}
			cancel()
		}
		l.mu.Lock()
		for _, f := range l.follows {
			f.tell()
		}
		here := l.session == session
		if here {
			l.resuming = false
		}
		l.mu.Unlock()
		if here {
			return
		}
	}
}
