package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/auth"
	"trails/auth/policy"
	"trails/builtin/surface"
	"trails/capability/project"
	"trails/invoke"
	"trails/mcp"
)

func (p *program) mcpCommand() *cobra.Command {
	var env string
	var operator bool
	cmd := &cobra.Command{
		Use:   "mcp FILE",
		Short: "Serve the graph to an agent: MCP over stdio",
		Long: `Serve FILE to one agent, as a Model Context Protocol server on stdin and stdout. Nothing
but the protocol goes to stdout; the log goes to stderr. Any number of processes may
have FILE open at once.

Whoever starts it is its operator, who may do what TRAILS_MCP_SCOPES names, without a token.
In production (TRAILS_ENV or --env) they have runtime at most, unless --operator says that
they are the operator. With TRAILS_MCP_TOKEN no method works before the client has shown
that token: in its environment as TRAILS_TOKEN, which the program that starts this one sets,
or in its messages. --oidc-issuer and --oidc-audience name an identity provider, whose tokens
(JWT) may be shown there, too.
` + remoteHelp + fileHelp,
		Example: `  trails mcp notes.trails
  TRAILS_MCP_SCOPES=runtime,builder trails mcp notes.trails
  TRAILS_ENV=production TRAILS_MCP_SCOPES=runtime,builder trails mcp notes.trails --operator
  TRAILS_MCP_TOKEN=secret TRAILS_TOKEN=secret TRAILS_MCP_SCOPES=runtime,builder trails mcp notes.trails`,
		Annotations: map[string]string{serves: "stdio"},
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			if err := p.overrideEnv(env); err != nil {
				return err
			}
			return p.mcp(cmd.Context(), file, operator)
		}),
	}
	cmd.Flags().StringVar(&env, "env", "", "`ENVIRONMENT`: dev, or production, which hides dev tools (default: TRAILS_ENV, then dev)")
	completeWords(cmd, "env", "dev", "production")
	cmd.Flags().BoolVar(&operator, "operator", false, "in production, too, whoever starts this may do what TRAILS_MCP_SCOPES names, without a token")
	p.callFlags(cmd)
	return cmd
}

// callFlags are the flags of mcp and serve about what they list and what a call may take.
func (p *program) callFlags(cmd *cobra.Command) {
	p.remoteFlag(cmd)
	p.queryWaitFlag(cmd)
	p.massChangeFlag(cmd)
	p.storedToolsFlag(cmd)
	p.artifactFlags(cmd)
	p.toolErrorsFlag(cmd)
	p.surfaceFlag(cmd)
	p.identityFlags(cmd)
}

// surfaceFlag sets which tools a list has.
func (p *program) surfaceFlag(cmd *cobra.Command) {
	p.surface = surface.Auto
	cmd.Flags().Func("surface", "the `SURFACE`, which tools agents are shown: "+words(surface.Modes())+", where full has a set for each type, compact one for all types, gateway tools that find and call any, and proxy each tool without its arguments; auto is gateway where the file names upstream servers, and else full while that costs a model at most 5,000 tokens (default auto)", func(text string) error {
		if p.surface = surface.Mode(text); !slices.Contains(surface.Modes(), p.surface) {
			return fmt.Errorf("it is %s", words(surface.Modes()))
		}
		return nil
	})
	completeWords(cmd, "surface", texts(surface.Modes())...)
}

func (p *program) mcp(ctx context.Context, file string, operator bool) error {
	callers, err := p.authOptions()
	if err != nil {
		return err
	}
	if callers.Provider, err = p.provider(nil); err != nil {
		return err
	}
	callers.ID, callers.Shown = me().ID, p.env["TRAILS_TOKEN"]
	callers.Operator = operator || p.env["TRAILS_ENV"] != policy.Production
	if operator && callers.Token != "" {
		return usageError{"--operator is for a process that asks for no token: leave TRAILS_MCP_TOKEN out, or leave --operator out and give the client the token in TRAILS_TOKEN"}
	}
	return p.withTracedEngine(ctx, file, nil, func(e *invoke.Engine) error {
		callers.Issued, callers.Refused = e.Graph(), p.refused(e)
		who := auth.New(callers)
		if !who.Signed(callers.Shown) {
			p.tellScopes(callers, false)
		} else if err := p.tellCaller(ctx, who, policy.NameInSecret(callers.Shown)); err != nil {
			return err
		}
		if who.NeedsToken() || who.Signed(callers.Shown) {
			governed, err := hasPolicies(ctx, e.Graph())
			if err != nil {
				return err
			}
			if !governed {
				p.tellReadOnly()
			}
		}
		opts, err := p.mcpOptions(who)
		if err != nil {
			return err
		}
		opts.Follow = p.follow(e)
		if err := p.tellTools(ctx, e); err != nil {
			return err
		}
		err = mcp.New(e, opts).RunStdio(auth.WithVariables(ctx, p.env), p.stdin, p.stdout)
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return nil // shutdown was requested, and is complete
		}
		return err
	})
}

// follow notifies clients of changes of resources of upstream servers.
func (p *program) follow(e *invoke.Engine) func(context.Context, string, invoke.Call, func()) (func(), error) {
	return func(ctx context.Context, uri string, c invoke.Call, updated func()) (func(), error) {
		return p.gateway.Follow(ctx, e, c, uri, updated)
	}
}

func (p *program) mcpOptions(who *auth.Resolver) (mcp.Options, error) {
	o := mcp.Options{Name: "trails", Version: version, Auth: who, Log: p.log,
		ToolErrors: mcp.ToolErrors(cmp.Or(p.toolErrors, p.env["TRAILS_MCP_TOOL_ERRORS"], string(mcp.ToolErrorsAuto)))}
	if !slices.Contains(mcp.AllToolErrors(), o.ToolErrors) {
		return o, usageError{fmt.Sprintf("--tool-errors and TRAILS_MCP_TOOL_ERRORS are %s, not %q", words(mcp.AllToolErrors()), o.ToolErrors)}
	}
	return o, nil
}

// toolErrorsFlag sets how tools report invalid arguments.
func (p *program) toolErrorsFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.toolErrors, "tool-errors", "",
		"the `WAY` in which tools answer invalid arguments and data: "+words(mcp.AllToolErrors())+", where auto is the protocol's own way, and result is for hosts that do not show errors to the model (default: TRAILS_MCP_TOOL_ERRORS, then auto)")
	completeWords(cmd, "tool-errors", texts(mcp.AllToolErrors())...)
}

// authOptions are the settings of authentication from the environment.
func (p *program) authOptions() (auth.Options, error) {
	list, given := p.env["TRAILS_MCP_SCOPES"]
	if !given {
		list = string(policy.Runtime)
	}
	scopes, err := policy.ParseScopes(list)
	if err != nil {
		return auth.Options{}, usageError{"TRAILS_MCP_SCOPES: " + err.Error()}
	}
	o := auth.Options{Token: p.env["TRAILS_MCP_TOKEN"], Owner: me().ID, Scopes: scopes, Log: p.log}
	if o.Token != "" {
		o.Owner = "token" // everybody with the token is the same caller, over all transports
	}
	return o, nil
}

// tellScopes reports on stderr who has the scopes of a process, and which scopes nobody can use. The graph may issue tokens.
func (p *program) tellScopes(o auth.Options, issues bool) {
	warn := func(format string, args ...any) { fmt.Fprintf(p.stderr, "trails: warning: "+format+"\n", args...) }
	more := strings.Join(slices.DeleteFunc(o.Scopes.List(), func(s string) bool {
		return s == string(policy.Runtime) || !policy.Visible(p.env["TRAILS_ENV"], policy.Scope(s))
	}), " and ")
	switch {
	case o.Scopes == policy.Scopes{}:
		warn("TRAILS_MCP_SCOPES names no scope, so that every call is refused; leave it out for runtime")
	case o.Operator && o.Token == "":
		fmt.Fprintf(p.stderr, "trails: the operator is %s, who started this, with the scopes %s\n", o.ID, o.Scopes)
		if more == "" {
			fmt.Fprintln(p.stderr, "trails: TRAILS_MCP_SCOPES=runtime,builder gives the operator more")
		}
	case o.Token == "" && more != "" && !issues:
		warn("TRAILS_MCP_SCOPES names %s, which nobody can use: TRAILS_ENV is %s, where callers without a token have runtime at most; start with --operator, or give the client in TRAILS_TOKEN what trails token create shows", more, policy.Production)
	}
	if o.Scopes.Has(policy.Dev) && !policy.Visible(p.env["TRAILS_ENV"], policy.Dev) {
		warn("TRAILS_MCP_SCOPES names dev, which nobody can use: TRAILS_ENV is %s", policy.Production)
	}
	switch {
	case o.Shown == "" || o.Shown == o.Token:
	case o.Token == "":
		warn("TRAILS_TOKEN is no token that a graph issues, and none is asked for, so it is shown to nobody")
	default:
		warn("TRAILS_TOKEN is not the token that TRAILS_MCP_TOKEN asks for; give both the same, or let the client show it")
	}
}

// tellCaller reports on stderr who the caller over stdio is whose token the graph issued, or without a name the identity
// provider.
func (p *program) tellCaller(ctx context.Context, who *auth.Resolver, name string) error {
	caller, known, err := who.Local(ctx, "")
	switch {
	case err != nil && name == "":
		fmt.Fprintf(p.stderr, "trails: warning: %v\n", err)
	case err != nil:
		return err
	case !known && name == "":
		fmt.Fprintln(p.stderr, "trails: warning: TRAILS_TOKEN is no valid token of the identity provider, so that no method works until the client shows one")
	case known:
		fmt.Fprintf(p.stderr, "trails: the caller is %s, by the token in TRAILS_TOKEN, with the scopes %s\n", caller.ID, caller.Scopes)
	default:
		fmt.Fprintf(p.stderr, "trails: warning: TRAILS_TOKEN is no valid token %s of this graph, so that no method works until the client shows one; see trails token list\n", name)
	}
	return nil
}

// tellTools warns on stderr of a list, asked for with --surface full, that is too long for some hosts. The other lists
// are short, and take time to count.
func (p *program) tellTools(ctx context.Context, e *invoke.Engine) error {
	if p.surface != surface.Full {
		return nil
	}
	tools, err := e.Tools(ctx, policy.Anonymous("", policy.NewScopes(policy.Runtime)))
	for _, f := range project.LintList(len(tools.Listed)) {
		fmt.Fprintf(p.stderr, "trails: warning: %s; %s\n", f.Says, f.Mend)
	}
	return err
}

// overrideEnv lets --env override TRAILS_ENV.
func (p *program) overrideEnv(env string) error {
	if env == "" {
		return nil
	}
	if env != "dev" && env != policy.Production {
		return usageError{"--env " + env + ": it is dev or production"}
	}
	p.env["TRAILS_ENV"] = env
	return nil
}
