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
	return &cobra.Command{
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
}

// namedServer is a server definition from the flags of gateway add.
type namedServer struct {
	gateway.Server
	command      string
	env, headers []string
	timeout      time.Duration
	elsewhere    bool
}

func (s *namedServer) flags(cmd *cobra.Command) {
	cmd.Use = "add FILE NAME --stdio CMD [-- ARG...]|--http URL|--sse URL"
	flags := cmd.Flags()
	flags.StringVar(&s.command, "stdio", "", "`command` to run; its arguments stand behind --")
	flags.StringVar(&s.HTTP, "http", "", "`URL` of Streamable HTTP")
	flags.StringVar(&s.SSE, "sse", "", "`URL` of HTTP with SSE, as it was before Streamable HTTP")
	flags.StringArrayVar(&s.env, "env", nil, "`NAME=VALUE` of the command's environment, such as 'TOKEN=${MY_TOKEN}'; may be repeated")
	flags.StringArrayVar(&s.headers, "header", nil, "`NAME: VALUE` of each request, such as 'Authorization: Bearer ${MY_TOKEN}'; may be repeated")
	flags.StringVar(&s.CallerHeader, "caller-header", "", "`NAME` of the header of each request whose value is the caller's own, such as Authorization")
	flags.StringVar(&s.CallerEnv, "caller-env", "", "`NAME` of the variable of the command's environment whose value is the caller's own")
	flags.StringVar(&s.Namespace, "namespace", "", "under which `word` its tools are found, if not NAME")
	flags.StringArrayVar(&s.Include, "include", nil, "`pattern` of the names that are taken, such as 'list_*'; may be repeated")
	flags.StringArrayVar(&s.Exclude, "exclude", nil, "`pattern` of the names that are not taken; may be repeated")
	flags.BoolVar(&s.Required, "required", false, "without it nothing is found")
	flags.BoolVar(&s.Pin, "pin", false, "offer only what was accepted, as it was then")
	flags.DurationVar(&s.timeout, "timeout", 0, "`DURATION` that a call may take, as 30s (default 1m)")
	flags.IntVar(&s.Concurrency, "concurrency", 0, "how `many` calls there are at once at most (default 8)")
	flags.BoolVar(&s.elsewhere, "elsewhere", false, "do not agree that it is reached from this machine")
}

// add adds the server to the file, approves it here, and tries it.
func (s *namedServer) add(a *asked) (err error) {
	ways := slices.DeleteFunc([]string{s.command, s.HTTP, s.SSE}, func(way string) bool { return way == "" })
	if len(ways) != 1 {
		return usageError{"say one of --stdio, --http and --sse"}
	}
	s.Name, s.TimeoutMS = a.words[0], int(s.timeout.Milliseconds())
	switch {
	case s.command != "":
		s.Command = append([]string{s.command}, a.words[1:]...)
	case len(a.words) > 1:
		return usageError{fmt.Sprintf("%s stands behind NAME, and only a command of --stdio has arguments", line(a.words[1]))}
	}
	if s.Env, err = pairs("--env", "=", s.env); err != nil {
		return err
	}
	if s.Headers, err = pairs("--header", ":", s.headers); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return err
	}
	a.given["definition"] = s.Server
	if _, err = a.once(); err != nil || s.elsewhere || a.given["dry_run"] == true {
		return err
	}
	if err := a.trustServer(s.Server); err != nil {
		fmt.Fprintf(a.stderr, "trails: %s is named in the file, and not agreed to here: %s; once that is mended, agree with trails gateway trust\n", s.Name, line(fault.Whole(err)))
		return nil
	}
	fmt.Fprint(a.stderr, a.runs(s.Server))
	if s.PerCaller() {
		return nil // nobody's credential is here
	}
	return a.tryServer(a.ctx(), a.file, s.Name)
}

// firstAnswer bounds the wait for a newly added server.
const firstAnswer = 10 * time.Second

// tryServer reports on stderr if a newly added server does not answer. It stays in the file, because it may be
// started later.
func (p *program) tryServer(ctx context.Context, file, name string) error {
	soon, cancel := context.WithTimeout(ctx, firstAnswer)
	defer cancel()
	var shown json.RawMessage
	err := p.answerOf(soon, file, "gateway_show", arguments{"name": name}, &shown)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	why := fault.Whole(err)
	if soon.Err() != nil {
		why = fmt.Sprintf("it has said nothing for %.0f s", firstAnswer.Seconds())
	}
	fmt.Fprintf(p.stderr, "trails: warning: %s is in the file, and does not answer now: %s; trails gateway show tries it again, and trails gateway rm takes it out\n", name, line(why))
	return nil
}

// runs is a line about the program that trusting a command approves, "" for an address.
func (p *program) runs(s gateway.Server) string {
	if len(s.Command) == 0 {
		return ""
	}
	found, err := upstream.FindProgram(s, "", p.lookup)
	if err != nil {
		return "" // the approval will report why it cannot be found
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

// upstreamLine is one server with its state.
type upstreamLine struct {
	Name, Way, Address, State, Problem, Says string
}

func writeUpstreams(w io.Writer, r struct {
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
}

func writeUpstream(w io.Writer, r struct {
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
}

// reviewed is what a server does not offer as it was accepted.
type reviewed struct {
	Offers      int
	Changes     []gateway.Change
	MoreChanges int `json:"more_changes"`
	Digest      string
}

// standings are the standings in words.
var standings = map[gateway.Standing]string{
	gateway.IsNew: "new", gateway.IsChanged: "changed", gateway.IsGone: "not offered any more", gateway.IsMoved: "as before, of a server that is reached in another way",
}

// writeReview writes the changes. Texts of a server are quoted.
func writeReview(w io.Writer, r reviewed) error {
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
	return nil
}

// accept shows the changes, asks unless told otherwise, and accepts what was shown.
func (a *asked) accept() error {
	yes, _ := a.cmd.Flags().GetBool("yes")
	shown := !yes && a.given["dry_run"] != true
	if shown {
		in := a.terminal()
		if in == nil {
			return usageError{"accept asks at a terminal; without one say --yes"}
		}
		var r reviewed
		dry := maps.Clone(a.given)
		dry["dry_run"] = true
		if err := a.answerOf(a.ctx(), a.file, a.capability, dry, &r); err != nil {
			return err
		}
		if err := writeReview(a.stdout, r); err != nil || len(r.Changes) == 0 {
			return err
		}
		if !a.isYes(in, fmt.Sprintf("Accept %d changes of %s?", len(r.Changes)+r.MoreChanges, a.given["name"])) {
			return fault.New(fault.Precondition, "nothing was accepted of %s", line(fmt.Sprint(a.given["name"])))
		}
		a.given["digest"] = r.Digest
	}
	a.verb.text = decoded(func(w io.Writer, r struct {
		reviewed
		written
	}) error {
		if !shown {
			if err := writeReview(w, r.reviewed); err != nil {
				return err
			}
		}
		return writeSummary(w, r.written)
	})
	_, err := a.once()
	return err
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
					return fault.New(fault.Missing, "the settings of the file name no endpoint of embeddings; trails gateway settings names one")
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

// settings shows the settings of the gateway, or sets them.
func (a *asked) settings() error {
	if len(a.words) == 0 {
		a.verb.text = decoded(func(w io.Writer, r struct{ Settings json.RawMessage }) error {
			_, err := fmt.Fprintln(w, line(string(r.Settings)))
			return err
		})
		_, err := a.make(a.call("gateway_list", arguments{}))
		return err
	}
	text, err := a.jsonText(a.ctx(), a.words[0])
	if err != nil {
		return err
	}
	s, err := gateway.ParseSettings(text)
	if err != nil {
		return err
	}
	a.given["settings"] = s
	elsewhere, _ := a.cmd.Flags().GetBool("elsewhere")
	if _, err = a.once(); err != nil || elsewhere || a.given["dry_run"] == true || s.Embeddings == (gateway.Embeddings{}) {
		return err
	}
	return a.trust(s.Embeddings.Digest(), "embeddings "+line(s.Embeddings.URL))
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

// completeAccepting completes the name of a server, and then names of its unaccepted things, for which it contacts
// the server.
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
