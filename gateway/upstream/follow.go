package upstream

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/gateway"
)

// mostFollowed bounds the subscribed resources of a link.
const mostFollowed = 1_000

// followed is a subscribed resource: at the server there is one subscription for all subscribers.
type followed struct {
	subscribers map[*subscriber]struct{}
	done        chan struct{} // closed after the server has answered
	err         error
}

// subscriber is notified when a resource has changed.
type subscriber struct{ updated func() }

// Subscribe watches a resource until stop is called: it calls updated, which must not wait, when the server reports
// an update, or after the server was down. A server that has ended is started again. Subscribers with the same
// credential share one subscription. If the server does not support it or refuses, the error is a *gateway.Error, or
// that of ctx, which only bounds the start.
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
			f = &followed{subscribers: map[*subscriber]struct{}{}, done: make(chan struct{})}
			l.follows[uri] = f
		}
		if err == nil {
			f.subscribers[one] = struct{}{}
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
				delete(l.follows, uri) // waiters see the error
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
		} // another caller's request failed, perhaps because they left: repeat it
	}
}

// count records how many users of a link only watch resources.
func (p *Pool) count(l *link, more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.listeners += more
}

// follow subscribes at the server, after earlier requests about resources have been answered.
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

// unfollow removes a subscriber, and the subscription at the server with the last one.
func (l *link) unfollow(uri string, f *followed, one *subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(f.subscribers, one)
	session := l.session
	if len(f.subscribers) > 0 || l.follows[uri] != f {
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
			_ = session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}) // then its notifications are ignored
		}
	})
}

// updated notifies the subscribers of a resource, or of one that contains it.
func (l *link) updated(params json.RawMessage) {
	var notice mcp.ResourceUpdatedNotificationParams
	if json.Unmarshal(params, &notice) != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for uri, f := range l.follows {
		if notice.URI == uri || strings.HasPrefix(notice.URI, strings.TrimSuffix(uri, "/")+"/") {
			f.tell()
		}
	}
}

func (f *followed) tell() {
	for one := range f.subscribers {
		one.updated()
	}
}

// resume restarts a server with subscribers until it is up, and subscribes again. Changes may have been missed.
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
			continue // it is paused, or the link is closed
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
