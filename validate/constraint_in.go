package validate

import (
	"context"

	"trails/rdf"
)

// in lists the only values there may be (SHACL section 4.8.3).
type in struct {
	list    []rdf.Term
	members map[rdf.Term]bool
}

func compileIn(p parameter) (constraint, error) {
	list, err := p.graph.list(p.value)
	if err != nil {
		return nil, err
	}
	c := in{list: list, members: make(map[rdf.Term]bool, len(list))}
	for _, member := range list {
		c.members[member] = true
	}
	return c, nil
}

func (c in) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		if !c.members[v] {
			e.report(inComponent, v, e.jsonList(c.list), "must be one of %s, not %s", e.showList(c.list), e.show(v))
		}
	}
	return nil
}
