package migration

import (
	"strings"

	"trails/fault"
	"trails/schema"
)

// New writes the text of a migration between two schemas with the same base. Without a second
// schema it writes a template, with examples of steps in comments. Equal schemas are refused.
func New(from, to *schema.Schema) (string, error) {
	if to == nil {
		return blank, nil
	}
	patch, err := from.PatchTo(to)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(patch)) == "[]" {
		return "", fault.Argument("schema", fault.HasValue, nil, "schema: the graph has this schema, and there is nothing to migrate; give the one that is to come, or none for an empty migration")
	}
	text := "# description: what for, in one sentence\nsteps:\n"
	comes := map[schema.StepKind]bool{}
	for _, step := range schema.Diff(from, to) {
		comes[step.Kind] = true
	}
	if comes[schema.AddProperty] && comes[schema.DropProperty] {
		text += "# What has a new name keeps its data by: rename_property: {Type.old: new}\n"
	}
	if comes[schema.AddType] && comes[schema.DropType] {
		text += "# What has a new name keeps its data by: rename_type: {Old: New}\n"
	}
	return text + string(patch), nil
}

// blank is the template.
const blank = `# description: what for, in one sentence
steps:
# Steps are taken in order; all of them are one commit. Some of what there is:
# - rename_property: {Task.due: deadline}
# - add_property: {Task.state: {type: string, one_of: [open, done], required: true, default: open}}
# - alter_property: {Task.title: {max_length: 80}}
# - split_property: {Person.name: {into: {first: string, last: string}, at: " "}}
# - merge_property: {Person.name: {from: [first, last], with: " ", as: {type: string}}}
# - convert_property: {Task.size: decimal}
# - drop_property: Task.note        # goes back by the history
# - update:
#     forward: DELETE { ?t :state "wip" } INSERT { ?t :state "open" } WHERE { ?t :state "wip" }
#     reverse: history              # or the update that takes it back
`
