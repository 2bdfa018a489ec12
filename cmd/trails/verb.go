package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trails/builtin"
	"trails/capability"
	"trails/invoke"
)

// A verb is a command of the program. For a command that makes a call, arguments, flags, completion, formats and help
// follow from the capability's descriptor; its row in the table (verbs.go) has what differs for people.
type verb struct {
	path       string                // "schema show"
	by         func() *cobra.Command // makes a command by hand; then only covers is used besides
	capability string
	covers     string // further capabilities that the command calls

	// words are the arguments after FILE: "[X]" is optional, "X..." takes all remaining ones. By default they are the
	// required arguments, otherwise those in takes, in order; words that are not arguments are for run.
	words, takes         string
	short, long, example string

	only    string    // the arguments with flags, separated by blanks; "" for all
	always  arguments // the command's own help text
	options map[string]option
	own     func(*cobra.Command) // further flags, for run

	forms   string                                 // formats of -o; by default text and json, and for rows table and csv
	text    func(io.Writer, json.RawMessage) error // writes the answer for people; by default [program.writeAnswer]
	run     func(*asked) error                     // replaces the single call
	several bool                                   // run makes several calls, which cannot share an idempotency key
	files   bool                                   // no argument is FILE: all are for run
	later   cobra.CompletionFunc                   // completes words that are not arguments; by default files
}

// option is how an argument is given on the command line, if that differs from its field.
type option struct {
	flag, short string // by default the argument's name
	usage       string // by default the field's description
	value       string // its default for people, if different
	filled      string // why it cannot be empty; by default an empty text leaves the argument out
	hidden      bool   // without a flag
	commas      bool   // one value may contain several, separated by commas
	file        bool   // the value is the name of a file with the text, - for stdin
	read        func(texts []string) (any, error)
	complete    cobra.CompletionFunc
}

// usualOptions are the options of arguments with the same meaning everywhere.
func (p *program) usualOptions() map[string]option {
	return map[string]option{
		"branch":                   {usage: usageOfBranch, filled: "give the name of a branch, or leave --branch out", complete: p.completeBranches},
		"max_chars":                {hidden: true}, // a person gets the whole answer
		"limit":                    {short: "n", usage: "show at most this `many`"},
		"offset":                   {usage: "pass over this `many`"},
		"cursor":                   {usage: "`next` of the page before"},
		"before":                   {usage: "list those before this `commit`"},
		"type":                     {complete: p.completeTypes},
		"commit":                   {complete: p.completeCommits},
		"at":                       {usage: usageOfAt, filled: "give a commit's id, or leave --at out", complete: p.completeCommits},
		"params":                   {flag: "param", usage: "`name=value` for a variable; may be repeated", read: anything(paramsOf)},
		"message":                  {short: "m", usage: "`text` for the commit"},
		"if_commit":                {usage: "refuse unless this `commit` is still the head", filled: "it names no commit; leave it out to write on any", complete: p.completeCommits},
		"dry_run":                  {usage: "check everything and change nothing"},
		capability.AllowMassChange: {usage: "remove more than 1,000 statements without being asked"},
	}
}

// standing are the capabilities that do not depend on a file.
var standing = sync.OnceValue(func() []invoke.Capability { return invoke.Standing(builtin.Providers()) })

// argumentOf is the annotation with the argument of a flag.
const argumentOf = "argument"

// addVerbs adds the commands of the table, each below its parent, and one for each capability without a row.
func (p *program) addVerbs(root *cobra.Command, table []verb, offered []invoke.Capability) {
	root.AddGroup(&cobra.Group{ID: "hand", Title: "Commands:"}, &cobra.Group{ID: "rule", Title: "Other capabilities, by their names:"})
	root.SetHelpCommandGroupID("hand")
	p.usual = p.usualOptions()
	known := map[string]bool{}
	add := func(v verb, group string, cmd *cobra.Command) {
		for _, id := range append(strings.Fields(v.covers), v.capability) {
			known[id] = true
		}
		words := strings.Fields(v.path)
		parent, _, err := root.Find(words[:len(words)-1])
		if err != nil {
			panic(err) // a parent after its child in the table is a bug that every start would show
		}
		if parent == root {
			cmd.GroupID = group
		}
		parent.AddCommand(cmd)
	}
	for _, v := range table {
		if v.by != nil {
			add(v, "hand", v.by())
			continue
		}
		at := slices.IndexFunc(offered, func(c invoke.Capability) bool { return c.ID == v.capability })
		if at < 0 {
			panic("no capability " + v.capability)
		}
		add(v, "hand", p.command(v, offered[at].Descriptor))
	}
	for _, c := range offered {
		if v := verbOf(c.Descriptor); !known[c.ID] && !slices.ContainsFunc(root.Commands(), func(taken *cobra.Command) bool { return taken.Name() == v.path }) {
			cmd := p.command(v, c.Descriptor)
			cmd.Hidden = c.Hidden
			if tool := capability.ToolName(c.ID); tool != v.path {
				cmd.Aliases = []string{tool}
			}
			add(v, "rule", cmd)
		}
	}
}

// verbOf is the row of a capability that is not in the table: its name is the id with hyphens, and required arguments
// are positional.
func verbOf(d capability.Descriptor) verb {
	name := strings.NewReplacer(".", "-", "_", "-").Replace(strings.TrimPrefix(d.ID, "trails.meta."))
	words, _ := byPosition(d)
	return verb{
		path: name, capability: d.ID, short: firstSentence(d.Description), long: wrapped(d.Description, 95),
		example: "  trails " + strings.Join(append([]string{name, "notes.trails"}, words...), " "),
	}
}

// byPosition are the words for the required arguments, with their names. Arguments after a list or an object could
// not be distinguished from its values, so they have flags.
func byPosition(d capability.Descriptor) (words, names []string) {
	for _, f := range d.InputShape.Fields {
		switch word := strings.ToUpper(f.Name); {
		case !f.Required:
		case f.Many:
			return append(words, word+"..."), append(names, f.Name)
		case f.Type == capability.Object:
			return append(words, "NAME=VALUE..."), append(names, f.Name)
		default:
			words, names = append(words, word), append(names, f.Name)
		}
	}
	return words, names
}

// exact reports whether a verb takes exactly its words.
func (v verb) exact() bool { return !strings.ContainsAny(v.words, "[.") }

// asked is a verb with its command line.
type asked struct {
	*program
	verb
	cmd    *cobra.Command
	file   string
	words  []string // words that are not arguments
	given  arguments
	source string // the file from which a text was read
}

func (a *asked) ctx() context.Context { return a.cmd.Context() }

// command makes the command for a row and its capability's descriptor.
func (p *program) command(v verb, d capability.Descriptor) *cobra.Command {
	if v.words == "" && v.takes == "" && v.run == nil {
		words, names := byPosition(d)
		v.words, v.takes = strings.Join(words, " "), strings.Join(names, " ")
	}
	path := strings.Fields(v.path)
	cmd := &cobra.Command{
		Use: strings.TrimSpace(path[len(path)-1] + " FILE " + v.words), Short: v.short, Long: strings.TrimRight(cmp.Or(v.long, v.short+"."), "\n") + "\n" + fileHelp, Example: v.example,
		Args: cobra.ArbitraryArgs,
	}
	if !v.exact() {
		cmd.Long += "\nThe first argument is then FILE only if it is a SQLite file."
	}
	if v.files {
		cmd.Use, cmd.Long = path[len(path)-1]+" "+v.words, v.long
	}
	if rows, _ := d.OutputShape.Field("rows"); v.forms == "" && v.text == nil && v.run == nil && rows.Required {
		v.forms = "text table json csv"
	}
	if v.forms != "" {
		cmd.Annotations = map[string]string{outputsOf: v.forms}
	}
	takes := strings.Fields(v.takes)
	options, pairs := map[string]option{}, false
	for _, f := range d.InputShape.Fields {
		o := v.options[f.Name].over(p.usual[f.Name])
		options[f.Name] = o
		pairs = pairs || f.Type == capability.Object && !f.Many && o.read == nil && !o.hidden
		_, always := v.always[f.Name]
		if always || o.hidden || slices.Contains(takes, f.Name) || v.only != "" && !slices.Contains(strings.Fields(v.only), f.Name) {
			continue
		}
		addFlag(cmd, f, o)
	}
	if pairs && !strings.Contains(v.long, ":=") {
		cmd.Long += "\nNAME=VALUE gives a text, and NAME:=JSON any other value, as in stars:=3."
	}
	if cmd.Flags().Lookup("message") != nil && cmd.Flags().Lookup(keyName) == nil && !v.several {
		cmd.Flags().String(keyName, "", "`name` of this change: repeated, it answers with the first one's commit")
	}
	if v.own != nil {
		v.own(cmd)
	}
	cmd.ValidArgsFunction = p.completeWordsOf(v, d, options)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a := &asked{program: p, verb: v, cmd: cmd, given: arguments{}}
		for name, value := range v.always {
			a.given[name] = value
		}
		if err := a.readWords(args, d, options); err != nil {
			return err
		}
		for _, f := range d.InputShape.Fields {
			if err := a.readFlag(f, options[f.Name]); err != nil {
				return err
			}
		}
		if v.run != nil {
			return v.run(a)
		}
		_, err := a.once()
		return err
	}
	return cmd
}

// ofWrites are the common arguments of writes, for verb.only.
const ofWrites = " branch message if_commit dry_run " + capability.AllowMassChange

// over returns o with usual for missing values.
func (o option) over(usual option) option {
	o.flag, o.short, o.usage = cmp.Or(o.flag, usual.flag), cmp.Or(o.short, usual.short), cmp.Or(o.usage, usual.usage)
	o.filled, o.hidden = cmp.Or(o.filled, usual.filled), o.hidden || usual.hidden
	if o.read == nil {
		o.read = usual.read
	}
	if o.complete == nil {
		o.complete = usual.complete
	}
	return o
}

// nameOf is the name of the flag that gives an argument.
func (o option) nameOf(f capability.Field) string {
	return cmp.Or(o.flag, strings.ReplaceAll(f.Name, "_", "-"))
}

// addFlag adds the flag of an argument.
func addFlag(cmd *cobra.Command, f capability.Field, o option) {
	name, usage, value := o.nameOf(f), cmp.Or(o.usage, sentence(f)), o.value
	if value == "" && f.Default != nil && o.read == nil {
		value = fmt.Sprint(f.Default)
	}
	flags := cmd.Flags()
	switch {
	case f.Type == capability.Boolean:
		flags.BoolP(name, o.short, value == "true", usage)
	case o.commas:
		flags.StringSliceP(name, o.short, nil, usage)
	case f.Many || f.Type == capability.Object:
		flags.StringArrayP(name, o.short, nil, usage)
	default:
		label := strings.ToUpper(f.Name)
		if f.Type == capability.Integer || f.Type == capability.Number {
			label = "N"
		}
		flags.VarP(&word{text: value, label: label, filled: o.filled}, name, o.short, usage)
	}
	flags.Lookup(name).Annotations = map[string][]string{argumentOf: {f.Name}}
	complete := o.complete
	if complete == nil && len(f.OneOf) > 0 {
		complete = cobra.FixedCompletions(oneOf(f), cobra.ShellCompDirectiveNoFileComp)
	}
	if complete == nil && !o.file {
		complete = cobra.NoFileCompletions
	}
	if complete != nil && f.Type != capability.Boolean {
		completeFlag(cmd, name, complete)
	}
}

func oneOf(f capability.Field) []string {
	values := make([]string, len(f.OneOf))
	for i, v := range f.OneOf {
		values[i] = fmt.Sprint(v)
	}
	return values
}

// sentence describes a flag from the description of its field.
func sentence(f capability.Field) string {
	var parts []string
	if len(f.OneOf) > 0 {
		parts = append(parts, words(oneOf(f)))
	}
	if f.MinValue != nil && f.MaxValue != nil {
		parts = append(parts, fmt.Sprintf("%v to %v", f.MinValue, f.MaxValue))
	}
	if says := strings.TrimSuffix(f.Description, "."); says != "" {
		first, size := utf8.DecodeRuneInString(says)
		parts = append(parts, string(unicode.ToLower(first))+says[size:])
	}
	if f.Many || f.Type == capability.Object {
		parts = append(parts, "may be repeated")
	}
	usage := strings.Join(parts, "; ")
	if f.Type == capability.Object {
		usage = "`NAME=VALUE`: " + usage
	}
	return usage
}

// word is the text of a flag's value: the call checks it.
type word struct{ text, label, filled string }

func (w *word) String() string { return w.text }

func (w *word) Set(text string) error {
	if w.text = text; text == "" && w.filled != "" {
		return usageError{w.filled}
	}
	return nil
}

// Type is the word that help has for a value.
func (w *word) Type() string { return w.label }

// readWords separates FILE and positional arguments.
func (a *asked) readWords(args []string, d capability.Descriptor, options map[string]option) (err error) {
	if a.files {
		a.words = args
		return nil
	}
	labels, takes, bare, least := strings.Fields(a.verb.words), strings.Fields(a.takes), []string{}, 0
	for _, label := range labels {
		bare = append(bare, strings.Trim(strings.TrimSuffix(label, "..."), "[]"))
		if !strings.HasPrefix(label, "[") {
			least++
		}
	}
	many := strings.Contains(a.verb.words, "...")
	var rest []string
	switch {
	case a.exact():
		a.file, rest, err = a.fileThen(a.cmd, args, bare...)
	case len(args) == len(labels)+1 && !many:
		a.file, rest = args[0], args[1:]
	default:
		a.file, rest, err = a.fileThenSome(a.cmd, args)
	}
	switch {
	case err != nil:
		return err
	case len(rest) < least:
		return missing(a.cmd, args, append([]string{"FILE"}, bare[:least]...))
	case len(rest) > len(labels) && !many:
		return usageError{fmt.Sprintf("%s: too many arguments: %q", a.cmd.Name(), rest[len(labels)])}
	}
	for i, name := range takes {
		f, _ := d.InputShape.Field(name)
		last := i == len(labels)-1 && many
		if i >= len(rest) {
			return nil
		}
		texts := rest[i : i+1]
		if last {
			texts = rest[i:]
		}
		if last && !f.Many && f.Type != capability.Object {
			texts = []string{strings.Join(texts, " ")}
		}
		if err := a.read(f, options[name], texts); err != nil {
			return err
		}
	}
	a.words = rest[min(len(takes), len(rest)):]
	return nil
}

// readFlag reads a flag, unless it was not given and has no default of its own.
func (a *asked) readFlag(f capability.Field, o option) error {
	flag := a.cmd.Flags().Lookup(o.nameOf(f))
	if flag == nil || !slices.Equal(flag.Annotations[argumentOf], []string{f.Name}) || !flag.Changed && o.value == "" {
		return nil
	}
	texts := []string{flag.Value.String()}
	if list, is := flag.Value.(pflag.SliceValue); is {
		texts = list.GetSlice()
	} else if texts[0] == "" || f.Type == capability.Boolean && texts[0] == "false" {
		return nil // as if it were left out
	}
	return a.read(f, o, texts)
}

// read converts texts to the value of an argument.
func (a *asked) read(f capability.Field, o option, texts []string) (err error) {
	var value any
	switch {
	case o.file:
		a.source = texts[0]
		var text []byte
		text, err = a.readText(a.ctx(), a.source)
		value = string(text)
	case o.read != nil:
		value, err = o.read(texts)
	case f.Type == capability.Object && len(texts) == 1 && strings.HasPrefix(texts[0], "{") && json.Valid([]byte(texts[0])):
		value = json.RawMessage(texts[0])
	case f.Type == capability.Object && !f.Many:
		value, err = parseWords(capability.Shape{Fields: f.Fields, Closed: len(f.Fields) > 0}, texts)
	case f.Type == capability.Boolean && !f.Many && isJSONOf(f.Type, texts[0]):
		value = texts[0] == "true"
	default:
		all := make([]any, len(texts))
		for i, text := range texts {
			if all[i] = text; isJSONOf(f.Type, text) {
				all[i] = json.RawMessage(text)
			}
		}
		if value = any(all); !f.Many {
			value = all[0]
		}
	}
	if err == nil {
		a.given[f.Name] = value
	}
	return err
}

// once makes the call, and prints its answer.
func (a *asked) once() (json.RawMessage, error) {
	return a.make(a.keyed())
}

// keyed is the requested call.
func (a *asked) keyed() invoke.Call {
	c := a.call(a.capability, a.given)
	if key := a.cmd.Flags().Lookup(keyName); key != nil {
		c.IdempotencyKey = key.Value.String()
	}
	return c
}

// make makes a call, and prints its answer as the row says.
func (a *asked) make(c invoke.Call) (json.RawMessage, error) {
	res, err := a.makeCall(a.ctx(), a.file, c)
	if err != nil {
		return nil, named(err, a.source)
	}
	err = a.print(res.Structured, func(w io.Writer) error {
		if a.verb.text != nil {
			return a.verb.text(w, res.Unwarned())
		}
		return a.writeAnswer(w, res)
	})
	return res.Structured, err
}

// writeAnswer writes an answer by default: its text, what a write did, or the structured result.
func (p *program) writeAnswer(w io.Writer, res invoke.Result) error {
	switch {
	case res.Text != "":
		fmt.Fprintln(w, res.Text)
		for _, c := range res.Content {
			fmt.Fprintln(w, c)
		}
		return nil
	case res.Written == nil:
		return p.writeRows(w, res.Unwarned())
	}
	return decoded(writeSummary)(w, res.Structured)
}

// decoded adapts a function that writes a decoded answer.
func decoded[T any](text func(io.Writer, T) error) func(io.Writer, json.RawMessage) error {
	return func(w io.Writer, answer json.RawMessage) error {
		value, err := answered[T](answer)
		if err != nil {
			return err
		}
		return text(w, value)
	}
}

// anything adapts a reader of an option of a specific type.
func anything[T any](read func([]string) (T, error)) func([]string) (any, error) {
	return func(texts []string) (any, error) { return read(texts) }
}

// answered decodes an answer.
func answered[T any](answer json.RawMessage) (value T, err error) {
	if err = json.Unmarshal(answer, &value); err != nil {
		err = fmt.Errorf("read the answer: %w", err)
	}
	return value, err
}

// completeWordsOf completes FILE, and then the arguments; on errors nothing.
func (p *program) completeWordsOf(v verb, d capability.Descriptor, options map[string]option) cobra.CompletionFunc {
	labels, takes := strings.Fields(v.words), strings.Fields(v.takes)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		_, rest, err := p.fileThenSome(cmd, args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		at := len(rest)
		if at >= len(labels) && len(labels) > 0 && strings.Contains(labels[len(labels)-1], "...") {
			at = len(labels) - 1
		}
		switch {
		case at >= len(labels):
			return nil, cobra.ShellCompDirectiveNoFileComp
		case at >= len(takes) && v.later != nil:
			return v.later(cmd, args, typed)
		case at >= len(takes):
			return nil, cobra.ShellCompDirectiveDefault
		}
		f, _ := d.InputShape.Field(takes[at])
		switch o := options[takes[at]]; {
		case o.file:
			return nil, cobra.ShellCompDirectiveDefault
		case o.complete != nil:
			return o.complete(cmd, args, typed)
		}
		return cobra.FixedCompletions(oneOf(f), cobra.ShellCompDirectiveNoFileComp)(cmd, args, typed)
	}
}

// wrapped breaks a text into lines of bounded length.
func wrapped(text string, most int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > most {
			lines, line = append(lines, line), ""
		}
		line = join(line, " ", word)
	}
	return strings.Join(append(lines, line), "\n")
}

// keyName is the flag with the idempotency key.
const keyName = "idempotency-key"
