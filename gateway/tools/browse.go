package tools

import (
	"context"
	"encoding/json"
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

// text is an argument that is a text; the description of the tool says what it is.
func text(name string, required bool) capability.Field {
	return capability.Field{Name: name, Type: capability.String, Required: required, MaxLength: new(4_000), Brief: true}
}

var topK = capability.Field{Name: "top_k", Type: capability.Integer, MinValue: json.Number("1"), MaxValue: json.Number("50")}

// cardFields describe a [gateway.Card].
var cardFields = []capability.Field{
	{Name: "id", Type: capability.String, Required: true}, {Name: "name", Type: capability.String, Required: true},
	{Name: "description", Type: capability.String, Required: true}, {Name: "kind", Type: capability.String, Required: true},
	{Name: "namespace", Type: capability.String, Required: true}, {Name: "tags", Type: capability.String, Many: true, Required: true},
	{Name: "has_schema", Type: capability.Boolean, Required: true}, {Name: "side_effects", Type: capability.Boolean, Required: true},
	{Name: "safety", Type: capability.String, Required: true}, {Name: "cost_hint", Type: capability.Number, Required: true},
	{Name: "score", Type: capability.Number},
}

// reads is what the descriptors of all have in common that only look, at servers among others.
func reads(id, description string, in, out []capability.Field) capability.Descriptor {
	return capability.Descriptor{
		ID: id, Description: description, InputShape: capability.Shape{Fields: in}, OutputShape: capability.Shape{Fields: out},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read, Upstream: true}, Idempotent: true,
	}
}

// selection asks for a schema of the answers that choose one of the cards.
var selection = capability.Field{
	Name: "selection", Type: capability.String, OneOf: []any{string(gateway.JSONSchema), string(gateway.OpenAI), string(gateway.Anthropic)}, Rare: true,
	Description: "Answer with a schema, too, by which a model can be held to choose one of the ids: alone, or as a provider takes it.",
}

// browser is a capability that browses what there is of a kind.
func (t *Tools) browser(id, description string, kind gateway.Kind) invoke.Capability {
	return invoke.Capability{
		Descriptor: reads(id, description, []capability.Field{text("query", false), text("path", false), topK, selection},
			[]capability.Field{{Name: "cards", Type: capability.Object, Many: true, Required: true, Fields: cardFields}, {Name: "selection_schema", Type: capability.Object}}),
		Handle: func(ctx context.Context, r *invoke.Request) (any, error) { return t.browse(ctx, r, id, kind) },
	}
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

func (t *Tools) browse(ctx context.Context, r *invoke.Request, id string, kind gateway.Kind) (any, error) {
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := s.meter.Spend(time.Now(), id, ""); err != nil {
		return nil, gateway.AsFault(err)
	}
	d, err := t.directoryFor(ctx, r)
	if err != nil {
		return nil, err
	}
	asked := gateway.Browsing{}
	for name, into := range map[string]**string{"query": &asked.Query, "path": &asked.Path} {
		if given := r.Args.Text(name); r.Args.Has(name) {
			*into = &given
		}
	}
	if most := r.Args.Integer(topK.Name, 0); most > 0 {
		asked.Most = &most
	}
	if by := s.settings.Embeddings; by != (gateway.Embeddings{}) && asked.Path == nil && strings.TrimSpace(r.Args.Text("query")) != "" && d.Catalog(kind).Len() > 0 {
		asked.Near, err = t.embedder.Near(ctx, by, d.texts[kind](), *asked.Query)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Parts.Warnings = slices.Insert(r.Parts.Warnings, 0, "embeddings are not in this answer: "+fault.Of(err).Message)
		}
	}
	// What is wrong with one server is said where its things may be missing: under its path, and
	// where all are looked through.
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
		return nil, gateway.AsFault(err)
	}
	for _, u := range d.down {
		if concerns(u.space) {
			r.Warn("the upstream %s is unavailable, and its %ss are missing: %s", u.Server, kind, u.Problem.Message)
		}
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
	if form := r.Args.Text(selection.Name); form != "" {
		if len(ids) == 0 {
			none := gateway.Fail(gateway.ArgsInvalid, r.Args.Text("path"), "there is no %s to select; other words may find one, or path \"/\" leads to them", kind)
			none.Details = map[string]any{"selection": gateway.Select("", nil)}
			return nil, gateway.AsFault(none)
		}
		if schema, err = gateway.SelectionSchema(ids, gateway.Form(form)); err != nil {
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
	for _, warning := range slices.Backward(r.Parts.Warnings) {
		lines = append([]string{"warning: " + warning}, lines...)
	}
	r.Parts.Text = strings.Join(lines, "\n")
	return struct {
		Cards  []gateway.Card `json:"cards"`
		Schema map[string]any `json:"selection_schema,omitempty"`
	}{cards, schema}, nil
}
