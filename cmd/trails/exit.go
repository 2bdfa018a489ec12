package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trails/fault"
	"trails/invoke"
	"trails/text/jsontext"
)

// Exit codes of the contract, section 2; [ended] says what they mean.
const (
	exitDone = iota
	exitFailed
	exitUsage
	exitNotFound
	exitConflict
	exitDenied
	exitInvalid
)

// exitCodes is the one table from meaning to exit code.
var exitCodes = map[fault.Kind]int{
	fault.Internal:         exitFailed,
	fault.InvalidData:      exitInvalid,
	fault.InvalidArguments: exitUsage,
	fault.UnknownTool:      exitNotFound,
	fault.Unauthenticated:  exitDenied,
	fault.ScopeDenied:      exitDenied,
	fault.Denied:           exitDenied,
	fault.Exhausted:        exitFailed,
	fault.Busy:             exitFailed,
	fault.NotFound:         exitNotFound,
	fault.Missing:          exitNotFound,
	fault.Precondition:     exitConflict,
	fault.Conflict:         exitConflict,
	fault.Malformed:        exitInvalid,
	fault.TooLarge:         exitFailed,
	fault.TimedOut:         exitFailed,
	fault.Unusable:         exitFailed,
}

// exitCode is that of the kind of fault, but if the only problem of arguments is that something named does not exist,
// the usage was right.
func exitCode(f *fault.Error) int {
	if f.Kind == fault.InvalidArguments && len(f.Fields) > 0 && !slices.ContainsFunc(f.Fields, func(e fault.FieldError) bool { return e.Code != fault.Class }) {
		return exitNotFound
	}
	return exitCodes[f.Kind]
}

// usageError is an invalid command line; it is answered with the usage.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

// failure is the error of a command that has run and printed a problem; it ends with this code.
type failure struct {
	code    int
	message string
}

func (e failure) Error() string { return e.message }

// inFlags returns a fault for the terminal, which may show paths and causes, with arguments named by their flags.
func inFlags(cmd *cobra.Command, f *fault.Error) *fault.Error {
	spell, spelt := flagsFor(cmd), *f
	spelt.Message = spell.Replace(f.Whole())
	spelt.Fields = slices.Clone(f.Fields)
	for i := range spelt.Fields {
		spelt.Fields[i].Message = spell.Replace(spelt.Fields[i].Message)
	}
	return &spelt
}

// flagsFor replaces argument names in a sentence by the command's flags: --allow-data-loss instead of allow_data_loss
// or allow_data_loss: true. What a plan suggests is a flag of the command that applies it. Arguments of one word
// stay where they stand alone, because they may be ordinary words.
func flagsFor(cmd *cobra.Command) *strings.Replacer {
	var spellings []string
	spell := func(flag *pflag.Flag) {
		name := strings.ReplaceAll(flag.Name, "-", "_")
		if given := flag.Annotations[argumentOf]; given != nil {
			name = given[0]
		}
		spellings = append(spellings, name+": true", "--"+flag.Name)
		if strings.Contains(name, "_") {
			spellings = append(spellings, name, "--"+flag.Name)
		}
	}
	cmd.Flags().VisitAll(spell)
	if parent := cmd.Parent(); parent != nil && parent.HasParent() {
		for _, beside := range parent.Commands() {
			beside.Flags().VisitAll(spell)
		}
	}
	return strings.NewReplacer(spellings...)
}

// report prints err as one line followed by its fields, and returns the exit code. With -o json it is an object on
// stdout, too.
func (p *program) report(ctx context.Context, cmd *cobra.Command, err error) int {
	var usage usageError
	var failed failure
	var f *fault.Error
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "trails: %s\nusage: %s\nsee '%s --help'\n", usage.message, cmd.UseLine(), cmd.CommandPath())
		return p.printFailure(exitUsage, fault.InvalidArguments.String(), fault.New(fault.InvalidArguments, "%s", usage.message).With("usage", cmd.UseLine()))
	case errors.As(err, &failed):
		fmt.Fprintf(p.stderr, "trails: %s\n", failed.message)
		return failed.code
	case ctx.Err() != nil:
		fmt.Fprintf(p.stderr, "trails: %s was interrupted\n", cmd.Name())
		return p.printFailure(exitFailed, "interrupted", fault.New(fault.TimedOut, "%s was interrupted", cmd.Name()))
	case errors.As(err, &f) && f.Kind != fault.Internal:
		f = inFlags(cmd, f)
		fmt.Fprintf(p.stderr, "trails: %s\n", line(f.Message))
		p.reportFields(f.Fields)
		return p.printFailure(exitCode(f), f.Kind.String(), f)
	}
	return p.reportInternal(err)
}

// printFailure writes a failure as the structured error that all transports use, with the exit code, for -o json. It
// returns the code. If an answer has begun nothing is written, because the output would not be JSON.
func (p *program) printFailure(code int, kind string, f *fault.Error) int {
	if !p.asJSON() || p.stdout.wrote {
		return code
	}
	members := f.Members()
	members["kind"], members["message"], members["exit_code"] = kind, f.Message, code
	text, err := jsontext.Marshal(members)
	if err == nil {
		err = writeLine(p.stdout, text)
	}
	if err != nil {
		fmt.Fprintf(p.stderr, "trails: the failure cannot be written as JSON: %v\n", err)
	}
	return code
}

// reportFields prints one field error a line, in input order, with the place first.
func (p *program) reportFields(fields []fault.FieldError) {
	fields = slices.Clone(fields)
	sort.SliceStable(fields, func(i, j int) bool { return comparePlaces(fields[i].Source, fields[j].Source) < 0 })
	for _, f := range fields {
		where := join(f.Source, " ", f.Node)
		fmt.Fprintf(p.stderr, "  %s\n", line(join(where, ": ", fieldMessage(f))))
	}
}

// comparePlaces orders "file:line" and "file:line:column" by file, then by line and column
// as numbers.
func comparePlaces(a, b string) int {
	fileA, lineA, columnA := cutPlace(a)
	fileB, lineB, columnB := cutPlace(b)
	return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(lineA, lineB), cmp.Compare(columnA, columnB))
}

func cutPlace(place string) (file string, line, column int) {
	file, line = cutNumber(place)
	if shorter, first := cutNumber(file); first > 0 {
		return shorter, first, line
	}
	return file, line, 0
}

// cutNumber cuts off the number behind the last colon, 0 if there is none.
func cutNumber(place string) (rest string, number int) {
	colon := strings.LastIndexByte(place, ':')
	if colon < 0 {
		return place, 0
	}
	number, err := strconv.Atoi(place[colon+1:])
	if err != nil {
		return place, 0
	}
	return place[:colon], number
}

// fieldMessage names the field once, by its name or its flag.
func fieldMessage(f fault.FieldError) string {
	if f.Field == "" || mentions(f.Message, f.Field) || mentions(f.Message, "--"+strings.ReplaceAll(f.Field, "_", "-")) {
		return f.Message + f.More()
	}
	return f.Field + ": " + f.Message + f.More()
}

// reportInternal shows an internal error only as its trace id, and how to read the log.
func (p *program) reportInternal(err error) int {
	trace, logged := fault.Of(err).Details["trace_id"].(string)
	if !logged { // it did not come from a call, which would have been logged
		trace = invoke.NewTraceID()
		p.log.Error("internal error", slog.String("trace_id", trace), slog.String("cause", fault.Whole(err)))
	}
	fmt.Fprintf(p.stderr, "trails: internal error, trace %s; run it with TRAILS_LOG=error to see the cause, and please report it to the project\n", trace)
	return p.printFailure(exitFailed, fault.Internal.String(), fault.New(fault.Internal, "internal error").With("trace_id", trace))
}

func (p *program) reportPanic(bug any) int {
	p.log.Error("panic", slog.Any("panic", bug), slog.String("stack", string(debug.Stack())))
	return p.reportInternal(fmt.Errorf("panic: %v", bug))
}
