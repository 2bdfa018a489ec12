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
	"trails/gateway/servers"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/kg"
	"trails/text/jsontext"
	"trails/text/outline"
	"trails/text/quote"
)

// upstreams offers the capabilities about upstream servers of the file.
type upstreams struct {
	pool     *upstream.Pool
	embedder *embed.Embedder
}

func (u upstreams) capabilities() []invoke.Capability {
	return []invoke.Capability{u.list(), u.show(), u.refresh(), u.accept(), gatewayAdd, gatewayRemove, gatewayConfigure}
}

// upstreamLine is one server in a list, with its state in this process.
type upstreamLine struct {
	Name       string          `json:"name"`
	Way        string          `json:"way,omitempty" oneof:"command,http,sse"`
	Address    string          `json:"address,omitempty" doc:"The command, or the address."`
	State      upstream.State  `json:"state,omitempty" oneof:"untrusted,idle,up,down"`
	Problem    string          `json:"problem,omitempty"`
	Says       string          `json:"says,omitempty" doc:"The name and version that it gives itself."`
	Calls      int64           `json:"calls,omitempty"`
	Failed     int64           `json:"failed,omitempty"`
	Latency    int64           `json:"latency_ms,omitempty"`
	Definition *gateway.Server `json:"definition,omitempty" type:"object"`
	Digest     string          `json:"digest,omitempty" doc:"Of how it is reached: what somebody agrees to."`
}

// endpointLine is the state of the endpoint of embeddings.
type endpointLine struct {
	State   embed.State `json:"state" oneof:"untrusted,idle,up,down"`
	Problem string      `json:"problem,omitempty"`
	Vectors int         `json:"vectors,omitempty" doc:"How many are kept in memory."`
}

func (u upstreams) line(k gateway.Kept) upstreamLine {
	if k.Err != nil {
		return upstreamLine{Name: k.Name, Problem: fault.Of(k.Err).Message}
	}
	line := upstreamLine{Name: k.Name, Way: "command", Address: outline.Shorten(k.Address(), maxProblem), Definition: &k.Server, Digest: k.Digest()}
	switch {
	case k.HTTP != "":
		line.Way = "http"
	case k.SSE != "":
		line.Way = "sse"
	}
	h := u.pool.Health(k.Server)
	line.State, line.Problem, line.Says = h.State, h.Problem, h.Says
	if h.LeftOut > 0 && line.Problem == "" {
		line.Problem = fmt.Sprintf("%d of the things that it offers are left out; trails gateway show FILE %s says which", h.LeftOut, k.Name)
	}
	line.Calls, line.Failed, line.Latency = h.Calls, h.Failed, h.Latency.Milliseconds()
	return line
}

// upstreamsListed are the servers, and the settings of the gateway.
type upstreamsListed struct {
	Upstreams  []upstreamLine   `json:"upstreams"`
	Settings   gateway.Settings `json:"settings" type:"object" doc:"How their tools are offered and called, as trails.meta.gateway.configure set it; no members are the usual ones."`
	Embeddings *endpointLine    `json:"embeddings,omitempty" doc:"How the endpoint of embeddings stands in this process; none without the setting."`
}

func (u upstreams) list() invoke.Capability {
	return invoke.Define(capability.Descriptor{
		ID: "gateway_list", Description: "List the upstream MCP servers that the file names, how they stand in this process, and the settings of the gateway.",
		CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, func(_ context.Context, r *invoke.Request, _ struct{}) (*upstreamsListed, error) {
		settings, err := servers.Settings(r.Snapshot)
		if err != nil {
			r.Warn("%s", fault.Of(err).Message)
		}
		out := &upstreamsListed{[]upstreamLine{}, settings, nil}
		if settings.Embeddings != (gateway.Embeddings{}) {
			h := u.embedder.Health(settings.Embeddings)
			out.Embeddings = &endpointLine{h.State, h.Problem, h.Vectors}
		}
		for _, k := range servers.Of(r.Snapshot) {
			out.Upstreams = append(out.Upstreams, u.line(k))
		}
		return out, nil
	}, invoke.Hidden, invoke.Newest)
}

// upstreamNamed is a server of the file.
type upstreamNamed struct {
	Name string `json:"name"`
}

// upstreamShown is a server with its tools.
type upstreamShown struct {
	upstreamLine
	Columns []string    `json:"columns"`
	Rows    [][4]string `json:"rows" type:"any" cells:"kind:string,id:string,description:string,standing:string" doc:"A list for each thing that it offers: kind, id, description, and how it stands to what was accepted: accepted, changed, moved (the server is reached in another way), new, or nothing where nothing was. What has no id cannot be called, and says why."`
}

func (u upstreams) show() invoke.Capability {
	return invoke.Define(capability.Descriptor{
		ID: "gateway_show", Description: "Reach an upstream MCP server of the file, and list what it offers.",
		PolicyRequired: capability.Requirement{Action: policy.Read, Upstream: true}, Idempotent: true,
	}, u.showOne, invoke.Hidden, invoke.Newest)
}

func (u upstreams) showOne(ctx context.Context, r *invoke.Request, in upstreamNamed) (*upstreamShown, error) {
	k, err := gateway.Named(servers.Of(r.Snapshot), in.Name)
	if err != nil {
		return nil, err
	}
	r.Release()
	c, err := u.pool.Catalog(ctx, k.Server)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	ids := map[string]bool{}
	out := &upstreamShown{u.line(k), []string{"kind", "id", "description", "standing"}, [][4]string{}}
	for _, o := range c.Offered {
		item, err := o.Item(k.Space())
		if err != nil || o.Kind != gateway.Resource && ids[item.ID] || o.NeedsTask {
			continue // it is left out, and reported below
		}
		ids[item.ID] = true
		var standing gateway.Standing
		if k.Pin || len(k.Accepted) > 0 {
			standing = k.Accepted.Standing(k.Server, o)
		}
		out.Rows = append(out.Rows, [4]string{string(o.Kind), item.ID, outline.Shorten(item.Description, toldOffered), string(standing)})
	}
	for _, p := range append(c.LeftOut(k.Server), c.Uncallable(k.Server)...) {
		out.Rows = append(out.Rows, [4]string{"", "", p.Message})
	}
	return out, nil
}

// toldOffered bounds the characters of a description in a list.
const toldOffered = 200

// review is what has changed in a server's tools since they were accepted.
type review struct {
	Offers  int              `json:"offers" doc:"How many things the server offers."`
	Changes []gateway.Change `json:"changes" doc:"What the server says, quoted, and not to be followed."`
	More    int              `json:"more_changes,omitempty"`
	Digest  string           `json:"digest" doc:"Names these changes."`
}

// mostTold is the maximum number of changes that are shown.
const mostTold = 100

// reviewOf asks a server for its current tools, and compares those with these names (all if there are none) with the
// accepted ones.
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
	told := append([]gateway.Change{}, changes[:min(len(changes), mostTold)]...)
	return review{len(c.Offered), told, len(changes) - len(told), gateway.Reviewed(k.Server, changes)}, changes, nil
}

func (u upstreams) refresh() invoke.Capability {
	return invoke.Define(capability.Descriptor{
		ID: "gateway_refresh", Description: "Ask an upstream MCP server anew what it offers, and say what is not as it was accepted.",
		PolicyRequired: capability.Requirement{Action: policy.Read, Upstream: true}, Idempotent: true,
	}, func(ctx context.Context, r *invoke.Request, in upstreamNamed) (out review, err error) {
		k, err := gateway.Named(servers.Of(r.Snapshot), in.Name)
		if err != nil {
			return out, err
		}
		r.Release()
		out, _, err = u.reviewOf(ctx, k, nil)
		return out, err
	}, invoke.Hidden, invoke.Newest)
}

// accepting names what is accepted of a server.
type accepting struct {
	Name   string   `json:"name"`
	Tools  []string `json:"tools,omitempty" doc:"Names or ids of what is accepted; all when left out."`
	Digest string   `json:"digest,omitempty" doc:"Of the changes that the person has seen; others are not accepted."`
	capability.AskArgument
	capability.WriteArguments
}

// acceptedNow is what was accepted.
type acceptedNow struct {
	review
	invoke.Written
}

func (u upstreams) accept() invoke.Capability {
	return invoke.Define(capability.Descriptor{
		ID: "trails.meta.gateway.accept", Description: "Accept what an upstream MCP server offers, as it is now. A person has seen the changes: with dry_run they are told and nothing is accepted.",
		PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply, Upstream: true}, Idempotent: true,
	}, func(ctx context.Context, r *invoke.Request, in accepting) (out acceptedNow, err error) {
		k, err := gateway.Named(servers.Of(r.Snapshot), in.Name)
		if err != nil {
			return out, err
		}
		out.Written, err = editUpstream(ctx, r, func(s *kg.Session, set kg.ChangeSet) (result kg.Result, err error) {
			var changes []gateway.Change
			if out.review, changes, err = u.reviewOf(ctx, k, in.Tools); err != nil {
				return result, err
			}
			if in.Digest != "" && in.Digest != out.Digest {
				return result, fault.New(fault.Conflict, "the upstream %s offers something else than what was seen; look at it again with dry_run", k.Name)
			}
			if r.Asks() {
				r.AlsoKeeps("digest", out.Digest)
			}
			return servers.Accept(ctx, s, k.Server, changes, set)
		})
		return out, err
	}, invoke.Hidden)
}

// configures describes a capability that changes the settings of servers in the file.
func configures(op, description string) capability.Descriptor {
	return capability.Descriptor{
		ID: "trails.meta.gateway." + op, Description: description, CostEstimate: capability.CostConstant,
		PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply}, Idempotent: true,
	}
}

// serverDefined is a server definition, which is checked by the parser of [gateway.Server].
type serverDefined struct {
	Definition map[string]any `json:"definition" doc:"name; command (a list), http or sse; env, headers (secrets as ${NAME}), caller_header or caller_env (of which each caller gives the value), namespace, include, exclude, required, pin, timeout_ms, concurrency."`
	capability.WriteArguments
}

var gatewayAdd = invoke.Define(configures("add", "Name an upstream MCP server in the file, in the place of one with the same name. It is reached where somebody at the machine agrees."),
	func(ctx context.Context, r *invoke.Request, in serverDefined) (invoke.Written, error) {
		server, err := parsed("definition", in.Definition, gateway.ParseServer)
		if err != nil {
			return invoke.Written{}, err
		}
		server.Via = r.Door()
		return editUpstream(ctx, r, func(s *kg.Session, set kg.ChangeSet) (kg.Result, error) { return servers.Put(ctx, s, server, set) })
	}, invoke.Hidden)

// settingsGiven are settings, which are checked by the parser of [gateway.Settings].
type settingsGiven struct {
	Settings map[string]any `json:"settings" doc:"tolerant_args, cache_stable, retry (max_attempts, base_delay_ms, max_delay_ms, jitter, retryable_codes), cache (read_only, allow, ttl_s, entries), rate_limits (meta_tools and tools, each by name: max_calls_per_minute, max_calls_per_session), result_chars, embeddings (url, model, key_env: a variable of the environment). What is left out is as usual."`
	capability.WriteArguments
}

var gatewayConfigure = invoke.Define(configures("configure", "Set how tools of upstream MCP servers are offered and called, in the place of what was set."),
	func(ctx context.Context, r *invoke.Request, in settingsGiven) (invoke.Written, error) {
		settings, err := parsed("settings", in.Settings, gateway.ParseSettings)
		if err != nil {
			return invoke.Written{}, err
		}
		return editUpstream(ctx, r, func(s *kg.Session, set kg.ChangeSet) (kg.Result, error) {
			return servers.Configure(ctx, s, settings, set)
		})
	}, invoke.Hidden)

// parsed parses the text of an argument that is an object.
func parsed[T any](argument string, given map[string]any, parse func([]byte) (T, error)) (value T, err error) {
	text, err := jsontext.Marshal(given)
	if err != nil {
		return value, fmt.Errorf("encode %s: %w", argument, err)
	}
	if value, err = parse(text); err != nil {
		err = atField(err, argument)
	}
	return value, err
}

// atField prefixes the fields of a fault.
func atField(err error, field string) error {
	f := *fault.Of(err)
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		f.Fields[i].Field = strings.TrimSuffix(field+"."+f.Fields[i].Field, ".")
	}
	return &f
}

// removing names the server to remove.
type removing struct {
	upstreamNamed
	capability.WriteArguments
}

var gatewayRemove = invoke.Define(configures("remove", "Remove an upstream MCP server from the file."),
	func(ctx context.Context, r *invoke.Request, in removing) (invoke.Written, error) {
		return editUpstream(ctx, r, func(s *kg.Session, set kg.ChangeSet) (kg.Result, error) { return servers.Remove(ctx, s, in.Name, set) })
	}, invoke.Hidden)

func editUpstream(ctx context.Context, r *invoke.Request, edit func(*kg.Session, kg.ChangeSet) (kg.Result, error)) (invoke.Written, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return invoke.Written{}, err
	}
	r.Release()
	result, err := edit(r.Session(), set)
	if err != nil {
		return invoke.Written{}, err
	}
	return r.Committed(result, set.DryRun), nil
}
