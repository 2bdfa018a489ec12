package admin

import (
	h "trails/admin/html"
)

// main is all that the doctor found, check by check.
func (d doctorAnswer) main(page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Health")), lead(
			h.Text(textIf(d.OK, "No check failed.", "Something needs a look.")),
			h.Text(" The command line looks at more of the file, holds saved documents against what is served, and mends what is safe: "),
			plainCode("trails doctor FILE --deep --served DOC --fix"), h.Text("."))}),
		d.drawChecks(true),
		h.Map(d.Checks, func(c doctorCheck) h.Node {
			if len(c.Findings) == 0 {
				return nil
			}
			return section(c.Name, h.Text(c.Name), nil, h.ID(c.Name),
				wideTable(columns("Capability", "Field", "Rule", "What was found", "What to do"), h.TBody(h.Map(c.Findings, doctorFinding.draw))))
		}),
	}
}

// draw is one finding.
func (f doctorFinding) draw() h.Node {
	return h.Tr(
		rowHead(either(f.Listed, anchor("id", capabilityURL(f.Capability), h.Text(f.Capability)), plainCode(line(f.Capability)))),
		h.Td(plainCode(line(f.Field))), h.Td(h.Text(f.Rule)), h.Td(bdiLine(f.Says)), h.Td(h.Text(line(f.Mend))))
}
