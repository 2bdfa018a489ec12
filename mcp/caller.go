package mcp

import (
	"context"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/policy"
	"trails/invoke"
)

// IdempotencyKey is the member of a call's _meta that makes a repeated write return the result of the first one.
const IdempotencyKey = "trails/idempotencyKey"

// call is the start of every call that this request makes.
func (e *endpoint) call(ctx context.Context, r request, meta sdk.Meta) invoke.Call {
	trace := traceOf(ctx, r, meta)
	return invoke.Call{Principal: e.principalOf(ctx, r), Via: e.via, TraceID: trace.ID, ParentSpan: trace.Span}
}

// principalOf is the caller, with the name and version of its program; that of a grant is known.
func (e *endpoint) principalOf(ctx context.Context, r request) policy.Principal {
	p := auth.PrincipalOf(ctx)
	if p.Grant == "" {
		p.Client, p.Version = clientOf(r)
	}
	return p.Through(e.via)
}

// clientOf is the client program: from initialize or, without sessions, from _meta; over HTTP otherwise the first product
// of its User-Agent. It is only a claim.
func clientOf(r request) (name, version string) {
	if who, ok := r.Request.(interface{ ClientInfo() *sdk.Implementation }); ok {
		if info := who.ClientInfo(); info != nil {
			return clientName(info.Name), clientName(info.Version)
		}
	}
	if extra := r.GetExtra(); extra != nil {
		product, _, _ := strings.Cut(extra.Header.Get("User-Agent"), " ")
		name, version, _ = strings.Cut(product, "/")
		return clientName(name), clientName(version)
	}
	return "", ""
}

// maxClient bounds the client's name, which every commit of it contains.
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

// traceOf returns the caller's trace: from a traceparent in _meta, from the surrounding handler, or from the header;
// without one the engine makes one.
func traceOf(ctx context.Context, r request, meta sdk.Meta) invoke.Trace {
	if parent, ok := meta["traceparent"].(string); ok {
		if t := invoke.ParseTraceparent(parent); t.ID != "" {
			return t
		}
	}
	if t := invoke.TraceOf(ctx); t.ID != "" {
		return t
	}
	if extra := r.GetExtra(); extra != nil {
		return invoke.ParseTraceparent(extra.Header.Get("Traceparent"))
	}
	return invoke.Trace{}
}
