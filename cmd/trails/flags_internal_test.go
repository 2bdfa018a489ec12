package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// kindsOfPflag are the words that pflag has for the value of a flag by its Go type.
var kindsOfPflag = []string{
	"string", "strings", "stringArray", "stringToString", "int", "ints", "uint", "uints", "float", "floats", "count", "duration", "value", "bool", "bools", "bytesHex", "ip", "time",
	"",
}

func TestEveryFlagNamesItsValueByAWordOfTheDomain(t *testing.T) {
	seen := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Value.Type() == "bool" {
				return
			}
			seen++
			if word, _ := pflag.UnquoteUsage(flag); slices.Contains(kindsOfPflag, word) {
				t.Errorf("%s: --%s shows its value as %q: %s", cmd.CommandPath(), flag.Name, word, flag.Usage)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk((&program{}).root())
	if seen == 0 {
		t.Error("no command has a flag with a value")
	}
}
