package view

import (
	"cmp"
	"context"
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
	sentenceRowsOfRead = 10      // rows that reading a statement counts as
	sentenceParts      = 4       // things that one sentence lists
	sentenceProperties = 3       // properties that it names
	sentenceName       = 60      // characters of a name
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
}

// Tell says what a commit did. call is the activity that made it, nil for none.
func (t *Teller) Tell(ctx context.Context, c kg.Commit, call *kg.Activity) (told Told, err error) {
	if call != nil {
		told.Call, told.Door = call.Capability, DoorOf(call.Via)
	}
	parts, err := t.parts(ctx, c, call)
	if err != nil {
		return told, err
	}
	lead := leadOf(c, call)
	if lead != "" && c.Added+c.Removed > 0 && len(parts) == 1 && parts[0] == ChangedNothing { // of the data
		parts = nil
	}
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

// ChangedNothing is what is said of a commit without statements.
const ChangedNothing = "changed nothing"

const (
	ledSchema = "Changed the schema"
	ledLoad   = "Loaded"
)

// leads begin the sentences about what is more than a change of nodes, by the capability.
var leads = map[string]string{
	"load": ledLoad + " data", "undo": "Took back", "schema_undo": "Took back a change of definitions", "undo_by": "Took back what somebody wrote",
	"branches_merge": "Merged", "cherry_pick": "Took over", "restore": "Restored a backup",
	"trails.meta.migrate.apply": "Applied migrations", "trails.meta.migrate.rollback": "Rolled migrations back",
	"trails.meta.promote.apply": "Promoted definitions", "trails.meta.promote.undo": "Took a promotion back",
	"trails.meta.policy.apply": "Changed the policies",
	"trails.meta.query.add":    "Stored a query", "trails.meta.query.remove": "Removed a stored query",
}

// leadOf begins the sentence about a commit; "" for a plain change of nodes.
func leadOf(c kg.Commit, call *kg.Activity) string {
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
		lead = ledSchema
	}
	return lead
}

// parts says what became of which nodes, each with a verb first.
func (t *Teller) parts(ctx context.Context, c kg.Commit, call *kg.Activity) ([]string, error) {
	size := c.Added + c.Removed
	rows := size
	switch {
	case !c.Bulk && size <= sentenceRead:
		if t.left -= size * sentenceRowsOfRead; t.left >= 0 {
			return t.read(ctx, c)
		}
	case c.Bulk:
		rows = t.r.Snapshot.Head().Quads // what counting its types may pass over
	}
	if rows > t.left {
		return []string{t.record(c, call)}, nil
	}
	t.left -= rows
	return t.counted(ctx, c, call)
}

// deed is what a commit did to one node.
type deed struct {
	node                rdf.Term
	made, gone          *schema.Type // the type that it got, and that it lost
	typedNow, typedThen bool
	properties          []string
}

// read tells a commit of few statements node by node.
func (t *Teller) read(ctx context.Context, c kg.Commit) ([]string, error) {
	s := t.r.Snapshot.Schema()
	byNode, named := map[rdf.Term]*deed{}, map[rdf.Term]int64{}
	var deeds []*deed
	var nodes, graphs []rdf.Term
	n := int64(0)
	for change, err := range t.r.Snapshot.Changes(ctx, c.Seq, 0) {
		if err != nil {
			return nil, err
		}
		if n++; n > sentenceRead {
			break
		}
		if g := change.Label; g != nil {
			if named[g]++; named[g] == 1 {
				graphs = append(graphs, g)
			}
			continue
		}
		d := byNode[change.Subject]
		if d == nil {
			d = &deed{node: change.Subject}
			byNode[change.Subject], deeds, nodes = d, append(deeds, d), append(nodes, change.Subject)
		}
		predicate, _ := change.Predicate.(rdf.IRI)
		if predicate == rdf.Type {
			class, _ := change.Object.(rdf.IRI)
			if change.Op == added {
				d.typedNow, d.made = true, cmp.Or(d.made, s.TypeByIRI(class))
			} else {
				d.typedThen, d.gone = true, cmp.Or(d.gone, s.TypeByIRI(class))
			}
			continue
		}
		if name := strings.TrimPrefix(s.Short(predicate), ":"); !slices.Contains(d.properties, name) {
			d.properties = append(d.properties, name)
		}
	}
	described, err := t.r.Snapshot.DescribeAll(ctx, nodes)
	if err != nil {
		return nil, err
	}
	parts := t.sentences(deeds, described)
	for _, g := range graphs {
		if g != rdf.SchemaGraph {
			parts = append(parts, fmt.Sprintf("changed %s of the graph %s", fault.Counted(named[g], "statement"), outline.Shorten(rdf.Lexical(g), sentenceName)))
		}
	}
	switch {
	case len(parts) > 0 || len(graphs) > 0:
	case t.r.Snapshot.SeesAll():
		parts = []string{ChangedNothing}
	default:
		parts = []string{"changed nothing that you may see"}
	}
	return parts, nil
}

// sentences folds what was done to nodes: those of one type of which the same was done are one part.
func (t *Teller) sentences(deeds []*deed, described []browse.Described) []string {
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
			slices.Sort(d.properties)
			names := d.properties[:min(len(d.properties), sentenceProperties)]
			verb = "changed " + strings.Join(names, ", ")
			if more := len(d.properties) - len(names); more > 0 {
				verb += fmt.Sprintf(" and %d more", more)
			}
			verb += " of"
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
	words := strings.Fields(name)
	if name = outline.Shorten(strings.Join(words, " "), sentenceName); len(words) > 1 {
		name = "“" + name + "”"
	}
	return name
}

// counted tells a commit by how many nodes of each type it made and deleted.
func (t *Teller) counted(ctx context.Context, c kg.Commit, call *kg.Activity) (parts []string, err error) {
	counts, err := t.r.Snapshot.ChangedTypes(ctx, c.Seq)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(counts, func(a, b kg.ChangedType) int { return cmp.Compare(b.Added+b.Removed, a.Added+a.Removed) })
	s := t.r.Snapshot.Schema()
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
	if len(parts) == 0 && c.SchemaSeq != c.Seq { // the statements of a schema are no nodes of the data
		parts = []string{t.record(c, call)}
	}
	return parts, nil
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
