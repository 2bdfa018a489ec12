package session

import (
	"context"
	"encoding/json"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/policy"
	"trails/invoke"
)

// envelope is what a handler knows of the message that it answers, besides what the
// SDK tells it. A session's handlers all have the context that the session was
// opened with, so an envelope travels with each message, and receive puts it into the
// context.
type envelope struct {
	request   jsonrpc.ID      // not valid for a notification
	id        json.RawMessage // the same, as the client wrote it
	trace     invoke.Trace    // of the HTTP request
	principal policy.Principal
	caller    string // whose queries wait for turns together; see [invoke.WithCaller]
	// credentials are those that the HTTP request has brought.
	credentials auth.Credentials
}

type envelopeKey struct{}

func withEnvelope(ctx context.Context, e envelope) context.Context {
	return context.WithValue(ctx, envelopeKey{}, e)
}

// envelopeOf returns the envelope of the message that a handler answers.
func envelopeOf(ctx context.Context) envelope {
	e, _ := ctx.Value(envelopeKey{}).(envelope)
	return e
}

// inExtra is the member of a token's claims in which an envelope travels: the one
// place where the SDK carries what it does not know.
const inExtra = "trails/envelope"

// extra returns what the SDK is to carry with a message.
func (e envelope) extra() *sdk.RequestExtra {
	return &sdk.RequestExtra{TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{inExtra: e}}}
}

// WithEnvelope returns the context of a message's handler: with the envelope that the
// message carries, if it does, its trace, its principal and what that shows other servers.
func WithEnvelope(ctx context.Context, req sdk.Request) context.Context {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return ctx
	}
	e, ok := extra.TokenInfo.Extra[inExtra].(envelope)
	if !ok {
		return ctx
	}
	if e.trace.ID != "" {
		ctx = invoke.WithTrace(ctx, e.trace)
	}
	if e.caller != "" {
		ctx = invoke.WithCaller(ctx, e.caller)
	}
	ctx = auth.WithCredentials(ctx, e.credentials)
	return withEnvelope(auth.WithPrincipal(ctx, e.principal), e)
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
