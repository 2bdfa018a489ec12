package session

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/invoke"
)

// Subscription is an address to which a client subscribes.
type Subscription struct {
	// Address is the canonical address, and URI the address as the client wrote it.
	Address, URI string
	// Watch, unless it is nil, watches the engine for the addresses of Line; otherwise the address is of the line that
	// the server watches for all.
	Watch func(ctx context.Context) <-chan invoke.Change
	Line  Line
	// Begin, for an address outside the graph, starts watching: it calls updated, which does not wait, until stop is
	// called.
	Begin func(updated func()) (stop func(), err error)
}

// Subscribe adds a subscription to the session of a handler's context.
func (d *Doors) Subscribe(ctx context.Context, s Subscription) error {
	return d.subscribe(ctx.Value(mailboxKey{}).(*mailbox), s)
}

func (d *Doors) subscribe(b *mailbox, s Subscription) error {
	switch {
	case s.Begin != nil:
		return d.hub.subscribeElsewhere(b, s.Address, s.Begin)
	case s.Watch != nil:
		return d.hub.subscribeLine(b, s.Address, s.URI, s.Line, s.Watch)
	}
	return d.hub.subscribe(b, s.Address, s.URI)
}

// Unsubscribe removes the subscription of an address on a branch, "" for main.
func (d *Doors) Unsubscribe(ctx context.Context, address, branch string) {
	d.hub.unsubscribe(ctx.Value(mailboxKey{}).(*mailbox), address+Line{Branch: branch}.suffix())
}

const acknowledgedNote = "notifications/subscriptions/acknowledged"

// Listen serves a subscription of the protocol without sessions: it confirms the accepted addresses, and sends
// notifications until ctx ends or the server closes. all are the requested lists. If nothing was accepted, it returns
// at once. It returns the id of the request, which identifies the subscription.
func (d *Doors) Listen(ctx context.Context, want sdk.NotificationSubscriptions, all []Subscription) (json.RawMessage, error) {
	out, id := ctx.Value(outletKey{}).(outlet), envelopeOf(ctx).id
	release, err := out.reserve(len(all))
	if err != nil {
		return nil, err
	}
	defer release()
	box, lists := newMailbox(), kinds{tools: want.ToolsListChanged, resources: want.ResourcesListChanged}
	closeBox := d.hub.open(box, lists)
	defer closeBox()
	for _, one := range all {
		if err := d.subscribe(box, one); err != nil {
			return nil, err
		}
	}
	agreed := notification(acknowledgedNote, sdk.SubscriptionsAcknowledgedParams{
		Meta: sdk.Meta{sdk.MetaKeySubscriptionID: id}, Notifications: want,
	})
	if err := out.notify(agreed); err != nil || lists == (kinds{}) && len(all) == 0 {
		return id, err
	}
	beat := time.NewTicker(d.Options.KeepAlive)
	defer beat.Stop()
	for err == nil {
		select {
		case <-box.bell:
			err = out.notify(messages(box.take(), id)...)
		case <-beat.C:
			err = out.beat()
		case <-ctx.Done():
			return id, nil
		case <-d.closing:
			return id, nil
		}
	}
	return nil, err
}
