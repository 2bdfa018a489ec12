package session

import (
	"context"
	"encoding/json"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/invoke"
	"trails/policy"
)

// envelope is what a handler knows of the message that it answers, besides what the
// SDK tells it. A session's handlers all have the context that the session was
// opened with, so an origin travels with each message, and receive puts it into the
// context.
type envelope struct {
	request   jsonrpc.ID      // not valid for a notification
	id        json.RawMessage // the same, as the client wrote it
	trace     invoke.Trace    // of the handler around ours
	principal policy.Principal
	caller    string // who waits for turns as one; see [invoke.WithCaller]
}

type originKey struct{}

func withEnvelope(ctx context.Context, o envelope) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// envelopeOf returns where a handler's message came from.
func envelopeOf(ctx context.Context) envelope {
	o, _ := ctx.Value(originKey{}).(envelope)
	return o
}

// inExtra is the member of a token's claims in which an origin travels: the one
// place where the SDK carries what it does not know.
const inExtra = "trails/origin"

// extra returns what the SDK is to carry with a message.
func (o envelope) extra() *sdk.RequestExtra {
	return &sdk.RequestExtra{TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{inExtra: o}}}
}

// WithEnvelope returns the context with the origin that the message carries, if it does.
func WithEnvelope(ctx context.Context, req sdk.Request) context.Context {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return ctx
	}
	o, ok := extra.TokenInfo.Extra[inExtra].(envelope)
	if !ok {
		return ctx
	}
	if o.trace.ID != "" {
		ctx = invoke.WithTrace(ctx, o.trace)
	}
	if o.caller != "" {
		ctx = invoke.WithCaller(ctx, o.caller)
	}
	return withEnvelope(auth.WithPrincipal(ctx, o.principal), o)
}

type mailboxKey struct{}

// withMailbox returns the context of a session's handlers.
func withMailbox(ctx context.Context, b *mailbox) context.Context {
	return context.WithValue(ctx, mailboxKey{}, b)
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
