package admin

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"trails/builtin/view"
	"trails/capability"
	"trails/invoke"
	"trails/text/jsontext"
)

// preview is what a call would do.
type preview struct {
	Added, Removed int64
	Records        int64
	Rows           []previewRow
	Changes        wouldChange
	// Nodes are the changes node by node, once they are described.
	Nodes []view.NodeChange
	Plan  *planAnswer
	// Counted means that the answer counts statements, or is a plan.
	Counted bool
	// Warnings are what the answer warns of, such as whole nodes that go.
	Warnings []string
	// Rest is the rest of the answer.
	Rest shown
}

// previewRow is one property before and after.
type previewRow struct {
	Property string
	Old      []view.Cell
	New      []string
	Dated    bool // the values are days or times
	Removed  bool
}

// planAnswer is the plan of a schema change.
type planAnswer struct {
	Rows    []view.PlanRow
	Blocked bool
	nodes   map[string]view.Node // those that the rows name and that have pages, by name
}

// Nothing reports that the call would change nothing.
func (p preview) Nothing() bool {
	return p.Added == 0 && p.Removed == 0 && (p.Plan == nil || len(p.Plan.Rows) == 0)
}

// Harmless reports a plan of a schema change whose steps all are safe.
func (p preview) Harmless() bool {
	return p.Plan != nil && !p.Plan.Blocked && !slices.ContainsFunc(p.Plan.Rows, func(r view.PlanRow) bool { return !r.Safe() })
}

// preview reads the answer of a dry run, and compares old and new values if a single node changes.
func (p *post) preview(res invoke.Result) *preview {
	out := &preview{}
	_ = json.Unmarshal(res.Structured, out)                                 // what a capability does not say, or says otherwise, is zero
	out.Warnings = slices.DeleteFunc(out.Warnings, func(text string) bool { // a person agrees by the button of a question
		return strings.Contains(text, capability.AllowMassChange)
	})
	var counts struct{ Added *int64 }
	_ = json.Unmarshal(res.Structured, &counts)
	out.Counted = counts.Added != nil || out.Plan != nil || len(res.Structured) == 0
	members, _ := jsontext.Members(res.Structured)
	if out.Counted {
		members = slices.DeleteFunc(members, func(m jsontext.Member) bool {
			return slices.Contains(told, m.Name) || len(out.Changes.Rows) > 0 && slices.Contains(shownAsNodes, m.Name)
		})
	}
	out.Rest = shownObject(members, 0)
	old := map[string][]view.Cell{}
	if p.target != nil {
		for _, prop := range p.target.Properties {
			old[prop.Name] = prop.Values
			if p.isDelete() && len(prop.Values) > 0 {
				out.Rows = append(out.Rows, previewRow{Property: prop.Name, Old: prop.Values, Removed: true})
			}
		}
	}
	if p.capability.InputShape.NodeType == "" || p.isDelete() && p.target != nil {
		return out
	}
	for _, a := range p.args { // the properties that the form sets
		if isCallField[a.Name] {
			continue
		}
		e := p.entries[a.Name]
		given := slices.DeleteFunc(slices.Clone(e.Texts), func(text string) bool { return text == "" })
		out.Rows = append(out.Rows, previewRow{Property: a.Name, Old: old[a.Name], New: given, Dated: p.isDated(a.Name), Removed: e.Removed})
	}
	return out
}

// previewed is the preview of a form, with what would change node by node, as on the branch that it writes to.
func (p *post) previewed(res invoke.Result) (*preview, error) {
	out, at := p.preview(res), map[string]any{}
	for _, a := range p.args {
		if a.Name == "branch" {
			at["branch"] = plainText(a.Value)
		}
	}
	return out, out.describe(p.asker, at)
}

// describe shows what is listed of the changes node by node, as in a state of the graph.
func (p *preview) describe(a *asker, at map[string]any) error {
	p.Nodes = p.Changes.nodes()
	if err := a.labelPlan(p.Plan, at); err != nil {
		return err
	}
	return a.describe(p.Nodes, at)
}

// labelPlan finds the nodes that a plan names, with the labels that they have in a state of the graph.
func (a *asker) labelPlan(p *planAnswer, at map[string]any) error {
	if p == nil {
		return nil
	}
	doc, err := a.schema()
	if err != nil {
		return err
	}
	p.nodes = map[string]view.Node{}
	for _, r := range p.Rows {
		for _, named := range r.Nodes {
			n := nodeNamed(named[0])
			if _, known := doc.find(n.Type); known {
				p.nodes[named[0]] = n
			}
		}
	}
	labels := map[string]string{}
	err = a.labels(doc, slices.Collect(maps.Keys(p.nodes)), at, labels)
	for name, label := range labels {
		n := p.nodes[name]
		n.Label = label
		p.nodes[name] = n
	}
	return err
}

// isDated reports whether the values of a field are days or times.
func (f *formState) isDated(name string) bool {
	field, _ := f.shape.Field(name)
	return field.Type == capability.Date || field.Type == capability.DateTime
}

// told are the members of an answer that a preview tells in its own way, or that are known before the call.
var told = []string{"added", "removed", "records", "plan", "preview", "commit", "branch", "dry_run", "id", "iri", "type", "undone", "warnings"}

// shownAsNodes are the members of an answer that lists what would change which its nodes tell.
var shownAsNodes = []string{"changes", "nodes", "node_count"}

// isCallField names the arguments of a typed write that are no properties.
var isCallField = map[string]bool{"id": true, "branch": true, "message": true, "if_commit": true, "detach": true}
