package session

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Subscription is an address that a client wants to hear of.
type Subscription struct {
	// Address is the canonical one, and URI how the client writes it.
	Address, URI string
	// Begin, for what is not the engine's, begins to tell of changes: it calls updated, which
	// does not wait, until stop is called.
	Begin func(updated func()) (stop func(), err error)
}

// Subscribe lets the session whose handler has this context hear of an address.
func (d *Doors) Subscribe(ctx context.Context, s Subscription) error {
	return d.subscribe(ctx.Value(mailboxKey{}).(*mailbox), s)
}

func (d *Doors) subscribe(b *mailbox, s Subscription) error {
	if s.Begin != nil {
		return d.hub.subscribeElsewhere(b, s.Address, s.Begin)
	}
	return d.hub.subscribe(b, s.Address, s.URI)
}

// Unsubscribe ends that.
func (d *Doors) Unsubscribe(ctx context.Context, address string) {
	d.hub.unsubscribe(ctx.Value(mailboxKey{}).(*mailbox), address)
}

const acknowledgedNote = "notifications/subscriptions/acknowledged"

// Listen keeps a subscription of the protocol without sessions: it acknowledges what the
// client will hear of, and tells it of changes until ctx ends or the server closes. All are
// those that the client wants. When there is nothing to hear of, it does not wait. It returns the id of the request, which names the
// subscription.
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
