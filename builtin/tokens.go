package builtin

import (
	"context"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// administers is what capabilities about tokens and budgets need.
var administers = capability.Requirement{Scope: policy.Builder, Action: policy.Administer}

// tokenView is a token as its tools answer it, without its secret.
type tokenView struct {
	Name    string   `json:"name"`
	State   string   `json:"state" oneof:"valid,expired,revoked"`
	Scopes  []string `json:"scopes" doc:"The most that callers with it may have; the process may have less."`
	Groups  []string `json:"groups,omitempty"`
	Expires string   `json:"expires,omitempty" doc:"Left out if it never does."`
	Client  string   `json:"client,omitempty" doc:"The host of the client to which its creator gave it; left out of a token that was issued."`
}

func viewToken(t policy.Token, now time.Time) tokenView {
	v := tokenView{Name: t.Name, State: tokenState(t, now), Scopes: t.Scopes.List(), Groups: t.Groups}
	if !t.Expires.IsZero() {
		v.Expires = timeText(t.Expires)
	}
	if t.Grant != nil {
		v.Client = t.Grant.Host
	}
	return v
}

// grantState is the state of a token among all of a graph: what a person gave to a client ends with the person's own token.
func grantState(t policy.Token, byName map[string]policy.Token, now time.Time) string {
	state := tokenState(t, now)
	if t.Grant == nil || state != "valid" {
		return state
	}
	name, ofGraph := strings.CutPrefix(t.Grant.Person, policy.TokenActor)
	own, found := byName[name]
	switch {
	case !ofGraph:
		return state
	case !found || own.Created.After(t.Created):
		return "revoked"
	}
	return tokenState(own, now)
}

func tokenState(t policy.Token, now time.Time) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Valid(now):
		return "expired"
	}
	return "valid"
}

// issued is the answer about a token that was issued.
type issued struct {
	Token string `json:"token,omitempty" doc:"The secret, which callers send. It is shown this once and is not kept. Left out where it was only tried."`
	tokenView
	DryRun bool `json:"dry_run" doc:"Whether this was only tried."`
}

var tokenCreate = invoke.Define(capability.Descriptor{
	ID: "trails.meta.token.create", Description: "Issue a token, by which a caller is known. Its secret is shown once. From the first token on, callers over HTTP have to show one.",
	CostEstimate: capability.CostConstant, PolicyRequired: administers, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name    string   `json:"name" is:"brief" min:"1" max:"40" doc:"For whom it is: a-z, 0-9 and dashes."`
	Scopes  []string `json:"scopes,omitempty" oneof:"builder,dev,runtime" doc:"The most that callers with it may have; runtime when left out."`
	Groups  []string `json:"groups,omitempty" doc:"Groups that the caller is in."`
	Expires string   `json:"expires,omitempty" max:"40" doc:"A number with d, h or m, such as 90d, or a date or time; never when left out."`
	capability.TryArgument
}) (*issued, error) {
	expires, err := expiryOf(in.Expires, r.Began())
	if err != nil {
		return nil, err
	}
	scopes, err := policy.ParseScopes(strings.Join(in.Scopes, ","))
	if err != nil {
		return nil, err
	}
	if text, _, _ := r.Snapshot.Policies(); text == "" {
		r.Warn("there are no policies: %s", kg.ReadOnly)
	}
	var secret string
	t, err := changed(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (t policy.Token, err error) {
		t, secret, err = s.IssueToken(ctx, kg.NewToken{Name: in.Name, Scopes: scopes, Groups: in.Groups, Expires: expires}, in.DryRun, a)
		return t, err
	})
	return &issued{secret, viewToken(t, r.Began()), in.DryRun}, err
}, invoke.On())

// expiryOf reads when a token expires: a time from now on, a day or a time; the zero time for "".
func expiryOf(text string, now time.Time) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	if after, ok := durationOf(text); ok {
		return now.Add(after), nil
	}
	if at, err = moment(text); err != nil {
		return at, fault.Argument("expires", fault.Pattern, text, "give "+durationForm+"90d, or a date or time, such as 2027-01-31 or 2027-01-31T12:00:00Z")
	}
	return at, nil
}

var tokenCells = capability.CellsOf("name:string", "state:string", "scopes:string", "groups:string", "expires:string null", "used:string null", "creator:string", "created:string", "revoker:string null", "revoked:string null", "client:string null")

var tokenList = invoke.Define(capability.Descriptor{
	ID: "trails.meta.token.list", Description: "List the tokens that the graph issued, with their last use. Their secrets are not kept.",
	OutputShape:  rowsOf("A list for each token: its name, state, scopes, groups, when it expires, when a call with it was recorded last, who made it when, who revoked it when, and the host of the client to which its creator gave it.", tokenCells),
	CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, _ struct{ capability.NoView }) (*rowsAnswer, error) {
	list, err := r.Snapshot.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	out := &rowsAnswer{table: tableOf(tokenCells)}
	if !r.Snapshot.SeesAll() {
		warnOfPart(r, "tokens")
	}
	byName := make(map[string]policy.Token, len(list))
	for _, t := range list {
		byName[t.Name] = t
	}
	return out, fill(r, &out.table, "tokens", slices.Values(list), func(t policy.Token) []any {
		v, revoker, client := viewToken(t, r.Began()), any(t.Revoker), any(nil)
		v.State = grantState(t, byName, r.Began())
		if v.Client != "" {
			client = v.Client
		}
		if t.Revoked.IsZero() {
			revoker = nil
		}
		return []any{v.Name, v.State, strings.Join(v.Scopes, " "), strings.Join(v.Groups, " "), timeOrNil(t.Expires), timeOrNil(t.Used), t.Creator, timeText(t.Created), revoker, timeOrNil(t.Revoked), client}
	})
}, invoke.On())

var tokenRevoke = invoke.Define(capability.Descriptor{
	ID: "trails.meta.token.revoke", Description: "End the validity of a token at once, in every process. It stays in the list, and its name is not given again.",
	CostEstimate: capability.CostConstant, PolicyRequired: administers, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name   string `json:"name" is:"brief" min:"1" max:"40"`
	Forget bool   `json:"forget,omitempty" doc:"Takes it out of the list, too. A graph without any token asks callers for none."`
	capability.TryArgument
}) (*revoked, error) {
	t, err := changed(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (policy.Token, error) {
		return s.RevokeToken(ctx, in.Name, in.Forget, in.DryRun, a)
	})
	if err == nil && t.Revoked.Before(r.Began()) && !in.Forget {
		r.Warn("token %s was revoked before, by %s, so nothing was changed", in.Name, t.Revoker)
	}
	return &revoked{viewToken(t, r.Began()), in.Forget, in.DryRun}, err
}, invoke.On())

// revoked is the answer about a token that was revoked.
type revoked struct {
	tokenView
	Forgotten bool `json:"forgotten,omitempty" doc:"Whether nothing of it stays."`
	DryRun    bool `json:"dry_run" doc:"Whether this was only tried."`
}

var grantCells = capability.CellsOf("name:string", "client:string", "scopes:string", "server:string", "given:string", "expires:string null", "used:string null")

var grantList = invoke.Define(capability.Descriptor{
	ID: "trails.meta.grant.list", Description: "List the programs that the caller connected by OAuth, and that act in their name until that ends.",
	OutputShape:  rowsOf("A list for each, the newest first: its name, the host of the client, the scopes, the server that it is for, when it was given, when it expires, and when a call with it was recorded last.", grantCells),
	CostEstimate: capability.CostConstant, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, _ struct{ capability.NoView }) (*rowsAnswer, error) {
	list, err := r.Session().Given(ctx)
	if err != nil {
		return nil, err
	}
	if !r.Principal.Authenticated {
		r.Warn("who you are is not known, so nothing is yours; show a token")
	}
	out := &rowsAnswer{table: tableOf(grantCells)}
	return out, fill(r, &out.table, "grants", slices.Values(list), func(t policy.Token) []any {
		return []any{t.Name, t.Grant.Host, strings.Join(t.Scopes.List(), " "), t.Grant.Issuer, timeText(t.Created), timeOrNil(t.Expires), timeOrNil(t.Used)}
	})
}, invoke.On())

var grantEnd = invoke.Define(capability.Descriptor{
	ID: "trails.meta.grant.end", Description: "End the access that the caller gave to a program by OAuth, at once, in every process. What others gave is ended by trails.meta.token.revoke.",
	CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Action: policy.Own}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name string `json:"name" is:"brief" min:"1" max:"40" doc:"As trails.meta.grant.list has it."`
	capability.TryArgument
}) (*revoked, error) {
	t, err := changed(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (policy.Token, error) {
		return s.EndGrant(ctx, in.Name, in.DryRun, a)
	})
	return &revoked{viewToken(t, r.Began()), false, in.DryRun}, err
}, invoke.On())
