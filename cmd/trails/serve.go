package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"trails/admin"
	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/policy"
	"trails/fault"
	"trails/httpapi"
	"trails/invoke"
	"trails/invoke/telemetry"
	"trails/kg"
	"trails/mcp"
)

const defaultAddr = "127.0.0.1:8757"

// serving is what the flags of serve and demo say.
type serving struct {
	addr, env string
	// graphs is the folder whose files are served, "" for one file; openGraphs is how many are open at once.
	graphs     string
	openGraphs int
	open       bool
	stateful   bool
	// oauth means that people sign in here for their clients.
	oauth bool
	// assertions means that clients get access by assertions of the identity provider, too.
	assertions bool
	// certFile and keyFile are the certificate's files; autocert is the name for which one is got.
	certFile, keyFile, autocert string
	// origins are those of sites whose pages may use the server.
	origins []string
	// public is the public address of a proxy, nil if there is none; proxies are trusted besides loopback.
	public  *url.URL
	proxies []netip.Prefix
}

func (p *program) serveCommand() *cobra.Command {
	var s serving
	var public string
	var proxies, origins []string
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Serve the graph over HTTP: pages, MCP, calls, resources",
		Long: `Serve FILE over HTTP until it is interrupted; calls in flight then have ten seconds to
finish. Addresses beyond loopback are bound with TLS and a token: --tls-cert and --tls-key
name the files of a certificate, which are read again when they change, and --autocert gets
one from Let's Encrypt, whose terms you agree to, for a public name of this machine, on port
443. Or a proxy with TLS stands in front, and --public-url says where it takes requests.
That name is served then, and stands in every link and cookie; a token is needed. It may
have a path, which the proxy takes off or not.
X-Forwarded-For, -Host and -Proto are believed from loopback addresses and those of
--trusted-proxy, and from nobody without --public-url.

Pages of other sites may neither send requests nor see answers, but for those of the sites
that --allow-origin names. They show a token as programs do: their browsers send no cookie.

Callers without a token may do what needs the scope runtime. Where TRAILS_MCP_TOKEN is set,
all show that token, and may do what TRAILS_MCP_SCOPES names. Where it is not, a sign-in link
is printed at the start: it lets one browser of this machine in, once, within an hour, as the
operator, who may do on the pages what TRAILS_MCP_SCOPES names. --open opens it.

--oidc-issuer names an identity provider, whose tokens (JWT) count beside those of the graph;
all callers show one then. A token is for this server, by its address or --oidc-audience, and
has the scopes that its claim scope, scopes or scp names, of those of TRAILS_MCP_SCOPES.

--oauth lets people connect clients that take no token, such as claude.ai and ChatGPT: the client
is given the address of /mcp, and sends its user's browser to a page of this server. There they
sign in with a token of theirs, and decide what the client may do in their name. It needs
--public-url or TLS, or is for clients on this machine.

--graphs DIR serves, in place of FILE, each NAME.trails of a folder at /graphs/NAME, with
all addresses below that. Files that come and go are noticed; a file is opened for its first
request and closed after five minutes without one. GET /graphs lists them. Each has its own
tokens and sign-ins; the sign-in link and the token of the process count in all of them.
Beyond loopback a graph without any token is not served, and the log and /graphs say so.
` + remoteHelp + fileHelp,
		Example: `  trails serve notes.trails --open
  TRAILS_MCP_TOKEN=secret TRAILS_MCP_SCOPES=runtime,builder trails serve notes.trails --addr 127.0.0.1:9000
  TRAILS_MCP_TOKEN=secret trails serve notes.trails --public-url https://notes.example.org
  trails serve notes.trails --public-url https://notes.example.org --oidc-issuer https://id.example.org
  trails serve notes.trails --public-url https://notes.example.org --oauth
  trails serve --graphs /var/lib/trails
  trails serve notes.trails --addr :443 --autocert notes.example.org
  trails serve notes.trails --addr 10.0.0.5:8757 --tls-cert notes.pem --tls-key notes.key`,
		Annotations: map[string]string{serves: "http"},
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := p.served(cmd, args, s.graphs)
			if err != nil {
				return err
			}
			if err := switched(cmd, "oauth", "TRAILS_OAUTH", p.env["TRAILS_OAUTH"]); err != nil {
				return err
			}
			if err := switched(cmd, "oauth-id-jag", "TRAILS_OAUTH_ID_JAG", p.env["TRAILS_OAUTH_ID_JAG"]); err != nil {
				return err
			}
			if s.assertions && (!s.oauth || cmp.Or(p.identity.issuer, p.env["TRAILS_OIDC_ISSUER"]) == "") {
				return usageError{"--oauth-id-jag is for an authorization server that takes assertions of an identity provider: give --oauth and --oidc-issuer, too"}
			}
			if err := s.behind(cmp.Or(public, p.env["TRAILS_PUBLIC_URL"]), proxies); err != nil {
				return err
			}
			for _, text := range origins {
				origin, err := auth.ParseOrigin(text)
				if err != nil {
					return err
				}
				s.origins = append(s.origins, origin)
			}
			return p.serve(cmd.Context(), file, s)
		},
	}
	cmd.Flags().StringVar(&s.graphs, "graphs", "", "`DIR` whose files NAME.trails are served, each at /graphs/NAME, in place of one FILE")
	cmd.Flags().IntVar(&s.openGraphs, "open-graphs", 64, "how many `GRAPHS` of --graphs are open at once at most; the others are opened for their next request")
	completeWords(cmd, "open-graphs")
	_ = cmd.MarkFlagDirname("graphs") // it is a flag of this command
	servingFlags(cmd, &s, defaultAddr, "`address` to listen on; port 0 takes a free one")
	cmd.Flags().StringVar(&s.certFile, "tls-cert", "", "`FILE` with the server's certificate and those that lead to its root, in PEM")
	cmd.Flags().StringVar(&s.keyFile, "tls-key", "", "`FILE` with the certificate's key, in PEM")
	cmd.Flags().StringVar(&s.autocert, "autocert", "", "public `NAME` of this machine, for which a certificate is got from Let's Encrypt and renewed; needs port 443")
	cmd.Flags().StringVar(&public, "public-url", "", "`URL` at which a proxy takes requests, such as https://notes.example.org (default: TRAILS_PUBLIC_URL)")
	cmd.Flags().BoolVar(&s.oauth, "oauth", false, "let people sign in here for clients that take no token, such as claude.ai and ChatGPT (default: TRAILS_OAUTH)")
	cmd.Flags().BoolVar(&s.assertions, "oauth-id-jag", false, "with --oauth, let clients of the identity provider have access by its assertions (ID-JAG), without asking the person (default: TRAILS_OAUTH_ID_JAG)")
	cmd.Flags().StringArrayVar(&origins, "allow-origin", nil, "`ORIGIN` of a site, such as https://app.example.org, whose pages may send requests and see the answers (CORS); may be given again")
	cmd.Flags().StringArrayVar(&proxies, "trusted-proxy", nil, "`address` or network (10.0.0.0/8) of a further proxy whose X-Forwarded headers are believed; may be given again")
	p.callFlags(cmd)
	return cmd
}

// switched sets a switch by the value of its environment variable, if its flag is not given.
func switched(cmd *cobra.Command, flag, variable, value string) error {
	if cmd.Flags().Changed(flag) || value == "" {
		return nil
	}
	if cmd.Flags().Set(flag, value) != nil {
		return usageError{variable + " is true or false, not " + value}
	}
	return nil
}

// server is the issuer of the authorization server at an address, "" for none.
func (s serving) server(address string, audiences []string) (string, error) {
	if !s.oauth {
		return "", nil
	}
	if audiences == nil {
		return "", usageError{"--oauth needs the address at which clients find this server: give --public-url, or a certificate with its name"}
	}
	return address, nil
}

// served is FILE, or "" with the folder of --graphs.
func (p *program) served(cmd *cobra.Command, args []string, graphs string) (file string, err error) {
	open, _ := cmd.Flags().GetInt("open-graphs")
	switch {
	case graphs == "" && cmd.Flags().Changed("open-graphs"):
		return "", usageError{"--open-graphs is for the graphs of a folder, with --graphs DIR"}
	case open < 1:
		return "", usageError{"--open-graphs is 1 or more"}
	case graphs == "" && cmd.Flags().Changed("graphs"):
		return "", usageError{"--graphs needs the name of a folder"}
	case graphs == "":
		file, _, err = p.fileThen(cmd, args)
		return file, err
	case len(args) > 0:
		return "", usageError{"serve takes FILE, or the folder of --graphs, and not both: leave out " + args[0]}
	}
	return "", nil
}

// servingFlags are those of serve and demo.
func servingFlags(cmd *cobra.Command, s *serving, addr, about string) {
	cmd.Flags().StringVar(&s.addr, "addr", addr, about)
	cmd.Flags().StringVar(&s.env, "env", "", "`ENVIRONMENT`: dev, or production, which hides dev tools (default: TRAILS_ENV, then dev)")
	cmd.Flags().BoolVar(&s.open, "open", false, "open the pages in the browser, without a token by the sign-in link")
	cmd.Flags().BoolVar(&s.stateful, "stateful", false, "keep MCP sessions at /mcp, with subscriptions to types and entities")
	completeWords(cmd, "env", "dev", "production")
}

// behind parses the public address of a proxy, and the other proxies.
func (s *serving) behind(public string, proxies []string) (err error) {
	if public == "" {
		if len(proxies) > 0 {
			return usageError{"--trusted-proxy needs --public-url: without it no X-Forwarded header is believed"}
		}
		return nil
	}
	if s.public, err = auth.ParsePublic(public); err != nil {
		return err
	}
	if err := httpapi.CheckPath(s.public.Path); err != nil {
		return err
	}
	for _, text := range proxies {
		network, err := netip.ParsePrefix(text)
		if addr, no := netip.ParseAddr(text); no == nil {
			network, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return usageError{"--trusted-proxy " + text + " is no address and no network, such as 10.0.0.7 or 10.0.0.0/8"}
		}
		s.proxies = append(s.proxies, network.Masked())
	}
	return nil
}

// serve listens first, so that a wrong address is reported before a file is opened.
func (p *program) serve(ctx context.Context, file string, s serving) error {
	if err := p.overrideEnv(s.env); err != nil {
		return err
	}
	certificates, err := s.certificates(p.log)
	if err != nil {
		return err
	}
	ln, err := httpapi.Listen(ctx, s.addr, certificates != nil || s.public != nil)
	if err != nil {
		return err
	}
	if s.graphs != "" {
		return p.serveGraphs(ctx, ln, certificates, s)
	}
	return p.serveOn(ctx, ln, certificates, file, s)
}

// certificates are those of the flags, nil without TLS.
func (s serving) certificates(log *slog.Logger) (*httpapi.Certificates, error) {
	switch {
	case s.autocert != "" && s.certFile+s.keyFile != "":
		return nil, usageError{"--autocert gets a certificate, and --tls-cert and --tls-key name one; give one of both"}
	case s.autocert != "":
		caches, err := os.UserCacheDir()
		if err != nil {
			return nil, usageError{"--autocert keeps its certificate in the directory of caches, and there is none: set XDG_CACHE_HOME or HOME"}
		}
		return httpapi.AutomaticCertificate(s.autocert, filepath.Join(caches, "trails", "certificates"))
	case s.certFile == "" && s.keyFile == "":
		return nil, nil
	case s.certFile == "" || s.keyFile == "":
		return nil, usageError{"--tls-cert and --tls-key go together: the certificate, and its key"}
	}
	return httpapi.CertificateFiles(s.certFile, s.keyFile, log)
}

// serveOn serves on ln until ctx ends; it closes ln. Without certificates it serves without TLS.
func (p *program) serveOn(ctx context.Context, ln net.Listener, certificates *httpapi.Certificates, file string, s serving) (err error) {
	defer func() { _ = ln.Close() }() // the server has closed it, unless it never came so far
	callers, err := p.authOptions()
	if err != nil {
		return err
	}
	at := p.addressed(&callers, &ln, certificates, s)
	audiences := s.audiences(ln, certificates, at.base)
	if callers.Server, err = s.server(at.base, audiences); err != nil {
		return err
	}
	if callers.Provider, err = p.provider(audiences); err != nil {
		return err
	}
	if callers.Token == "" {
		callers.ID, callers.Operator = me().ID, !callers.Closed
	}
	metrics := telemetry.New(version)
	p.path = s.path()
	return p.withTracedEngine(ctx, file, metrics.Observe, func(e *invoke.Engine) error {
		callers.Instance, callers.Issued, callers.Refused = at.port+"-"+e.Graph().Name(), e.Graph(), p.refused(e)
		issues, err := e.Graph().HasTokens(ctx)
		if err != nil {
			return err
		}
		governed, err := hasPolicies(ctx, e.Graph())
		if err != nil {
			return err
		}
		if err := mayServe(callers, issues, governed); err != nil {
			return usageError{err.Error()}
		}
		reach(ctx, callers.Provider)
		who := auth.New(callers)
		web, agents, _, err := p.web(e, who, metrics, s)
		if err != nil {
			return err
		}
		defer agents.Close()
		pages := at.base + "/admin"
		p.printAddresses(file, at.base, at.local, callers, issues)
		if s.autocert != "" && at.port != "443" {
			fmt.Fprintf(p.stderr, "trails: warning: Let's Encrypt connects to port 443 of %s, and this is port %s: hand that port on, or take --addr :443\n", s.autocert, at.port)
		}
		p.tellScopes(callers, issues || callers.Provider != nil)
		if !governed && (issues || callers.Token != "" || callers.Provider != nil) {
			p.tellReadOnly()
		}
		if err := p.tellTools(ctx, e); err != nil {
			return err
		}
		if who.HasOperator() {
			pages = at.base + admin.OperatorPath + "?key=" + who.OperatorKey()
			fmt.Fprintf(p.stderr, "sign in as the operator, once, within an hour:\n  %s\n", pages)
			if !issues && callers.Provider == nil && (callers.Scopes.Has(policy.Builder) || callers.Scopes.Has(policy.Dev)) {
				fmt.Fprintln(p.stderr, "agents and programs have runtime at most; with a token of trails token create they have its scopes")
			}
		}
		fmt.Fprintln(p.stderr, "stop with Ctrl-C")
		if s.open {
			p.openPages(pages)
		}
		web.Path = s.path()
		return httpapi.New(e, web).Serve(ctx, ln)
	})
}

// audiences are what tokens of an identity provider for the server are for, none if nobody else knows its address.
func (s serving) audiences(ln net.Listener, certificates *httpapi.Certificates, base string) []string {
	if s.public == nil && !httpapi.IsLocal(ln) && (certificates == nil || certificates.Name() == "") {
		return nil
	}
	return auth.Audiences(base)
}

// web are the settings for serving an engine over HTTP, with the server of its agents, which the caller closes, and what ends
// its metrics.
func (p *program) web(e *invoke.Engine, who *auth.Resolver, metrics *telemetry.Metrics, s serving) (web httpapi.Options, agents *mcp.Server, removeMetrics func(), err error) {
	opts, err := p.mcpOptions(who)
	if err != nil {
		return web, nil, nil, err
	}
	opts.Follow = p.follow(e)
	agents = mcp.New(e, opts)
	removeMetrics = metrics.Add(telemetry.Sources{
		Sessions: agents.Sessions, SubscriptionQueue: agents.PendingNotifications,
		Watchers: e.Watchers, ProvenanceQueue: e.ProvenanceQueue, QueryQueue: e.QueryQueue,
		Sizes: e.Graph().Sizes, WriterQueue: e.Graph().WriterQueue, FailedScans: e.Graph().FailedScans,
	})
	web = httpapi.Options{MCP: agents.Handler(), SSE: agents.SSEHandler(), Stop: agents.Close, Version: version, Revisions: mcp.Revisions()}
	if s.stateful {
		web.MCP = agents.StatefulHandler() // which takes requests without a session, too
	}
	web.Messages = web.SSE
	web.Auth, web.Log, web.Metrics = who, p.log, metrics.Handler()
	if who.Server() != "" {
		o := oauth.Options{Issuer: who.Server(), Graph: e.Graph(), Auth: who, Log: p.log}
		if s.assertions {
			o.Assertions = who.Provider()
		}
		web.OAuth = oauth.New(o)
	}
	web.Admin = admin.New(e, admin.Options{Auth: who, OAuth: web.OAuth, Log: p.log})
	return web, agents, removeMetrics, nil
}

// path is that of the public address, "" without one.
func (s serving) path() string {
	if s.public == nil {
		return ""
	}
	return s.public.Path
}

// addresses are those of a serving process: where callers find it, its own, and the port in the first.
type addresses struct{ base, local, port string }

// addressed returns the addresses of a process, and completes its settings of authentication and its listener by them.
func (p *program) addressed(callers *auth.Options, ln *net.Listener, certificates *httpapi.Certificates, s serving) (at addresses) {
	_, at.port, _ = net.SplitHostPort((*ln).Addr().String()) // at which browsers find the server
	at.local = s.local(*ln, certificates, at.port)
	at.base = at.local
	if s.public != nil {
		at.base, at.port = s.public.String(), cmp.Or(s.public.Port(), "443")
	}
	callers.Closed = s.public != nil || !httpapi.IsLocal(*ln)
	callers.Public, callers.Proxies, callers.Origins, callers.Path = s.public, s.proxies, s.origins, s.path()
	if certificates != nil {
		*ln, callers.Names = certificates.Over(*ln), certificates.Serves
	}
	return at
}

// mayServe refuses a graph with policies whose callers nobody could know, and beyond loopback one that everybody could write
// who finds it. issues and governed report whether the graph has tokens and policies.
func mayServe(callers auth.Options, issues, governed bool) error {
	if issues || callers.Token != "" || callers.Provider != nil {
		return nil
	}
	const ways = "issue a token with trails token create, or set TRAILS_MCP_TOKEN, or name an identity provider by --oidc-issuer"
	if callers.Closed {
		return fault.New(fault.Unusable, "others reach this address, and whoever finds it could write: %s", ways)
	}
	if governed {
		return fault.New(fault.Unusable, "the graph has policies, and no caller could be known: %s; or take the policies away with trails policy set --none", ways)
	}
	return nil
}

// hasPolicies reports whether a graph has policies, also such as cannot be read.
func hasPolicies(ctx context.Context, g *kg.Graph) (has bool, err error) {
	err = g.Session(me()).View(ctx, func(s *kg.Snapshot) error {
		text, _, _ := s.Policies()
		has = text != ""
		return nil
	})
	return has, err
}

// tellReadOnly warns on stderr that callers by a token read alone, since the graph has no policies.
func (p *program) tellReadOnly() {
	fmt.Fprintf(p.stderr, "trails: warning: there are no policies: %s\n", kg.ReadOnly)
}

// local is the server's own address, by a name of its certificate where it has one.
func (s serving) local(ln net.Listener, certificates *httpapi.Certificates, port string) string {
	switch {
	case certificates == nil:
		return "http://" + ln.Addr().String()
	case certificates.Name() == "" || httpapi.IsLocal(ln) && !certificates.Serves("localhost"):
		return "https://" + ln.Addr().String()
	case port == "443":
		return "https://" + certificates.Name()
	}
	return "https://" + net.JoinHostPort(certificates.Name(), port)
}

// printAddresses prints the addresses, and how an agent connects. The process has a token, the graph issues some, or an
// identity provider does, which agents find by themselves.
func (p *program) printAddresses(file, base, local string, callers auth.Options, issues bool) {
	var ways []string
	header := ""
	if callers.Token != "" {
		ways, header = append(ways, "the token of TRAILS_MCP_TOKEN"), ` --header "Authorization: Bearer $TRAILS_MCP_TOKEN"`
	}
	if issues {
		ways, header = append(ways, "one that the graph issued"), cmp.Or(header, ` --header "Authorization: Bearer $TRAILS_TOKEN"`)
	}
	if callers.Provider != nil {
		ways, header = append(ways, "one of "+callers.Provider.Issuer()), ""
	}
	if callers.Server != "" {
		ways, header = append(ways, "one that a client gets at its page of consent"), ""
	}
	who := "open to everybody on this machine"
	if len(ways) > 0 {
		who = "with " + strings.Replace(strings.Join(ways, ", or "), "one ", "a token ", 1)
	}
	fmt.Fprintf(p.stderr, "serving %s at %s, %s\n", file, base, who)
	if local != base {
		fmt.Fprintf(p.stderr, "  the proxy hands requests on to %s\n", local)
	}
	for _, a := range [][2]string{
		{"/admin", "pages for people"},
		{"/mcp", "agents"},
		{"/invoke/{capability}", "calls"},
		{"/kg", "the graph; /schema, /commits, /prov beside it"},
		{"/metrics", "for Prometheus; /health and /ready beside it"},
	} {
		fmt.Fprintf(p.stderr, "  %-44s %s\n", base+a[0], a[1])
	}
	if callers.Server != "" {
		fmt.Fprintf(p.stderr, "connect claude.ai or ChatGPT: add a connector with the address %s/mcp\n", base)
	}
	fmt.Fprintf(p.stderr, "connect an agent:\n  claude mcp add --transport http trails %s/mcp%s\n", base, header)
}

// openers open the system's default browser.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// openPages opens url in the browser, or says that it must be opened by hand.
func (p *program) openPages(url string) {
	opener, known := openers[runtime.GOOS]
	if !known {
		opener = []string{"xdg-open"}
	}
	failed := func(why error) { fmt.Fprintf(p.stderr, "no browser was opened (%v); open %s yourself\n", why, url) }
	cmd := exec.Command(opener[0], append(opener[1:], url)...)
	if err := cmd.Start(); err != nil {
		failed(err)
		return
	}
	go func() { // a browser may outlive this process
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() > 0 { // and is not ended by a signal
			failed(err)
		}
	}()
}
