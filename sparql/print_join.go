package sparql

import "slices"

// join writes the operands of a join one after the other. Two adjacent basic graph patterns would be read as one, so
// one of them is put in braces. A pattern that shares a blank node with the triples on its other side cannot be. If
// neither can be, everything to the left is put in braces together.
func (p *printer) join(op Join) {
	parts, joins := spine(op)
	braced, cut := bracesNeeded(parts)
	if cut > 0 {
		p.line()
		p.group(joins[cut-1])
	}
	for i := cut; i < len(parts); i++ {
		switch {
		case braced[i]:
			p.line()
			p.group(parts[i])
		case i == 0:
			p.elements(parts[i])
		default:
			p.joined(parts[i])
		}
	}
}

// spine flattens nested joins. It returns the operands from left to right, and for each operand the join that ends
// with it.
func spine(op Op) (parts, joins []Op) {
	for {
		joins = append(joins, op)
		j, ok := op.(Join)
		if !ok {
			parts = append(parts, op)
			break
		}
		parts = append(parts, j.Right)
		op = j.Left
	}
	slices.Reverse(parts)
	slices.Reverse(joins)
	return parts, joins
}

// bracesNeeded returns which operands need braces of their own, and how many operands on the left need braces together.
func bracesNeeded(parts []Op) (braced []bool, cut int) {
	braced = make([]bool, len(parts))
	for i := 1; i < len(parts); i++ {
		if !isBGP(parts[i-1]) || !isBGP(parts[i]) || braced[i-1] {
			continue
		}
		switch {
		case !shares(parts, i, 1):
			braced[i] = true
		case !shares(parts, i-1, -1):
			braced[i-1] = true
		default:
			cut = i
		}
	}
	return braced, cut
}

func isBGP(op Op) bool { _, ok := op.(BGP); return ok }

// shares reports whether a basic graph pattern shares a blank node with the triples that follow it in one direction,
// up to the next place where two basic graph patterns meet.
func shares(parts []Op, i, direction int) bool {
	own := map[Var]bool{}
	eachBlank(parts[i], func(v Var) { own[v] = true })
	shared := false
	for j := i + direction; j >= 0 && j < len(parts) && !shared; j += direction {
		_, path := parts[j].(PathPattern)
		if !path && !isBGP(parts[j]) || isBGP(parts[j]) && isBGP(parts[j-direction]) {
			break
		}
		eachBlank(parts[j], func(v Var) { shared = shared || own[v] })
	}
	return shared
}

// eachBlank calls f for the blank nodes of a pattern.
func eachBlank(op Op, f func(Var)) {
	operand := func(o Operand) {
		if o.Var != "" && o.Var[0] == '.' {
			f(o.Var)
		}
	}
	switch op := op.(type) {
	case BGP:
		for _, t := range op.Patterns {
			operand(t.Subject)
			operand(t.Object)
		}
	case PathPattern:
		operand(op.Subject)
		operand(op.Object)
	}
}
