package kg

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/schema/migration"
)

// Definitions are the schema, stored queries, migrations and policies of a file, without data: what a promotion copies to
// another file.
type Definitions struct {
	// Schema is YAML without a base: its names get the base of the target file.
	Schema []byte
	// Queries are the stored queries, by id.
	Queries []QueryText
	// Migrations are those that were applied, by number.
	Migrations []*migration.Migration
	// Policies are the text of the policies; "" if there are none, which takes none away.
	Policies string
}

// Definitions returns the definitions of the graph. A migration that cannot be read, which a later program may have
// applied, is the fault Unusable.
func (s *Snapshot) Definitions() (Definitions, error) {
	d := Definitions{Schema: s.Schema().PortableYAML(), Policies: s.compiled.policyText}
	for _, k := range s.Stored() {
		d.Queries = append(d.Queries, QueryText{Name: k.ID, Text: k.Text})
	}
	for _, r := range s.Applied() {
		m, err := migration.Parse(r.File(), r.Text)
		if err != nil {
			return d, fault.New(fault.Unusable, "the migration %s that was applied cannot be read: %v", r.File(), err)
		}
		d.Migrations = append(d.Migrations, m)
	}
	return d, nil
}

// QueryStep is the change of one stored query: Was is "" for a new one, Text for a removed one.
type QueryStep struct{ ID, Was, Text string }

// PolicyStep is the change of the policies: Was is "" where there were none, Text where there are none any more. The zero
// PolicyStep is none.
type PolicyStep struct{ Was, Text string }

// policyStep is the change from one text of policies to another.
func policyStep(was, text string) (step PolicyStep) {
	if was != text {
		step = PolicyStep{was, text}
	}
	return step
}

// querySteps are the changes between two sets of stored queries, by id.
func querySteps(was, is []QueryText) (steps []QueryStep) {
	texts := map[string]QueryStep{}
	for _, q := range was {
		texts[q.Name] = QueryStep{ID: q.Name, Was: q.Text}
	}
	for _, q := range is {
		texts[q.Name] = QueryStep{ID: q.Name, Was: texts[q.Name].Was, Text: q.Text}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if step := texts[name]; step.Was != step.Text {
			steps = append(steps, step)
		}
	}
	return steps
}

// DefinitionsDiff is the difference between two definitions.
type DefinitionsDiff struct {
	// Steps are the changes of the schema besides those of the migrations that only the second has, if these continue
	// the first.
	Steps    []schema.Step
	Queries  []QueryStep
	Policies PolicyStep
	// Applied names the migration files that only the second has, Missing those that only the first has.
	Applied, Missing []string
}

// Message is what the commit that changed the schema by these steps says when nobody gave it a message.
func (d DefinitionsDiff) Message() string {
	var steps []string
	for _, s := range d.Steps {
		steps = append(steps, s.String())
	}
	return stepsMessage(steps)
}

// Against returns the changes from the definitions of the graph to other ones.
func (s *Snapshot) Against(other Definitions) (d DefinitionsDiff, err error) {
	target, err := schema.ParseYAML(other.Schema, s.Schema().Base)
	if err != nil {
		return d, err
	}
	mine, err := s.Definitions()
	if err != nil {
		return d, err
	}
	d.Queries, d.Policies = querySteps(mine.Queries, other.Queries), policyStep(mine.Policies, other.Policies)
	d.Applied, d.Missing = without(other.Migrations, mine.Migrations), without(mine.Migrations, other.Migrations)
	at := s.Schema()
	if pending, err := migration.Pending(s.Applied(), other.Migrations); err == nil && len(d.Missing) == 0 {
		if _, to, err := migration.MovesOf(pending, at); err == nil {
			at = to // the steps of migrations are shown by them
		}
	}
	d.Steps = at.Towards(target).Steps(at)
	return d, nil
}

// without names the migrations that are not among others.
func without(all, others []*migration.Migration) (files []string) {
	for _, m := range all {
		if !slices.ContainsFunc(others, func(o *migration.Migration) bool { return o.Number == m.Number && o.Checksum() == m.Checksum() }) {
			files = append(files, m.File())
		}
	}
	return files
}

// digests maps the name of each definition, such as "type Task" or "stored query open_tasks", to a digest of its
// content.
type digests map[string]string

func digestsOf(s *schema.Schema, queries []QueryText, policies string) digests {
	all := digests{}
	note := func(name string, text []byte) {
		sum := sha256.Sum256(text)
		all[name] = hex.EncodeToString(sum[:8])
	}
	for _, t := range s.Types {
		note("type "+t.Name, s.TypeYAML(t))
	}
	for prefix, iri := range s.Prefixes {
		note("prefix "+prefix, []byte(iri))
	}
	for _, q := range queries {
		note("stored query "+q.Name, []byte(q.Text))
	}
	if policies != "" {
		note("policies", []byte(policies))
	}
	return all
}

// own names the definitions that a promotion would lose and that were not promoted: those that were made, changed or
// removed in this file since the last promotion, and differ in the incoming ones. Before the first promotion (left is
// nil) these are all that the incoming ones do not have.
func (d digests) own(left, comes digests) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		becomes, stays := comes[name]
		if becomes == d[name] || left == nil && stays || left != nil && left[name] == d[name] {
			continue
		}
		names = append(names, name)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if _, there := d[name]; !there && comes[name] == left[name] {
			names = append(names, name+" (removed here)")
		}
	}
	return names
}

// promotedDefinitions is the property of the record of the last promotion: its digests as one text.
const promotedDefinitions = rdf.IRI(rdf.TrailsNS + "promotedDefinitions")

func (d digests) quad() (rdf.Quad, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return rdf.Quad{}, fmt.Errorf("write what was promoted: %w", err)
	}
	return rdf.Quad{Subject: schema.PromotionRecord.Node(""), Predicate: promotedDefinitions, Object: rdf.Literal(string(text), rdf.XSDString), Label: rdf.SchemaGraph}, nil
}

// promotedIn reads the digests of the last promotion; nil if there was none or it cannot be read.
func promotedIn(quads []rdf.Quad) (d digests) {
	for _, q := range quads {
		if q.Subject == schema.PromotionRecord.Node("") && q.Predicate == promotedDefinitions && json.Unmarshal([]byte(rdf.Lexical(q.Object)), &d) != nil {
			return nil
		}
	}
	return d
}
