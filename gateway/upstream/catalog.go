package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/gateway"
	"trails/text/quote"
)

// Catalog is what a server offers, filtered by its definition.
type Catalog struct {
	Offered []gateway.Offered
	// Problems describe what was left out.
	Problems []*gateway.Error
	refused  int // number of things that the filters exclude
}

// mostOffered bounds what is used of one server.
const mostOffered = 20_000

// Catalog lists everything that a server offers.
func (p *Pool) Catalog(ctx context.Context, s gateway.Server) (Catalog, error) {
	l, release, err := p.link(ctx, s)
	if err != nil {
		return Catalog{}, err
	}
	defer release()
	return l.catalog(ctx, s)
}

// catalog lists what a definition uses.
func (l *link) catalog(ctx context.Context, s gateway.Server) (Catalog, error) {
	return on(ctx, l, s, Hooks{}, func(ctx context.Context, session *mcp.ClientSession, _ string) (c Catalog, err error) {
		has := session.InitializeResult().Capabilities
		if has == nil {
			has = &mcp.ServerCapabilities{}
		}
		var late *gateway.Error
		// A failure to list one kind does not affect others, nor does one that is waited for in vain.
		of := func(has bool, kind gateway.Kind, all string, list func(context.Context) error) {
			if !has || err != nil {
				return
			}
			limited, cancel := mostOf(ctx)
			defer cancel()
			problem := list(limited)
			if problem == nil {
				return
			}
			if limited.Err() != nil && ctx.Err() == nil {
				late = gateway.Fail(gateway.UpstreamTimeout, s.Name, "the upstream %s does not list its %s: it did not answer in time; gateway_refresh asks again", s.Name, all)
				c.Problems = append(c.Problems, late)
				return
			}
			var refused *jsonrpc.Error
			failure := l.classified(problem)
			switch is := errors.As(problem, &refused); {
			case ctx.Err() != nil || failure.Code != gateway.UpstreamError:
				err = problem
			case !is || refused.Code != jsonrpc.CodeMethodNotFound || kind == gateway.Tool:
				why := strings.TrimPrefix(failure.Message, fmt.Sprintf("the upstream %s: ", s.Name))
				c.Problems = append(c.Problems, gateway.Fail(gateway.UpstreamError, s.Name, "the upstream %s does not list its %s: %s", s.Name, all, why))
			}
		}
		of(has.Tools != nil, gateway.Tool, "tools", func(ctx context.Context) error {
			return take(&c, l.clean, s, tool, func(cursor string) ([]*mcp.Tool, string, error) {
				r, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
				if err != nil {
					return nil, "", err
				}
				return r.Tools, r.NextCursor, nil
			})
		})
		of(has.Resources != nil, gateway.Resource, "resources", func(ctx context.Context) error {
			return take(&c, l.clean, s, resource, func(cursor string) ([]*mcp.Resource, string, error) {
				r, err := session.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
				if err != nil {
					return nil, "", err
				}
				return r.Resources, r.NextCursor, nil
			})
		})
		of(has.Resources != nil, gateway.Resource, "resource templates", func(ctx context.Context) error {
			return take(&c, l.clean, s, template, func(cursor string) ([]*mcp.ResourceTemplate, string, error) {
				r, err := session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
				if err != nil {
					return nil, "", err
				}
				return r.ResourceTemplates, r.NextCursor, nil
			})
		})
		of(has.Prompts != nil, gateway.Prompt, "prompts", func(ctx context.Context) error {
			return take(&c, l.clean, s, prompt, func(cursor string) ([]*mcp.Prompt, string, error) {
				r, err := session.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
				if err != nil {
					return nil, "", err
				}
				return r.Prompts, r.NextCursor, nil
			})
		})
		if err == nil && late != nil && len(c.Offered) == 0 {
			return c, late
		}
		if err == nil && len(c.Offered)+len(c.Problems) == 0 {
			why := "it lists nothing"
			switch {
			case has.Tools == nil && has.Resources == nil && has.Prompts == nil:
				why = "it says that it has neither tools nor resources nor prompts"
			case c.refused > 0:
				why = fmt.Sprintf("its definition takes none of the %d things that it lists, see include and exclude", c.refused)
			}
			c.Problems = append(c.Problems, gateway.Fail(gateway.UpstreamError, s.Name, "nothing of the upstream %s can be used: %s", s.Name, why))
		}
		return c, err
	})
}

// mostOf leaves a quarter of the time that there is for what comes after.
func mostOf(ctx context.Context) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)*3/4)
}

// take adds the pages of a listing, whose number is bounded.
func take[T any](c *Catalog, clean redactor, s gateway.Server, read func(*T) (gateway.Offered, mcp.Meta), ask func(cursor string) (page []*T, next string, err error)) error {
	asked := map[string]bool{}
	for cursor := ""; ; {
		page, next, err := ask(cursor)
		if err != nil {
			return err
		}
		for _, one := range page {
			if len(c.Offered)+len(c.Problems) >= mostOffered {
				return gateway.Fail(gateway.UpstreamError, s.Name, "the upstream %s offers more than %d things", s.Name, mostOffered)
			}
			o, meta := read(one)
			if !s.Takes(o.Name) {
				c.refused++
				continue
			}
			if clean.shown(o.Name) != gateway.Visible(o.Name) {
				c.Problems = append(c.Problems, gateway.Fail(gateway.UpstreamError, s.Name, "a %s of the upstream %s whose name has a secret in it is left out", o.Kind, s.Name))
				continue
			}
			o.Title, o.Annotations.Title, o.Description = clean.scrubbed(o.Title), clean.scrubbed(o.Annotations.Title), clean.scrubbed(o.Description)
			if shown := clean.scrubbed(o.URI); shown != o.URI && o.Description == "" && o.Title == "" {
				o.Description = shown // instead of the address, which is needed unchanged for reading
			}
			bounded, problem := o.Bounded(s.Name)
			if problem != nil {
				c.Problems = append(c.Problems, problem)
				continue
			}
			if without, has := meta[lost].([]any); has {
				c.Problems = append(c.Problems, gateway.Fail(gateway.UpstreamError, s.Name, "the %s %s of the server %s is offered without its %s, which cannot be read", o.Kind, quote.Text(bounded.Name, 80), s.Name, quote.Line(clean.shown(strings.Trim(fmt.Sprint(without), "[]")), 80)))
			}
			c.Offered = append(c.Offered, bounded)
		}
		asked[cursor] = true
		switch {
		case next == "":
			return nil
		case asked[next]:
			c.Problems = append(c.Problems, gateway.Fail(gateway.UpstreamError, s.Name, "the upstream %s begins its list again where it should go on: what comes after page %d is not known", s.Name, len(asked)))
			return nil
		}
		cursor = next
	}
}

func tool(t *mcp.Tool) (gateway.Offered, mcp.Meta) {
	o := offered(gateway.Tool, t.Name, t.Title, t.Description, t.Meta)
	o.InputSchema, o.Output = text(t.InputSchema), text(t.OutputSchema)
	o.NeedsTask = t.Meta[taskSupport] == "required"
	if a := t.Annotations; a != nil {
		o.Annotations.Title, o.Annotations.ReadOnly, o.Annotations.Destructive = a.Title, a.ReadOnlyHint, a.DestructiveHint != nil && *a.DestructiveHint
	}
	return o, t.Meta
}

func resource(r *mcp.Resource) (gateway.Offered, mcp.Meta) {
	o := offered(gateway.Resource, r.Name, r.Title, r.Description, r.Meta)
	o.URI, o.MIME = r.URI, r.MIMEType
	return o, r.Meta
}

func template(r *mcp.ResourceTemplate) (gateway.Offered, mcp.Meta) {
	o := offered(gateway.Resource, r.Name, r.Title, r.Description, r.Meta)
	o.URI, o.MIME, o.Template = r.URITemplate, r.MIMEType, true
	return o, r.Meta
}

func prompt(p *mcp.Prompt) (gateway.Offered, mcp.Meta) {
	properties, required := map[string]any{}, []string{}
	for _, a := range p.Arguments {
		properties[a.Name] = map[string]any{"type": "string", "description": a.Description}
		if a.Required {
			required = append(required, a.Name)
		}
	}
	o := offered(gateway.Prompt, p.Name, p.Title, p.Description, p.Meta)
	o.InputSchema = text(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	return o, p.Meta
}

func offered(kind gateway.Kind, name, title, description string, meta mcp.Meta) gateway.Offered {
	o := gateway.Offered{Kind: kind, Definition: gateway.Definition{Name: name, Title: title, Description: description}}
	if v, ok := meta["version"]; ok {
		o.Meta.Version = fmt.Sprint(v)
	}
	return o
}

func text(schema any) json.RawMessage {
	if schema == nil {
		return nil
	}
	out, err := json.Marshal(schema)
	if err != nil {
		return nil // it was decoded from JSON
	}
	return out
}
