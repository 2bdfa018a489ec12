package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/gateway"
	"trails/gateway/upstream"
)

func (p *program) gatewayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Name the MCP servers that are reached through the file",
		Long: `Name other MCP servers in the file, see how they stand and what they offer.

The file says how a server is reached; secrets are not in it, but named as ${NAME}, a variable of
the environment. Since that can be a command, a server is reached only on machines where somebody
has agreed to it: whoever adds it here has, others do it with trust.
`,
		Example: `  trails gateway add notes.trails files --stdio npx -- -y @modelcontextprotocol/server-filesystem /srv/docs
  trails gateway add notes.trails github --http https://api.example.org/mcp --header 'Authorization: Bearer ${GITHUB_TOKEN}'
  trails gateway show notes.trails files`,
		RunE: chooseCommand,
	}
	cmd.AddCommand(p.gatewayAddCommand(), p.gatewayListCommand(), p.gatewayShowCommand(), p.gatewayRefreshCommand(), p.gatewayAcceptCommand(), p.gatewayTrustCommand(), p.gatewayRemoveCommand(), p.gatewaySettingsCommand())
	return cmd
}

func (p *program) gatewayAddCommand() *cobra.Command {
	var f writeFlags
	var s gateway.Server
	var command string
	var env, headers []string
	var timeout time.Duration
	var elsewhere bool
	cmd := &cobra.Command{
		Use:   "add FILE NAME --stdio CMD [-- ARG...]|--http URL|--sse URL",
		Short: "Name a server in the file, in the place of one with the same name",
		Long: `Name a server in FILE, and agree that it is reached from this machine: a command that speaks MCP
over its standard input and output, or an address. Its tools are found under NAME, or --namespace.
It is tried once, and what does not answer is warned of; it stays in the file.

With --caller-header or --caller-env each caller reaches it with a credential of their own, which
is neither in the file nor in the definition: over HTTP it is sent with each request, in the header
Trails-Upstream-NAME; at the command line and over stdio it is in the variable TRAILS_UPSTREAM_NAME.
`,
		Example: `  trails gateway add notes.trails files --stdio npx -- -y @modelcontextprotocol/server-filesystem /srv/docs
  trails gateway add notes.trails github --http https://api.example.org/mcp --header 'Authorization: Bearer ${GITHUB_TOKEN}'
  trails gateway add notes.trails github --http https://api.example.org/mcp --caller-header Authorization`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) == 0 {
				return missing(cmd, args, []string{"FILE", "NAME"})
			}
			ways := slices.DeleteFunc([]string{command, s.HTTP, s.SSE}, func(way string) bool { return way == "" })
			if len(ways) != 1 {
				return usageError{"say one of --stdio, --http and --sse"}
			}
			s.Name, s.TimeoutMS = rest[0], int(timeout.Milliseconds())
			switch {
			case command != "":
				s.Command = append([]string{command}, rest[1:]...)
			case len(rest) > 1:
				return usageError{fmt.Sprintf("%s stands behind NAME, and only a command of --stdio has arguments", line(rest[1]))}
			}
			if s.Env, err = pairs("--env", "=", env); err != nil {
				return err
			}
			if s.Headers, err = pairs("--header", ":", headers); err != nil {
				return err
			}
			if err := s.Check(); err != nil {
				return err
			}
			_, err = callAndPrint(cmd.Context(), p, file, p.call("trails.meta.gateway.add", arguments{"definition": s}, f.arguments()), writeSummary)
			if err != nil || elsewhere || f.dryRun {
				return err
			}
			if err := p.trustServer(s); err != nil {
				fmt.Fprintf(p.stderr, "trails: %s is named in the file, and not agreed to here: %s; once that is mended, agree with trails gateway trust\n", s.Name, line(fault.Of(err).Message))
				return nil
			}
			fmt.Fprint(p.stderr, p.runs(s))
			if s.PerCaller() {
				return nil // nobody's credential is here
			}
			return p.tryServer(cmd.Context(), file, s.Name)
		},
	}
	cmd.Flags().StringVar(&command, "stdio", "", "`command` to run; its arguments stand behind --")
	cmd.Flags().StringVar(&s.HTTP, "http", "", "`URL` of Streamable HTTP")
	cmd.Flags().StringVar(&s.SSE, "sse", "", "`URL` of HTTP with SSE, as it was before Streamable HTTP")
	cmd.Flags().StringArrayVar(&env, "env", nil, "`NAME=VALUE` of the command's environment, such as 'TOKEN=${MY_TOKEN}'; may be repeated")
	cmd.Flags().StringArrayVar(&headers, "header", nil, "`NAME: VALUE` of each request, such as 'Authorization: Bearer ${MY_TOKEN}'; may be repeated")
	cmd.Flags().StringVar(&s.CallerHeader, "caller-header", "", "`NAME` of the header of each request whose value is the caller's own, such as Authorization")
	cmd.Flags().StringVar(&s.CallerEnv, "caller-env", "", "`NAME` of the variable of the command's environment whose value is the caller's own")
	cmd.Flags().StringVar(&s.Namespace, "namespace", "", "under which `word` its tools are found, if not NAME")
	cmd.Flags().StringArrayVar(&s.Include, "include", nil, "`pattern` of the names that are taken, such as 'list_*'; may be repeated")
	cmd.Flags().StringArrayVar(&s.Exclude, "exclude", nil, "`pattern` of the names that are not taken; may be repeated")
	cmd.Flags().BoolVar(&s.Required, "required", false, "without it nothing is found")
	cmd.Flags().BoolVar(&s.Pin, "pin", false, "offer only what was accepted, as it was then")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long a call may take (default 1m)")
	cmd.Flags().IntVar(&s.Concurrency, "concurrency", 0, "how many calls there are at once at most (default 8)")
	cmd.Flags().BoolVar(&elsewhere, "elsewhere", false, "do not agree that it is reached from this machine")
	f.on(cmd)
	return cmd
}

// firstAnswer bounds how long a server that was added is waited for.
const firstAnswer = 10 * time.Second

// tryServer says on stderr when a server that was added does not answer. It stays in the file:
// it may be started later.
func (p *program) tryServer(ctx context.Context, file, name string) error {
	soon, cancel := context.WithTimeout(ctx, firstAnswer)
	defer cancel()
	var shown json.RawMessage
	err := p.answerOf(soon, file, "gateway_show", arguments{"name": name}, &shown)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	why := fault.Of(err).Message
	if soon.Err() != nil {
		why = fmt.Sprintf("it has said nothing for %.0f s", firstAnswer.Seconds())
	}
	fmt.Fprintf(p.stderr, "trails: warning: %s is in the file, and does not answer now: %s; trails gateway show tries it again, and trails gateway rm takes it out\n", name, line(why))
	return nil
}

// runs is a line that says what somebody agrees to by trusting a command, "" of an address.
func (p *program) runs(s gateway.Server) string {
	if len(s.Command) == 0 {
		return ""
	}
	found, err := upstream.FindProgram(s, "", p.lookup)
	if err != nil {
		return "" // who agrees to it is told why that cannot be
	}
	return fmt.Sprintf("%s runs %s in %s\n", s.Name, line(found.Path), line(found.Directory))
}

// pairs reads names with values.
func pairs(flag, between string, given []string) (map[string]string, error) {
	all := map[string]string{}
	for _, one := range given {
		name, value, ok := strings.Cut(one, between)
		if !ok {
			return nil, usageError{fmt.Sprintf("%s %s has no %q between name and value", flag, line(one), between)}
		}
		all[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return all, nil
}

// upstreamLine is one server, and how it stands.
type upstreamLine struct {
	Name, Way, Address, State, Problem, Says string
}

func (p *program) gatewayListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list FILE",
		Short: "List the servers that the file names",
		Long: `List the servers that FILE names, and whether they can be reached from this machine.
`,
		Example: `  trails gateway list notes.trails`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("gateway_list", arguments{}), func(w io.Writer, r struct {
				Upstreams  []upstreamLine
				Settings   gateway.Settings
				Embeddings *struct{ State, Problem string }
			}) error {
				if e := r.Embeddings; e != nil {
					fmt.Fprintf(w, "embeddings of %s  %s  %s\n", line(r.Settings.Embeddings.Model), e.State, line(r.Settings.Embeddings.URL))
					if e.Problem != "" {
						fmt.Fprintf(w, "    %s\n", line(e.Problem))
					}
				}
				if len(r.Upstreams) == 0 {
					_, err := fmt.Fprintln(w, "the file names no upstream server; gateway add names one")
					return err
				}
				for _, u := range r.Upstreams {
					fmt.Fprintf(w, "%-16s %-8s %-10s %s\n", line(u.Name), u.Way, u.State, line(u.Address))
					if u.Problem != "" {
						fmt.Fprintf(w, "    %s\n", line(u.Problem))
					}
				}
				return nil
			})
			return err
		}),
	}
}

func (p *program) gatewayShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE NAME",
		Short: "Reach a server, and list what it offers",
		Long: `Start a server of FILE, or reach it, and list its tools, resources and prompts, each with the id
under which it is found.
`,
		Example: `  trails gateway show notes.trails files`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("gateway_show", arguments{"name": rest[0]}), func(w io.Writer, r struct {
				upstreamLine
				Rows [][4]string
			}) error {
				fmt.Fprintf(w, "%s  %s  %s  %s\n", line(r.Name), r.State, line(r.Says), line(r.Address))
				for _, row := range r.Rows {
					if row[3] == string(gateway.IsAccepted) {
						row[3] = ""
					}
					fmt.Fprintf(w, "%-9s %-48s %s\n", row[0], line(row[1]), line(strings.TrimSpace(row[3]+" "+row[2])))
				}
				return nil
			})
			return err
		}, "NAME"),
		ValidArgsFunction: p.completeUpstream,
	}
}

// reviewed is what a server does not offer as it was accepted.
type reviewed struct {
	Offers      int
	Changes     []gateway.Change
	MoreChanges int `json:"more_changes"`
	Digest      string
}

// standings say to a person how something stands to what was accepted.
var standings = map[gateway.Standing]string{
	gateway.IsNew: "new", gateway.IsChanged: "changed", gateway.IsGone: "not offered any more", gateway.IsMoved: "as before, of a server that is reached in another way",
}

// writeReview writes the changes. What a server says is quoted.
func writeReview(w io.Writer, r reviewed) {
	if len(r.Changes) == 0 {
		fmt.Fprintf(w, "all is as it was accepted, %d things\n", r.Offers)
	}
	for _, c := range r.Changes {
		fmt.Fprintf(w, "%s %s  %s\n", c.Kind, line(c.Name), standings[c.Standing])
		for _, d := range c.Differences {
			if d.Before != "" {
				fmt.Fprintf(w, "    - %s %s\n", line(d.Path), line(d.Before))
			}
			if d.After != "" {
				fmt.Fprintf(w, "    + %s %s\n", line(d.Path), line(d.After))
			}
		}
		if c.More > 0 {
			fmt.Fprintf(w, "    and %d differences more\n", c.More)
		}
	}
	if r.MoreChanges > 0 {
		fmt.Fprintf(w, "and %d changes more; name some to see them\n", r.MoreChanges)
	}
}

func (p *program) gatewayRefreshCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "refresh FILE NAME",
		Short: "Ask a server anew what it offers, and show what is not as accepted",
		Long: `Reach a server of FILE, ask it what it offers, and show what is not as it was accepted. The file
is not changed: accept does that.
`,
		Example: `  trails gateway refresh notes.trails files`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("gateway_refresh", arguments{"name": rest[0]}), func(w io.Writer, r reviewed) error {
				writeReview(w, r)
				return nil
			})
			return err
		}, "NAME"),
		ValidArgsFunction: p.completeUpstream,
	}
}

func (p *program) gatewayAcceptCommand() *cobra.Command {
	var f writeFlags
	var yes bool
	cmd := &cobra.Command{
		Use:   "accept FILE NAME [TOOL...]",
		Short: "Show what a server offers otherwise than accepted, and accept it",
		Long: `Reach a server of FILE, show how what it offers differs from what was accepted, and accept it, as
one commit: all, or the tools, resources and prompts that are named. Of a server that was added
with --pin nothing else is offered. The server's texts are shown as it says them: read them as
instructions that an agent may follow.
`,
		Example: `  trails gateway accept notes.trails files
  trails gateway accept notes.trails files read_file list_directory
  trails gateway accept notes.trails files --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) == 0 {
				return missing(cmd, args, []string{"FILE", "NAME"})
			}
			given := arguments{"name": rest[0]}
			if len(rest) > 1 {
				given["tools"] = rest[1:]
			}
			if !yes && !f.dryRun {
				in := p.terminal()
				if in == nil {
					return usageError{"accept asks at a terminal; without one say --yes"}
				}
				var r reviewed
				dry := maps.Clone(given)
				dry["dry_run"] = true
				if err := p.answerOf(cmd.Context(), file, "trails.meta.gateway.accept", dry, &r); err != nil {
					return err
				}
				writeReview(p.stdout, r)
				if len(r.Changes) == 0 {
					return nil
				}
				if !p.isYes(in, fmt.Sprintf("Accept %d changes of %s?", len(r.Changes)+r.MoreChanges, rest[0])) {
					return fault.New(fault.Precondition, "nothing was accepted of %s", line(rest[0]))
				}
				given["digest"] = r.Digest
			}
			_, err = callAndPrint(cmd.Context(), p, file, p.call("trails.meta.gateway.accept", given, f.arguments()), func(w io.Writer, r struct {
				reviewed
				written
			}) error {
				if given["digest"] == nil {
					writeReview(w, r.reviewed)
				}
				return writeSummary(w, r.written)
			})
			return err
		},
		ValidArgsFunction: p.completeAccepting,
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	f.on(cmd)
	return cmd
}

func (p *program) gatewayTrustCommand() *cobra.Command {
	var yes, embeddings bool
	cmd := &cobra.Command{
		Use:   "trust FILE NAME|--embeddings",
		Short: "Agree that a server is reached from this machine",
		Long: `Show how a server of FILE is reached, or where the settings send texts for embeddings, and agree
to it for this machine and for this very definition; of a command, also for the program that it
is here and the directory in which you are, where it runs from then on. The file is not changed.
TRAILS_TRUST_UPSTREAMS agrees to servers of a process by name or digest, in the directory of the
process; a digest is in the output of gateway list -o json. It never agrees to a definition that
came over the network.
`,
		Example: `  trails gateway trust notes.trails files
  trails gateway trust notes.trails --embeddings`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) == 0 && !embeddings {
				return missing(cmd, args, []string{"FILE", "NAME"})
			}
			if len(rest) > 1 || len(rest) > 0 && embeddings {
				return usageError{fmt.Sprintf("%s stands behind what is agreed to", line(rest[len(rest)-1]))}
			}
			var list struct {
				Settings  gateway.Settings
				Upstreams []struct {
					Name, Problem string
					Definition    json.RawMessage
				}
			}
			if err := p.answerOf(cmd.Context(), file, "gateway_list", arguments{}, &list); err != nil {
				return err
			}
			agree := func(shown, question, name string, keep func() error) error {
				fmt.Fprint(p.stdout, shown)
				if in := p.terminal(); in != nil && !yes && !p.isYes(in, question) {
					return fault.New(fault.Precondition, "%s is not reached from this machine", name)
				} else if in == nil && !yes {
					return usageError{"trust asks at a terminal; without one say --yes"}
				}
				return keep()
			}
			if e := list.Settings.Embeddings; embeddings {
				if e == (gateway.Embeddings{}) {
					return fault.New(fault.Missing, "the settings of the file name no endpoint of embeddings")
				}
				return agree(line(gateway.Settings{Embeddings: e}.Text())+"\n", "Send texts to "+line(e.URL)+" from this machine?", "embeddings", func() error {
					return p.trust(e.Digest(), "embeddings "+line(e.URL))
				})
			}
			var all []gateway.Kept
			for _, u := range list.Upstreams {
				k := gateway.Kept{Server: gateway.Server{Name: u.Name}}
				if u.Definition == nil {
					k.Err = fault.New(fault.Unusable, "%s", u.Problem)
				} else if k.Server, k.Err = gateway.ParseServer(u.Definition); k.Err != nil {
					return k.Err
				}
				all = append(all, k)
			}
			k, err := gateway.Named(all, rest[0])
			if err != nil {
				return err
			}
			return agree(line(k.Text())+"\n"+p.runs(k.Server), "Reach "+k.Name+" from this machine?", k.Name, func() error { return p.trustServer(k.Server) })
		},
		ValidArgsFunction: p.completeUpstream,
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&embeddings, "embeddings", false, "agree that texts are sent to the endpoint of the settings")
	return cmd
}

func (p *program) gatewayRemoveCommand() *cobra.Command {
	var f writeFlags
	cmd := &cobra.Command{
		Use:   "rm FILE NAME",
		Short: "Remove a server from the file",
		Long: `Remove a server from FILE, as one commit. What was agreed to on machines stays agreed to.
`,
		Example: `  trails gateway rm notes.trails files`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			_, err := callAndPrint(cmd.Context(), p, file, p.call("trails.meta.gateway.remove", arguments{"name": rest[0]}, f.arguments()), writeSummary)
			return err
		}, "NAME"),
		ValidArgsFunction: p.completeUpstream,
	}
	f.on(cmd)
	return cmd
}

func (p *program) gatewaySettingsCommand() *cobra.Command {
	var f writeFlags
	var elsewhere bool
	cmd := &cobra.Command{
		Use:   "settings FILE [JSON|@SETTINGS|-]",
		Short: "Show how tools of the servers are called, or set it",
		Long: `Show how tools of upstream servers are offered and called, or set it in the place of what was set:
as JSON, from a file behind @, or from stdin. What is left out is as usual, and {} is all of that.

  tolerant_args   true repairs arguments of the wrong form, by fixed rules
  cache_stable    true keeps what an agent has been shown in its place
  retry           max_attempts (1), base_delay_ms, max_delay_ms, jitter (0 to 1), retryable_codes
  cache           read_only (true keeps answers of tools that say that they only read),
                  allow (ids of the only tools to believe), ttl_s (60), entries (1000)
  rate_limits     meta_tools (tool_browse, tool_execute, tool_view) and tools (by id),
                  each with max_calls_per_minute and max_calls_per_session
  result_chars    how long a result may be that is passed on as it is (4000)
  embeddings      url and model of an endpoint, as OpenAI's, that makes vectors of texts, and key_env,
                  a variable of the environment with its key: what is browsed is ranked by its
                  meaning, too, and queries and descriptions of tools are sent to the endpoint.
                  To set it here agrees that they are sent from this machine
`,
		Example: `  trails gateway settings notes.trails
  trails gateway settings notes.trails '{"retry": {"max_attempts": 3, "base_delay_ms": 200}}'
  trails gateway settings notes.trails @settings.json --dry-run
  trails gateway settings notes.trails '{"embeddings": {"url": "http://localhost:11434/v1/embeddings", "model": "all-minilm"}}'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			switch len(rest) {
			case 0:
				_, err := callAndPrint(cmd.Context(), p, file, p.call("gateway_list", arguments{}), func(w io.Writer, r struct{ Settings json.RawMessage }) error {
					_, err := fmt.Fprintln(w, line(string(r.Settings)))
					return err
				})
				return err
			case 1:
			default:
				return usageError{fmt.Sprintf("%s stands behind the settings", line(rest[1]))}
			}
			text, err := p.jsonText(cmd.Context(), rest[0])
			if err != nil {
				return err
			}
			s, err := gateway.ParseSettings(text)
			if err != nil {
				return err
			}
			_, err = callAndPrint(cmd.Context(), p, file, p.call("trails.meta.gateway.configure", arguments{"settings": s}, f.arguments()), writeSummary)
			if err != nil || elsewhere || f.dryRun || s.Embeddings == (gateway.Embeddings{}) {
				return err
			}
			return p.trust(s.Embeddings.Digest(), "embeddings "+line(s.Embeddings.URL))
		},
	}
	cmd.Flags().BoolVar(&elsewhere, "elsewhere", false, "do not agree that texts are sent to the endpoint of embeddings from this machine")
	f.on(cmd)
	return cmd
}

// completeUpstream completes the names of the servers of a file.
func (p *program) completeUpstream(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, rest, err := p.fileThenSome(cmd, args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list struct{ Upstreams []upstreamLine }
	if p.answerOf(cmd.Context(), file, "gateway_list", arguments{}, &list) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, u := range list.Upstreams {
		if strings.HasPrefix(u.Name, word) {
			out = append(out, cobra.CompletionWithDesc(u.Name, line(u.Address)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeAccepting completes the name of a server, and then names of what is not as it was
// accepted, which the server is asked for.
func (p *program) completeAccepting(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, rest, err := p.fileThenSome(cmd, args)
	if err != nil || len(rest) == 0 {
		return p.completeUpstream(cmd, args, word)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
	defer cancel()
	var r reviewed
	if p.answerOf(ctx, file, "gateway_refresh", arguments{"name": rest[0]}, &r) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, c := range r.Changes {
		if strings.HasPrefix(c.Name, word) && !slices.Contains(rest[1:], c.Name) {
			out = append(out, cobra.CompletionWithDesc(line(c.Name), standings[c.Standing]))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
