package kg

import (
	"context"
	"strings"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

// How the schema graph stores the policies: as one node with their text.
const (
	policiesClass = rdf.IRI(rdf.TrailsNS + "Policies")   // rdf:type of the node
	policiesText  = rdf.IRI(rdf.TrailsNS + "policyText") // the whole text
)

// PolicyIRI names a policy in provenance, as what a call used that it permits.
func PolicyIRI(name string) string { return string(schema.PolicyRecord.Node("")) + "/" + name }

// passedOver begins the IRI by which provenance names a policy whose condition could not be evaluated, among what an allowed
// call used.
const passedOver = "urn:trails:passed-over:"

// PoliciesOf returns the policies that permitted the call of an activity, and those that were passed over, because their
// conditions could not be evaluated.
func PoliciesOf(a Activity) (permitted, failed []string) {
	return namesBehind(PolicyIRI(""), a.Used), namesBehind(passedOver, a.Used)
}

// namesBehind are the names in those of some IRIs that begin with a prefix.
func namesBehind(prefix string, iris []string) (names []string) {
	for _, iri := range iris {
		if name, is := strings.CutPrefix(iri, prefix); is {
			names = append(names, name)
		}
	}
	return names
}

// quadsOfPolicies are the quads that store a text; none for "".
func quadsOfPolicies(text string) []rdf.Quad {
	if text == "" {
		return nil
	}
	node := schema.PolicyRecord.Node("")
	return []rdf.Quad{
		{Subject: node, Predicate: rdf.Type, Object: policiesClass, Label: rdf.SchemaGraph},
		{Subject: node, Predicate: policiesText, Object: rdf.Literal(text, rdf.XSDString), Label: rdf.SchemaGraph},
	}
}

// policiesIn reads the policies among records. Those of a later program, or two texts of which a merge has not chosen one,
// cannot be read.
func policiesIn(records []rdf.Quad) (text string, p *cedar.Policies, err error) {
	for _, q := range records {
		if kind, _ := schema.RecordOf(q); kind != schema.PolicyRecord || q.Predicate != policiesText {
			continue
		}
		if text != "" {
			return text, nil, fault.New(fault.Conflict, "there are two texts of policies; set one")
		}
		text = rdf.Lexical(q.Object)
		p, err = cedar.Parse(text)
	}
	return text, p, err
}

// Policies returns the policies that the snapshot has, on its branch, with their text; "" and nil if it has none. Those of
// main decide. The error is why this program cannot read them.
func (s *Snapshot) Policies() (text string, p *cedar.Policies, err error) {
	return s.compiled.policyText, s.compiled.policies, s.compiled.unlawful
}

// PoliciesSet returns the commit that set the policies of the snapshot, the zero Commit if none did. It looks at the commits
// that changed definitions since.
func (s *Snapshot) PoliciesSet(ctx context.Context) (Commit, error) {
	const page = 100
	for before := Seq(0); ; {
		list, err := s.SchemaCommits(ctx, before, page)
		if err != nil {
			return Commit{}, err
		}
		for _, c := range list {
			changes, err := s.source.ChangesOf(ctx, c, schema.PolicyRecord.Node(""), 1)
			if err != nil || len(changes) > 0 {
				return c, err
			}
			before = c.Seq
		}
		if len(list) < page {
			return Commit{}, nil
		}
	}
}

// PolicyChange is a request to replace the policies.
type PolicyChange struct {
	// Text is that of the new ones; "" takes all policies away.
	Text string
	// Set carries all but the edits.
	Set ChangeSet
}

// ChangePolicies replaces the policies of the session's branch as one commit. A text that [cedar.Parse] refuses changes
// nothing.
func (s *Session) ChangePolicies(ctx context.Context, c PolicyChange) (Result, error) {
	if _, err := cedar.Parse(c.Text); err != nil {
		return Result{}, err
	}
	var spool change.Spool
	defer spool.Close()
	prepare := func(_ context.Context, _ *db.Writer, before *compiled) error {
		for _, q := range before.records { // of several texts, too
			if kind, _ := schema.RecordOf(q); kind == schema.PolicyRecord {
				if err := editQuads(&spool, change.Retract, q); err != nil {
					return err
				}
			}
		}
		return editQuads(&spool, change.Assert, quadsOfPolicies(c.Text)...)
	}
	return s.write(ctx, job{action: policy.Administer, spool: &spool, set: c.Set, prepare: prepare})
}

// edit makes edits of the step.
func (s PolicyStep) edit(spool *change.Spool) error {
	if s == (PolicyStep{}) {
		return nil
	}
	if err := editQuads(spool, change.Retract, quadsOfPolicies(s.Was)...); err != nil {
		return err
	}
	return editQuads(spool, change.Assert, quadsOfPolicies(s.Text)...)
}
