package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trails/auth/policy"
	"trails/builtin/surface"
	"trails/capability"
	"trails/fault"
	"trails/gateway/embed"
	"trails/gateway/tools"
	"trails/invoke"
	"trails/invoke/schedule"
	"trails/kg"
)

// program is one run of the binary: its streams, and the flags and environment for all commands.
type program struct {
	stdin       io.Reader
	stdout      *sink
	stderr      io.Writer
	cmd         *cobra.Command // the running command
	env         map[string]string
	gateway     *tools.Tools      // of the open engine
	vectors     *embed.Embedder   // of the open engine
	more        []invoke.Provider // in addition to those of package builtin
	usual       map[string]option // of usualOptions
	output      string            // -o: "text" or "json"
	version     bool              // --version
	allowRemote []string
	inspect     bool          // the command also reads files that are otherwise refused
	queryWait   time.Duration // 0 is the default
	massChange  int64         // likewise
	storedTools int           // of --stored-tools, as builtin.Options has it
	toolErrors  string        // of --tool-errors
	identity    identity      // of --oidc-issuer and the flags beside it

	path   string              // where the addresses of the server begin; "" for /
	memory *kg.Pool            // that the graphs of a process share; nil for the only one
	turns  *schedule.Scheduler // likewise

	artifactTTL   time.Duration // of --artifact-ttl; 0 is the file's own
	artifactQuota int64         // of --artifact-quota in bytes, likewise

	surface surface.Mode // of --surface
	log     *slog.Logger
}

// run executes the command line and returns the exit code. It never panics: a bug becomes one line with a trace id.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) (code int) {
	stops := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		stops = append(stops, syscall.SIGHUP) // the terminal was closed
	}
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt kills the process
	p := &program{stdin: stdin, stdout: &sink{name: "stdout", Writer: stdout}, stderr: stderr, env: environment(env), log: slog.New(slog.DiscardHandler)}
	defer func() {
		if bug := recover(); bug != nil {
			code = p.reportPanic(bug)
		}
	}()
	root := p.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		p.output = cmp.Or(outputAmong(args), p.output) // flags after a wrong one have not been parsed
		return p.report(ctx, cmd, err)
	}
	return exitDone
}

// outputAmong finds the last value of -o, "" if there is none.
func outputAmong(args []string) (output string) {
	for i, arg := range args {
		switch value, long := strings.CutPrefix(arg, "--output-format"); {
		case arg == "--":
			return output
		case (arg == "-o" || arg == "--output-format") && i+1 < len(args):
			output = args[i+1]
		case long:
			output = strings.TrimPrefix(value, "=")
		case strings.HasPrefix(arg, "-o"):
			output = strings.TrimPrefix(arg[2:], "=")
		}
	}
	return output
}

// environment indexes NAME=value entries; the last one of a name counts.
func environment(entries []string) map[string]string {
	env := make(map[string]string, len(entries))
	for _, e := range entries {
		if name, value, ok := strings.Cut(e, "="); ok {
			env[name] = value
		}
	}
	return env
}

// root is the tree of commands, in the order of first use.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "trails COMMAND FILE [arguments]",
		Short: "A versioned, typed graph in one file, for agents and people",
		Long: `trails keeps a versioned RDF graph, its schema and its history in one SQLite file.
Agents reach it over MCP, programs over HTTP, scripts through these commands; every
write is validated, atomic, attributed and versioned.`,
		Example: `  trails init notes.trails --schema schema.yaml
  trails load notes.trails notes.ndjson
  trails mcp notes.trails`,
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: p.prepare,
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.version {
				return p.printVersion(args)
			}
			return chooseCommand(cmd, args)
		},
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		says := err.Error()
		if unknown, is := errors.AsType[*pflag.NotExistError](err); is && unknown.GetSpecifiedName() == "at" {
			says += "; " + capability.NoPast
		}
		return usageError{says}
	})
	root.PersistentFlags().StringVarP(&p.output, "output-format", "o", "text", "`FORM`: text for people, or json: exactly the structured result, or the structured error")
	completeOutput(root)
	root.Flags().BoolVar(&p.version, "version", false, "say which build this is, as the command version does")
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error { // a usage template of one's own would bring text/template in
		if err := usage(cmd); err != nil {
			return err
		}
		_, err := io.WriteString(cmd.OutOrStderr(), environmentHelp())
		return err
	})
	cobra.EnableCommandSorting = false
	root.SetHelpCommand(helpCommand(root))
	p.addVerbs(root, p.verbs(), append(slices.Clip(standing()), invoke.Standing(p.more)...))
	return root
}

// prepare checks what all commands share.
func (p *program) prepare(cmd *cobra.Command, _ []string) error {
	p.cmd = cmd
	if err := p.checkOutput(cmd); err != nil {
		return err
	}
	if env := p.env["TRAILS_ENV"]; env != "" && env != "dev" && env != policy.Production {
		return usageError{"TRAILS_ENV is " + env + ": it is dev or production"}
	}
	for _, s := range []struct {
		name  string
		given bool
		set   func(string) error
	}{
		{"TRAILS_STORED_TOOLS", p.storedTools != 0, p.setStoredTools},
		{"TRAILS_ARTIFACT_TTL", p.artifactTTL != 0, p.setArtifactTTL},
		{"TRAILS_ARTIFACT_QUOTA", p.artifactQuota != 0, p.setArtifactQuota},
	} {
		if text := p.env[s.name]; text != "" && !s.given {
			if err := s.set(text); err != nil {
				return usageError{s.name + " " + err.Error()}
			}
		}
	}
	return p.prepareLog(cmd)
}

// chooseCommand handles a command that only has subcommands.
func chooseCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd == cmd.Root() {
		return cmd.Help()
	}
	if len(args) == 0 {
		return usageError{cmd.CommandPath() + " needs a subcommand"}
	}
	return unknownCommand(cmd, args[0])
}

// unknownCommand suggests a similar subcommand of cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if name := otherWords[word]; slices.Contains(names, name) {
		return usageError{fmt.Sprintf("unknown command %s; did you mean %q?", word, name)}
	}
	return usageError{"unknown command " + word + fault.DidYouMean(word, names)}
}

// otherWords are names of commands in other programs.
var otherWords = map[string]string{
	"ls": "list", "dir": "list", "insert": "load", "add": "load", "dump": "export", "save": "export",
	"select": "query", "sparql": "query", "ask": "query", "sql": "query", "cat": "get", "node": "get", "find": "search", "grep": "search",
	"server": "serve", "start": "serve", "web": "serve", "http": "serve", "stdio": "mcp", "new": "init",
	"call": "invoke", "run": "invoke", "tools": "invoke", "tool": "invoke", "commits": "log", "commit": "show", "revert": "undo", "rollback": "undo",
	"info": "stats", "status": "stats", "count": "stats", "check": "doctor", "fsck": "verify", "copy": "backup", "upstream": "gateway",
	"remove": "rm", "delete": "rm", "del": "rm",
}

// helpCommand shows the help of a command, and refuses what is none.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command",
		Long:    "Show what a command does, its flags and examples.",
		Example: "  trails help load\n  trails help gateway add",
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			at, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, c := range at.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			at := root
			for _, word := range args {
				i := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
				if i < 0 {
					return unknownCommand(at, word)
				}
				at = at.Commands()[i]
			}
			return at.Help()
		},
	}
}
