package main

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"trails/httpapi"
	"trails/invoke"
	"trails/mcp"
)

func (p *program) serveCommand() *cobra.Command {
	var addr, env string
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Serve the graph over HTTP: MCP, calls, resources",
		Long: `Serve FILE over HTTP until it is interrupted; calls in flight then have ten seconds to
finish. Only loopback addresses are served: put a proxy or a tunnel in front for others.
` + fileHelp,
		Example: `  trails serve notes.trails
  TRAILS_MCP_TOKEN=secret TRAILS_MCP_SCOPES=runtime,builder trails serve notes.trails --addr 127.0.0.1:9000`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{serves: "http"},
		RunE: func(cmd *cobra.Command, args []string) error {
			file, _, err := p.fileThen(cmd, args)
			if err != nil {
				return err
			}
			if err := p.overrideEnv(env); err != nil {
				return err
			}
			return p.serve(cmd.Context(), file, addr)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8757", "loopback `address` to listen on; port 0 takes a free one")
	cmd.Flags().StringVar(&env, "env", "", "dev or production, which hides dev tools (default: TRAILS_ENV, then dev)")
	completeWords(cmd, "env", "dev", "production")
	return cmd
}

// serve listens first: a wrong address should not wait for a file to open.
func (p *program) serve(ctx context.Context, file, addr string) error {
	opts, err := p.mcpOptions()
	if err != nil {
		return err
	}
	ln, err := httpapi.Listen(ctx, addr)
	if err != nil {
		return err
	}
	return p.withEngine(ctx, file, func(e *invoke.Engine) error {
		opts.Actor = "token"
		h := httpapi.New(e, httpapi.Options{
			MCP: mcp.New(e, opts).Handler(), Token: opts.Token, Actor: opts.Actor, Scopes: opts.Scopes, Log: p.log,
		})
		p.printAddresses(file, ln.Addr(), opts.Token != "")
		return h.Serve(ctx, ln)
	})
}

func (p *program) printAddresses(file string, addr net.Addr, token bool) {
	who := "open to everybody on this machine"
	if token {
		who = "with the token of TRAILS_MCP_TOKEN"
	}
	base := "http://" + addr.String()
	fmt.Fprintf(p.stderr, "serving %s at %s, %s\n", file, base, who)
	for _, path := range []string{"/mcp", "/invoke/{capability}", "/capabilities", "/kg", "/schema", "/commits", "/health"} {
		fmt.Fprintf(p.stderr, "  %s%s\n", base, path)
	}
}
