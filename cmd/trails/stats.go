package main

import (
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"trails/auth/policy"
	"trails/invoke"
)

func (p *program) statsCommand() *cobra.Command {
	at, branch, origin := "", "", ""
	cmd := &cobra.Command{
		Use:   "stats FILE",
		Short: "Count what the graph holds",
		Long: "Count the quads, types, commits and bytes of the graph. With --origin count what one class of sources said: its quads, and\n" +
			"the nodes of which it alone said something, among the first million quads; a note says so when there are more.\n" + fileHelp,
		Example: `  trails stats notes.trails
  trails stats notes.trails --at head~10 -o json
  trails stats notes.trails --origin agent`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			view := url.Values{}
			for name, given := range map[string]string{"at": at, "branch": branch, "origin": origin} {
				if given != "" {
					view.Set(name, given)
				}
			}
			address := "trails://stats?" + view.Encode()
			var doc invoke.Document
			err := p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) (err error) {
				doc, err = e.Read(cmd.Context(), address, invoke.Call{Principal: me(), Via: p.door()})
				return err
			})
			if err != nil {
				return err
			}
			return p.print(json.RawMessage(doc.Body), func(w io.Writer) error { return writeValue(w, doc.Body) })
		}),
	}
	p.viewFlags(cmd, &branch, &at)
	cmd.Flags().StringVar(&origin, "origin", "", "`class` of sources: "+strings.Join(policy.OriginNames(), ", "))
	completeWords(cmd, "origin", policy.OriginNames()...)
	return cmd
}

// viewFlags gives a command the flags that name the state that is read.
func (p *program) viewFlags(cmd *cobra.Command, branch, at *string) {
	cmd.Flags().StringVar(at, "at", "", usageOfAt)
	cmd.Flags().StringVar(branch, "branch", "", usageOfBranch)
	_ = cmd.RegisterFlagCompletionFunc("at", p.completeCommits) // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("branch", p.completeBranches)
}

const usageOfBranch = "`branch` to read or write (default: main)"

const usageOfAt = "`commit` whose state is read: at least four digits of its id, head~2, or a time (default: the newest)"
