package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"trails/auth/policy"
	"trails/invoke"
)

// tokenCommand is the parent of the commands about tokens.
func tokenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Issue, list and revoke tokens, by which callers are known",
		Long: `Issue, list and revoke tokens. Each is of a person or a program, has scopes, and is kept in the file as
a hash. While there are any, callers over HTTP have to show one.`,
		Example: `  trails token create notes.trails ci --scopes runtime,builder --expires 90d
  trails token list notes.trails
  trails token revoke notes.trails ci`,
		RunE: chooseCommand,
	}
}

// tokenAnswer is the answer of token create and token revoke.
type tokenAnswer struct {
	Token, Name, State string
	Scopes, Groups     []string
	Expires            string
	Forgotten          bool
	DryRun             bool `json:"dry_run"`
}

// writeIssued shows a new token: its secret on a line of its own, and what to do with it.
func writeIssued(w io.Writer, t tokenAnswer) (err error) {
	of := "token " + t.Name + " with " + strings.Join(t.Scopes, " and ")
	if len(t.Groups) > 0 {
		of += ", in " + strings.Join(t.Groups, " and ")
	}
	if t.Expires != "" {
		of += ", until " + t.Expires
	}
	if t.DryRun {
		_, err = fmt.Fprintf(w, "dry run, nothing was issued; it would be %s\n", of)
		return err
	}
	_, err = fmt.Fprintf(w, "%s\nissued %s\nit is shown this once; programs send it as Authorization: Bearer, clients over stdio have it in TRAILS_TOKEN\n", t.Token, of)
	return err
}

// writeRevoked says what became of a token.
func writeRevoked(w io.Writer, t tokenAnswer) (err error) {
	switch {
	case t.DryRun:
		_, err = fmt.Fprintf(w, "dry run, nothing was changed; token %s would be revoked\n", t.Name)
	case t.Forgotten:
		_, err = fmt.Fprintf(w, "token %s is revoked and forgotten\n", t.Name)
	default:
		_, err = fmt.Fprintf(w, "token %s is revoked\n", t.Name)
	}
	return err
}

// completeActors completes callers with the tokens of the graph.
func (p *program) completeActors(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if nobody := policy.Anonymous("", policy.Scopes{}).ID; word != "" && strings.HasPrefix(nobody, word) {
		return []cobra.Completion{nobody}, cobra.ShellCompDirectiveNoFileComp
	}
	name, is := strings.CutPrefix(word, policy.TokenActor)
	if !is && word != policy.TokenActor[:min(len(word), len(policy.TokenActor))] {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if !is {
		name = ""
	}
	names, how := p.completeTokens(cmd, args, name)
	for i := range names {
		names[i] = policy.TokenActor + names[i]
	}
	return names, how
}

// listed reads a list of the file that a command line names, for a completion.
func (p *program) listed(cmd *cobra.Command, args []string, capability string, list any) error {
	file, _, err := p.fileThenSome(cmd, args)
	if err != nil {
		return err
	}
	return p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) error {
		res, err := e.Call(cmd.Context(), p.call(capability, arguments{}))
		if err != nil {
			return err
		}
		return json.Unmarshal(res.Structured, list)
	})
}

// completeTokens completes the names of tokens.
func (p *program) completeTokens(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list struct{ Rows [][]any }
	err := p.listed(cmd, args, "trails.meta.token.list", &list)
	out := []cobra.Completion{}
	for _, row := range list.Rows {
		if name := fmt.Sprint(row[0]); err == nil && strings.HasPrefix(name, word) {
			out = append(out, cobra.CompletionWithDesc(name, fmt.Sprint(row[1])))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
