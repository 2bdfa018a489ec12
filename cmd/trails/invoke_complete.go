package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/capability"
	"trails/invoke"
)

// completeInvoke completes FILE, then the capabilities that FILE has, then the
// arguments of the one that stands there. What goes wrong completes to nothing.
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
	if len(rest) == 0 {
		return completeCapability(callable, word), cobra.ShellCompDirectiveNoFileComp
	}
	d, _ := find(callable, rest[0])
	return completeArgument(d.InputShape, word)
}

func completeCapability(descriptors []capability.Descriptor, word string) []cobra.Completion {
	var out []cobra.Completion
	for _, d := range descriptors {
		if strings.HasPrefix(d.ID, word) {
			out = append(out, cobra.CompletionWithDesc(d.ID, firstSentence(d.Description)))
		}
	}
	return out
}

// completeArgument completes a name up to its "=", then the values that it may have.
func completeArgument(shape capability.Shape, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, _, hasValue := strings.Cut(word, "=")
	if hasValue {
		field, _ := shape.Field(name)
		return completeValue(field, name, word), cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, f := range shape.Fields {
		if strings.HasPrefix(f.Name, word) {
			out = append(out, cobra.CompletionWithDesc(f.Name+"=", line(f.Description)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeValue(field capability.Field, name, word string) []cobra.Completion {
	values := field.OneOf
	if field.Type == capability.Boolean {
		values = []any{true, false}
	}
	var out []cobra.Completion
	for _, v := range values {
		if c := fmt.Sprintf("%s=%v", name, v); strings.HasPrefix(c, word) {
			out = append(out, c)
		}
	}
	return out
}
