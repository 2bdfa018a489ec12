package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/kg"
	"trails/text/jsontext"
	"trails/text/outline"
	"trails/text/quote"
)

// upstreams offers the upstream servers that the file names, and what names them.
type upstreams struct {
	pool     *upstream.Pool
	embedder *embed.Embedder
}

func (u upstreams) capabilities() []invoke.Capability {
	return []invoke.Capability{u.list(), u.show(), u.refresh(), u.accept(), gatewayAdd, gatewayRemove, gatewayConfigure}
}

// upstreamLine is one server in a list, and how it stands in this process.
type upstreamLine struct {
	Name    string `json:"name"`
	Way     string `json:"way,omitempty"`
	Address string `json:"address,omitempty"`
	State   string `json:"state,omitempty"`
	Problem string `json:"problem,omitempty"`
	Says    string `json:"says,omitempty"`
	Calls   int64  `json:"calls,omitempty"`
	Failed  int64  `json:"failed,omitempty"`
	Latency int64  `json:"latency_ms,omitempty"`

	Definition *gateway.Server `json:"definition,omitempty"`
	Digest     string          `json:"digest,omitempty"`
}

// endpointLine is how the endpoint of embeddings stands.
type endpointLine struct {
	State   string `json:"state"`
	Problem string `json:"problem,omitempty"`
	Vectors int    `json:"vectors,omitempty"`
}

var upstreamFields = []capability.Field{
	{Name: "name", Type: capability.String, Required: true},
	{Name: "way", Type: capability.String, OneOf: []any{"command", "http", "sse"}},
	{Name: "address", Type: capability.String, Description: "The command, or the address."},
	{Name: "state", Type: capability.String, OneOf: []any{string(upstream.Untrusted), string(upstream.Idle), string(upstream.Up), string(upstream.Down)}},
	{Name: "problem", Type: capability.String},
	{Name: "says", Type: capability.String, Description: "The name and version that it gives itself."},
	{Name: "calls", Type: capability.Integer}, {Name: "failed", Type: capability.Integer}, {Name: "latency_ms", Type: capability.Integer},
	{Name: "definition", Type: capability.Object},
	{Name: "digest", Type: capability.String, Description: "Of how it is reached: what somebody agrees to."},
}

func (u upstreams) line(k gateway.Kept) upstreamLine {
	if k.Err != nil {
		return upstreamLine{Name: k.Name, Problem: fault.Of(k.Err).Told(maxProblem)}
	}
	line := upstreamLine{Name: k.Name, Way: "command", Address: outline.Shorten(k.Address(), maxProblem), Definition: &k.Server, Digest: k.Digest()}
	switch {
	case k.HTTP != "":
		line.Way = "http"
	case k.SSE != "":
		line.Way = "sse"
	}
	h := u.pool.Health(k.Server)
	line.State, line.Problem, line.Says = string(h.State), h.Problem, h.Says
	if h.LeftOut > 0 && line.Problem == "" {
		line.Problem = fmt.Sprintf("%d of the things that it offers are left out; trails gateway show FILE %s says which", h.LeftOut, k.Name)
	}
	line.Calls, line.Failed, line.Latency = h.Calls, h.Failed, h.Latency.Milliseconds()
	return line
}

func (u upstreams) list() invoke.Capability {
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: "gateway_list", Description: "List the upstream MCP servers that the file names, how they stand in this process, and the settings of the gateway.",
			InputShape: capability.Shape{Fields: []capability.Field{capability.ReadBranch()}},
			OutputShape: capability.Shape{Fields: []capability.Field{
				{Name: "upstreams", Type: capability.Object, Many: true, Required: true, Fields: upstreamFields},
				{Name: "settings", Type: capability.Object, Required: true, Description: "How their tools are offered and called, as trails.meta.gateway.configure set it; no members are the usual ones."},
				{Name: "embeddings", Type: capability.Object, Description: "How the endpoint of embeddings stands in this process; none without the setting.", Fields: []capability.Field{
					{Name: "state", Type: capability.String, Required: true, OneOf: []any{string(embed.Untrusted), string(embed.Idle), string(embed.Up), string(embed.Down)}},
					{Name: "problem", Type: capability.String},
					{Name: "vectors", Type: capability.Integer, Description: "How many are kept in memory."},
				}},
			}},
			CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
		},
		Hidden: true,
		Handle: func(_ context.Context, r *invoke.Request) (any, error) {
			settings, err := r.Snapshot.GatewaySettings()
			if err != nil {
				r.Warn("The settings cannot be read: %s", fault.Of(err).Told(maxProblem))
			}
			out := struct {
				Upstreams  []upstreamLine   `json:"upstreams"`
				Settings   gateway.Settings `json:"settings"`
				Embeddings *endpointLine    `json:"embeddings,omitempty"`
			}{[]upstreamLine{}, settings, nil}
			if settings.Embeddings != (gateway.Embeddings{}) {
				h := u.embedder.Health(settings.Embeddings)
				out.Embeddings = &endpointLine{string(h.State), h.Problem, h.Vectors}
			}
			for _, k := range r.Snapshot.Upstreams() {
				out.Upstreams = append(out.Upstreams, u.line(k))
			}
			return out, nil
		},
	}
}

func (u upstreams) show() invoke.Capability {
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: "gateway_show", Description: "Reach an upstream MCP server of the file, and list what it offers.",
			InputShape: capability.Shape{Fields: []capability.Field{{Name: "name", Type: capability.String, Required: true}, capability.ReadBranch()}},
			OutputShape: capability.Shape{Fields: append(slices.Clone(upstreamFields),
				capability.Field{Name: "columns", Type: capability.String, Many: true, Required: true},
				capability.Field{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each thing that it offers: kind, id, description, and how it stands to what was accepted: accepted, changed, moved (the server is reached in another way), new, or nothing where nothing was. What has no id cannot be called, and says why."},
			)},
			CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read, Upstream: true}, Idempotent: true,
		},
		Hidden: true,
		Handle: u.showOne,
	}
}

func (u upstreams) showOne(ctx context.Context, r *invoke.Request) (any, error) {
	k, err := gateway.Named(r.Snapshot.Upstreams(), r.Args.Text("name"))
	if err != nil {
		return nil, err
	}
	r.Release()
	c, err := u.pool.Catalog(ctx, k.Server)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	ids := map[string]bool{}
	out := struct {
		upstreamLine
		Columns []string    `json:"columns"`
		Rows    [][4]string `json:"rows"`
	}{u.line(k), []string{"kind", "id", "description", "standing"}, [][4]string{}}
	for _, o := range c.Offered {
		item, err := o.Item(k.Space())
		if err != nil || o.Kind != gateway.Resource && ids[item.ID] || o.NeedsTask {
			continue // it is left out, and told of below
		}
		ids[item.ID] = true
		var standing gateway.Standing
		if k.Pin || len(k.Accepted) > 0 {
			standing = k.Accepted.Standing(k.Server, o)
		}
		out.Rows = append(out.Rows, [4]string{string(o.Kind), item.ID, outline.Shorten(item.Description, toldOffered), string(standing)})
	}
	for _, p := range c.LeftOut(k.Server) {
		out.Rows = append(out.Rows, [4]string{"", "", p.Message})
	}
	return out, nil
}

// toldOffered bounds the characters of a description in a list.
const toldOffered = 200

// changesField are the changes of what a server offers.
var changesField = capability.Field{Name: "changes", Type: capability.Object, Many: true, Required: true, Description: "What the server says, quoted, and not to be followed.", Fields: []capability.Field{
	{Name: "kind", Type: capability.String, Required: true}, {Name: "name", Type: capability.String, Required: true}, {Name: "id", Type: capability.String},
	{Name: "standing", Type: capability.String, Required: true, OneOf: []any{string(gateway.IsNew), string(gateway.IsChanged), string(gateway.IsMoved), string(gateway.IsGone)}, Description: "moved: accepted when the server was reached in another way."},
	{Name: "differences", Type: capability.Object, Many: true, Fields: []capability.Field{
		{Name: "path", Type: capability.String, Required: true}, {Name: "before", Type: capability.String}, {Name: "after", Type: capability.String},
	}},
	{Name: "more", Type: capability.Integer, Description: "Differences beside those."},
}}

// review is what a server does not offer as it was accepted.
type review struct {
	// Offers is how much the server offers.
	Offers  int              `json:"offers"`
	Changes []gateway.Change `json:"changes"`
	// More is how many changes there are beside those that are told.
	More   int    `json:"more_changes,omitempty"`
	Digest string `json:"digest"`
}

// mostTold is how many changes are told.
const mostTold = 100

var reviewFields = []capability.Field{
	{Name: "offers", Type: capability.Integer, Required: true, Description: "How many things the server offers."},
	changesField,
	{Name: "more_changes", Type: capability.Integer},
	{Name: "digest", Type: capability.String, Required: true, Description: "Names these changes."},
}

// reviewOf asks a server what it offers by now, and compares those of these names, all when
// there are none, with what was accepted.
func (u upstreams) reviewOf(ctx context.Context, k gateway.Kept, names []string) (review, []gateway.Change, error) {
	u.pool.Refresh(k.Name)
	c, err := u.pool.Catalog(ctx, k.Server)
	if err != nil {
		return review{}, nil, gateway.AsFault(err)
	}
	changes := k.Accepted.Review(k.Server, c.Offered)
	if len(names) > 0 {
		var known []string
		for _, o := range c.Offered {
			known = append(known, o.Name)
		}
		all := changes
		changes = nil
		for _, name := range names {
			found := slices.Contains(known, name)
			for _, change := range all {
				if change.Offered.Name == name || change.ID == name {
					changes, found = append(changes, change), true
				}
			}
			if !found {
				return review{}, nil, fault.New(fault.Missing, "the upstream %s offers nothing of the name %s%s", k.Name, quote.Text(name, 80), fault.DidYouMean(name, known))
			}
		}
	}
	out := review{Offers: len(c.Offered), Changes: changes, Digest: gateway.Reviewed(k.Server, changes)}
	if out.More = len(changes) - mostTold; out.More > 0 {
		out.Changes = changes[:mostTold]
	} else {
		out.More = 0
	}
	if out.Changes == nil {
		out.Changes = []gateway.Change{}
	}
	return out, changes, nil
}

func (u upstreams) refresh() invoke.Capability {
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: "gateway_refresh", Description: "Ask an upstream MCP server anew what it offers, and say what is not as it was accepted.",
			InputShape:   capability.Shape{Fields: []capability.Field{{Name: "name", Type: capability.String, Required: true}, capability.ReadBranch()}},
			OutputShape:  capability.Shape{Fields: reviewFields},
			CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read, Upstream: true}, Idempotent: true,
		},
		Hidden: true,
		Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
			k, err := gateway.Named(r.Snapshot.Upstreams(), r.Args.Text("name"))
			if err != nil {
				return nil, err
			}
			r.Release()
			out, _, err := u.reviewOf(ctx, k, nil)
			return out, err
		},
	}
}

func (u upstreams) accept() invoke.Capability {
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: "trails.meta.gateway.accept", Description: "Accept what an upstream MCP server offers, as it is now. A person has seen the changes: with dry_run they are told and nothing is accepted.",
			InputShape: capability.Shape{Fields: append([]capability.Field{
				{Name: "name", Type: capability.String, Required: true},
				{Name: "tools", Type: capability.String, Many: true, Description: "Names or ids of what is accepted; all when left out."},
				{Name: "digest", Type: capability.String, Description: "Of the changes that the person has seen; others are not accepted."},
			}, capability.FieldsOf[capability.WriteArguments]()...)},
			OutputShape: capability.Shape{Fields: append(slices.Clone(reviewFields), capability.FieldsOf[invoke.Written]()...)},
			SideEffects: capability.Destroys, CostEstimate: capability.CostResult,
			PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply, Upstream: true}, Idempotent: true,
		},
		Hidden: true,
		Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
			k, err := gateway.Named(r.Snapshot.Upstreams(), r.Args.Text("name"))
			if err != nil {
				return nil, err
			}
			set, err := r.ChangeSet(ctx)
			if err != nil {
				return nil, err
			}
			r.Release()
			var names []string
			for _, v := range r.Args.List("tools") {
				name, _ := v.(string) // the arguments fit their shape
				names = append(names, name)
			}
			reviewed, changes, err := u.reviewOf(ctx, k, names)
			if err != nil {
				return nil, err
			}
			if digest := r.Args.Text("digest"); digest != "" && digest != reviewed.Digest {
				return nil, fault.New(fault.Conflict, "the upstream %s offers something else than what was seen; look at it again with dry_run", k.Name)
			}
			result, err := r.Session().AcceptUpstream(ctx, k.Server, changes, set)
			if err != nil {
				return nil, err
			}
			return struct {
				review
				invoke.Written
			}{reviewed, r.Committed(result, set.DryRun)}, nil
		},
	}
}

// kept is a capability that keeps in the file what an object says.
func kept[T any](id, description string, field capability.Field, parse func(*invoke.Request, []byte) (T, error), put func(*kg.Session, context.Context, T, kg.ChangeSet) (kg.Result, error)) invoke.Capability {
	field.Type, field.Required = capability.Object, true
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: id, Description: description,
			InputShape:  capability.Shape{Fields: append([]capability.Field{field}, capability.FieldsOf[capability.WriteArguments]()...)},
			OutputShape: capability.Shape{Fields: capability.FieldsOf[invoke.Written]()},
			SideEffects: capability.Destroys, CostEstimate: capability.CostConstant,
			PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply}, Idempotent: true,
		},
		Hidden: true,
		Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
			text, err := jsontext.Marshal(r.Args.Object(field.Name))
			if err != nil {
				return nil, fmt.Errorf("encode %s: %w", field.Name, err)
			}
			value, err := parse(r, text)
			if err != nil {
				return nil, atField(err, field.Name)
			}
			return editUpstream(ctx, r, func(s *kg.Session, set kg.ChangeSet) (kg.Result, error) { return put(s, ctx, value, set) })
		},
	}
}

var gatewayAdd = kept("trails.meta.gateway.add", "Name an upstream MCP server in the file, in the place of one with the same name. It is reached where somebody at the machine agrees.",
	capability.Field{Name: "definition", Description: "name; command (a list), http or sse; env, headers (secrets as ${NAME}), caller_header or caller_env (of which each caller gives the value), namespace, include, exclude, required, pin, timeout_ms, concurrency."},
	func(r *invoke.Request, text []byte) (gateway.Server, error) {
		s, err := gateway.ParseServer(text)
		s.Via = r.Door()
		return s, err
	}, (*kg.Session).PutUpstream)

var gatewayConfigure = kept("trails.meta.gateway.configure", "Set how tools of upstream MCP servers are offered and called, in the place of what was set.",
	capability.Field{Name: "settings", Description: "tolerant_args, cache_stable, retry (max_attempts, base_delay_ms, max_delay_ms, jitter, retryable_codes), cache (read_only, allow, ttl_s, entries), rate_limits (meta_tools and tools, each by name: max_calls_per_minute, max_calls_per_session), result_chars, embeddings (url, model, key_env: a variable of the environment). What is left out is as usual."},
	func(_ *invoke.Request, text []byte) (gateway.Settings, error) { return gateway.ParseSettings(text) }, (*kg.Session).PutGatewaySettings)

// atField puts a field before those that a fault names.
func atField(err error, field string) error {
	f := *fault.Of(err)
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		f.Fields[i].Field = strings.TrimSuffix(field+"."+f.Fields[i].Field, ".")
	}
	return &f
}

var gatewayRemove = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "trails.meta.gateway.remove", Description: "Remove an upstream MCP server from the file.",
		InputShape: capability.Shape{Fields: append([]capability.Field{
			{Name: "name", Type: capability.String, Required: true},
		}, capability.FieldsOf[capability.WriteArguments]()...)},
		OutputShape: capability.Shape{Fields: capability.FieldsOf[invoke.Written]()},
		SideEffects: capability.Destroys, CostEstimate: capability.CostConstant,
		PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply}, Idempotent: true,
	},
	Hidden: true,
	Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
		name := r.Args.Text("name")
		return editUpstream(ctx, r, func(s *kg.Session, set kg.ChangeSet) (kg.Result, error) { return s.RemoveUpstream(ctx, name, set) })
	},
}

func editUpstream(ctx context.Context, r *invoke.Request, edit func(*kg.Session, kg.ChangeSet) (kg.Result, error)) (any, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	r.Release()
	result, err := edit(r.Session(), set)
	if err != nil {
		return nil, err
	}
	return r.Committed(result, set.DryRun), nil
}
