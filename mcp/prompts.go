package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/mcp/session"
)

// promptArgument is an argument of a prompt, without Completes, which clients do not need.
type promptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
	completes   string
}

// promptEntry is an entry of prompts/list.
type promptEntry struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []promptArgument `json:"arguments,omitempty"`
}

// promptResult is the result of prompts/get.
type promptResult struct {
	complete
	Description string          `json:"description,omitempty"`
	Messages    []promptMessage `json:"messages"`
}

type promptMessage struct {
	Role    string      `json:"role"`
	Content textContent `json:"content"`
}

func (e *endpoint) listPrompts(ctx context.Context, r request) (sdk.Result, error) {
	all, err := e.prompts(ctx, r)
	if err != nil {
		return nil, err
	}
	entries := make([]json.RawMessage, 0, len(all))
	for _, p := range all {
		entries = append(entries, session.Marshal(p))
	}
	return newList("prompts", entries).answer(r, e.opts.PageSize, func(res *listResult) *[]json.RawMessage { return &res.Prompts })
}

// prompts are the prompts for this caller.
func (e *endpoint) prompts(ctx context.Context, r request) ([]promptEntry, error) {
	var list struct {
		Prompts []struct {
			promptEntry
			Arguments []struct {
				promptArgument
				Completes string `json:"completes"`
			} `json:"arguments"`
		} `json:"prompts"`
	}
	err := e.hear(ctx, e.call(ctx, r, nil), "prompts_list", nil, &list)
	if fault.Is(err, fault.ScopeDenied) || fault.Is(err, fault.Denied) {
		return nil, nil // as in every list, forbidden prompts are left out
	}
	if err != nil {
		return nil, err
	}
	all := make([]promptEntry, 0, len(list.Prompts))
	for _, p := range list.Prompts {
		for _, a := range p.Arguments {
			a.completes = a.Completes
			p.promptEntry.Arguments = append(p.promptEntry.Arguments, a.promptArgument)
		}
		all = append(all, p.promptEntry)
	}
	return all, nil
}

// hear makes a call for our own use, and decodes its answer into out.
func (e *endpoint) hear(ctx context.Context, c invoke.Call, capability string, args, out any) error {
	c.Capability = capability
	if args != nil {
		c.Args = session.Marshal(args)
	}
	done, err := e.engine.Call(ctx, c)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(done.Structured, out); err != nil {
		return fmt.Errorf("read the answer of %s: %w", capability, err)
	}
	return nil
}

// getPrompt writes out one prompt.
func (e *endpoint) getPrompt(ctx context.Context, r request) (sdk.Result, error) {
	p, ok := r.GetParams().(*sdk.GetPromptParams)
	if !ok || p == nil {
		return nil, fault.Arguments(fault.FieldError{Field: "name", Code: fault.Required, Message: "name is required", Constraint: true})
	}
	args := map[string]any{"name": p.Name, capability.MaxChars().Name: capability.DefaultChars}
	if len(p.Arguments) > 0 {
		args["arguments"] = p.Arguments
	}
	var text struct {
		Description string
		Messages    []struct{ Role, Text string }
	}
	if err := e.hear(ctx, e.call(ctx, r, p.Meta), "prompts_get", args, &text); err != nil {
		return nil, err
	}
	res := &promptResult{complete: completeFor(r), Description: text.Description, Messages: []promptMessage{}}
	for _, m := range text.Messages {
		res.Messages = append(res.Messages, promptMessage{m.Role, textContent{Type: "text", Text: m.Text}})
	}
	return res, nil
}

// checkPromptArguments refuses arguments that are not texts, because the SDK's errors would be unclear.
func checkPromptArguments(params map[string]json.RawMessage) []fault.FieldError {
	return textMembers("arguments", params["arguments"])
}

// textMembers refuses members of an object that are not strings.
func textMembers(field string, object json.RawMessage) []fault.FieldError {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members) // a value that is not an object has been refused already
	var wrong []fault.FieldError
	for name, value := range members {
		if kindOf(value) != "string" {
			wrong = append(wrong, fault.FieldError{Field: field + "." + name, Code: fault.Datatype,
				Message: field + "." + name + " must be a string", Constraint: "string"})
		}
	}
	return wrong
}
