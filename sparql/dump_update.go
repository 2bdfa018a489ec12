package sparql

// Dump writes the operations of the update for people, as S-expressions.
func (u *Update) Dump() string {
	d := newDumper(u.Prefixes)
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
	d.open("modify")
	if m.With != "" {
		d.line("(with ", d.iri(m.With), ")")
	}
	d.quadList("delete", m.Delete)
	d.quadList("insert", m.Insert)
	d.dataset(m.Using)
	if m.Where != nil {
		d.op(m.Where)
	}
	d.close()
}

func (d *dumper) quadList(name string, quads []QuadPattern) {
	if len(quads) == 0 {
		return
	}
	d.open(name)
	for _, q := range quads {
		d.line("(quad ")
		if q.Graph == (Operand{}) {
			d.write("_")
		} else {
			d.write(d.operand(q.Graph))
		}
		d.write(" ", d.operand(q.Subject), " ", d.verbText(q.Predicate), " ", d.operand(q.Object), ")")
	}
	d.close()
}
