package admin

import (
	"fmt"
	"slices"

	h "trails/admin/html"
)

// main is all that the doctor found, check by check.
func (d doctorAnswer) main(page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Health")), lead(
			h.Text(textIf(d.OK, "No check failed.", "Something needs a look.")),
			h.Text(" The command line looks at more of the file, holds saved documents against what is served, and mends what is safe: "),
			plainCode("trails doctor FILE --deep --served DOC --fix"), h.Text("."))}),
		drawChecks(d.Checks),
		h.Map(d.Checks, func(c doctorCheck) h.Node {
			if len(c.Findings) == 0 {
				return nil
			}
			return section(c.Name, h.Text(c.Name), nil, h.ID(c.Name),
				wideTable(columns("Capability", "Field", "Rule", "What was found", "What to do"), h.TBody(h.Map(c.Findings, doctorFinding.draw))))
		}),
	}
}

// drawOverview is one line when all is well, and otherwise the checks that found something.
func (d doctorAnswer) drawOverview() h.Node {
	if d.OK {
		return h.P(badge("good", "well"), h.Text(fmt.Sprintf(" %d checks found nothing.", len(d.Checks))))
	}
	return drawChecks(slices.DeleteFunc(slices.Clone(d.Checks), doctorCheck.ok))
}

// drawChecks are checks with their results.
func drawChecks(list []doctorCheck) h.Node {
	return h.Ul(h.Class("checks panel pad"), h.Map(list, func(c doctorCheck) h.Node {
		return h.Li(span("what", c.Name), h.Span(h.Class("soft"), badge(textIf(c.ok(), "good", "bad"), c.Result), space, bdiLine(c.Detail)))
	}))
}

// draw is one finding.
func (f doctorFinding) draw() h.Node {
	return h.Tr(
		rowHead(either(f.Listed, anchor("id", capabilityURL(f.Capability), h.Text(f.Capability)), plainCode(line(f.Capability)))),
		h.Td(plainCode(line(f.Field))), h.Td(h.Text(f.Rule)), h.Td(bdiMessage(f.Says)), h.Td(h.Text(whole(f.Mend))))
}
