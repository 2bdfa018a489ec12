package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"trails/invoke"
)

func (p *program) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats FILE",
		Short: "Count what the graph holds",
		Long:  "Count the quads, types, commits and bytes of the graph.\n" + fileHelp,
		Example: `  trails stats notes.trails
  trails stats notes.trails -o json`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			var doc invoke.Document
			err := p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) (err error) {
				doc, err = e.Read(cmd.Context(), "trails://stats", invoke.Call{Principal: me(), Via: "cli"})
				return err
			})
			if err != nil {
				return err
			}
			return p.print(json.RawMessage(doc.Body), func(w io.Writer) error { return writeValue(w, doc.Body) })
		}),
	}
}
