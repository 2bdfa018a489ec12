package invoke

import (
	"trails/capability"
	"trails/kg"
)

// types offers create, update and delete of the nodes of every type.
type types struct{}

func (types) Version(s *kg.Snapshot) string { return s.SchemaKey() }

func (types) Offer(s *kg.Snapshot) (Offer, error) {
	var o Offer
	for _, d := range capability.ForSchema(s.Schema()) {
		c := Capability{Descriptor: d, Typed: true, Handle: typedHandlers[d.Op()](d.InputShape.NodeType)}
		if d.ConsentRequired {
			c.Loses = deletionLoses
		}
		o.Capabilities = append(o.Capabilities, c)
	}
	return o, nil
}

// typedHandlers are the operations on nodes of a type, by the last word of their id.
var typedHandlers = map[string]func(typeName string) Handler{
	"create": createNode,
	"update": updateNode,
	"delete": deleteNode,
}
