package stored

import (
	"cmp"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/schema"
	"trails/text/jsontext"
)

// Arguments is the object of the values of the parameters, as a call takes it.
func (q *Query) Arguments(s *schema.Schema) capability.Field {
	params := capability.Field{Name: "params", Type: capability.Object, Description: "Values of the query's parameters."}
	if len(q.Params) == 0 {
		params.Rare = true
	}
	for _, p := range q.Params {
		f := capability.FieldOf(s, p.Property)
		f.Required, f.Nullable = !p.optional(), p.Nullable
		params.Required = params.Required || f.Required
		params.Fields = append(params.Fields, f)
	}
	return params
}

// Descriptor describes the capability that runs the query or update. Its parameters are within params, separate from
// the common arguments, so that a parameter may have any name.
func (q *Query) Descriptor(s *schema.Schema) capability.Descriptor {
	description := strings.TrimSpace(cmp.Or(q.Description, "The stored query "+q.ID+".") + " " + q.Instruction)
	d := capability.Descriptor{
		ID: q.Capability(), Description: description, CostEstimate: q.Cost, Idempotent: q.Idempotent,
		InputShape: capability.Shape{Fields: []capability.Field{q.Arguments(s)}},
	}
	if q.Update != nil {
		d.InputShape.Fields = slices.Concat(d.InputShape.Fields, capability.FieldsOf[capability.AskArgument](), capability.FieldsOf[capability.ChangeArguments]())
		d.OutputShape = capability.ShapeOf[capability.ChangeResult]()
		d.OutputShape.Fields = append(slices.Clip(d.OutputShape.Fields), capability.RequestNumber())
		d.Preconditions = []string{"The graph fits its schema at the end."}
		d.SideEffects, d.PolicyRequired.Action = capability.Destroys, policy.Change
		return d
	}
	d.Idempotent, d.PolicyRequired.Action = true, policy.Read
	return d
}

// Capability is the id of the capability.
func (q *Query) Capability() string { return cmp.Or(q.Tool, q.ID) }

// Kind says whether it asks or changes: "query" or "update".
func (q *Query) Kind() string {
	if q.Update != nil {
		return "update"
	}
	return "query"
}

// Signature lists the parameters in one line, such as "group: Group, since: date?". A question mark means optional.
func (q *Query) Signature() string {
	all := make([]string, len(q.Params))
	for i, p := range q.Params {
		kind := p.kind()
		if p.Many() {
			kind = "list(" + kind + ")"
		}
		if p.optional() {
			kind += "?"
		}
		all[i] = p.Name + ": " + kind
	}
	return strings.Join(all, ", ")
}

func (p Param) kind() string { return cmp.Or(p.Class, p.Datatype) }

// Example is a call of the query's tool, with … and the type in the place of each required value.
func (q *Query) Example() string {
	var params []string
	for _, p := range q.Params {
		value := quoted("… " + p.kind())
		if p.Many() {
			value = "[" + value + "]"
		}
		if !p.optional() {
			params = append(params, quoted(p.Name)+":"+value)
		}
	}
	arguments := " {}"
	if len(params) > 0 {
		arguments = ` {"params":{` + strings.Join(params, ",") + "}}"
	}
	return capability.ToolName(q.Capability()) + arguments
}

func quoted(text string) string { return string(jsontext.AppendText(nil, text)) }
