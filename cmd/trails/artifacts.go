package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/kg"
)

// artifactFlags set how long results of tools are kept, and how many.
func (p *program) artifactFlags(cmd *cobra.Command) {
	cmd.Flags().Func("artifact-ttl", "how `long` results of tools are kept in the file, such as 24h (default: TRAILS_ARTIFACT_TTL, then 168h)", p.setArtifactTTL)
	cmd.Flags().Func("artifact-quota", "how many `MiB` of them are kept, before the oldest go (default: TRAILS_ARTIFACT_QUOTA, then 256)", p.setArtifactQuota)
	completeWords(cmd, "artifact-ttl") // with nothing, not even a file
	completeWords(cmd, "artifact-quota")
}

func (p *program) setArtifactTTL(text string) (err error) {
	if p.artifactTTL, err = time.ParseDuration(text); err != nil || p.artifactTTL < time.Second {
		return fmt.Errorf("is a time from 1s on, such as 24h, not %q", text)
	}
	return nil
}

func (p *program) setArtifactQuota(text string) error {
	mib, err := strconv.ParseInt(text, 10, 64)
	if err != nil || mib < 1 || mib > 1<<20 {
		return fmt.Errorf("is a number of MiB from 1 to 1048576, not %q", text)
	}
	p.artifactQuota = mib << 20
	return nil
}

func (p *program) artifactsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "artifacts",
		Short: "See, save and remove results of tools that the file keeps",
		Long: `See, save and remove results of tools that the file keeps. A result that is too long for a model
is kept whole for some days, so that the model can read parts of it; --artifact-ttl and
--artifact-quota of mcp and serve say how long, and how much. Each is one user's: you see those of
agents that run as you and ask for no token.
`,
		Example: `  trails artifacts list notes.trails
  trails artifacts get notes.trails text:files.read:0123456789abcdef --output log.txt
  trails artifacts rm notes.trails --all`,
		RunE: chooseCommand,
	}
}

// artifactPage is an answer of artifacts_list.
type artifactPage struct {
	Count, Bytes int64
	Rows         [][]any
	Next         string
}

func writeArtifacts(w io.Writer, page artifactPage) error {
	if _, err := fmt.Fprintf(w, "%d kept, %s\n", page.Count, bytesOf(page.Bytes)); err != nil {
		return err
	}
	for _, row := range page.Rows {
		size, _ := row[2].(float64)
		fmt.Fprintf(w, "%s  %s  until %s\n", line(fmt.Sprint(row[0])), bytesOf(int64(size)), row[5])
	}
	if page.Next != "" {
		fmt.Fprintf(w, "there are more; go on with --cursor %s\n", page.Next)
	}
	return nil
}

func (p *program) artifactsGetCommand() *cobra.Command {
	var output string
	var force bool
	cmd := &cobra.Command{
		Use:   "get FILE HANDLE",
		Short: "Write a result as it was kept",
		Long: `Write the bytes of a result that is kept for you to stdout or to a file, which appears whole or not
at all. With -o json it says what it wrote, and needs --output.
` + fileHelp,
		Example: `  trails artifacts get notes.trails text:files.read:0123456789abcdef | less
  trails artifacts get notes.trails image:maps.draw:0123456789abcdef --output map.png`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			if output == "" && p.asJSON() {
				return usageError{"artifacts get -o json needs --output: the bytes are not JSON"}
			}
			if _, err := os.Stat(output); output != "" && err == nil && !force {
				return fault.New(fault.Conflict, "%s exists; --force replaces it", output)
			}
			var kept kg.KeptArtifact
			write := func(w io.Writer) error {
				return p.withGraph(cmd.Context(), file, func(g *kg.Graph) (err error) {
					kept, err = g.Session(me()).CopyArtifact(cmd.Context(), rest[0], w)
					return err
				})
			}
			if output == "" {
				return write(p.stdout)
			}
			if err := replaceFile(output, write); err != nil {
				return err
			}
			return p.print(kept.Ref, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "wrote %s, %s of %s\n", output, bytesOf(int64(kept.SizeBytes)), line(kept.MediaType))
				return err
			})
		}, "HANDLE"),
		ValidArgsFunction: p.completeArtifact,
	}
	cmd.Flags().StringVar(&output, "output", "", "write to this `file` instead of stdout")
	cmd.Flags().BoolVar(&force, "force", false, "replace the file if it exists")
	return cmd
}

func (p *program) artifactsRemoveCommand() *cobra.Command {
	var all, expired bool
	cmd := &cobra.Command{
		Use:   "rm FILE [HANDLE]",
		Short: "Remove results that are kept",
		Long: `Remove one result that is kept for you, --all of yours, or those of everybody that have --expired
and that writes have not removed yet.
` + fileHelp,
		Example: `  trails artifacts rm notes.trails text:files.read:0123456789abcdef
  trails artifacts rm notes.trails --all`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			if ways := len(rest) + oneIf(all) + oneIf(expired); ways != 1 {
				return usageError{"give one of HANDLE, --all and --expired"}
			}
			removed := struct {
				Removed int `json:"removed"`
			}{1}
			err = p.withGraph(cmd.Context(), file, func(g *kg.Graph) (err error) {
				switch s := g.Session(me()); {
				case all:
					removed.Removed, err = s.RemoveArtifacts(cmd.Context())
				case expired:
					removed.Removed, err = g.RemoveExpiredArtifacts(cmd.Context())
				default:
					err = s.RemoveArtifact(cmd.Context(), rest[0])
				}
				return err
			})
			if err != nil {
				return err
			}
			return p.print(removed, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "removed %d\n", removed.Removed)
				return err
			})
		},
		ValidArgsFunction: p.completeArtifact,
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that are kept for you")
	cmd.Flags().BoolVar(&expired, "expired", false, "those of everybody that have expired")
	return cmd
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// completeArtifact offers the handles of what is kept.
func (p *program) completeArtifact(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, rest, err := p.fileThenSome(cmd, args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list artifactPage
	if p.answerOf(cmd.Context(), file, "artifacts_list", arguments{"limit": 200}, &list) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, row := range list.Rows {
		if handle, _ := row[0].(string); strings.HasPrefix(handle, word) {
			out = append(out, handle)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
