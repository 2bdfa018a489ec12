package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/gateway"
	"trails/invoke"
)

// reads describes a capability that only reads, also from servers.
func reads(id, description string) capability.Descriptor {
	return capability.Descriptor{ID: id, Description: description, PolicyRequired: capability.Requirement{Action: policy.Read, Upstream: true}, Idempotent: true}
}

// browsing is what is looked for.
type browsing struct {
	Query     *string      `json:"query,omitempty" is:"brief" max:"4000"`
	Path      *string      `json:"path,omitempty" is:"brief" max:"4000"`
	Most      *int         `json:"top_k,omitempty" min:"1" max:"50"`
	Selection gateway.Form `json:"selection,omitempty" is:"rare" doc:"Answer with a schema, too, by which a model can be held to choose one of the ids: alone, or as a provider takes it."`
	capability.NoView
}

// browsed is what there is.
type browsed struct {
	Cards  []gateway.Card `json:"cards"`
	Schema map[string]any `json:"selection_schema,omitempty"`
}

// browser is a capability that browses what there is of a kind.
func (t *Tools) browser(id, description string, kind gateway.Kind) invoke.Capability {
	d := reads(id, description)
	d.InputShape.Fields = []capability.Field{{Name: "selection", OneOf: []any{string(gateway.JSONSchema), string(gateway.OpenAI), string(gateway.Anthropic)}}}
	return invoke.Define(d, func(ctx context.Context, r *invoke.Request, in browsing) (*browsed, error) {
		return t.browse(ctx, r, in, kind)
	})
}

func (t *Tools) browseTools() invoke.Capability {
	return t.browser("tool_browse", "Find tools: give query (what is to be done, in words) or path (/ and then what it lists, such as /github/issues). Answers cards; tool_execute calls one by its id.", gateway.Tool)
}

func (t *Tools) browseResources() invoke.Capability {
	return t.browser("resource_browse", "Find resources of upstream servers by query or path; resource_read reads one by its id.", gateway.Resource)
}

func (t *Tools) browsePrompts() invoke.Capability {
	return t.browser("prompt_browse", "Find prompts of upstream servers by query or path; prompt_get gets one by its id.", gateway.Prompt)
}

func (t *Tools) browse(ctx context.Context, r *invoke.Request, in browsing, kind gateway.Kind) (*browsed, error) {
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := s.meter.Spend(time.Now(), r.Capability.ID, ""); err != nil {
		return nil, gateway.AsFault(err)
	}
	d, err := t.directoryFor(ctx, r)
	if err != nil {
		return nil, err
	}
	asked := gateway.Browsing{Query: in.Query, Path: in.Path, Most: in.Most}
	if by := s.settings.Embeddings; by != (gateway.Embeddings{}) && asked.Path == nil && asked.Query != nil && strings.TrimSpace(*asked.Query) != "" && d.Catalog(kind).Len() > 0 {
		asked.Near, err = t.embedder.Near(ctx, by, d.texts[kind](), *asked.Query)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Parts.Warnings = slices.Insert(r.Parts.Warnings, 0, "embeddings are not in this answer: "+fault.Of(err).Message)
		}
	}
	// Problems of a server are reported under its path, and in searches of all servers.
	within := ""
	if asked.Path != nil {
		within, _, _ = strings.Cut(strings.TrimPrefix(*asked.Path, "/"), "/")
	}
	everywhere := within == "" || within == "*"
	concerns := func(space string) bool { return everywhere || within == space }
	cards, err := d.Catalog(kind).Browse(asked)
	if err != nil {
		if down := d.isDown(within); down != nil {
			err = down
		}
		return nil, gateway.AsFault(d.withLeftOut(err, within, ""))
	}
	const downTold = 3
	down := slices.DeleteFunc(slices.Clone(d.down), func(u unavailable) bool { return !concerns(u.space) })
	for _, u := range down[:min(len(down), downTold)] {
		r.Warn("the upstream %s is unavailable, and its %ss are missing: %s", u.Server, kind, u.Problem.Message)
	}
	if more := down[min(len(down), downTold):]; len(more) > 0 {
		r.Warn("%s more, such as %s; gateway_list names all, gateway_show says why", fault.Counted(len(more), "upstream"), more[0].Server)
	}
	if s.settings.CacheStable {
		cards = s.order(d.key, cards)
	}
	lines, ids := make([]string, len(cards)), []string{}
	for i, card := range cards {
		if lines[i] = card.String(); card.Kind == kind {
			ids = append(ids, card.ID)
		}
	}
	var schema map[string]any
	if in.Selection != "" {
		if len(ids) == 0 {
			none := gateway.Fail(gateway.ArgsInvalid, r.Args.Text("path"), "there is no %s to select; other words may find one, or path \"/\" leads to them", kind)
			none.Details = map[string]any{"selection": gateway.Select("", nil)}
			return nil, gateway.AsFault(none)
		}
		if schema, err = gateway.SelectionSchema(ids, in.Selection); err != nil {
			return nil, err
		}
	}
	s.offer(ids)
	left := 0
	for _, p := range d.Problems() {
		if s, known := d.servers[p.Path]; everywhere || known && concerns(s.Space()) {
			left++
		}
	}
	if left > 0 {
		r.Parts.Warnings = slices.Insert(r.Parts.Warnings, 0, fmt.Sprintf("%d of the things that upstream servers offer are left out; gateway_show says which, and why", left))
	}
	if len(cards) == 0 {
		lines = append(lines, fmt.Sprintf("no %s fits; other words may, or path \"/\" lists the namespaces", kind))
	}
	r.Parts.Text = strings.Join(lines, "\n")
	return &browsed{cards, schema}, nil
}
