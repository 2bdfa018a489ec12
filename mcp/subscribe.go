package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/invoke"
)

// Two ways lead into a mailbox. A session has one, and resources/subscribe adds to
// it. In the protocol without sessions, subscriptions/listen opens one of its own,
// and tells of it as long as the request is open.

const (
	acknowledgedNote = "notifications/subscriptions/acknowledged"
	// maxAddress is the most bytes that an address has that one can subscribe to.
	maxAddress = 1024
)

type mailboxKey struct{}

// withMailbox returns the context of a session's handlers.
func withMailbox(ctx context.Context, b *mailbox) context.Context {
	return context.WithValue(ctx, mailboxKey{}, b)
}

// empty is the result of a method that has nothing to say.
type empty struct{ sdk.ResultBase }

func (e *endpoint) subscribe(ctx context.Context, r request) (sdk.Result, error) {
	box, ok := ctx.Value(mailboxKey{}).(*mailbox)
	p, _ := r.GetParams().(*sdk.SubscribeParams)
	if !ok || p == nil {
		return nil, methodNotFound(r.method)
	}
	addresses, err := e.subscribable(ctx, r, []string{p.URI}, p.Meta)
	if err != nil {
		return nil, err
	}
	if err := e.hub.subscribe(box, addresses[0], p.URI); err != nil {
		return nil, err
	}
	return &empty{}, nil
}

func (e *endpoint) unsubscribe(ctx context.Context, r request) (sdk.Result, error) {
	box, ok := ctx.Value(mailboxKey{}).(*mailbox)
	p, _ := r.GetParams().(*sdk.UnsubscribeParams)
	if !ok || p == nil {
		return nil, methodNotFound(r.method)
	}
	e.hub.unsubscribe(box, canonical(p.URI))
	return &empty{}, nil
}

func canonical(uri string) string {
	if address, ok := invoke.CanonicalAddress(uri); ok {
		return address
	}
	return uri
}

// subscribable returns the canonical addresses of what the caller asks to hear of.
// Whoever may not read an address may not subscribe to it; what is not there yet may
// come, but its type must be there.
func (e *endpoint) subscribable(ctx context.Context, r request, uris []string, meta sdk.Meta) ([]string, error) {
	if len(uris) > maxSubscriptions {
		return nil, tooManySubscriptions(len(uris))
	}
	addresses, readable := make([]string, 0, len(uris)), map[string]bool{}
	for _, uri := range uris {
		address, read, err := watchable(uri)
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
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// watchable returns the canonical form of an address whose changes are heard of, and
// what must be readable for it.
func watchable(uri string) (address, read string, err error) {
	if len(uri) > maxAddress {
		return "", "", fault.New(fault.InvalidArguments, "an address has at most %d bytes", maxAddress)
	}
	bare, _, filtered := strings.Cut(uri, "?")
	if filtered {
		return "", "", fault.New(fault.InvalidArguments, "part of an address cannot be subscribed to; subscribe to %s", bare).
			With("uri", uri).With("subscribe", bare)
	}
	switch uri {
	case schemaAddress, statsAddress, typesAddress:
		return uri, uri, nil
	case "trails://prov/latest", "trails://doctor":
		return "", "", fault.New(fault.InvalidArguments, "nobody is told when %s changes; read it when you need it", uri).With("uri", uri)
	}
	address, ok := invoke.CanonicalAddress(uri)
	if !ok {
		return "", "", notFound(uri)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(address, kgAddress), "/")
	return address, invoke.Address(name, "") + "?limit=1", nil
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

// outlet is what a handler needs of the connection to keep a subscription on it.
type outlet interface {
	// notify writes notifications.
	notify(texts ...[]byte) error
	// beat shows, where the transport can, that the connection is alive.
	beat() error
	// reserve makes room for n subscriptions, until they are released.
	reserve(n int) (release func(), err error)
}

type outletKey struct{}

// withOutlet returns the context of handlers whose subscriptions go out there.
func withOutlet(ctx context.Context, o outlet) context.Context {
	return context.WithValue(ctx, outletKey{}, o)
}

// listen keeps a subscription of the protocol without sessions: the request stays
// open, and changes come while it does.
func (e *endpoint) listen(ctx context.Context, r request) (sdk.Result, error) {
	out, ok := ctx.Value(outletKey{}).(outlet)
	p, _ := r.GetParams().(*sdk.SubscriptionsListenParams)
	if !ok || p == nil || p.Notifications == nil || !isSessionless(r) {
		return nil, methodNotFound(r.method)
	}
	want := *p.Notifications
	want.PromptsListChanged = false
	addresses, err := e.subscribable(ctx, r, want.ResourceSubscriptions, p.Meta)
	if err != nil {
		return nil, err
	}
	release, err := out.reserve(len(addresses))
	if err != nil {
		return nil, err
	}
	defer release()
	id := envelopeOf(ctx).id
	s := &subscription{endpoint: e, out: out, id: id, box: newMailbox()}
	if err := s.serve(ctx, want, addresses); err != nil {
		return nil, err
	}
	return &sdk.SubscriptionsListenResult{Meta: sdk.Meta{sdk.MetaKeySubscriptionID: id}}, nil
}

// subscription is one open subscriptions/listen.
type subscription struct {
	*endpoint
	out outlet
	id  json.RawMessage // of the request
	box *mailbox
}

// serve acknowledges what the client will hear of, and tells it until ctx ends or
// the server closes. When it hears of nothing, there is nothing to wait for.
func (s *subscription) serve(ctx context.Context, want sdk.NotificationSubscriptions, addresses []string) error {
	lists := kinds{tools: want.ToolsListChanged, resources: want.ResourcesListChanged}
	closeBox := s.hub.open(s.box, lists)
	defer closeBox()
	for i, address := range addresses {
		if err := s.hub.subscribe(s.box, address, want.ResourceSubscriptions[i]); err != nil {
			return err
		}
	}
	agreed := notification(acknowledgedNote, sdk.SubscriptionsAcknowledgedParams{
		Meta: sdk.Meta{sdk.MetaKeySubscriptionID: s.id}, Notifications: want,
	})
	if err := s.out.notify(agreed); err != nil || lists == (kinds{}) && len(addresses) == 0 {
		return err
	}
	return s.tell(ctx)
}

func (s *subscription) tell(ctx context.Context) error {
	beat := time.NewTicker(s.opts.Sessions.KeepAlive)
	defer beat.Stop()
	for {
		var err error
		select {
		case <-s.box.bell:
			err = s.out.notify(messages(s.box.take(), s.id)...)
		case <-beat.C:
			err = s.out.beat()
		case <-ctx.Done():
			return nil
		case <-s.closing:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func messages(notices []notice, subscription json.RawMessage) [][]byte {
	texts := make([][]byte, len(notices))
	for i, n := range notices {
		texts[i] = n.message(subscription)
	}
	return texts
}
