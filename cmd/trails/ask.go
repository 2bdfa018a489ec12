package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"trails/auth/policy"
	"trails/invoke"
)

// massChangeFlag sets how many statements a call may remove in a serving process.
func (p *program) massChangeFlag(cmd *cobra.Command) {
	cmd.Flags().Func("mass-change", "how `many` statements one call may remove unless it says allow_mass_change or a person agrees (default 1000); /sparql and /rdf-graphs have no bound", func(text string) (err error) {
		if p.massChange, err = strconv.ParseInt(text, 10, 64); err != nil || p.massChange < 1 {
			return errors.New("it is a number from 1")
		}
		return nil
	})
	completeWords(cmd, "mass-change") // with nothing, not even a file
}

// askMass asks the person at the terminal before a call removes many statements, after before is closed; nil without
// a terminal.
func (p *program) askMass(before func()) func(context.Context, invoke.Question) (bool, error) {
	in := p.terminal()
	if in == nil {
		return nil
	}
	return func(_ context.Context, q invoke.Question) (bool, error) {
		before()
		return p.isYes(in, line(q.Message)), nil
	}
}

// terminal is where a person can be asked; nil if there is none.
func (p *program) terminal() *os.File {
	in, ok := p.stdin.(*os.File)
	if !ok || !isatty.IsTerminal(in.Fd()) {
		return nil
	}
	return in
}

// door is how calls of the command line come: from a person if there is a terminal, else from a program.
func (p *program) door() string {
	if p.terminal() != nil {
		return policy.Terminal
	}
	return "cli"
}

// isYes asks the person at the terminal.
func (p *program) isYes(in *os.File, question string) bool {
	fmt.Fprintf(p.stderr, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(in).ReadString('\n') // an unreadable answer is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}
