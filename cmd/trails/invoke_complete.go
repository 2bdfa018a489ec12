package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/capability"
	"trails/invoke"
)

// completeInvoke completes FILE, then the capabilities of FILE, then arguments. On errors it completes nothing.
func (p *program) completeInvoke(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, rest, err := p.fileThenSome(cmd, args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var tools invoke.Tools
	err = p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) (err error) {
		tools, err = e.Tools(cmd.Context(), me())
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	callable := slices.Concat(tools.Descriptors, tools.Helpers)
	var out []cobra.Completion
	if len(rest) == 0 {
		for _, d := range callable {
			if strings.HasPrefix(d.ID, word) {
				out = append(out, cobra.CompletionWithDesc(d.ID, firstSentence(d.Description)))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	d, _ := find(callable, rest[0])
	name, _, hasValue := strings.Cut(word, "=")
	if !hasValue { // a name up to its "=", then its possible values
		for _, f := range d.InputShape.Fields {
			if strings.HasPrefix(f.Name, word) {
				out = append(out, cobra.CompletionWithDesc(f.Name+"=", line(f.Description)))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	field, _ := d.InputShape.Field(name)
	values := field.OneOf
	if field.Type == capability.Boolean {
		values = []any{true, false}
	}
	for _, v := range values {
		if c := fmt.Sprintf("%s=%v", name, v); strings.HasPrefix(c, word) {
			out = append(out, c)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
