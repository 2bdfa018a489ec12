package session

import (
	"context"
	"encoding/json"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
)

// envelope is data about a message for its handler that the SDK does not pass on. All handlers of a session share the
// context with which it was opened, so the envelope travels with each message, and receive puts it into the context.
type envelope struct {
	request   jsonrpc.ID      // invalid for a notification
	id        json.RawMessage // the same, as the client wrote it
	trace     invoke.Trace    // trace of the HTTP request
	principal policy.Principal
	caller    string // identifies callers that take turns for long queries; see [invoke.WithCaller]
	// credentials for other servers in the HTTP request
	credentials auth.Credentials
	over        func() context.Context // the context that ends when the server cuts the message; nil if it cuts none
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

// inExtra is the member of a token's claims that carries an envelope, the only data that the SDK passes through.
const inExtra = "trails/envelope"

// extra returns the data that the SDK carries with a message.
func (e envelope) extra() *sdk.RequestExtra {
	return &sdk.RequestExtra{TokenInfo: &sdkauth.TokenInfo{Extra: map[string]any{inExtra: e}}}
}

// WithEnvelope returns the context for a message's handler, with the trace, principal and credentials of its
// envelope, if it has one.
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

// UntilCut returns a context for a message's handler that ends, too, when the server cuts the message: its HTTP request, or
// what is in flight when the process ends. A client that disconnects does not end it, as the protocol has it. free releases it.
func UntilCut(ctx context.Context) (cut context.Context, free func()) {
	over := envelopeOf(ctx).over
	if over == nil {
		return ctx, func() {}
	}
	cut, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(over(), func() {
		if why := whyCut(over()); why != nil {
			cancel(why)
		}
	})
	return cut, func() { stop(); cancel(nil) }
}

// whyCut is why the server has cut a message, nil if it has not.
func whyCut(ctx context.Context) error {
	if why := context.Cause(ctx); fault.Is(why, fault.TimedOut) {
		return why
	}
	return nil
}

type mailboxKey struct{}

// withMailbox returns the context of a session's handlers.
func withMailbox(ctx context.Context, b *mailbox) context.Context {
	return context.WithValue(ctx, mailboxKey{}, b)
}

// outlet is how a handler sends notifications of a subscription over its connection.
type outlet interface {
	// notify writes notifications.
	notify(texts ...[]byte) error
	// beat sends a keep-alive, if the transport has one.
	beat() error
	// reserve reserves room for n subscriptions until it is released.
	reserve(n int) (release func(), err error)
}

type outletKey struct{}

// withOutlet returns the context of handlers whose subscriptions go out there.
func withOutlet(ctx context.Context, o outlet) context.Context {
	return context.WithValue(ctx, outletKey{}, o)
}
