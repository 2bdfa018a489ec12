package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/text/outline"
)

// Bounds of the sentences about commits.
const (
	sentenceRead       = 200     // statements up to which a commit is read one by one
	sentenceRows       = 300_000 // rows that one Teller passes over
	sentenceRedefined  = 2_000   // of a commit that changed definitions, whose types say little of what else it did
	sentenceRowsOfRead = 10      // rows that reading a statement counts as
	sentenceRowsOfType = 100     // rows that reading a type of a schema counts as
	sentenceParts      = 4       // things that one sentence lists
	sentenceProperties = 3       // properties that it names
	sentenceName       = 60      // characters of a name
	sentenceSteps      = 100     // steps of a schema
	sentenceStep       = 300     // characters of a step
)

// added is the op of a change that adds a statement.
const added = '+'

// Teller says in sentences what commits did. What all its sentences read is bounded: a commit of more than a few statements
// is counted by type, and when too many rows were passed over, or one commit has too many, it is told from its record alone.
// A type that the caller may not see is not named. It is not safe for concurrent use.
type Teller struct {
	r    *invoke.Request
	left int64 // rows that may be passed over
}

// NewTeller returns a Teller for the state that a call reads.
func NewTeller(r *invoke.Request) *Teller { return &Teller{r: r, left: sentenceRows} }

// Told is what a commit did, and the call that made it.
type Told struct {
	// What is a sentence without a full stop, such as "Changed status of 25 Technique".
	What string
	// Call is the capability, and Door where the call came in; "" when no call is recorded.
	Call, Door string
	// Message is that of the commit, "" where nobody gave one and it says of the definitions what the sentence says.
	Message string
	// Steps are what became of the schema, each in whole.
	Steps []string
}

// Tell says what a commit did. call is the activity that made it, nil for none.
func (t *Teller) Tell(ctx context.Context, c kg.Commit, call *kg.Activity) (told Told, err error) {
	told.Message = c.Message
	if call != nil {
		told.Call, told.Door = call.Capability, DoorOf(call.Via)
	}
	redefined, err := t.redefined(ctx, c)
	if err != nil {
		return told, err
	}
	var definitions kg.DefinitionsDiff
	if redefined != nil {
		if definitions = redefined.diff; definitions.Message() == c.Message {
			told.Message = ""
		}
		for _, step := range definitions.Steps[:min(len(definitions.Steps), sentenceSteps)] {
			told.Steps = append(told.Steps, outline.Shorten(step.String(), sentenceStep))
		}
		defer func() { err = errors.Join(err, redefined.Close()) }()
	}
	parts, err := t.parts(ctx, c, call, redefined)
	if err != nil {
		return told, err
	}
	defined := definedParts(definitions)
	lead := leadOf(c, call, definitions)
	if len(parts) == 1 && parts[0] == changedNothing && (lead != "" && c.Added+c.Removed > 0 || len(defined) > 0) { // of the data
		parts = nil
	}
	parts = append(defined, parts...)
	if lead == leads["load"] && len(parts) > 0 && !slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, "added ") }) {
		lead = "" // data without a name that adds nothing is the way of a change, and no news
	}
	if strings.HasPrefix(lead, ledLoad) {
		for i := range parts {
			parts[i] = strings.TrimPrefix(parts[i], "added ")
		}
	}
	if len(parts) > sentenceParts {
		parts = append(parts[:sentenceParts], fmt.Sprintf("and %d more kinds of change", len(parts)-sentenceParts))
	}
	told.What = strings.Join(parts, "; ")
	switch {
	case lead != "" && told.What != "":
		told.What = lead + ": " + told.What
	case lead != "":
		told.What = lead
	default:
		told.What = strings.ToUpper(told.What[:1]) + told.What[1:]
	}
	return told, nil
}

// changedNothing is what is said of a commit without statements.
const changedNothing = "changed nothing"

const ledLoad = "Loaded"

// leads begin the sentences about what is more than a change of nodes, by the capability.
var leads = map[string]string{
	"load": ledLoad + " data", "undo": "Took back", "schema_undo": "Took back a change of definitions", "undo_by": "Took back what somebody wrote",
	"branches_merge": "Merged", "cherry_pick": "Took over", "restore": "Restored a backup",
	"trails.meta.promote.apply": "Promoted definitions", "trails.meta.promote.undo": "Took a promotion back",
}

// leadOf begins the sentence about a commit; "" for a plain change of nodes.
func leadOf(c kg.Commit, call *kg.Activity, definitions kg.DefinitionsDiff) string {
	lead := ""
	if call != nil {
		lead = leads[call.Capability]
		var commits, files []string
		for _, used := range call.Used {
			if name, is := strings.CutPrefix(used, policy.SourceIRI("")); is && call.Capability == "load" {
				if file, err := url.PathUnescape(name); err == nil && file != "data" {
					files = append(files, outline.Shorten(file, sentenceName))
				}
			}
			if id := CommitOfIRI(used); id != "" && (call.Capability == "undo" || call.Capability == "cherry_pick") {
				commits = append(commits, id)
			}
		}
		switch len(files) {
		case 0:
		case 1:
			return ledLoad + " " + files[0]
		default:
			return fmt.Sprintf("%s %s and %d more", ledLoad, files[0], len(files)-1)
		}
		if len(commits) > 0 { // of a span, the commit before it is the first
			return lead + " " + strings.Join(commits, "..")
		}
	}
	if !c.Parent2.IsZero() {
		lead = cmp.Or(lead, "Merged") + " " + c.Parent2.String()
	}
	if lead == "" && c.SchemaSeq == c.Seq {
		lead = leadOfDefinitions(call, definitions)
	}
	return lead
}

// parts says what became of which nodes, each with a verb first.
func (t *Teller) parts(ctx context.Context, c kg.Commit, call *kg.Activity, redefined *redefinition) ([]string, error) {
	size, most := c.Added+c.Removed, int64(sentenceRead)
	if redefined != nil {
		most = sentenceRedefined
	}
	rows := size
	switch {
	case !c.Bulk && size <= most:
		if t.left -= size * sentenceRowsOfRead; t.left >= 0 {
			return t.read(ctx, c, redefined)
		}
	case c.Bulk:
		rows = t.r.Snapshot.Head().Quads // what counting its types may pass over
	}
	if rows > t.left {
		return []string{t.record(c, call)}, nil
	}
	t.left -= rows
	return t.counted(ctx, c, call, redefined)
}

// deed is what a commit did to one node.
type deed struct {
	node                rdf.Term
	made, gone          *schema.Type // the type that it got, and that it lost
	typedNow, typedThen bool
	predicates          []rdf.IRI
}

// deeds are what a commit did, in the order of its changes.
type deeds struct {
	byNode map[rdf.Term]*deed
	list   []*deed
	nodes  []rdf.Term
	graphs []rdf.Term // the named graphs
	inside map[rdf.Term]int64
}

// elsewhere counts statements of a named graph.
func (d *deeds) elsewhere(graph rdf.Term, n int) {
	if d.inside[graph] == 0 {
		d.graphs = append(d.graphs, graph)
	}
	d.inside[graph] += int64(n)
}

// to returns the deed to a node.
func (d *deeds) to(node rdf.Term) *deed {
	of := d.byNode[node]
	if of == nil {
		of = &deed{node: node}
		d.byNode[node], d.list, d.nodes = of, append(d.list, of), append(d.nodes, node)
	}
	return of
}

// did notes a class or a value that the node got, or lost.
func (d *deed) did(s *schema.Schema, got bool, predicate rdf.IRI, object rdf.Term) {
	class, _ := object.(rdf.IRI)
	switch {
	case predicate != rdf.Type:
		if !slices.Contains(d.predicates, predicate) {
			d.predicates = append(d.predicates, predicate)
		}
	case got:
		d.typedNow, d.made = true, cmp.Or(d.made, s.TypeByIRI(class))
	default:
		d.typedThen, d.gone = true, cmp.Or(d.gone, s.TypeByIRI(class))
	}
}

// read tells a commit of few statements node by node. What it renamed alone is not told again of each node.
func (t *Teller) read(ctx context.Context, c kg.Commit, redefined *redefinition) ([]string, error) {
	s := t.r.Snapshot.Schema()
	done := deeds{byNode: map[rdf.Term]*deed{}, inside: map[rdf.Term]int64{}}
	definitions := false
	if redefined != nil {
		s, definitions = redefined.Schema(), true
		for n, err := range redefined.Nodes(ctx) {
			if err != nil {
				return nil, err
			}
			for _, change := range n.Changes {
				if n.Graph != nil {
					done.elsewhere(n.Graph, len(change.Old)+len(change.New))
					continue
				}
				of := done.to(n.Node)
				for _, v := range change.Old {
					of.did(s, false, change.Predicate, v)
				}
				for _, v := range change.New {
					of.did(s, true, change.Predicate, v)
				}
			}
		}
	} else {
		n := int64(0)
		for change, err := range t.r.Snapshot.Changes(ctx, c.Seq, 0) {
			if err != nil {
				return nil, err
			}
			if n++; n > sentenceRead {
				break
			}
			switch change.Label {
			case nil:
				predicate, _ := change.Predicate.(rdf.IRI)
				done.to(change.Subject).did(s, change.Op == added, predicate, change.Object)
			case rdf.SchemaGraph:
				definitions = true
			default:
				done.elsewhere(change.Label, 1)
			}
		}
	}
	described, err := t.r.Snapshot.DescribeAll(ctx, done.nodes)
	if err != nil {
		return nil, err
	}
	parts := t.sentences(s, done.list, described)
	for _, g := range done.graphs {
		parts = append(parts, fmt.Sprintf("changed %s of the graph %s", fault.Counted(done.inside[g], "statement"), outline.Shorten(rdf.Lexical(g), sentenceName)))
	}
	switch {
	case len(parts) > 0 || definitions:
	case t.r.Snapshot.SeesAll():
		parts = []string{changedNothing}
	default:
		parts = []string{"changed nothing that you may see"}
	}
	return parts, nil
}

// sentences folds what was done to nodes: those of one type of which the same was done are one part.
func (t *Teller) sentences(s *schema.Schema, deeds []*deed, described []browse.Described) []string {
	type group struct {
		verb, kind string
		first      string
		count      int64
	}
	var groups []*group
	for i, d := range deeds {
		of, verb := described[i].Type, ""
		switch {
		case d.typedNow && !d.typedThen:
			verb, of = "added", cmp.Or(d.made, of)
		case d.typedThen && !d.typedNow:
			verb, of = "deleted", cmp.Or(d.gone, of)
		case d.typedThen:
			verb = "changed the type of"
		default:
			var names []string
			for _, predicate := range d.predicates {
				names = append(names, title(s, of, predicate))
			}
			slices.Sort(names)
			verb = "changed " + listed(slices.Compact(names)) + " of"
		}
		kind := noType
		if of != nil {
			kind = of.Name
		}
		at := slices.IndexFunc(groups, func(g *group) bool { return g.verb == verb && g.kind == kind })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &group{verb: verb, kind: kind, first: t.name(d.node, described[i])})
		}
		groups[at].count++
	}
	parts := make([]string, len(groups))
	for i, g := range groups {
		parts[i] = g.verb + " " + countedNodes(g.count, g.kind)
		if g.count == 1 {
			parts[i] = g.verb + " " + g.kind + " " + g.first
		}
	}
	return parts
}

// title is what people call a property of a type, which may be nil.
func title(s *schema.Schema, of *schema.Type, predicate rdf.IRI) string {
	if of != nil {
		if now := s.Type(of.Name); now != nil {
			of = now
		}
		if p := s.PropertyByIRI(of, predicate); p != nil {
			return oneWord(p.Title())
		}
	}
	return oneWord(strings.TrimPrefix(s.Short(predicate), ":"))
}

// oneWord is a name that can be told from the words around it.
func oneWord(name string) string {
	words := strings.Fields(name)
	if name = outline.Shorten(strings.Join(words, " "), sentenceName); len(words) > 1 {
		name = "“" + name + "”"
	}
	return name
}

// noType is what a node without a type is called.
const noType = "node"

// countedNodes is a number with the name of a type, which has no plural: many are plurals (People), have none
// (Malware) or are not English.
func countedNodes(n int64, kind string) string {
	if kind == noType {
		return fault.Counted(n, kind)
	}
	return fmt.Sprintf("%d %s", n, kind)
}

// name is what a node is called after its type.
func (t *Teller) name(node rdf.Term, d browse.Described) string {
	name := t.r.Snapshot.Name(node)
	if iri, is := node.(rdf.IRI); is {
		if _, local, ok := t.r.Snapshot.Schema().Local(iri); ok {
			name = local
		}
	}
	if d.Exists && d.Label != "" {
		name = d.Label
	}
	return oneWord(name)
}

// counted tells a commit by how many nodes of each type it made and deleted.
func (t *Teller) counted(ctx context.Context, c kg.Commit, call *kg.Activity, redefined *redefinition) (parts []string, err error) {
	counts, err := t.r.Snapshot.ChangedTypes(ctx, c.Seq)
	if err != nil {
		return nil, err
	}
	s := t.r.Snapshot.Schema()
	if redefined != nil {
		s, counts = redefined.Schema(), withoutRenamed(redefined, counts)
	}
	slices.SortStableFunc(counts, func(a, b kg.ChangedType) int { return cmp.Compare(b.Added+b.Removed, a.Added+a.Removed) })
	for _, n := range counts {
		class, _ := n.Type.(rdf.IRI)
		kind := strings.TrimPrefix(s.Short(class), ":")
		if of := s.TypeByIRI(class); of != nil {
			kind = of.Name
		}
		if n.Added > 0 {
			parts = append(parts, "added "+countedNodes(n.Added, kind))
		}
		if n.Removed > 0 {
			parts = append(parts, "deleted "+countedNodes(n.Removed, kind))
		}
	}
	if len(parts) == 0 && !redefined.onlyRenames() {
		parts = []string{t.record(c, call)}
	}
	return parts, nil
}

// withoutRenamed returns counts in which a node whose type got another name came and went under neither of the two.
func withoutRenamed(redefined *redefinition, counts []kg.ChangedType) []kg.ChangedType {
	for i, n := range counts {
		class, _ := n.Type.(rdf.IRI)
		now, renamed := redefined.Renamed(class)
		at := slices.IndexFunc(counts, func(n kg.ChangedType) bool { return n.Type == now })
		if !renamed || at < 0 {
			continue
		}
		both := min(n.Removed, counts[at].Added)
		counts[at].Added -= both
		counts[i].Removed -= both
	}
	return counts
}

// record tells a commit from its record alone: how many statements came and went, and the types of the nodes that the
// record of its call names.
func (t *Teller) record(c kg.Commit, call *kg.Activity) string {
	what := "added " + fault.Counted(c.Added, "statement")
	switch {
	case c.Removed > 0 && c.Added > 0:
		what = fmt.Sprintf("added %s and removed %d", fault.Counted(c.Added, "statement"), c.Removed)
	case c.Removed > 0:
		what = "removed " + fault.Counted(c.Removed, "statement")
	}
	var types []string
	if call != nil {
		for _, iri := range call.Generated {
			if name, _, ok := t.r.Snapshot.Schema().Local(rdf.IRI(iri)); ok && !slices.Contains(types, name) && len(types) < sentenceProperties {
				types = append(types, name)
			}
		}
	}
	if len(types) > 0 {
		what += ", some of them about " + strings.Join(types, ", ")
	}
	return what
}

// doors names where calls come in, as people say it; several may be one for them.
var doors = map[string]string{
	"admin": "page", policy.Terminal: "terminal", "cli": "script", "http": "http",
	"mcp-stdio": "mcp", "mcp-http": "mcp", "mcp-sse": "mcp",
}

// DoorOf is the word for where a call came in: page, terminal, script, mcp or http, or how the call names it itself.
func DoorOf(via string) string { return cmp.Or(doors[via], via) }
