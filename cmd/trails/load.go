package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/invoke"
	"trails/kg/load"
)

func texts[T ~string](values []T) []string {
	all := make([]string, 0, len(values))
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

// words lists values for a person.
func words[T ~string](values []T) string {
	all := texts(values)
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// completeWords completes the value of a flag with these words only.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	completeFlag(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeFlag completes the value of a flag.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag is not there: a bug that every start would show
	}
}

// load loads files, and writes rejected rows to another file.
func (a *asked) load() error {
	flags := a.cmd.Flags()
	replace, _ := flags.GetBool("replace")
	rejects, _ := flags.GetString("rejects")
	keepGoing, lenient := a.given["keep_going"] == true, a.given["lenient"] == true
	if replace && flags.Changed("mode") {
		return usageError{"--replace is --mode replace; give one of them"}
	}
	if rejects != "" && lenient == keepGoing {
		return usageError{"--rejects is for the statements that --lenient leaves out, or for the rows that --keep-going does; give one of these with it"}
	}
	inputs, closeAll, err := a.openInputs(a.ctx(), a.words)
	if err != nil {
		return err
	}
	defer closeAll()
	if replace {
		a.given["mode"] = load.Replace
	}
	if keepGoing && rejects != "" {
		a.given["rejects"] = true
	}
	c := a.keyed()
	c.Inputs = inputs
	start := time.Now()
	if rejects != "" {
		out, err := os.OpenFile(rejects, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // before anything is loaded
		if err != nil {
			return fault.New(fault.Unusable, "%s cannot be written", rejects).Because(err)
		}
		defer func() { _ = out.Close() }() // what it has is flushed
		if keepGoing {
			c.Output = out
		}
	}
	a.verb.text = decoded(func(w io.Writer, r written) error {
		took := time.Since(start)
		for _, node := range r.Preview {
			if err := writeLine(w, []byte(line(string(node)))); err != nil {
				return err
			}
		}
		rate := float64(r.Added+r.Removed) / max(took.Seconds(), 1e-3)
		fmt.Fprintf(w, "%s in %s, %s quads/s\n", count(r.Records, "record"), took.Round(time.Millisecond), grouped(int64(rate)))
		return writeSummary(w, r)
	})
	answer, err := a.make(c)
	if err == nil && lenient && rejects != "" {
		done, err := answered[written](answer)
		if err != nil {
			return err
		}
		return writeRejects(rejects, done.Rejects, done.LeftOut)
	}
	var at *fault.Error
	if !errors.As(err, &at) || at.Details["stopped_at"] == nil {
		return err
	}
	stopped := *at
	stopped.Message = fault.Add(stopped.Message, fmt.Sprintf("; the load stopped at %v", at.Details["stopped_at"]))
	return &stopped
}

// writeRejects writes statements that were left out, one a line, and the number of those not listed.
func writeRejects(name string, rejects []json.RawMessage, count int64) error {
	var text []byte
	for _, reject := range rejects {
		text = append(append(text, reject...), '\n')
	}
	if more := count - int64(len(rejects)); more > 0 {
		text = fmt.Appendf(text, "{\"message\":\"and %d more\"}\n", more)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return fault.New(fault.Unusable, "the load is done, and %s cannot be written", name).Because(err)
	}
	return nil
}

// columnsOf parses a flag that gives columns something, such as --map.
func columnsOf(flag string, given []string) (map[string]string, error) {
	columns := map[string]string{}
	for _, word := range given {
		cut := strings.LastIndexByte(word, '=') // no property name contains one
		if cut < 0 {
			return nil, usageError{"--" + flag + " " + word + " is not COLUMN=" + map[string]string{"map": "PROPERTY", "as": "KIND"}[flag]}
		}
		columns[word[:cut]] = word[cut+1:]
	}
	return columns, nil
}

// maxContext is the largest JSON-LD context that is read, in bytes.
const maxContext = 4 << 20

// contextsOf reads the documents of --context.
func contextsOf(given []string) (map[string]json.RawMessage, error) {
	documents := map[string]json.RawMessage{}
	for _, word := range given {
		cut := strings.LastIndexByte(word, '=') // an address may contain more of them
		if cut <= 0 {
			return nil, usageError{"--context " + word + " is not URL=FILE"}
		}
		name := word[cut+1:]
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(io.LimitReader(f, maxContext+1))
		_ = f.Close() // only read
		switch {
		case err != nil:
			return nil, fault.New(fault.Unusable, "%s cannot be read", name).Because(err)
		case len(text) > maxContext:
			return nil, fault.New(fault.TooLarge, "%s is larger than the %d bytes of a context", name, maxContext)
		case !json.Valid(text):
			return nil, fault.New(fault.Malformed, "%s is no JSON", name)
		}
		documents[word[:cut]] = text
	}
	return documents, nil
}

// openInputs opens every file before anything is read, so that a misspelt name is reported early.
func (p *program) openInputs(ctx context.Context, data []string) (inputs []invoke.Input, closeAll func(), err error) {
	var files []*os.File
	closeAll = func() {
		for _, f := range files {
			_ = f.Close() // only read
		}
	}
	for _, name := range data {
		if name == "-" {
			inputs = append(inputs, invoke.Input{Name: "stdin", Reader: p.input(ctx)})
			continue
		}
		f, err := open(name)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		files = append(files, f)
		in := invoke.Input{Name: filepath.ToSlash(name), Source: filepath.Base(name), Reader: f} // size 0 is unknown
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			in.Size = info.Size()
		}
		inputs = append(inputs, in)
	}
	return inputs, closeAll, nil
}
