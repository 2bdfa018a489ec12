package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/capability/project"
	"trails/fault"
	"trails/invoke"
)

// toolCache caches the encoded tools of one version of the registry, for each audience.
type toolCache struct {
	mu      sync.Mutex
	version string          // of the registry, with the choice
	lists   map[string]list // by audience
	tools   project.Cache   // shared by all versions, because most descriptors do not change
}

// listTools lists what the caller may see, in the engine's order.
func (e *endpoint) listTools(ctx context.Context, r request) (sdk.Result, error) {
	p := e.principalOf(ctx, r)
	tools, err := e.engine.Tools(ctx, p)
	if err != nil {
		return nil, err
	}
	all, err := e.tools.of(tools)
	if err != nil {
		return nil, err
	}
	return all.answer(r, e.opts.PageSize, func(res *listResult) *[]json.RawMessage { return &res.Tools })
}

// mostLists bounds the cached lists, one for each audience.
const mostLists = 64

func (c *toolCache) of(tools invoke.Tools) (list, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version := tools.Version + " " + tools.Choice; c.version != version || c.lists == nil {
		c.version, c.lists = version, map[string]list{}
	}
	if known, ok := c.lists[tools.Audience]; ok {
		return known, nil
	}
	entries, err := c.encode(tools)
	if err != nil {
		return list{}, err
	}
	if len(c.lists) >= mostLists {
		clear(c.lists)
	}
	c.lists[tools.Audience] = newList("tools", entries)
	return c.lists[tools.Audience], nil
}

func (c *toolCache) encode(tools invoke.Tools) ([]json.RawMessage, error) {
	entries, view := make([]json.RawMessage, 0, len(tools.Listed)), project.Tools(tools.Process)
	for _, d := range tools.Listed {
		text, err := c.tools.Encode(view, d)
		if err != nil {
			return nil, fmt.Errorf("encode tool %s: %w", d.ID, err)
		}
		entries = append(entries, text)
	}
	return entries, nil
}

// callTool makes one call. The engine decides whether the tool exists for this caller.
func (e *endpoint) callTool(ctx context.Context, r request) (sdk.Result, error) {
	p, ok := r.GetParams().(*sdk.CallToolParamsRaw)
	if !ok || p == nil {
		return nil, fault.Arguments(fault.FieldError{Field: "name", Code: fault.Required, Message: "name is required", Constraint: true})
	}
	c, err := e.toolCall(ctx, r, p)
	if err != nil {
		return nil, err
	}
	trip := byRoundTrip(r, p)
	if trip != nil {
		c.Ask = trip.ask
	}
	done, err := e.engine.Call(ctx, c)
	if trip != nil && trip.open != "" {
		return trip.question(), nil
	}
	e.logCall(ctx, r, p.Name, done, err)
	if err != nil {
		return e.failedCall(ctx, r, err)
	}
	return newToolResult(r, done), nil
}

func (e *endpoint) toolCall(ctx context.Context, r request, p *sdk.CallToolParamsRaw) (invoke.Call, error) {
	c := e.call(ctx, r, p.Meta)
	c.Capability = p.Name
	if len(p.Arguments) > 0 && string(p.Arguments) != "null" {
		c.Args = p.Arguments
	}
	if key, given := p.Meta[IdempotencyKey]; given {
		text, ok := key.(string)
		if !ok || text == "" {
			return c, fault.Arguments(fault.FieldError{Field: "_meta." + IdempotencyKey, Code: fault.Datatype,
				Message: IdempotencyKey + " must be a string that is not empty", Value: key, Constraint: "string"})
		}
		c.IdempotencyKey = text
	}
	c.Progress = e.progress(ctx, r, p.GetProgressToken())
	c.Ask, c.Elicit = e.asking(r), e.eliciting(r)
	return c, nil
}

// failedCall returns errors that the caller can correct as a result for its model, and others as errors.
func (e *endpoint) failedCall(ctx context.Context, r request, err error) (sdk.Result, error) {
	f := fault.Of(err)
	if !e.asResult(r, f) || ctx.Err() != nil {
		return nil, err
	}
	return refused(r, f), nil
}

// progressInterval is the minimum time between two progress reports of one call.
const progressInterval = 100 * time.Millisecond

// progress returns the function that reports a call's progress, nil if the client did not ask or cannot be told.
// Reported values must increase, although each phase of the call begins at zero.
func (e *endpoint) progress(ctx context.Context, r request, token any) func(invoke.Progress) {
	session, ok := r.GetSession().(*sdk.ServerSession)
	if token == nil || !ok {
		return nil
	}
	var before, sent float64 // the sum of finished phases, and the last report
	var now invoke.Progress
	var last time.Time
	return func(p invoke.Progress) {
		if p.Phase != now.Phase {
			before += float64(now.Done)
		}
		now = p
		report := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: before + float64(p.Done), Message: p.Phase}
		if p.Unit != "" {
			report.Message += " (" + p.Unit + ")"
		}
		if p.Total > 0 {
			report.Total = before + float64(p.Total)
		}
		if report.Progress <= sent || time.Since(last) < progressInterval {
			return
		}
		sent, last = report.Progress, time.Now()
		_ = session.NotifyProgress(ctx, report) // failing to send a report must not stop the call
	}
}
