package main

import (
	"encoding/json"
	"io"
	"net/url"

	"github.com/spf13/cobra"

	"trails/invoke"
)

func (p *program) statsCommand() *cobra.Command {
	at := ""
	cmd := &cobra.Command{
		Use:   "stats FILE",
		Short: "Count what the graph holds",
		Long:  "Count the quads, types, commits and bytes of the graph.\n" + fileHelp,
		Example: `  trails stats notes.trails
  trails stats notes.trails --at head~10 -o json`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			address := "trails://stats"
			if at != "" {
				address += "?" + url.Values{"at": {at}}.Encode()
			}
			var doc invoke.Document
			err := p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) (err error) {
				doc, err = e.Read(cmd.Context(), address, invoke.Call{Principal: me(), Via: "cli"})
				return err
			})
			if err != nil {
				return err
			}
			return p.print(json.RawMessage(doc.Body), func(w io.Writer) error { return writeValue(w, doc.Body) })
		}),
	}
	p.atFlag(cmd, &at)
	return cmd
}

// atFlag gives a command the flag that names the commit whose state is read.
func (p *program) atFlag(cmd *cobra.Command, at *string) {
	cmd.Flags().StringVar(at, "at", "", usageOfAt)
	_ = cmd.RegisterFlagCompletionFunc("at", p.completeCommits) // the flag is there
}

const usageOfAt = "`commit` whose state is read: at least four digits of its id, head~2, or a time (default: the newest)"
