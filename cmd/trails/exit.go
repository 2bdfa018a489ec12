package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
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

// exitCode is that of the kind, but where all that is wrong with the arguments is that what
// they name is not there: the usage is right.
func exitCode(f *fault.Error) int {
	if f.Kind == fault.InvalidArguments && len(f.Fields) > 0 && !slices.ContainsFunc(f.Fields, func(e fault.FieldError) bool { return e.Code != fault.Class }) {
		return exitNotFound
	}
	return exitCodes[f.Kind]
}

// usageError is a call that no command understands; it is answered with the usage.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

// failure is a command that ran to its end and found something wrong: it has printed
// what it found, and ends with this code.
type failure struct {
	code    int
	message string
}

func (e failure) Error() string { return e.message }

// inFlags returns a fault as the terminal is told it, which may know paths and causes, and with
// arguments named by the flags that give them.
func inFlags(cmd *cobra.Command, f *fault.Error) *fault.Error {
	spell, spelt := flagsFor(cmd), *f
	spelt.Message = spell.Replace(f.Whole())
	spelt.Fields = slices.Clone(f.Fields)
	for i := range spelt.Fields {
		spelt.Fields[i].Message = spell.Replace(spelt.Fields[i].Message)
	}
	return &spelt
}

// flagsFor names arguments in a sentence by the flags of a command that give them:
// --allow-data-loss in the place of allow_data_loss, and of allow_data_loss: true. What a plan
// names is given to the command beside it that does what was planned. An argument that is one
// word stays: as a word of a sentence it would be taken for the argument.
func flagsFor(cmd *cobra.Command) *strings.Replacer {
	var spellings []string
	spell := func(flag *pflag.Flag) {
		name := strings.ReplaceAll(flag.Name, "-", "_")
		if given := flag.Annotations[argumentOf]; given != nil {
			name = given[0]
		}
		if strings.Contains(name, "_") {
			spellings = append(spellings, name+": true", "--"+flag.Name, name, "--"+flag.Name)
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

// report prints err as one clear line, then its fields, and returns the exit code.
// With -o json it is an object on stdout, too.
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

// printFailure writes a failure as the structured error that every door answers with,
// and the exit code, when -o json asks for it. It returns the code. Nothing is written
// behind the beginning of an answer, which would make neither of the two JSON.
func (p *program) printFailure(code int, kind string, f *fault.Error) int {
	if !p.asJSON() || p.stdout.wrote {
		return code
	}
	members := map[string]any{}
	if len(f.Fields) > 0 {
		members["fields"], members["count"] = f.Fields, f.Count
	}
	for k, v := range f.Details {
		members[k] = v
	}
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

// reportFields prints one field error a line, in the order of the input and with
// the place in it first.
func (p *program) reportFields(fields []fault.FieldError) {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b fault.FieldError) int { return comparePlaces(a.Source, b.Source) })
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

// cutNumber cuts the number behind the last colon off, 0 when there is none.
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

// fieldMessage names the field, once, as it is called or as its flag is.
func fieldMessage(f fault.FieldError) string {
	if f.Field == "" || mentions(f.Message, f.Field) || mentions(f.Message, "--"+strings.ReplaceAll(f.Field, "_", "-")) {
		return f.Message + f.More()
	}
	return f.Field + ": " + f.Message + f.More()
}

// reportInternal shows our own fault as nothing but its trace id. Whoever sits at
// this machine may read the log, so it says how.
func (p *program) reportInternal(err error) int {
	trace, logged := fault.Of(err).Details["trace_id"].(string)
	if !logged { // it did not come through the call path, which logs its own
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
