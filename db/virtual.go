package db

import (
	"trails/db/leaf"
	"trails/rdf"
)

// virtualGraph is a graph that is not stored as quads: each row of an SQL table is a node, and each property yields
// statements about it.
type virtualGraph struct {
	name       rdf.IRI
	table      string // has the alias t in all SQL
	node       form   // how t.id becomes the node's term
	properties []property
}

// property is one predicate of a virtual graph, with the SQL for its values.
type property struct {
	predicate rdf.IRI
	column    string // SQL of the value
	form      form   // how the value becomes a term
	where     string // condition for rows that have a value
	join      string // SQL that is joined with t
	// find is the condition for rows whose value is ?2, if it is not column = ?2. In it ?3 is the dictionary id of
	// the value's term.
	find string
	// ordered means that numbers in the column sort like the terms.
	ordered bool
	// inverse means that the node is the object.
	inverse bool
	// many means that a node can have the same value twice.
	many bool
	// rows estimates how many nodes have the same value.
	rows float64
}

// Estimates of the number of rows with the same value.
const (
	oneRow   = 1
	fewRows  = 10
	someRows = 1e4
	allRows  = 1e5
)

var virtualGraphs = map[rdf.Term]*virtualGraph{
	rdf.ProvGraph:    {rdf.ProvGraph, "prov", activityForm, provProperties},
	rdf.CommitsGraph: {rdf.CommitsGraph, "commits", commitForm, commitProperties},

	rdf.CapabilitiesGraph: {rdf.CapabilitiesGraph, "descriptors", capabilityForm, capabilityProperties},
}

// provProperties are the properties of an activity (https://www.w3.org/TR/prov-o/).
var provProperties = []property{
	{predicate: rdf.Type, column: "'" + rdf.ProvNS + "Activity'", form: iriForm, rows: allRows},
	{predicate: rdf.Type, column: "'" + rdf.TrailsNS + "MetaActivity'", form: iriForm, where: "substr(t.capability, 1, 12) = 'trails.meta.'", rows: someRows},
	{predicate: rdf.ProvNS + "startedAtTime", column: "t.started", form: momentForm, ordered: true, rows: fewRows},
	{predicate: rdf.ProvNS + "endedAtTime", column: "t.ended", form: momentForm, ordered: true, rows: fewRows},
	{predicate: rdf.ProvNS + "wasAssociatedWith", column: "t.agent", form: agentForm, rows: someRows},
	{predicate: rdf.ProvNS + "used", column: "j.value", form: entityForm, join: " CROSS JOIN json_each(t.used) j", many: true, rows: someRows},
	generated(rdf.ProvNS+"generated", false),
	generated(rdf.ProvNS+"wasGeneratedBy", true),
	{
		predicate: rdf.TrailsNS + "commit", column: "(SELECT c.id FROM main.commits c WHERE c.seq = t.commit_seq)", form: commitForm,
		where: "t.commit_seq <> 0", find: "t.commit_seq = (SELECT c.seq FROM main.commits c WHERE c.id = ?2)", rows: oneRow,
	},
	text("author", "t.agent"),
	text("capability", "t.capability"),
	text("version", "t.version"),
	text("via", "t.via"),
	text("inputsDigest", "lower(hex(t.inputs))"),
	text("outcome", "t.outcome"),
	text("error", "t.error"),
	text("trace", "t.trace"),
	count("costMicros", "t.cost"),
	{predicate: rdf.TrailsNS + "dryRun", column: "t.dry_run", form: trueForm, where: "t.dry_run <> 0", rows: someRows},
}

// generated is the property for the nodes that a call made or changed.
func generated(predicate rdf.IRI, inverse bool) property {
	return property{
		predicate: predicate, inverse: inverse, column: "j.value", form: entityForm,
		join: " CROSS JOIN json_each(t.generated) j", where: "t.commit_seq <> 0", many: true, rows: fewRows,
		find: "t.commit_seq IN (" + leaf.CommitsOfNode + ") AND j.value = ?2",
	}
}

// commitProperties are the properties of a commit: an entity that is a revision of its parents.
var commitProperties = []property{
	{predicate: rdf.Type, column: "'" + rdf.TrailsNS + "Commit'", form: iriForm, rows: allRows},
	{predicate: rdf.Type, column: "'" + rdf.ProvNS + "Entity'", form: iriForm, rows: allRows},
	{predicate: rdf.ProvNS + "generatedAtTime", column: "t.ts", form: momentForm, ordered: true, rows: fewRows},
	{predicate: rdf.ProvNS + "wasAttributedTo", column: "t.author", form: agentForm, rows: someRows},
	{predicate: rdf.ProvNS + "wasRevisionOf", column: "t.parent", form: commitForm, where: "t.parent IS NOT NULL", rows: oneRow},
	{predicate: rdf.ProvNS + "wasRevisionOf", column: "t.parent2", form: commitForm, where: "t.parent2 IS NOT NULL", rows: oneRow},
	{predicate: rdf.DCTermsNS + "description", column: "t.message", form: textForm, where: "t.message <> ''", rows: someRows},
	text("author", "t.author"),
	text("branch", "(SELECT l.name FROM lines l WHERE l.line = t.line)"),
	count("schemaVersion", "t.schema_version"),
	count("added", "t.added"),
	count("removed", "t.removed"),
	count("statements", "t.quads"),
}

// capabilityProperties are the properties of one version of a capability: an entity that is a revision of the
// previous version.
var capabilityProperties = []property{
	{predicate: rdf.Type, column: "'" + rdf.TrailsNS + "Capability'", form: iriForm, rows: someRows},
	{predicate: rdf.Type, column: "'" + rdf.ProvNS + "Entity'", form: iriForm, rows: someRows},
	{predicate: rdf.ProvNS + "generatedAtTime", column: "t.ts", form: momentForm, ordered: true, rows: fewRows},
	{predicate: rdf.ProvNS + "wasAttributedTo", column: "t.agent", form: agentForm, where: "t.agent <> ''", rows: someRows},
	{predicate: rdf.ProvNS + "wasRevisionOf", column: versionBefore, form: capabilityForm, where: versionBefore + " IS NOT NULL", rows: oneRow},
	{predicate: rdf.DCTermsNS + "description", column: "t.descriptor ->> 'description'", form: textForm, rows: fewRows},
	{predicate: rdf.TrailsNS + "commit", column: "(SELECT c.id FROM main.commits c WHERE c.seq = t.commit_seq)", form: commitForm, where: "t.commit_seq <> 0", rows: fewRows},
	text("capability", "t.capability"),
	text("version", "t.version"),
	text("author", "t.agent"),
	text("program", "t.program"),
	member("sideEffects", "side_effects"),
	member("costEstimate", "cost_estimate"),
	member("reasoning", "reasoning"),
	member("assurance", "assurance"),
	member("requiredScope", "policy_required.scope"),
	member("requiredAction", "policy_required.action"),
	mark("idempotent", "idempotent"),
	mark("consentRequired", "consent_required"),
	members("precondition", "preconditions"),
	members("deprecates", "deprecates"),
	text("descriptor", "t.descriptor"),
}

// versionBefore is the SQL of the previous version of the same capability.
const versionBefore = "(SELECT b.id FROM descriptors b WHERE b.id >= t.capability || '@' AND b.id < t.capability || 'A' AND b.seq < t.seq ORDER BY b.seq DESC LIMIT 1)"

// member is the SQL of a text in a descriptor's JSON, mark of a condition, and members of a list of texts.
func member(name, path string) property {
	return text(name, "coalesce(t.descriptor ->> '$."+path+"', '')")
}

func mark(name, path string) property {
	column := "t.descriptor ->> '" + path + "'"
	return property{predicate: rdf.IRI(rdf.TrailsNS + name), column: column, form: trueForm, where: column + " <> 0", rows: someRows}
}

func members(name, path string) property {
	return property{predicate: rdf.IRI(rdf.TrailsNS + name), column: "j.value", form: textForm, join: " CROSS JOIN json_each(t.descriptor, '$." + path + "') j", many: true, rows: fewRows}
}

func text(name, column string) property {
	return property{predicate: rdf.IRI(rdf.TrailsNS + name), column: column, form: textForm, where: column + " <> ''", rows: someRows}
}

func count(name, column string) property {
	return property{predicate: rdf.IRI(rdf.TrailsNS + name), column: column, form: countForm, ordered: true, rows: someRows}
}

// of returns the properties with a predicate; all if it is nil.
func (g *virtualGraph) of(predicate rdf.Term) []property {
	if predicate == nil {
		return g.properties
	}
	var list []property
	for _, p := range g.properties {
		if p.predicate == predicate {
			list = append(list, p)
		}
	}
	return list
}
