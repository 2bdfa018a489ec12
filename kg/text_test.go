package kg_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/sparql"
	"trails/sparql/lint"
)

// TestText runs testdata, one graph a file:
//
//	new                              a new graph with the schema below
//	commit [dry] [if=SEQ] [key=K,N]  edits, one a line: an op and its part of a quad
//	sparql [dry] [if=SEQ] [key=K,N]  a request of SPARQL Update; with quiet its changes are not shown
//	create|update|delete TYPE [ID]   a typed write of the JSON object below
//	undo SEQ [dry] [if=SEQ] [key=K,N] what a commit changed
//	load [mode] [import] [format] [keep-going] [dry] [graph=IRI] [name=FILE]
//	plan, apply [lossy] [patch]      a schema, whole or as steps
//	export [ndjson]                  the whole graph without the schema
//	schema                           the schema that is there
//	explain [at=SEQ] [sql]           how a query is run, and what was counted, without times
//	lint [update] [found]            what a query probably did not mean, whose answer has solutions
//	log                              all commits
//
// In it <:x> stands for the base, a for rdf:type, xsd: for XML Schema's namespace
// and g…- for the labels that a change gave its blank nodes.
func TestText(t *testing.T) {
	testrun.Alone(t)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "rapid") || strings.HasSuffix(path, ".expected") {
			t.Skip("what rapid keeps of a failed run, or what a suite is expected to fail")
		}
		s := &session{TB: t}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "new" {
				s.Graph = newGraph(s.TB, d.Input)
				return ""
			}
			before := export(t, s.Graph, load.NQuads)
			out, err := s.run(t, d)
			if err != nil {
				out = problem(err)
				if after := export(t, s.Graph, load.NQuads); after != before {
					t.Errorf("%s: a refused change changed the graph", d.Pos)
				}
			}
			return strings.TrimRight(short(out), "\n") + "\n"
		})
		verify(t, s.Graph)
	})
}

type session struct {
	testing.TB
	*kg.Graph
}

func (s *session) run(t *testing.T, d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "commit":
		return s.commit(t, d)
	case "create", "update", "delete":
		return s.write(t, d)
	case "sparql":
		return s.sparql(t, d)
	case "undo":
		return s.undo(t, d)
	case "load":
		return s.load(t, d)
	case "plan":
		p, err := s.Session(ana).PlanSchema(t.Context(), schemaChange(d))
		return planned(p), err
	case "apply":
		change := schemaChange(d)
		change.AllowDataLoss, change.Set = d.HasArg("lossy"), s.set(t, d)
		p, r, err := s.Session(ana).ApplySchema(t.Context(), change)
		return planned(p) + done(r), err
	case "export":
		return s.export(t, d), nil
	case "schema":
		return s.schema(t), nil
	case "log":
		return s.log(t), nil
	case "lint":
		return s.lint(t, d)
	case "explain":
		return s.explain(t, d)
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return "", nil
}

func (s *session) lint(t *testing.T, d *datadriven.TestData) (out string, err error) {
	view(t, s.Graph, func(snap *kg.Snapshot) error {
		var warnings []lint.Warning
		if d.HasArg("update") {
			u, err := snap.ParseUpdate(d.Input, "")
			if err != nil {
				return err
			}
			warnings, err = snap.LintUpdate(t.Context(), u, kg.UpdateOptions{Text: d.Input})
			if err != nil {
				return err
			}
		} else {
			q, err := snap.ParseQuery(d.Input, "")
			if err != nil {
				return err
			}
			if warnings, err = snap.LintQuery(t.Context(), q, kg.QueryOptions{Text: d.Input}); err != nil {
				return err
			}
		}
		out = strings.Join(lint.Sentences(warnings, d.HasArg("found")), "\n")
		return nil
	})
	if out == "" {
		out = "nothing"
	}
	return out, nil
}

// explain shows the operators of a query with the rows estimated and counted.
func (s *session) explain(t *testing.T, d *datadriven.TestData) (string, error) {
	var out strings.Builder
	err := s.Session(ana).View(t.Context(), func(snap *kg.Snapshot) error {
		if seq := arg(d, "at"); seq != "" {
			n, err := strconv.Atoi(seq)
			if err != nil {
				return err
			}
			all, err := snap.Commits(t.Context(), 0, 1000) // the newest first
			if err != nil {
				return err
			}
			if snap, err = snap.At(t.Context(), all[len(all)-n]); err != nil {
				return err
			}
			defer snap.Close()
		}
		q, err := snap.ParseQuery(long(d.Input), "")
		if err != nil {
			return err
		}
		a, err := snap.Query(t.Context(), q, kg.QueryOptions{})
		if err != nil {
			return err
		}
		e, err := a.Explain(t.Context())
		if err != nil {
			return err
		}
		for _, line := range e.Lines {
			rows := "-"
			if line.Counted {
				rows = strconv.FormatInt(line.Rows, 10)
			}
			estimate := "-"
			if line.Estimate >= 0 {
				estimate = strconv.FormatFloat(math.Round(line.Estimate), 'g', 4, 64)
			}
			fmt.Fprintf(&out, "%s%s | %s | %s | %s\n", strings.Repeat("  ", line.Depth), line.Operator, estimate, rows, line.Emitter)
		}
		for _, note := range e.Notes {
			out.WriteString(note + "\n")
		}
		if d.HasArg("sql") {
			out.WriteString(e.SQL + "\n" + e.Steps + "\n")
		}
		return nil
	})
	return out.String(), err
}

// schemaChange reads a whole schema, or with the argument patch the steps of one.
func schemaChange(d *datadriven.TestData) kg.SchemaChange {
	if d.HasArg("patch") {
		return kg.SchemaChange{Patch: []byte(d.Input)}
	}
	return kg.SchemaChange{Source: []byte(d.Input)}
}

// set reads what every write may say.
func (s *session) set(t *testing.T, d *datadriven.TestData) kg.ChangeSet {
	set := kg.ChangeSet{DryRun: d.HasArg("dry"), Message: arg(d, "message")}
	if seq := arg(d, "if"); seq != "" {
		n, _ := strconv.ParseInt(seq, 10, 64)
		view(t, s.Graph, func(snap *kg.Snapshot) error {
			c, err := snap.CommitBySeq(t.Context(), kg.Seq(n))
			set.IfCommit = &c.ID
			return err
		})
	}
	if key := arg(d, "key"); key != "" {
		set.Key = kg.IdempotencyKey{Key: key, Digest: [32]byte([]byte(fmt.Sprintf("%-32s", arg(d, "digest"))))}
	}
	return set
}

func arg(d *datadriven.TestData, name string) string {
	for _, a := range d.CmdArgs {
		if a.Key == name && len(a.Vals) > 0 {
			return a.Vals[0]
		}
	}
	return ""
}

func (s *session) commit(t *testing.T, d *datadriven.TestData) (string, error) {
	set := s.set(t, d)
	for line := range strings.Lines(d.Input) {
		set.Edits = append(set.Edits, edit(t, d, strings.TrimSpace(line)))
	}
	r, err := s.Session(ana).Commit(t.Context(), set)
	return done(r), err
}

func (s *session) sparql(t *testing.T, d *datadriven.TestData) (string, error) {
	prologue := "PREFIX : <" + base + "> "
	u, err := sparql.ParseUpdate(prologue+long(d.Input), sparql.Options{})
	if err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	r, err := s.Session(ana).Update(t.Context(), u, s.set(t, d), kg.UpdateOptions{})
	if d.HasArg("quiet") {
		return "", err
	}
	return done(r), err
}

func (s *session) undo(t *testing.T, d *datadriven.TestData) (string, error) {
	seq, err := strconv.Atoi(d.CmdArgs[0].Key)
	if err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	all := ids(t, s.Graph)
	id, err := kg.ParseCommitID(all[seq-1])
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Session(ana).Undo(t.Context(), kg.Undo{Commit: id, Set: s.set(t, d)})
	if err == nil {
		return done(r), nil
	}
	f := *fault.Of(err) // ids are others in each file
	for i, id := range all {
		f.Message = strings.ReplaceAll(f.Message, id[:12], fmt.Sprint(i+1))
	}
	return "", &f
}

var opNames = map[string]change.Op{
	"fresh": change.Fresh, "once": change.Once, "require": change.Require, "erase": change.Erase, "clear": change.Clear,
	"retract": change.Retract, "assert": change.Assert, "default": change.Default,
}

// edit reads an op and a quad in which "*" stands for a part that is not used.
func edit(t *testing.T, d *datadriven.TestData, line string) change.Edit {
	word, text, _ := strings.Cut(line, " ")
	op, ok := opNames[word]
	if !ok {
		t.Fatalf("%s: no op in %q", d.Pos, line)
	}
	text = strings.ReplaceAll(long(text), " *", " <any:>")
	q, err := rdfio.ParseQuad([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	for _, part := range []*rdf.Term{&q.Predicate, &q.Object} {
		if *part == rdf.IRI("any:") {
			*part = nil
		}
	}
	return change.Edit{Op: op, Quad: q}
}

func (s *session) write(t *testing.T, d *datadriven.TestData) (string, error) {
	n := change.Entity{}
	if len(d.CmdArgs) > 1 && len(d.CmdArgs[1].Vals) == 0 {
		n.ID = d.CmdArgs[1].Key
	}
	if d.Input != "" {
		dec := json.NewDecoder(strings.NewReader(d.Input))
		dec.UseNumber()
		if err := dec.Decode(&n.Values); err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
	}
	var e change.Edits
	view(t, s.Graph, func(snap *kg.Snapshot) error {
		n.Type = snap.Schema().Type(d.CmdArgs[0].Key)
		switch d.Cmd {
		case "create":
			e = change.CreateEntity(snap.Schema(), n)
		case "update":
			e = change.UpdateEntity(snap.Schema(), n)
		case "delete":
			e = change.DeleteEntity(snap.Schema(), n)
		}
		return nil
	})
	if len(e.Fields) > 0 {
		return "", fault.Invalid(e.Fields)
	}
	set := s.set(t, d)
	set.Edits = e.List
	r, err := s.Session(ana).Commit(t.Context(), set)
	return done(r), err
}

func (s *session) load(t *testing.T, d *datadriven.TestData) (string, error) {
	l := kg.Load{Options: load.Options{Graph: rdf.IRI(arg(d, "graph")), Format: load.Format(arg(d, "format"))}, Set: s.set(t, d)}
	for _, mode := range load.Modes() {
		if d.HasArg(string(mode)) {
			l.Mode = mode
		}
	}
	// Several inputs are parted by a line of dashes, and named a, b, c …
	for i, text := range strings.Split(d.Input, "\n---\n") {
		name := arg(d, "name")
		if name == "" {
			name = string(rune('a' + i))
		}
		l.Inputs = append(l.Inputs, load.Input{Name: name, Reader: strings.NewReader(long(text))})
	}
	run := s.Session(ana).Load
	if d.HasArg("import") {
		run = s.Session(ana).Import
	}
	r, err := run(t.Context(), l)
	return fmt.Sprintf("%d records, %s", r.Records, done(r.Result)), err
}

func (s *session) export(t *testing.T, d *datadriven.TestData) string {
	if d.HasArg("ndjson") {
		return export(t, s.Graph, load.NDJSON)
	}
	lines := strings.SplitAfter(short(export(t, s.Graph, load.NQuads)), "\n")
	slices.Sort(lines) // the labels of blank nodes, which short leaves out, are others in every run
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasSuffix(line, " <"+string(rdf.SchemaGraph)+"> .\n")
	}), "")
}

func (s *session) schema(t *testing.T) string {
	var text []byte
	view(t, s.Graph, func(snap *kg.Snapshot) error { text = snap.Schema().YAML(); return nil })
	return string(text)
}

func (s *session) log(t *testing.T) string {
	var out bytes.Buffer
	view(t, s.Graph, func(snap *kg.Snapshot) error {
		commits, err := snap.Commits(t.Context(), 0, 1000)
		for _, c := range commits {
			fmt.Fprintf(&out, "%d %.8s +%d -%d schema %d of %d, %q by %s\n", c.Seq, c.ID, c.Added, c.Removed, c.SchemaVersion, c.SchemaSeq, c.Message, c.Author)
		}
		return err
	})
	return out.String()
}

// done shows a result; the schema's own quads are counted only.
func done(r kg.Result) string {
	var b strings.Builder
	switch {
	case r.Replayed:
		return fmt.Sprintf("replayed commit %d, +%d -%d\n", r.After.Seq, r.AddedCount, r.RemovedCount)
	case !r.Changed:
		return "nothing changed\n"
	case r.Before.ID == r.After.ID:
		fmt.Fprintf(&b, "dry run, +%d -%d\n", r.AddedCount, r.RemovedCount)
	default:
		fmt.Fprintf(&b, "commit %d, +%d -%d\n", r.After.Seq, r.AddedCount, r.RemovedCount)
	}
	for _, list := range []struct {
		sign  string
		quads []rdf.Quad
	}{{"+", r.Added}, {"-", r.Removed}} {
		for _, q := range list.quads {
			if q.Label != rdf.SchemaGraph {
				fmt.Fprintf(&b, "%s %s\n", list.sign, rdf.AppendQuad(nil, q))
			}
		}
	}
	return b.String()
}

func planned(p kg.Plan) string {
	var b strings.Builder
	for _, step := range p.Steps {
		fmt.Fprintf(&b, "%s", step)
		if step.Lossy {
			fmt.Fprintf(&b, ", removes %d", step.Removes)
		}
		if step.Moves > 0 {
			fmt.Fprintf(&b, ", moves %d", step.Moves)
		}
		for _, g := range slices.SortedFunc(maps.Keys(step.MovesIn), func(a, b rdf.Term) int { return strings.Compare(a.String(), b.String()) }) {
			fmt.Fprintf(&b, ", %d in %s", step.MovesIn[g], g)
		}
		for _, g := range slices.SortedFunc(maps.Keys(step.RemovesIn), func(a, b rdf.Term) int { return strings.Compare(a.String(), b.String()) }) {
			fmt.Fprintf(&b, ", removes %d in %s", step.RemovesIn[g], g)
		}
		if step.Backfill {
			b.WriteString(", backfilled")
		}
		b.WriteString("\n")
		for _, f := range step.Breaks {
			fmt.Fprintf(&b, "  breaks %s\n", f)
		}
	}
	if p.Blocked {
		b.WriteString("blocked\n")
	}
	return b.String()
}

// problem shows an error as its reader meets it, and what a program sees besides.
func problem(err error) string {
	f := fault.Of(err)
	var b strings.Builder
	if f.Kind == fault.Internal {
		fmt.Fprintf(&b, "INTERNAL: %v\n", err)
	}
	fmt.Fprintf(&b, "%s: %s\n", f.Kind, f.Message)
	for _, field := range f.Fields {
		value, _ := json.Marshal(field.Value)
		constraint, _ := json.Marshal(field.Constraint)
		fmt.Fprintf(&b, "  %s %s: %s (value %s, constraint %s)\n", field.Code, field.Field, field, value, constraint)
	}
	return b.String()
}
