package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trails/auth/oidc"
)

// identity is what the flags say of the identity provider; the environment says what they do not.
type identity struct {
	issuer, groups, prefix, skew, client string
	audiences                            []string
}

// identityFlags name the identity provider whose tokens mcp and serve know.
func (p *program) identityFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&p.identity.issuer, "oidc-issuer", "", "`URL` of an identity provider (OpenID Connect), whose tokens count beside those of the graph (default: TRAILS_OIDC_ISSUER)")
	flags.StringArrayVar(&p.identity.audiences, "oidc-audience", nil, "`AUDIENCE` for which the provider gives tokens for this graph; may be given again (default: TRAILS_OIDC_AUDIENCE, then for serve its address and that of /mcp)")
	flags.StringVar(&p.identity.groups, "oidc-groups-claim", "", "`CLAIM` of those tokens with the caller's groups (default: TRAILS_OIDC_GROUPS_CLAIM, then groups)")
	flags.StringVar(&p.identity.prefix, "oidc-scope-prefix", "", "`PREFIX` that the provider has before runtime, builder and dev in the names of scopes (default: TRAILS_OIDC_SCOPE_PREFIX, then none)")
	if cmd.Name() == "serve" {
		flags.StringVar(&p.identity.client, "oidc-client-id", "", "`ID` of this server at the provider, with which people sign in there from the pages; its secret is in TRAILS_OIDC_CLIENT_SECRET (default: TRAILS_OIDC_CLIENT_ID)")
	}
	flags.StringVar(&p.identity.skew, "oidc-clock-skew", "", "`DURATION` by which the provider's clock may differ, at most 10m (default: TRAILS_OIDC_CLOCK_SKEW, then 1m)")
}

// provider is the identity provider, nil if there is none. Its tokens are for one of the default audiences, unless others
// are given.
func (p *program) provider(audiences []string) (*oidc.Provider, error) {
	o := oidc.Options{
		Issuer:      cmp.Or(p.identity.issuer, p.env["TRAILS_OIDC_ISSUER"]),
		Audiences:   p.audiencesGiven(),
		GroupsClaim: cmp.Or(p.identity.groups, p.env["TRAILS_OIDC_GROUPS_CLAIM"]),
		ScopePrefix: cmp.Or(p.identity.prefix, p.env["TRAILS_OIDC_SCOPE_PREFIX"]),
		Skew:        oidc.DefaultSkew,
		ClientID:    cmp.Or(p.identity.client, p.env["TRAILS_OIDC_CLIENT_ID"]), ClientSecret: p.env["TRAILS_OIDC_CLIENT_SECRET"],
		Log: p.log,
	}
	skew := cmp.Or(p.identity.skew, p.env["TRAILS_OIDC_CLOCK_SKEW"])
	if o.Issuer == "" {
		if len(o.Audiences) > 0 || o.GroupsClaim+o.ScopePrefix+skew+o.ClientID != "" {
			return nil, usageError{"there is a setting for an identity provider, and none is named: give --oidc-issuer or TRAILS_OIDC_ISSUER"}
		}
		return nil, nil
	}
	if len(o.Audiences) == 0 {
		o.Audiences = audiences
	}
	if len(o.Audiences) == 0 {
		return nil, usageError{"tokens of " + o.Issuer + " for other servers are not for this one: give --oidc-audience or TRAILS_OIDC_AUDIENCE, the name that the provider has for this graph"}
	}
	if skew != "" {
		var err error
		if o.Skew, err = time.ParseDuration(skew); err != nil {
			return nil, usageError{"--oidc-clock-skew and TRAILS_OIDC_CLOCK_SKEW are a duration, such as 30s, not " + skew}
		}
	}
	if caches, err := os.UserCacheDir(); err == nil {
		o.Cache = filepath.Join(caches, "trails", "keys")
	}
	return oidc.New(o)
}

// audiencesGiven are the audiences that somebody gave, none if they follow from the address.
func (p *program) audiencesGiven() []string {
	if len(p.identity.audiences) > 0 {
		return p.identity.audiences
	}
	return strings.Fields(p.env["TRAILS_OIDC_AUDIENCE"])
}

// reach asks the identity provider for its keys, so that the first caller need not wait. A provider that is away stops
// nothing: the log says so, and it is asked again.
func reach(ctx context.Context, provider *oidc.Provider) {
	if provider != nil {
		_ = provider.Fetch(ctx) // the log has it
	}
}
