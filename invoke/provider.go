package invoke

import (
	"cmp"
	"context"
	"net/url"
	"sync"

	"trails/capability"
	"trails/kg"
)

// Handler does the work of a capability. It returns the result, which becomes a JSON object.
type Handler func(context.Context, *Request) (any, error)

// Capability is a descriptor with its handler.
type Capability struct {
	// Descriptor describes it. Empty fields are filled in, see [capability.Descriptor.Completed].
	capability.Descriptor
	Handle Handler
	// Loses computes what a call would remove, so that a person can be asked before; nil if consent is not required.
	Loses Loses
	// Forward, when set, returns the capability that handles the call (see [Request.Named]), and its arguments. It is
	// called after the arguments were checked, and the call continues as one of that capability; nil is this
	// capability itself.
	Forward func(context.Context, *Request) (*Capability, Arguments, error)
	// Forks names the argument from which the branch of the call is made if that is not there; "" if there is none.
	Forks string
	// Inputs names the argument that [Call.Inputs] can replace; "" if there is none. The reader of the data digests
	// it.
	Inputs string
	// Keeps means that a call with ask: true is not made but tried, and kept as a request.
	Keeps bool
	// Typed means that the handler reads the arguments by the shape of a type, and reports their errors together with
	// those from the graph.
	Typed bool
	// Surfaces name the lists of tools that contain it, see package surface. nil means all lists except the
	// gateway's; an empty list means none, so that only the gateway's search finds it.
	Surfaces []string
	// Wanted, when set, is called when a list is made, and says whether it is included. It may wait.
	Wanted func() bool
	// Hidden means that it can be called by name, and is not a tool.
	Hidden bool
	// Streams means that it needs an output stream, and is not a tool.
	Streams bool
	// Yields means that another capability with the same tool name replaces it.
	Yields bool
	// Bare means that it needs no snapshot, and answers even if the file is busy. Only a [Fixed] provider can have
	// such capabilities.
	Bare bool
}

// Offer is the capabilities of a provider under one snapshot. It is immutable.
type Offer struct {
	// Capabilities are listed in this order.
	Capabilities []Capability
	Resources    []Resource
	Prompts      []Prompt
}

// Provider offers capabilities, resources and prompts. It is safe for concurrent use.
type Provider interface {
	// Version identifies the result of Offer for a snapshot: equal versions mean equal offers. It is called in every
	// call, so it does not read from the file.
	Version(*kg.Snapshot) string
	// Offer may read from the snapshot, but must not keep it.
	Offer(*kg.Snapshot) (Offer, error)
}

// Fixed is a provider whose offer does not depend on the snapshot.
func Fixed(o Offer) Provider {
	return fixed{o, sync.OnceValue(func() Offer {
		all := make([]Capability, len(o.Capabilities))
		for i, c := range o.Capabilities {
			all[i] = c.completed()
		}
		o.Capabilities = all
		return o
	})}
}

// completed fills in what the descriptor leaves empty.
func (c Capability) completed() Capability {
	c.ConsentRequired = c.ConsentRequired || c.Loses != nil
	c.Descriptor = c.Completed()
	return c
}

// fixed holds an offer as given, and completes it on first use.
type fixed struct {
	given Offer
	offer func() Offer
}

func (fixed) Version(*kg.Snapshot) string         { return "" }
func (f fixed) Offer(*kg.Snapshot) (Offer, error) { return f.offer(), nil }

// Resource is an address that can be read.
type Resource struct {
	URI, Name, Title, Description, MIME string
	// Template is the RFC 6570 form with a filter and paging; empty if there is none. A resource with a template also
	// has all addresses below its own.
	Template string
	// Parameters are those that its address may have besides at and branch, each once. Read finds them in the arguments of
	// the request.
	Parameters []string
	// Newest is true of a resource that is not of the graph's state, such as one of provenance: it has no ?at=.
	Newest bool
	// Unlisted is true of a resource that is in no list.
	Unlisted bool
	// Read answers an address of the resource, whose ?at= has been followed. The Document has MIME, Body and Page.
	Read func(ctx context.Context, r *Request, at *url.URL) (Document, error)
}

// Prompt is a text that a person picks from a menu to begin work with an agent.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	// Write makes the text from arguments that have been checked; those that were left
	// out are "".
	Write func(ctx context.Context, r *Request, arguments map[string]string) (string, error)
}

// PromptArgument is one that the person is asked for.
type PromptArgument struct {
	Name, Description string
	Required          bool
	// MaxLength counts characters.
	MaxLength int
	// Completes says what suggests values, in the words of the capability suggest; ""
	// for free text.
	Completes string
}

// stander is a provider with capabilities that do not depend on the graph.
type stander interface{ Standing() []Capability }

// Standing returns the capabilities of a fixed provider.
func (f fixed) Standing() []Capability { return f.given.Capabilities }

// Standing returns the capabilities that providers offer whatever the graph contains, except for versions that name
// their content. A program without an open graph, such as a command line at its start, reads their descriptors.
func Standing(providers []Provider) (all []Capability) {
	for _, p := range providers {
		s, is := p.(stander)
		if !is {
			continue
		}
		for _, c := range s.Standing() {
			c.Version = cmp.Or(c.Version, "-") // computed only on use
			all = append(all, c.completed())
		}
	}
	return all
}
