package builtin

import (
	"trails/capability"
	"trails/invoke"
	"trails/kg"
)

// types offers create, update and delete of the nodes of every type.
type types struct{}

func (types) Version(s *kg.Snapshot) string { return s.SchemaKey() }

func (types) Offer(s *kg.Snapshot) (invoke.Offer, error) {
	var o invoke.Offer
	for _, d := range capability.ForSchema(s.Schema()) {
		c := invoke.Capability{Descriptor: d, Typed: true, Keeps: d.InputShape.TakesAsk(), Handle: typedHandlers[d.Op()](d.InputShape.NodeType)}
		if d.ConsentRequired {
			c.Loses = deletionLoses
		}
		o.Capabilities = append(o.Capabilities, c)
	}
	return o, nil
}

// typedHandlers are the handlers of writes of nodes of a type, by the last word of their id.
var typedHandlers = map[string]func(typeName string) invoke.Handler{
	"create": createNode,
	"update": updateNode,
	"delete": deleteNode,
}
