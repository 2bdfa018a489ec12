// Package capability says what can be done with a graph: a [Descriptor] for each
// thing, and the [Registry] of them. The descriptor is the only truth about a
// capability; tools, actions, operations and manifest entries are pure functions
// of it (package project). Nothing here runs a capability: package invoke does.
//
// Read [Descriptor] first, then [ForSchema], which writes the descriptors of a
// schema's types.
package capability

import (
	"cmp"
	"slices"

	"trails/auth/policy"
)

// Descriptor describes one capability with the fourteen fields of the contract,
// section 4. It is a value: copies share their slices, which nobody may change. Each
// field says who makes it true; where that is package invoke, a stage of the call does.
type Descriptor struct {
	// ID is dotted lower case: "research.search"; see [CheckID], which [New] asks.
	ID string `json:"id"`
	// Version is SemVer, see [Compare]: a changed descriptor has another one. Who leaves it
	// empty gets one that names the content, [Descriptor.Stamped], which the file numbers,
	// [Descriptor.Numbered].
	Version string `json:"version"`
	// Description is for people and models, who alone can judge it.
	Description string `json:"description"`
	// InputShape is what goes in, as a JSON object: the stage arguments refuses what
	// does not fit, for a typed write the shape of its type does.
	InputShape Shape `json:"input_shape"`
	// OutputShape is what comes out. Any answer may begin with two members more: "cut", what
	// is missing from it, and "warnings", a list of sentences. The handler makes it, and tests hold every
	// capability's answers against it.
	OutputShape Shape `json:"output_shape"`
	// Preconditions are sentences for a person: what must hold before the call. The
	// handler refuses a call for which they do not, with its own words.
	Preconditions []string `json:"preconditions"`
	// SideEffects says what may happen to the graph. [New] refuses one that differs from
	// the action, and the session of the graph that the handler gets is bound to that.
	SideEffects SideEffects `json:"side_effects"`
	// CostEstimate says what the work grows with. It is for who plans calls; what a
	// call may take is bounded by its capability's own limits.
	CostEstimate Cost `json:"cost_estimate"`
	// PolicyRequired is asked by the stage scope, and by the session of the graph.
	PolicyRequired Requirement `json:"policy_required"`
	// Idempotent means that doing it twice leaves the graph as doing it once does. The
	// handler makes it so, and a test does each twice.
	Idempotent bool `json:"idempotent"`
	// Reasoning is what the capability infers beyond the statements in the graph, which
	// validation and the views do.
	Reasoning Reasoning `json:"reasoning"`
	// Deprecates are the ids that this capability replaces: [Registry.Find] finds it by
	// them, and none of them is registered.
	Deprecates []string `json:"deprecates"`
	// Assurance is how far the result may be relied on. [New] refuses one that differs
	// from the side effects: what writes is validated in its commit.
	Assurance Assurance `json:"assurance"`
	// ConsentRequired means that a person should agree before a call removes something.
	// The stage consent asks where the caller can be asked, pages ask by a form;
	// elsewhere the arguments are the consent.
	ConsentRequired bool `json:"consent_required"`
}

// Requirement is what policy asks before a call.
type Requirement struct {
	Scope policy.Scope `json:"scope"`
	// Action is all that the call may do with the graph; "" is to look at it.
	Action policy.Action `json:"action"`
	// Remote means that the call may reach other hosts. Package remote lets it reach those
	// that the process was started with, and by itself there are none.
	Remote bool `json:"remote,omitempty"`
	// Upstream means that the call may reach upstream servers and endpoints that the file
	// names, where somebody at the machine has agreed to them.
	Upstream bool `json:"upstream,omitempty"`
}

// SideEffects says what a capability does to the graph.
type SideEffects string

// The side effects.
const (
	None     SideEffects = "none"     // reads only
	Writes   SideEffects = "writes"   // only adds
	Destroys SideEffects = "destroys" // may replace or remove what is there
)

// Cost says what the work of a call grows with.
type Cost string

// The costs, cheapest first.
const (
	CostConstant Cost = "constant" // the same whatever the graph holds
	CostChange   Cost = "change"   // with the size of the change that it makes or reads
	CostResult   Cost = "result"   // with the size of the answer
	CostGraph    Cost = "graph"    // with the size of the graph
)

// Costs lists them.
func Costs() []Cost { return []Cost{CostConstant, CostChange, CostResult, CostGraph} }

// Reasoning says what a capability infers.
type Reasoning string

// The kinds of reasoning.
const (
	ReasoningNone       Reasoning = "none"       // the graph as it was stated
	ReasoningSubclasses Reasoning = "subclasses" // an instance of a type is one of its supertypes
)

// Assurance says how far a result may be relied on.
type Assurance string

// The assurances, weakest first.
const (
	AssuranceNone      Assurance = "none"      // says what it says
	AssuranceSnapshot  Assurance = "snapshot"  // true of one commit as a whole
	AssuranceValidated Assurance = "validated" // besides, what was written keeps every constraint
)

// Completed returns d with what is usual, or follows from its other fields, where they are
// empty: closed shapes (an output without fields stays open), the scope runtime, no side effects, no reasoning, the assurance of
// the side effects, the argument max_chars of what only reads, and a version that names the content (see [Descriptor.Stamped]).
func (d Descriptor) Completed() Descriptor {
	d.InputShape.Closed, d.OutputShape.Closed = true, len(d.OutputShape.Fields) > 0
	d.PolicyRequired.Scope = cmp.Or(d.PolicyRequired.Scope, policy.Runtime)
	d.SideEffects = cmp.Or(d.SideEffects, None)
	d.Reasoning = cmp.Or(d.Reasoning, ReasoningNone)
	if _, has := d.InputShape.Field(MaxChars().Name); !has && d.SideEffects == None {
		d.InputShape.Fields = append(slices.Clip(d.InputShape.Fields), MaxChars())
	}
	if d.Assurance == "" {
		d.Assurance = AssuranceSnapshot
		if d.SideEffects != None {
			d.Assurance = AssuranceValidated
		}
	}
	if d.Version == "" {
		d = d.Stamped(firstVersion)
	}
	return d
}
