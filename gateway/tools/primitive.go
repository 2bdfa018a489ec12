package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/yosida95/uritemplate/v3"

	"trails/capability"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/artifact"
	"trails/gateway/upstream"
	"trails/invoke"
)

// resultFields are the fields of both forms of an answer: the result itself, or an [artifact.Envelope].
var resultFields = []capability.Field{
	{Name: "result", Type: capability.Any, Description: "What the tool answered; a large one is kept, and described by the other members."},
	{Name: "status", Type: capability.String, OneOf: []any{"ok", "error"}}, {Name: "summary", Type: capability.String},
	{Name: "shape", Type: capability.String}, {Name: "facts", Type: capability.String, Many: true},
	{Name: "artifacts", Type: capability.Object, Many: true}, {Name: "views", Type: capability.Object, Many: true},
	{Name: "firewall_stats", Type: capability.Object}, {Name: "provenance", Type: capability.Object},
	{Name: "links", Type: capability.Object, Many: true, Fields: []capability.Field{
		{Name: "resource_id", Type: capability.String, Required: true}, {Name: "name", Type: capability.String, Required: true}, {Name: "uri", Type: capability.String, Required: true}, {Name: "mimeType", Type: capability.String},
	}},
}

// named is the argument with the id; the description of the tool explains it.
func named(id string) capability.Field {
	return capability.Field{Name: id, Type: capability.String, Required: true, MaxLength: new(4_000), Brief: true}
}

// answersAsTool completes d for a capability that returns a server's answer, whose shape is not known.
func answersAsTool(d capability.Descriptor, id string, more capability.Field) capability.Descriptor {
	d.CostEstimate = capability.CostResult
	d.InputShape.Fields, d.OutputShape.Fields = []capability.Field{named(id), more}, resultFields
	return d
}

// readResource is resource_read.
func (t *Tools) readResource() invoke.Capability {
	return invoke.Capability{
		Descriptor: answersAsTool(reads("resource_read", "Read a resource of an upstream server by the id of its card. params are the values of an address with {names}."), "resource_id",
			capability.Field{Name: "params", Type: capability.Object, Description: "Texts by name, such as {\"path\":\"a/b\"}."}),
		Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
			if f, follows := ctx.Value(followingKey{}).(*following); follows {
				return t.follow(ctx, r, f)
			}
			id := r.Args.Text("resource_id")
			return t.fetch(ctx, r, gateway.Resource, id, func(d directory, e gateway.Entry) ([]upstream.Part, error) {
				uri, err := address(id, e.Offered, r.Args.Object("params"))
				if err != nil {
					return nil, err
				}
				return t.pool.Read(ctx, d.servers[e.Server], uri, hooks(r, e.Server))
			})
		},
	}
}

// address fills in the parameters of a resource template.
func address(id string, o gateway.Offered, params map[string]any) (string, error) {
	if !o.Template {
		if len(params) > 0 {
			return "", gateway.Fail(gateway.ArgsInvalid, id, "%s takes no params", id)
		}
		return o.URI, nil
	}
	template, err := uritemplate.New(o.URI)
	if err != nil {
		return "", gateway.Fail(gateway.SchemaInvalid, id, "the address of %s is no template of RFC 6570", id)
	}
	values, names := uritemplate.Values{}, template.Varnames()
	for name, given := range params {
		if !slices.Contains(names, name) {
			return "", gateway.Fail(gateway.ArgsInvalid, id, "the address %s has no {%s}%s", o.URI, name, fault.DidYouMean(name, names))
		}
		values.Set(name, uritemplate.String(fmt.Sprint(given)))
	}
	if len(params) == 0 {
		return "", gateway.Fail(gateway.ArgsInvalid, id, "give params for the address %s", o.URI) // RFC 6570 leaves out undefined parameters
	}
	uri, err := template.Expand(values)
	if err != nil {
		return "", gateway.Fail(gateway.ArgsInvalid, id, "the address %s cannot be written with these params: %v", o.URI, err)
	}
	return uri, nil
}

// getPrompt is prompt_get.
func (t *Tools) getPrompt() invoke.Capability {
	return invoke.Capability{
		Descriptor: answersAsTool(reads("prompt_get", "Get the messages of a prompt of an upstream server by the id of its card."), "prompt_id",
			capability.Field{Name: "args", Type: capability.Object, Description: "Texts by the names of the prompt's arguments."}),
		Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
			id := r.Args.Text("prompt_id")
			return t.fetch(ctx, r, gateway.Prompt, id, func(d directory, e gateway.Entry) ([]upstream.Part, error) {
				given := r.Args.Object("args")
				if given == nil {
					given = map[string]any{}
				}
				schema, err := d.Schema(gateway.Prompt, e.Item.ID)
				if err != nil {
					return nil, err
				}
				if err := schema.Check(given); err != nil {
					return nil, err
				}
				args := make(map[string]string, len(given))
				for name, value := range given {
					args[name], _ = value.(string) // the schema only has strings
				}
				return t.pool.Prompt(ctx, d.servers[e.Server], e.Offered.Name, args, hooks(r, e.Server))
			})
		},
	}
}

// fetch reads a resource or prompt of a server by id.
func (t *Tools) fetch(ctx context.Context, r *invoke.Request, kind gateway.Kind, id string, ask func(directory, gateway.Entry) ([]upstream.Part, error)) (any, error) {
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, err
	}
	d, err := t.directoryFor(ctx, r)
	if err != nil {
		return nil, err
	}
	e, selected, err := d.resolve(s, kind, id)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	id = e.Item.ID
	parts, err := ask(d, e)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	r.TakesFrom(e.Server)
	out, kept := wrapped(r, s, d, e.Server, artifact.Source{ToolID: id, Tool: e.Offered.Name}, parts, nil)
	if err := keep(ctx, r, d.servers[e.Server], id, kept); err != nil {
		return nil, gateway.AsFault(err)
	}
	r.Parts.Text, r.Parts.Content = out.text, out.shown
	if selected != nil {
		out.value = withProvenance(out.value, "selection", selected)
	}
	return out.value, nil
}
