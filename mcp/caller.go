package mcp

import (
	"context"
	"regexp"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/invoke"
	"trails/policy"
)

// IdempotencyKey is the member of a call's _meta that makes a repeated write answer
// with the first one's result.
const IdempotencyKey = "trails/idempotencyKey"

// call is the start of every call that this request makes.
func (e *endpoint) call(ctx context.Context, r request, meta sdk.Meta) invoke.Call {
	return invoke.Call{Principal: e.principal(r), Via: e.via, TraceID: traceOf(ctx, r, meta)}
}

// principal says who asks. Whoever comes this far has shown the token, if there is
// one. Without one, a stdio server still knows whose process it is, and an HTTP
// server knows nothing.
func (e *endpoint) principal(r request) policy.Principal {
	client := clientOf(r)
	if !e.gate.set && e.stateless {
		return policy.Anonymous(client, e.opts.Scopes)
	}
	return policy.Principal{ID: e.opts.Actor, Client: client, Scopes: e.opts.Scopes, Authenticated: e.gate.set}
}

// clientOf names the program that speaks: as it did in initialize or, without
// sessions, in _meta; over HTTP otherwise the first product of its User-Agent. It
// is what the program says of itself, and proves nothing.
func clientOf(r request) string {
	if who, ok := r.Request.(interface{ ClientInfo() *sdk.Implementation }); ok {
		if info := who.ClientInfo(); info != nil {
			return clientName(info.Name + " " + info.Version)
		}
	}
	if extra := r.GetExtra(); extra != nil {
		product, _, _ := strings.Cut(extra.Header.Get("User-Agent"), " ")
		return clientName(product)
	}
	return ""
}

// maxClient bounds what a program may say of itself in every commit it makes.
const maxClient = 64

// clientName returns text as one line of at most [maxClient] visible characters,
// "" when it has anything else in it.
func clientName(text string) string {
	name := strings.Join(strings.Fields(text), " ")
	if strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return ""
	}
	if runes := []rune(name); len(runes) > maxClient {
		return string(runes[:maxClient])
	}
	return name
}

type traceKey struct{}

// WithTraceID returns a context in which calls over HTTP carry this trace id, for a
// handler around ours that has chosen one.
func WithTraceID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, traceKey{}, id)
}

// traceOf returns the caller's trace id: of a traceparent in _meta, of the handler
// around ours, or of the header; "" when there is none, and the engine makes one.
func traceOf(ctx context.Context, r request, meta sdk.Meta) string {
	if parent, ok := meta["traceparent"].(string); ok {
		if id := traceFrom(parent); id != "" {
			return id
		}
	}
	if id, ok := ctx.Value(traceKey{}).(string); ok {
		return id
	}
	if extra := r.GetExtra(); extra != nil {
		return traceFrom(extra.Header.Get("Traceparent"))
	}
	return ""
}

// A version that we do not know may have more fields after the flags; ff is
// forbidden (W3C Trace Context, section 3.2.2).
var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// traceFrom returns the trace id of a valid traceparent, or "".
func traceFrom(parent string) string {
	m := traceparent.FindStringSubmatch(parent)
	if m == nil || m[1] == "ff" || (m[1] == "00" && m[4] != "") || isZero(m[2]) || isZero(m[3]) {
		return ""
	}
	return m[2]
}

func isZero(digits string) bool { return strings.Trim(digits, "0") == "" }
