package mcp

import (
	"context"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/invoke"
	"trails/mcp/session"
)

// A client subscribes in one of two ways. In a session, resources/subscribe adds an address to it. In the protocol
// without sessions, changes are sent while a request of subscriptions/listen is open.

// maxAddress is the maximum length of a subscribed address, in bytes.
const maxAddress = 1024

// empty is the result of a method that has nothing to say.
type empty struct{ sdk.ResultBase }

func (e *endpoint) subscribe(ctx context.Context, r request) (sdk.Result, error) {
	p, _ := r.GetParams().(*sdk.SubscribeParams)
	if e.stateless || p == nil {
		return nil, session.MethodNotFound(r.method)
	}
	all, err := e.subscribable(ctx, r, []string{p.URI}, p.Meta)
	if err != nil {
		return nil, err
	}
	if err := e.Subscribe(ctx, all[0]); err != nil {
		return nil, err
	}
	return &empty{}, nil
}

func (e *endpoint) unsubscribe(ctx context.Context, r request) (sdk.Result, error) {
	p, _ := r.GetParams().(*sdk.UnsubscribeParams)
	if e.stateless || p == nil {
		return nil, session.MethodNotFound(r.method)
	}
	bare, branch, err := invoke.CutBranch(p.URI)
	if err != nil {
		bare = p.URI
	}
	address, ok := invoke.CanonicalAddress(bare)
	if !ok {
		address = bare
	}
	e.Unsubscribe(ctx, address, branch)
	return &empty{}, nil
}

// subscribable returns the requested subscriptions. A caller may only subscribe to readable addresses. A node need
// not exist yet, but its type must. An address outside the graph may belong to Follow.
func (e *endpoint) subscribable(ctx context.Context, r request, uris []string, meta sdk.Meta) ([]session.Subscription, error) {
	if len(uris) > session.MaxSubscriptions {
		return nil, session.TooManySubscriptions(len(uris))
	}
	all, readable := make([]session.Subscription, 0, len(uris)), map[string]bool{}
	for _, uri := range uris {
		if e.opts.Follow != nil && len(uri) <= maxAddress && !strings.HasPrefix(uri, "trails:") {
			all = append(all, session.Subscription{Address: uri, URI: uri, Begin: func(updated func()) (func(), error) {
				return e.opts.Follow(ctx, uri, e.call(ctx, r, meta), updated)
			}})
			continue
		}
		address, branch, read, err := watchable(uri)
		if err != nil {
			return nil, err
		}
		if !readable[read] {
			err = e.mayRead(ctx, r, uri, read, meta)
		}
		if err != nil {
			return nil, err
		}
		readable[read] = true
		one := session.Subscription{Address: address, URI: uri}
		p := e.principalOf(ctx, r)
		sight, err := e.engine.Sight(ctx, p)
		if err != nil {
			return nil, err
		}
		if branch != "" || sight != "" {
			one.Line = session.Line{Branch: branch, Rights: sight}
			one.Watch = func(ctx context.Context) <-chan invoke.Change { return e.engine.WatchOn(ctx, p, branch) }
		}
		all = append(all, one)
	}
	return all, nil
}

// watchable returns the canonical form of an address with notifications, its branch, "" for main, and the address that
// must be readable for it.
func watchable(uri string) (address, branch, read string, err error) {
	if len(uri) > maxAddress {
		return "", "", "", fault.New(fault.InvalidArguments, "an address has at most %d bytes", maxAddress)
	}
	bare, branch, err := invoke.CutBranch(uri)
	if err != nil {
		return "", "", "", err
	}
	of := ""
	if branch != "" {
		of = "branch=" + url.QueryEscape(branch)
	}
	if path, _, filtered := strings.Cut(bare, "?"); filtered {
		if of != "" {
			path += "?" + of
		}
		return "", "", "", fault.New(fault.InvalidArguments, "part of an address cannot be subscribed to; subscribe to %s", path).
			With("uri", uri).With("subscribe", path)
	}
	switch bare {
	case session.SchemaAddress, session.StatsAddress, session.ChangesAddress, session.TypesAddress:
		return bare, branch, strings.TrimSuffix(bare+"?"+of, "?"), nil
	case "trails://prov/latest", "trails://doctor", "trails://branches":
		return "", "", "", fault.New(fault.InvalidArguments, "nobody is told when %s changes; read it when you need it", bare).With("uri", uri)
	}
	address, ok := invoke.CanonicalAddress(bare)
	if !ok {
		return "", "", "", notFound(uri)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(address, kgPrefix), "/")
	return address, branch, strings.TrimSuffix(invoke.Address(name, "")+"?limit=1&"+of, "&"), nil
}

func notFound(uri string) error {
	return fault.New(fault.NotFound, "Resource not found").With("uri", uri)
}

func (e *endpoint) mayRead(ctx context.Context, r request, uri, read string, meta sdk.Meta) error {
	_, err := e.engine.Read(ctx, read, e.call(ctx, r, meta))
	if fault.Is(err, fault.NotFound) {
		return notFound(uri)
	}
	return err
}

// listen keeps a subscription of the protocol without sessions: the request stays
// open, and changes come while it does.
func (e *endpoint) listen(ctx context.Context, r request) (sdk.Result, error) {
	p, _ := r.GetParams().(*sdk.SubscriptionsListenParams)
	if p == nil || p.Notifications == nil || !isSessionless(r) {
		return nil, session.MethodNotFound(r.method)
	}
	want := *p.Notifications
	want.PromptsListChanged = false
	all, err := e.subscribable(ctx, r, want.ResourceSubscriptions, p.Meta)
	if err != nil {
		return nil, err
	}
	id, err := e.Listen(ctx, want, all)
	if err != nil {
		return nil, err
	}
	return &sdk.SubscriptionsListenResult{Meta: sdk.Meta{sdk.MetaKeySubscriptionID: id}}, nil
}
