package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"trails/auth"
	"trails/fault"
	"trails/mcp/proxy"
)

func (p *program) proxyCommand() *cobra.Command {
	var credential string
	var silence time.Duration
	cmd := &cobra.Command{
		Use:   "proxy URL",
		Short: "Connect a host that speaks MCP over stdio with a server over HTTP",
		Long: `Pass the messages of a host that speaks MCP over stdio to the server at URL, which speaks it
over Streamable HTTP, and what it sends back to the host: a trails serve elsewhere, or any
other. URL is its MCP endpoint; without a path it is /mcp. Messages pass as they are. Nothing
but the protocol goes to stdout; the log goes to stderr.

A token is sent as a bearer, to the origin of URL alone, and beyond this machine over https
alone. It is looked up by a name: that of --credential, else the host of URL, with its port
where URL has one. First the environment is asked, at TRAILS_TOKEN_ and the name in upper case
with _ for all but letters and digits. Then the file $XDG_CONFIG_HOME/trails/credentials
(~/.config/trails/credentials), which nobody else may read (chmod 600), is asked for

  [NAME]
  token = …

A server that is away costs each request an error that says so, and requests work again once
it is back. A session that it has lost is replaced: the handshake, the log level and the
subscriptions of the host are repeated, and the host is told what may have changed.

At the end of stdin answers in flight are waited for, thirty seconds at most, and two when the
process is told to stop; then requests are refused and cancelled, and the session is deleted.
`,
		Example: `  trails proxy https://kg.example.org
  TRAILS_TOKEN_KG_EXAMPLE_ORG=secret trails proxy https://kg.example.org/graphs/notes/mcp
  trails proxy https://kg.example.org --credential work
  trails proxy http://127.0.0.1:8757`,
		Annotations:       map[string]string{serves: "stdio"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{"proxy needs the URL of a server, and nothing else"}
			}
			if silence <= 0 {
				return usageError{fmt.Sprintf("--timeout is %s: it is a time above 0, such as 90s", silence)}
			}
			return p.proxy(cmd.Context(), args[0], credential, silence)
		},
	}
	cmd.Flags().StringVar(&credential, "credential", "", "`NAME` by which the token is looked up (default: the host of URL, with its port where URL has one)")
	completeFlag(cmd, "credential", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		tokens, err := p.tokens()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return tokens.Names(), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.Flags().DurationVar(&silence, "timeout", proxy.DefaultSilence, "`TIME` for which the server may send nothing while it owes an answer")
	return cmd
}

func (p *program) proxy(ctx context.Context, address, credential string, silence time.Duration) error {
	u, err := proxy.ParseURL(address)
	if err != nil {
		return err
	}
	tokens, err := p.tokens()
	if err != nil {
		return err
	}
	name := credential
	if name == "" {
		name = u.Host
	}
	token, err := tokens.For(name)
	if err != nil {
		return err
	}
	with := "without a token; for one, " + tokens.HowGiven(name)
	if token != "" {
		with = "with the token of " + name
	}
	fmt.Fprintf(p.stderr, "trails: MCP on stdin and stdout goes to %s, %s\n", u.Redacted(), with)
	return proxy.Run(ctx, p.stdin, p.stdout, proxy.Options{
		URL: u, Token: func() (string, error) { return tokens.For(name) }, HowGiven: tokens.HowGiven(name), Silence: silence, Log: p.log,
	})
}

// tokens are those that this program shows to servers: in its environment, and in the file of credentials.
func (p *program) tokens() (auth.Tokens, error) {
	dir := p.env["XDG_CONFIG_HOME"]
	if !filepath.IsAbs(dir) { // other paths are to be ignored (XDG Base Directory Specification)
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return auth.Tokens{}, fault.New(fault.Unusable, "there is no folder for settings, in which the file of credentials would be: set HOME").Because(err)
		}
	}
	lookup := func(name string) (string, bool) {
		value, ok := p.env[name]
		return value, ok
	}
	return auth.Tokens{Lookup: lookup, File: filepath.Join(dir, "trails", "credentials")}, nil
}
