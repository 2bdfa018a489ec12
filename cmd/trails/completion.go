package main

import (
	"github.com/spf13/cobra"
)

// completeOutput completes the value of -o with the command's formats.
func completeOutput(root *cobra.Command) {
	complete := func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return outputs(cmd), cobra.ShellCompDirectiveNoFileComp
	}
	if err := root.RegisterFlagCompletionFunc("output-format", complete); err != nil {
		panic(err) // a missing flag is a bug that every start would show
	}
}

func (p *program) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print the completion script of a shell",
		Long: `Print a script that teaches a shell to complete trails' commands and flags, and the
capabilities, arguments and values of the FILE on the command line.`,
		Example: `  trails completion bash > /etc/bash_completion.d/trails
  trails completion zsh  > "${fpath[1]}/_trails"
  trails completion fish > ~/.config/fish/completions/trails.fish`,
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{"completion needs the name of one shell: bash, zsh or fish"}
			}
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.stdout, true)
			case "zsh":
				return root.GenZshCompletion(p.stdout)
			case "fish":
				return root.GenFishCompletion(p.stdout, true)
			}
			return usageError{"no completion for " + args[0] + ": there is bash, zsh and fish"}
		},
	}
}
