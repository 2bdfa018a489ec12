package admin

import (
	"encoding/json"

	"trails/invoke"
)

// preview is what a call would do.
type preview struct {
	Added, Removed int64
	Records        int64
	Rows           []previewRow
	Plan           *planAnswer
}

// previewRow is one property as it is and as it would be.
type previewRow struct {
	Property string
	Old      []cell
	New      []string
	Removed  bool
}

// planAnswer is the plan of a schema change.
type planAnswer struct {
	Steps []struct {
		Text    string
		Lossy   bool
		Removes int64
		Breaks  []struct{ Message string }
	}
	Blocked bool
	Loses   int64
}

// Nothing reports that the call would change nothing.
func (p preview) Nothing() bool {
	return p.Added == 0 && p.Removed == 0 && (p.Plan == nil || len(p.Plan.Steps) == 0)
}

// preview reads what a dry run said, and puts old beside new where one node changes.
func (p *post) preview(res invoke.Result) *preview {
	out := &preview{}
	_ = json.Unmarshal(res.Structured, out) // what a capability does not say is zero
	switch {
	case p.isDelete() && p.target != nil:
		for _, prop := range p.target.Properties {
			if len(prop.Values) > 0 {
				out.Rows = append(out.Rows, previewRow{Property: prop.Name, Old: prop.Values, Removed: true})
			}
		}
	case p.capability.InputShape.NodeType != "":
		out.Rows = p.changes()
	}
	return out
}

// changes are the properties that the form sets.
func (p *post) changes() []previewRow {
	old := map[string][]cell{}
	if p.target != nil {
		for _, prop := range p.target.Properties {
			old[prop.Name] = prop.Values
		}
	}
	var rows []previewRow
	for _, a := range p.args {
		if isCallField[a.Name] {
			continue
		}
		e := p.entries[a.Name]
		rows = append(rows, previewRow{Property: a.Name, Old: old[a.Name], New: present(e.Texts), Removed: e.Removed})
	}
	return rows
}

// isCallField names the arguments of a typed write that are no properties.
var isCallField = map[string]bool{"id": true, "branch": true, "message": true}

// present leaves out empty texts.
func present(texts []string) []string {
	var out []string
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
