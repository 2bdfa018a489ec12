package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trails/fault"
)

// manCommand writes manual pages, for packagers.
func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIRECTORY",
		Short:   "Write the manual pages, one for each command",
		Long:    "Write the manual pages into DIRECTORY, which is made when it is not there: trails.1, and one for each command.",
		Example: `  trails man man1`,
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{"man needs a directory"}
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fault.New(fault.Unusable, "%v", err)
			}
			return writeManual(cmd.Root(), args[0])
		},
	}
}

// writeManual writes the page of a command and those of its subcommands.
func writeManual(cmd *cobra.Command, dir string) error {
	if cmd.Hidden || cmd.Name() == "help" {
		return nil
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := replaceFile(filepath.Join(dir, name+".1"), func(w io.Writer) error { return manPage(w, cmd, name) }); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if err := writeManual(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// manPage writes one page with the macros of man(7). Help texts are kept as they are.
func manPage(w io.Writer, cmd *cobra.Command, name string) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"trails %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), roff(version), roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(cmd.UseLine()))
	text := func(title, body string) {
		if body = strings.Trim(body, "\n"); body != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(body))
		}
	}
	text("DESCRIPTION", cmd.Long)
	for _, flags := range []struct {
		title string
		set   *pflag.FlagSet
	}{{"OPTIONS", cmd.LocalFlags()}, {"OPTIONS OF ALL COMMANDS", cmd.InheritedFlags()}} {
		text(flags.title, flags.set.FlagUsages())
	}
	text("EXAMPLES", cmd.Example)
	if !cmd.HasParent() {
		text("ENVIRONMENT AND EXIT CODES", environmentHelp())
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, cmd.Parent().CommandPath())
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			also = append(also, sub.CommandPath())
		}
	}
	for i, path := range also {
		also[i] = `\fB` + roff(strings.ReplaceAll(path, " ", "-")) + `\fR(1)`
	}
	if len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, ",\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// roff escapes what the formatter would interpret: backslashes, hyphens, which must be copyable, and control lines;
// and non-ASCII characters, whose encoding formatters do not agree on.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	var b strings.Builder
	for _, r := range text {
		if r > unicode.MaxASCII {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		} else {
			b.WriteRune(r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
