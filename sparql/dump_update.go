package sparql

// Dump writes the operations of the update for people, as S-expressions.
func (u *Update) Dump() string {
	d := dumper{printer: newPrinter(u.Prefixes)}
	for _, op := range u.Operations {
		d.operation(op)
	}
	return d.text()
}

func (d *dumper) operation(op Operation) {
	m, ok := op.(Modify)
	if !ok {
		d.line("(")
		d.printer.operation(op)
		d.write(")")
		return
	}
	d.line("(modify")
	d.block(func() {
		if m.With != "" {
			d.line("(with ", d.iri(m.With), ")")
		}
		d.quadList("delete", m.Delete)
		d.quadList("insert", m.Insert)
		d.dataset(m.Using)
		d.op(m.Where)
	})
}

func (d *dumper) quadList(name string, quads []QuadPattern) {
	if len(quads) == 0 {
		return
	}
	d.line("(", name)
	d.block(func() {
		for _, q := range quads {
			d.line("(quad ")
			if q.Graph == (Operand{}) {
				d.write("_")
			} else {
				d.operand(q.Graph, false)
			}
			d.write(" ")
			d.triple(q.TriplePattern)
		}
	})
}
