package kg

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/text/quote"
)

// Side is one of the states that a merge compares.
type Side string

// The sides. NoSide decides nothing.
const (
	NoSide Side = ""
	Ours   Side = "ours"   // of the branch that is merged into
	Theirs Side = "theirs" // of the source
	AtBase Side = "base"   // of the commit that both have in common
)

// Resolution decides how a property, or a node, is after a merge.
type Resolution struct {
	Node rdf.Term
	// Property is its predicate, "" for the whole node.
	Property rdf.IRI
	// Take is the side whose values it has; NoSide stands for Values.
	Take   Side
	Values []rdf.Term
}

// The kinds of clashes.
const (
	PropertyClash  = "property"  // both sides changed one value differently
	DeleteClash    = "delete"    // one side deleted the node, and the other changed it
	SchemaClash    = "schema"    // both sides changed one definition differently
	ViolationClash = "violation" // each side fits the schema, and both together do not
	NodeClash      = "node"      // none, but a resolution named the node as a whole
)

// MergeClash is what two branches made of one property or one node, as it is answered.
type MergeClash struct {
	Kind     string   `json:"kind" doc:"property, delete, schema or violation."`
	Node     string   `json:"node"`
	Property string   `json:"property,omitempty" doc:"Left out for the whole node."`
	Base     []string `json:"base,omitempty" doc:"Its values at the commit that both have in common."`
	Ours     []string `json:"ours,omitempty" doc:"Its values on the branch that is merged into."`
	Theirs   []string `json:"theirs,omitempty" doc:"Its values on the source."`
	Message  string   `json:"message" doc:"What happened."`
	By       string   `json:"by,omitempty" doc:"Who changed it on the branch since, and the commit, where that is asked for."`
	Taken    Side     `json:"taken,omitempty" doc:"How it was decided: a side, or value."`
}

// byValue is Taken of a clash that was decided by values.
const byValue Side = "value"

// Name is what the clash is about: the node, and behind a dot the property.
func (c MergeClash) Name() string {
	if c.Property == "" {
		return c.Node
	}
	return c.Node + "." + c.Property
}

// clashing collects clashes.
type clashing struct {
	list  []MergeClash
	count int
	open  int // those that are not decided
}

func (c *clashing) add(one MergeClash) {
	c.count++
	if one.Taken == NoSide {
		c.open++
	}
	if len(c.list) < MaxClashes {
		c.list = append(c.list, one)
	}
}

// join adds the source's changes to the edits, subject by subject, where they do not clash with those of the branch.
func (m *merging) join(ctx context.Context, seen *db.Reader, c *compiled, ours, theirs, into *change.Spool) error {
	next, stop := iter.Pull2(ours.Groups(ctx))
	defer stop()
	own, err, more := next()
	all, of, defines := make([]decision, len(m.Resolutions)), map[rdf.Term][]*decision{}, false
	for i, r := range m.Resolutions {
		all[i].Resolution = r
		of[r.Node] = append(of[r.Node], &all[i])
	}
	for group, failed := range theirs.Groups(ctx) {
		if failed != nil {
			return failed
		}
		for more && err == nil && before(own.Subject, group.Subject) {
			own, err, more = next()
		}
		if err != nil {
			return err
		}
		both := meeting{merge: m, seen: seen, schema: c, decisions: of[group.Subject], subject: group.Subject, theirs: group.Edits}
		if more && own.Subject == group.Subject {
			both.ours = own.Edits
		}
		edits, err := both.edits(ctx)
		if err != nil {
			return err
		}
		for _, e := range edits {
			if e.Quad.Label == rdf.SchemaGraph && !defines && m.Defines != nil {
				if err := m.Defines(); err != nil {
					return err
				}
			}
			defines = defines || e.Quad.Label == rdf.SchemaGraph
			if err := into.Add(e); err != nil {
				return err
			}
		}
	}
	for _, r := range all {
		if !r.used {
			name := MergeClash{Node: c.schema.NodeName(r.Node), Property: c.propertyName(r.Property)}.Name()
			return fault.Argument("resolutions", fault.Pattern, name, fmt.Sprintf("%s did not change %s, so there is nothing to decide; a dry run lists the clashes", m.Source, name))
		}
	}
	if m.clashes.open > 0 {
		return errUndecided
	}
	return nil
}

// before is the order of the groups of a spool.
func before(a, b rdf.Term) bool {
	return bytes.Compare(rdf.AppendTerm(nil, a), rdf.AppendTerm(nil, b)) < 0
}

// decision is a resolution, and whether it is about something that the source changed.
type decision struct {
	Resolution
	used bool
}

// meeting is what both sides changed of one subject.
type meeting struct {
	merge        *merging
	seen         *db.Reader // of the branch that is merged into
	schema       *compiled
	decisions    []*decision
	subject      rdf.Term
	ours, theirs []change.Edit
}

// slot is a property of the subject, in one graph.
type slot struct{ predicate, graph rdf.Term }

func slotOf(q rdf.Quad) slot { return slot{q.Predicate, q.Label} }

// edits returns what is changed of the subject.
func (m *meeting) edits(ctx context.Context) ([]change.Edit, error) {
	whole := m.resolution("")
	if len(m.ours)+len(m.decisions) == 0 {
		return m.theirs, nil
	}
	types, err := m.typesOf(ctx)
	if err != nil {
		return nil, err
	}
	if types.clash() && len(m.ours) > 0 {
		return m.deleted(ctx, types, whole)
	}
	if whole != nil {
		m.merge.clashes.add(MergeClash{Kind: NodeClash, Node: m.schema.schema.NodeName(m.subject), Message: "decided as a whole", Taken: whole.Take})
		return m.wholly(ctx, whole.Take)
	}
	changed := map[slot]bool{}
	for _, e := range m.ours {
		changed[slotOf(e.Quad)] = true
	}
	theirs := map[slot][]change.Edit{}
	var slots []slot
	for _, e := range m.theirs {
		s := slotOf(e.Quad)
		if theirs[s] == nil {
			slots = append(slots, s)
		}
		theirs[s] = append(theirs[s], e)
	}
	var edits []change.Edit
	for _, s := range slots {
		of, err := m.slot(ctx, s, theirs[s], changed[s] && m.single(s, types))
		if err != nil {
			return nil, err
		}
		edits = append(edits, of...)
	}
	return edits, nil
}

// resolution returns the first one for the subject and a predicate, "" for the whole subject; nil if there is none.
func (m *meeting) resolution(predicate rdf.IRI) *Resolution {
	var first *Resolution
	for _, d := range m.decisions {
		if d.Property == predicate {
			if d.used = true; first == nil {
				first = &d.Resolution
			}
		}
	}
	return first
}

// sided are the statements of a subject, or those of one property, in the three states.
type sided struct{ base, ours, theirs []rdf.Quad }

// sides returns the three states of the statements that match: what the branch has, without its own changes the base, and
// with the source's changes the source.
func (m *meeting) sides(ctx context.Context, pattern rdf.Quad, of func(rdf.Quad) bool) (s sided, err error) {
	if s.ours, err = collect(m.seen.Match(ctx, pattern)); err != nil {
		return s, err
	}
	s.ours = slices.DeleteFunc(s.ours, func(q rdf.Quad) bool { return !of(q) })
	s.base = edited(s.ours, m.ours, change.Retract, of)
	s.theirs = edited(s.base, m.theirs, change.Assert, of)
	return s, nil
}

// edited returns a set of statements after edits: those with the op adds are there, those of other edits are not.
func edited(set []rdf.Quad, edits []change.Edit, adds change.Op, of func(rdf.Quad) bool) (after []rdf.Quad) {
	there := map[rdf.Quad]bool{}
	for _, e := range edits {
		if of(e.Quad) {
			there[e.Quad] = e.Op == adds
		}
	}
	for _, q := range set {
		if stays, known := there[q]; stays || !known {
			after = append(after, q)
		}
		delete(there, q)
	}
	for _, e := range edits {
		if there[e.Quad] {
			after = append(after, e.Quad)
		}
	}
	return after
}

// on returns the statements of a side.
func (s sided) on(side Side) []rdf.Quad {
	switch side {
	case Theirs:
		return s.theirs
	case AtBase:
		return s.base
	case Ours, NoSide, byValue:
	}
	return s.ours
}

// typesOf returns the types of the subject.
func (m *meeting) typesOf(ctx context.Context) (sided, error) {
	return m.sides(ctx, rdf.Quad{Subject: m.subject, Predicate: rdf.Type, Label: rdf.DefaultGraph}, isType)
}

// clash reports that one side deleted a node, which the other side did not.
func (s sided) clash() bool { return len(s.base) > 0 && (len(s.ours) == 0) != (len(s.theirs) == 0) }

// deleted decides about a node that one side deleted and the other changed.
func (m *meeting) deleted(ctx context.Context, types sided, whole *Resolution) ([]change.Edit, error) {
	clash := MergeClash{Kind: DeleteClash, Node: m.schema.schema.NodeName(m.subject), Taken: m.merge.Take}
	if whole != nil {
		clash.Taken = whole.Take
	}
	deleter, changer, did := m.merge.target, m.merge.Source, "deleted it"
	switch {
	case len(types.theirs) == 0:
		deleter, changer = changer, deleter
	case m.merge.picks:
		did = "does not have it"
	}
	clash.Message = fmt.Sprintf("%s %s, and %s changed it", deleter, did, changer)
	if err := m.tell(ctx, &clash, func(rdf.Quad) bool { return true }); err != nil {
		return nil, err
	}
	m.merge.clashes.add(clash)
	for _, d := range m.decisions {
		if d.Property != "" {
			return nil, fault.Argument("resolutions", fault.Pattern, clash.Node, fmt.Sprintf("%s: %s; decide it as a whole, without property", clash.Node, clash.Message))
		}
	}
	return m.wholly(ctx, clash.Taken)
}

// wholly returns the edits that give the whole subject the state of a side.
func (m *meeting) wholly(ctx context.Context, take Side) ([]change.Edit, error) {
	if take == Ours || take == NoSide {
		return nil, nil
	}
	all, err := m.sides(ctx, rdf.Quad{Subject: m.subject}, func(rdf.Quad) bool { return true })
	if err != nil {
		return nil, err
	}
	return become(all.ours, all.on(take)), nil
}

// become returns the edits from some statements to others.
func become(from, to []rdf.Quad) (edits []change.Edit) {
	stay := map[rdf.Quad]bool{}
	for _, q := range to {
		stay[q] = true
		edits = append(edits, change.Edit{Op: change.Assert, Quad: q})
	}
	for _, q := range from {
		if !stay[q] {
			edits = append(edits, change.Edit{Op: change.Retract, Quad: q})
		}
	}
	return edits
}

// slot returns the edits of one property: the source's, unless both sides changed one with a single value differently, or
// a resolution names it.
func (m *meeting) slot(ctx context.Context, s slot, theirs []change.Edit, mayClash bool) ([]change.Edit, error) {
	predicate, _ := s.predicate.(rdf.IRI)
	decided := m.resolution(predicate)
	if !mayClash && decided == nil {
		return theirs, nil
	}
	of := func(q rdf.Quad) bool { return slotOf(q) == s }
	values, err := m.sides(ctx, labelled(rdf.Quad{Subject: m.subject, Predicate: s.predicate, Label: s.graph}), of)
	if err != nil {
		return nil, err
	}
	if s.graph == rdf.SchemaGraph { // nothing declares whether it has many
		mayClash = mayClash && max(len(values.base), len(values.ours), len(values.theirs)) <= 1
	}
	if decided == nil && (!mayClash || sameSet(values.ours, values.theirs)) {
		return theirs, nil
	}
	take, to := m.merge.Take, []rdf.Quad(nil)
	switch {
	case decided != nil && decided.Take == NoSide:
		take = byValue
		for _, v := range decided.Values {
			to = append(to, rdf.Quad{Subject: m.subject, Predicate: s.predicate, Object: v, Label: s.graph})
		}
	case decided != nil:
		take = decided.Take
		fallthrough
	default:
		to = values.on(take)
	}
	clash := m.clashOf(s, values, take)
	if err := m.tell(ctx, &clash, of); err != nil {
		return nil, err
	}
	m.merge.clashes.add(clash)
	return become(values.ours, to), nil
}

// sameSet reports whether two sets are equal.
func sameSet(a, b []rdf.Quad) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(q rdf.Quad) bool { return !slices.Contains(b, q) })
}

// single reports whether a property has one value at most, so that two changes of it cannot both be made.
func (m *meeting) single(s slot, types sided) bool {
	if s.graph == rdf.SchemaGraph {
		return !manyInSchema[s.predicate]
	}
	predicate, _ := s.predicate.(rdf.IRI)
	for _, t := range m.schema.schema.TypesOf(slices.Concat(types.ours, types.theirs, types.base)) {
		if p := m.schema.schema.PropertyByIRI(t, predicate); p != nil && s.graph == nil {
			return !p.Many()
		}
	}
	return false
}

// manyInSchema are the properties of the schema's nodes of which there may be many.
var manyInSchema = map[rdf.Term]bool{rdf.Type: true, rdf.SubClassOf: true, rdf.IRI(rdf.SHNS + "property"): true}

// clashOf describes what happened to a property.
func (m *meeting) clashOf(s slot, values sided, taken Side) MergeClash {
	predicate, _ := s.predicate.(rdf.IRI)
	c := MergeClash{
		Kind: PropertyClash, Node: m.schema.schema.NodeName(m.subject), Property: m.schema.propertyName(predicate), Taken: taken,
		Base: m.texts(values.base), Ours: m.texts(values.ours), Theirs: m.texts(values.theirs),
	}
	if s.graph == rdf.SchemaGraph {
		c.Kind = SchemaClash
	}
	c.Message = fmt.Sprintf("was %s; %s on %s, %s on %s", said(c.Base), said(c.Ours), m.merge.target, said(c.Theirs), m.merge.Source)
	return c
}

// tell says who last changed on the branch what a clash is about, if the merge tells that.
func (m *meeting) tell(ctx context.Context, clash *MergeClash, about func(rdf.Quad) bool) error {
	if !m.merge.tells {
		return nil
	}
	last := Seq(0)
	for _, e := range m.ours {
		if !about(e.Quad) || e.Quad.Label != nil { // of named graphs the commits are not known
			continue
		}
		find := m.seen.Removed
		if e.Op == change.Assert {
			find = m.seen.Added
		}
		seq, err := find(ctx, e.Quad)
		if err != nil {
			return err
		}
		last = max(last, seq)
	}
	if last == 0 {
		return nil
	}
	c, err := m.seen.CommitBySeq(ctx, last)
	clash.By = fmt.Sprintf("%s in commit %s", c.Author, c.ID)
	clash.Message += "; by " + clash.By
	return err
}

// texts are values as people read them, bounded.
func (m *meeting) texts(values []rdf.Quad) (list []string) {
	for _, q := range values {
		text := rdf.Lexical(q.Object)
		if !rdf.IsLiteral(q.Object) {
			text = m.schema.schema.NodeName(q.Object)
		}
		list = append(list, quote.Line(text, maxSaid))
	}
	slices.Sort(list)
	return list
}

func said(values []string) string { return cmp.Or(strings.Join(values, ", "), "none") }

// propertyName is what people call a property, or its IRI.
func (c *compiled) propertyName(predicate rdf.IRI) string {
	for _, t := range c.schema.Types {
		if p := c.schema.PropertyByIRI(t, predicate); p != nil {
			return p.Name
		}
	}
	return string(predicate)
}

// refusal names the clashes.
func (m *merging) refusal() error {
	var parts []string
	first := ""
	for _, c := range m.clashes.list {
		if c.Taken == NoSide {
			first = cmp.Or(first, c.Name())
			parts = append(parts, c.Name()+": "+c.Message)
		}
	}
	if more := m.clashes.open - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return fault.New(fault.Conflict, "nothing was changed: what %s and %s both changed has to be decided first. %s; give resolutions such as %q (or ours, base, or :=VALUE), or take for all, and call it again; dry_run lists them without trying",
		m.target, m.Source, strings.Join(parts, "; "), first+"=theirs").
		With("clashes", m.clashes.list).With("count", m.clashes.open)
}

// violated is the refusal of a merge whose two sides fit the schema and whose result does not. An error that is about no
// field, as when the schema graph cannot be enforced, stays what it is.
func (m *merging) violated(err error) error {
	fields := fault.Of(err).Fields
	if len(fields) == 0 {
		return err
	}
	var list []MergeClash
	var parts []string
	for _, f := range fields[:min(len(fields), MaxClashes)] {
		c := MergeClash{Kind: ViolationClash, Node: f.Node, Property: f.Field, Message: f.Message}
		list, parts = append(list, c), append(parts, c.Name()+": "+c.Message)
	}
	return fault.New(fault.Conflict, "nothing was changed: %s and %s together break the schema. %s; change %[1]s first, or leave what %[2]s did out by resolutions such as %[4]q",
		m.target, m.Source, strings.Join(parts, "; "), list[0].Name()+"=ours").With("clashes", list).With("count", len(fields)).Because(err)
}
