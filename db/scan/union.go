package scan

// Side is one side of a union: Slots get the values of the keys of Of, and the other slots of the union are unbound.
type Side struct {
	Slots []int
	Of    *Program
}

// united yields the solutions of one side after the other. A side is opened when those before it are at their end.
type united struct {
	builder *builder
	rest    []Side
	in      source // of the first one of rest, nil before it is opened
	unbound []int64
	out     batch
}

func (u *united) next() (*batch, error) {
	for len(u.rest) > 0 {
		side := u.rest[0]
		if u.in == nil {
			run, err := open(side.Of, u.builder.env, u.builder.merging, make([][]test, side.Of.Slots))
			if err != nil {
				return nil, err
			}
			u.in = run.source
		}
		rows, err := u.in.next()
		if err != nil {
			return nil, err
		}
		if rows == nil {
			u.in, u.rest = nil, u.rest[1:]
			continue
		}
		if more := rows.n - len(u.unbound); more > 0 {
			u.unbound = append(u.unbound, make([]int64, more)...)
		}
		for slot := range u.out.slots {
			u.out.slots[slot] = u.unbound[:rows.n]
		}
		for i, slot := range side.Slots {
			u.out.slots[slot] = rows.slots[side.Of.Keys[i]]
		}
		u.out.n, u.out.cards = rows.n, rows.cards
		return &u.out, nil
	}
	return nil, nil
}
