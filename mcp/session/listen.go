package session

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Subscribe lets the session whose handler has this context hear of an address; uri is
// how its client writes it.
func (d *Doors) Subscribe(ctx context.Context, address, uri string) error {
	return d.hub.subscribe(ctx.Value(mailboxKey{}).(*mailbox), address, uri)
}

// Unsubscribe ends that.
func (d *Doors) Unsubscribe(ctx context.Context, address string) {
	d.hub.unsubscribe(ctx.Value(mailboxKey{}).(*mailbox), address)
}

const acknowledgedNote = "notifications/subscriptions/acknowledged"

// Listen keeps a subscription of the protocol without sessions: it acknowledges what the
// client will hear of, and tells it of changes until ctx ends or the server closes. The
// addresses are the canonical ones of those that the client wants. When there is nothing
// to hear of, it does not wait. It returns the id of the request, which names the
// subscription.
func (d *Doors) Listen(ctx context.Context, want sdk.NotificationSubscriptions, addresses []string) (json.RawMessage, error) {
	out, id := ctx.Value(outletKey{}).(outlet), envelopeOf(ctx).id
	release, err := out.reserve(len(addresses))
	if err != nil {
		return nil, err
	}
	defer release()
	box, lists := newMailbox(), kinds{tools: want.ToolsListChanged, resources: want.ResourcesListChanged}
	closeBox := d.hub.open(box, lists)
	defer closeBox()
	for i, address := range addresses {
		if err := d.hub.subscribe(box, address, want.ResourceSubscriptions[i]); err != nil {
			return nil, err
		}
	}
	agreed := notification(acknowledgedNote, sdk.SubscriptionsAcknowledgedParams{
		Meta: sdk.Meta{sdk.MetaKeySubscriptionID: id}, Notifications: want,
	})
	if err := out.notify(agreed); err != nil || lists == (kinds{}) && len(addresses) == 0 {
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
