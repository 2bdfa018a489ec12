package invoke

import (
	"cmp"
	"context"
	"net/url"
	"sync"

	"trails/capability"
	"trails/kg"
)

// Handler does what a capability says. What it returns is the result, as a JSON object.
type Handler func(context.Context, *Request) (any, error)

// Capability is something that can be called: what is said of it, and what does it.
type Capability struct {
	// Descriptor describes it. What a [Provider] leaves empty in it is filled in, see
	// [capability.Descriptor.Completed].
	capability.Descriptor
	Handle Handler
	// Loses finds out what a call would remove, so that a person can be asked before;
	// nil when consent is not required.
	Loses Loses
	// Forward, when set, finds the capability that does what the call asks for, see
	// [Request.Named], and with which arguments. It is asked after the arguments were held
	// against the shape, and the call goes on as one of that capability; nil is this one.
	Forward func(context.Context, *Request) (*Capability, Arguments, error)
	// Inputs names the argument in the place of which a call may bring [Call.Inputs]; ""
	// when there is none. What it has is digested by who reads it.
	Inputs string
	// Typed means that the handler reads the arguments by the shape of a type, and
	// reports with them what the graph says against them.
	Typed bool
	// Surfaces name the lists of tools that have it, see package surface; nil is for one
	// that all have but those of the gateway, and an empty one for one that none has and that
	// is found by the tools of the gateway alone.
	Surfaces []string
	// Wanted, when set, is asked when a list is made that would have it, and says whether it has it.
	// It may wait for somebody.
	Wanted func() bool
	// Hidden means that it is callable by name, and no tool.
	Hidden bool
	// Streams means that it is callable where there is an output to stream to, and no tool.
	Streams bool
	// Yields means that what else is offered with its tool name is offered in its place.
	Yields bool
	// Bare means that it needs no snapshot, and is answered whatever the file is busy
	// with. Only a [Fixed] provider can have such.
	Bare bool
}

// Offer is what a provider has under one snapshot. Nobody changes it.
type Offer struct {
	// Capabilities are listed in this order.
	Capabilities []Capability
	Resources    []Resource
	Prompts      []Prompt
}

// Provider offers capabilities, resources and prompts. It is safe for concurrent use.
type Provider interface {
	// Version names what Offer returns for a snapshot: as long as it is the same, that is
	// the same. It is asked in every call, so it reads nothing from the file.
	Version(*kg.Snapshot) string
	// Offer may read from the snapshot, and keeps nothing of it.
	Offer(*kg.Snapshot) (Offer, error)
}

// Fixed is the provider of an offer that is the same under every snapshot.
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

// fixed has an offer as it was given, and completes it when it is asked.
type fixed struct {
	given Offer
	offer func() Offer
}

func (fixed) Version(*kg.Snapshot) string         { return "" }
func (f fixed) Offer(*kg.Snapshot) (Offer, error) { return f.offer(), nil }

// Resource is an address that can be read.
type Resource struct {
	URI, Name, Title, Description, MIME string
	// Template is the RFC 6570 form that adds a filter and paging; empty when there is
	// none. A resource with a template has all addresses below its own, too.
	Template string
	// Read answers an address of the resource. The Document has MIME, Body and Page.
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

// stander is a provider of capabilities that are there whatever the graph holds.
type stander interface{ Standing() []Capability }

// Standing are those of a fixed provider.
func (f fixed) Standing() []Capability { return f.given.Capabilities }

// Standing returns the capabilities that providers offer whatever the graph holds, but for the
// versions that name their content. Who has no graph at hand, such as a command line before it
// opens one, reads their descriptors.
func Standing(providers []Provider) (all []Capability) {
	for _, p := range providers {
		s, is := p.(stander)
		if !is {
			continue
		}
		for _, c := range s.Standing() {
			c.Version = cmp.Or(c.Version, "-") // what is not asked for is not computed
			all = append(all, c.completed())
		}
	}
	return all
}
