package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/auth/policy"
	"trails/hosts"
	"trails/kg"
	"trails/mcp/proxy"
)

// installing are the flags of install and uninstall.
type installing struct {
	agent, config, project string
	scopes, credential     string
	hosts.Options
}

// installed is what both print with -o json.
type installed struct {
	Agent string `json:"agent"`
	hosts.Change
	Dry  bool   `json:"dry_run"`
	Next string `json:"next,omitempty"` // what the host needs to see the change
}

const agentHelp = `
The configuration is that of the user, or with --project that of the directory of a project:

  claude-desktop  claude_desktop_config.json in ~/Library/Application Support/Claude (macOS),
                  %APPDATA%\Claude (Windows) or ~/.config/Claude (Linux)
  claude-code     ~/.claude.json, or .mcp.json
  cursor          ~/.cursor/mcp.json, or .cursor/mcp.json
  vscode          mcp.json in Code/User beside the first, or .vscode/mcp.json
  codex           ~/.codex/config.toml, or .codex/config.toml

Comments, order and layout of the rest stay as they are, and the text from before is kept
beside it with the ending .trails-backup. A link is followed.
`

func (p *program) installCommand() *cobra.Command {
	var s installing
	cmd := &cobra.Command{
		Use:   "install --agent AGENT FILE|URL",
		Short: "Tell an agent's program about a graph",
		Long: `Write a graph's entry into the configuration of a program that starts MCP servers: this
binary with mcp and FILE, or with proxy and URL for a server elsewhere. A second run changes
nothing. The entry is named after FILE, unless --name gives it another name; one of the same
name that serves something else is left alone without --force.

Whoever works with the agent may do what needs the scope runtime; --scopes gives more, as
TRAILS_MCP_SCOPES does. No token is ever written: --credential gives the name under which
the proxy looks one up.
` + agentHelp + fileHelp,
		Example: `  trails install --agent claude-desktop notes.trails
  trails install --agent claude-code --project . --scopes runtime,builder notes.trails
  trails install --agent vscode --print notes.trails
  trails install --agent cursor --name team --credential team https://notes.example.org`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			host, at, err := p.placeOf(cmd, s)
			if err != nil {
				return err
			}
			server, name, err := p.serverFor(cmd, file, s)
			if err != nil {
				return err
			}
			if server.Args[0] == "mcp" {
				if err := p.withGraph(cmd.Context(), file, func(*kg.Graph) error { return nil }); err != nil {
					return err
				}
			}
			s.Default = name
			did, err := host.Install(at, server, s.Options)
			if err != nil {
				return err
			}
			return p.tellInstalled(host, did, s.Dry)
		}),
	}
	s.flags(cmd)
	cmd.Flags().StringVar(&s.scopes, "scopes", "", "what the agent may do: a comma `LIST` of runtime, builder, dev (default runtime)")
	cmd.Flags().StringVar(&s.credential, "credential", "", "the `NAME` of the token that the proxy sends to URL")
	cmd.Flags().BoolVar(&s.Force, "force", false, "replace an entry of the same name, whatever it says")
	completeWords(cmd, "scopes", "runtime", "runtime,builder", "runtime,builder,dev")
	return cmd
}

func (p *program) uninstallCommand() *cobra.Command {
	var s installing
	cmd := &cobra.Command{
		Use:   "uninstall --agent AGENT FILE|URL",
		Short: "Take a graph's entry out of an agent's program again",
		Long: `Remove the entry that install wrote for FILE or URL, whatever its name, and nothing else. FILE
need not be there any more. With --name the entry of that name is removed, if it is one of
trails. That there is none is said, and is no error. Where nothing else has changed since, the
configuration is as it was before install.
` + agentHelp + fileHelp,
		Example: `  trails uninstall --agent claude-desktop notes.trails
  trails uninstall --agent cursor --name team https://notes.example.org`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			host, at, err := p.placeOf(cmd, s)
			if err != nil {
				return err
			}
			server, _, err := p.serverFor(cmd, file, s)
			if err != nil {
				return err
			}
			did, err := host.Uninstall(at, server, s.Options)
			if err != nil {
				return err
			}
			return p.tellInstalled(host, did, s.Dry)
		}),
	}
	s.flags(cmd)
	return cmd
}

func (s *installing) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.agent, "agent", "", "the `AGENT`'s program: "+strings.Join(hosts.Names(), ", "))
	completeWords(cmd, "agent", hosts.Names()...)
	cmd.Flags().StringVar(&s.Name, "name", "", "the `NAME` of the entry")
	cmd.Flags().StringVar(&s.project, "project", "", "the `directory` of the project whose configuration is meant, not the user's")
	completeFlag(cmd, "project", completeFolders)
	cmd.Flags().StringVar(&s.config, "config", "", "the configuration `file`, where it is in another place")
	cmd.Flags().BoolVar(&s.Dry, "print", false, "print what would be done, and change nothing")
}

// placeOf finds the host and its configuration.
func (p *program) placeOf(cmd *cobra.Command, s installing) (host hosts.Host, at hosts.Place, err error) {
	if s.agent == "" {
		return host, at, usageError{cmd.Name() + " needs --agent: " + words(hosts.Names())}
	}
	if host, err = hosts.Named(s.agent); err != nil {
		return host, at, err
	}
	switch {
	case s.config != "" && s.project != "":
		return host, at, usageError{"--project and --config name two configurations; give one of them"}
	case cmd.Flags().Changed("config"):
		at, err = hosts.At(s.config), nil
	case cmd.Flags().Changed("project"):
		at, err = host.Project(s.project)
	default:
		at, err = host.User(hosts.System{OS: runtime.GOOS, Home: cmp.Or(p.env["HOME"], p.env["USERPROFILE"]), Env: p.env})
	}
	if err == nil {
		at.Path, err = filepath.Abs(at.Path)
	}
	return host, at, err
}

// serverFor returns the entry of a graph, and the name that it has by itself.
func (p *program) serverFor(cmd *cobra.Command, graph string, s installing) (hosts.Server, string, error) {
	self, err := ownPath()
	if err != nil {
		return hosts.Server{}, "", err
	}
	if strings.HasPrefix(graph, "http://") || strings.HasPrefix(graph, "https://") {
		server := hosts.Server{Command: self, Args: []string{"proxy", graph}}
		address, err := url.Parse(graph)
		switch {
		case err != nil || address.Host == "":
			return server, "", usageError{"URL is an address such as https://notes.example.org/mcp"}
		case address.User != nil || address.RawQuery != "" || address.Fragment != "":
			return server, "", usageError{"URL has a user, a query or a fragment, and a configuration is no place for secrets: give the address without, and --credential NAME for a token"}
		case s.scopes != "":
			return server, "", usageError{"--scopes is for a FILE; what callers of a URL may do is up to the server there"}
		case s.credential != "":
			server.Args = append(server.Args, "--credential", s.credential)
		}
		_, err = proxy.ParseURL(graph) // as the command of the entry does
		return server, hosts.NameOf(address.Hostname()), err
	}
	if s.credential != "" {
		return hosts.Server{}, "", usageError{"--credential is for a URL; a FILE needs no token"}
	}
	file, err := filepath.Abs(graph)
	if err != nil {
		return hosts.Server{}, "", err
	}
	server := hosts.Server{Command: self, Args: []string{"mcp", file}}
	if s.scopes != "" {
		scopes, err := policy.ParseScopes(s.scopes)
		if err != nil {
			return server, "", usageError{"--scopes: " + err.Error()}
		}
		server.Env = map[string]string{"TRAILS_MCP_SCOPES": strings.Join(scopes.List(), ",")}
	}
	return server, hosts.NameOf(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))), nil
}

// ownPath is the path of this binary. A link in PATH is kept: a package manager leads it to the next version.
func ownPath() (string, error) {
	real, err := os.Executable()
	if err != nil {
		return "", err
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return real, nil
	}
	if called, err = filepath.Abs(called); err != nil {
		return real, nil
	}
	a, errA := os.Stat(real)
	b, errB := os.Stat(called)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return real, nil
	}
	return called, nil
}

// tellInstalled prints what became of an entry.
func (p *program) tellInstalled(host hosts.Host, c hosts.Change, dry bool) error {
	out := installed{Agent: host.Name, Change: c, Dry: dry}
	if c.Did != hosts.Unchanged && c.Did != hosts.Absent {
		out.Next = host.Restart
	}
	return p.print(out, func(w io.Writer) error {
		name, config := line(c.Name), line(c.Config)
		switch c.Did {
		case hosts.Absent:
			which := "no entry of this graph"
			if name != "" {
				which = "no entry " + name
			}
			_, err := fmt.Fprintf(w, "%s has %s: %s\nnothing was changed\n", host.Title, which, config)
			return err
		case hosts.Unchanged:
			_, err := fmt.Fprintf(w, "%s has the entry %s already: %s\nnothing was changed\n", host.Title, name, config)
			return err
		}
		if dry {
			_, err := fmt.Fprintf(w, "the entry %s would be %s in %s\n%s", name, c.Did, config, c.Entry)
			return err
		}
		fmt.Fprintf(w, "%s the entry %s of %s: %s\n  %s\n", c.Did, name, host.Title, config, line(strings.Join(append([]string{c.Server.Command}, c.Server.Args...), " ")))
		for _, v := range slices.Sorted(maps.Keys(c.Server.Env)) {
			fmt.Fprintf(w, "  %s=%s\n", v, line(c.Server.Env[v]))
		}
		if c.Backup != "" {
			fmt.Fprintf(w, "the text from before is kept in %s\n", line(c.Backup))
		}
		_, err := fmt.Fprintf(w, "next: %s\n", out.Next)
		return err
	})
}
