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
	// Version is SemVer, see [Compare]: a changed descriptor has another version. If it is empty, it is made from the
	// content ([Descriptor.Stamped]), and the file then assigns a number ([Descriptor.Numbered]).
	Version string `json:"version"`
	// Description is for people and models.
	Description string `json:"description"`
	// InputShape is the input, a JSON object. The stage arguments refuses other input; for a typed write the shape of
	// its type does.
	InputShape Shape `json:"input_shape"`
	// OutputShape is what comes out. Any answer may begin with two members more: "cut", what
	// is missing from it, and "warnings", a list of sentences. The handler makes it, and tests hold every
	// capability's answers against it.
	OutputShape Shape `json:"output_shape"`
	// Preconditions are sentences for people about what must hold before the call. The handler refuses calls for
	// which they do not hold.
	Preconditions []string `json:"preconditions"`
	// SideEffects is the possible effect on the graph. [New] refuses one that contradicts the action, and the session
	// of the handler is restricted to it.
	SideEffects SideEffects `json:"side_effects"`
	// CostEstimate says on what the cost depends. It is for planning calls; the limits of each capability bound the
	// actual cost.
	CostEstimate Cost `json:"cost_estimate"`
	// PolicyRequired is asked by the stage scope, and by the session of the graph.
	PolicyRequired Requirement `json:"policy_required"`
	// Idempotent means that two identical calls have the same effect as one. The handler ensures it, and a test calls
	// each twice.
	Idempotent bool `json:"idempotent"`
	// Reasoning is what the capability infers beyond the statements in the graph, which
	// validation and the views do.
	Reasoning Reasoning `json:"reasoning"`
	// Deprecates are the ids that this capability replaces: [Registry.Find] finds it by them, and they are not
	// registered themselves.
	Deprecates []string `json:"deprecates"`
	// Assurance is how far the result can be relied on. [New] refuses one that contradicts the side effects: writes
	// are validated in their commit.
	Assurance Assurance `json:"assurance"`
	// ConsentRequired means that a person should agree before a call removes something. The stage consent asks if the
	// caller can be asked, pages ask with a form; otherwise the arguments are the consent.
	ConsentRequired bool `json:"consent_required"`
}

// Requirement is what a caller needs permission for.
type Requirement struct {
	Scope policy.Scope `json:"scope"`
	// Action is what the call may do with the graph; "" is reading.
	Action policy.Action `json:"action"`
	// Remote means that the call may reach other hosts, namely those given at the start of the process; by default
	// there are none.
	Remote bool `json:"remote,omitempty"`
	// Upstream means that the call may reach upstream servers and endpoints named in the file, if somebody at the
	// machine has approved them.
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

// Cost says on what the cost of a call depends.
type Cost string

// The costs, cheapest first.
const (
	CostConstant Cost = "constant" // the same whatever the graph holds
	CostChange   Cost = "change"   // with the size of the change that it makes or reads
	CostResult   Cost = "result"   // with the size of the answer
	CostGraph    Cost = "graph"    // with the size of the graph
)

// Points returns what a call costs in budgets: 1, or more if it depends on more. A cost that is none of [Costs] is the most.
func (c Cost) Points() int {
	switch c {
	case CostConstant:
		return 1
	case CostChange, CostResult:
		return 2
	default:
		return 10
	}
}

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
	AssuranceNone      Assurance = "none"      // no promise
	AssuranceSnapshot  Assurance = "snapshot"  // consistent with one commit
	AssuranceValidated Assurance = "validated" // also, what was written satisfies every constraint
)

// Completed returns d with defaults, some derived from other fields, for empty fields: closed shapes (an output
// without fields stays open), the scope runtime, no side effects, no reasoning, the assurance of the side effects,
// the argument max_chars of what only reads, and a version that names the content (see [Descriptor.Stamped]).
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
