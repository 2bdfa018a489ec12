package main

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"trails/httpapi"
	"trails/httpapi/admin"
	"trails/invoke"
	"trails/mcp"
	"trails/telemetry"
)

const defaultAddr = "127.0.0.1:8757"

// serving is what the flags of serve and demo say.
type serving struct {
	addr, env string
	open      bool
	stateful  bool
}

func (p *program) serveCommand() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Serve the graph over HTTP: pages, MCP, calls, resources",
		Long: `Serve FILE over HTTP until it is interrupted; calls in flight then have ten seconds to
finish. Only loopback addresses are served: put a proxy or a tunnel in front for others.
` + remoteHelp + fileHelp,
		Example: `  trails serve notes.trails --open
  TRAILS_MCP_TOKEN=secret TRAILS_MCP_SCOPES=runtime,builder trails serve notes.trails --addr 127.0.0.1:9000`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{serves: "http"},
		RunE: func(cmd *cobra.Command, args []string) error {
			file, _, err := p.fileThen(cmd, args)
			if err != nil {
				return err
			}
			return p.serve(cmd.Context(), file, s)
		},
	}
	servingFlags(cmd, &s, defaultAddr, "loopback `address` to listen on; port 0 takes a free one")
	p.remoteFlag(cmd)
	return cmd
}

// servingFlags are those of serve and demo.
func servingFlags(cmd *cobra.Command, s *serving, addr, about string) {
	cmd.Flags().StringVar(&s.addr, "addr", addr, about)
	cmd.Flags().StringVar(&s.env, "env", "", "dev or production, which hides dev tools (default: TRAILS_ENV, then dev)")
	cmd.Flags().BoolVar(&s.open, "open", false, "open the pages in the browser")
	cmd.Flags().BoolVar(&s.stateful, "stateful", false, "keep MCP sessions at /mcp, with subscriptions to types and entities")
	completeWords(cmd, "env", "dev", "production")
}

// serve listens first: a wrong address should not wait for a file to open.
func (p *program) serve(ctx context.Context, file string, s serving) error {
	if err := p.overrideEnv(s.env); err != nil {
		return err
	}
	ln, err := httpapi.Listen(ctx, s.addr)
	if err != nil {
		return err
	}
	return p.serveOn(ctx, ln, file, s)
}

// serveOn answers on ln until ctx ends; it closes ln.
func (p *program) serveOn(ctx context.Context, ln net.Listener, file string, s serving) (err error) {
	defer func() { _ = ln.Close() }() // the server has closed it, unless it never came so far
	opts, err := p.mcpOptions()
	if err != nil {
		return err
	}
	opts.Actor = "token"
	metrics := telemetry.New(version)
	return p.withTracedEngine(ctx, file, metrics.Observe, func(e *invoke.Engine) error {
		agents := mcp.New(e, opts)
		defer agents.Close()
		metrics.Add(sourcesOf(e, agents))
		web := doors(agents, s.stateful)
		web.Token, web.Actor, web.Scopes, web.Log = opts.Token, opts.Actor, opts.Scopes, p.log
		web.Metrics = metrics.Handler()
		pages := admin.New(e, admin.Options{Verify: web.Verify, Log: p.log})
		web.Admin, web.SignedIn = pages, pages.SignedIn
		p.printAddresses(file, ln.Addr(), opts.Token != "")
		if s.open {
			p.openPages(baseOf(ln.Addr()) + "/admin")
		}
		return httpapi.New(e, web).Serve(ctx, ln)
	})
}

// doors are those of agents: with or without sessions at /mcp, and the legacy one.
func doors(agents *mcp.Server, stateful bool) httpapi.Options {
	web := httpapi.Options{MCP: agents.Handler(), SSE: agents.SSEHandler(), Stop: agents.Close}
	if stateful {
		web.MCP = agents.StatefulHandler()
	}
	web.Messages = web.SSE
	return web
}

func baseOf(addr net.Addr) string { return "http://" + addr.String() }

// printAddresses says where everything is and how an agent gets there.
func (p *program) printAddresses(file string, addr net.Addr, token bool) {
	base := baseOf(addr)
	who, header := "open to everybody on this machine", ""
	if token {
		who, header = "with the token of TRAILS_MCP_TOKEN", ` --header "Authorization: Bearer $TRAILS_MCP_TOKEN"`
	}
	fmt.Fprintf(p.stderr, "serving %s at %s, %s\n", file, base, who)
	for _, a := range [][2]string{
		{"/admin", "pages for people"},
		{"/mcp", "agents"},
		{"/invoke/{capability}", "calls"},
		{"/kg", "the graph; /schema, /commits, /prov beside it"},
		{"/metrics", "for Prometheus; /health and /ready beside it"},
	} {
		fmt.Fprintf(p.stderr, "  %-44s %s\n", base+a[0], a[1])
	}
	fmt.Fprintf(p.stderr, "connect an agent:\n  claude mcp add --transport http trails %s/mcp%s\nstop with Ctrl-C\n", base, header)
}
