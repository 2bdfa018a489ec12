package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func (p *program) schemaShowCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print the schema",
		Long:  "Print the schema: as YAML, which schema apply reads back, as JSON, or as SHACL in Turtle.\n" + fileHelp,
		Example: `  trails schema show notes.trails > schema.yaml
  trails schema show notes.trails --format turtle`,
		Args: cobra.ArbitraryArgs,
		RunE: p.onFile(func(cmd *cobra.Command, file string) error {
			c, err := p.call("schema_get", arguments{"format": format})
			if err != nil {
				return err
			}
			return p.answer(cmd.Context(), file, c, writeSchema)
		}),
	}
	cmd.Flags().StringVar(&format, "format", "yaml", "yaml, json or turtle")
	completeWords(cmd, "format", "yaml", "json", "turtle")
	return cmd
}

// writeSchema prints the text of a schema as it is: it may be read back.
func writeSchema(w io.Writer, structured json.RawMessage) error {
	if text := stringMember(structured, "text"); text != "" {
		return writeLine(w, []byte(text))
	}
	var view struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(structured, &view); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, view.Schema, "", "  "); err != nil {
		return fmt.Errorf("indent the schema: %w", err)
	}
	return writeLine(w, b.Bytes())
}
