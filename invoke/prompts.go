package invoke

import (
	"context"
	"fmt"
	"strings"

	"trails/capability"
	"trails/fault"
)

// prompt is a text that a person picks from a menu to begin work with an agent.
type prompt struct {
	name, title, description string
	arguments                []promptArgument
	// write makes the text from arguments that have been checked.
	write func(ctx context.Context, r *running, arguments map[string]string) (string, error)
}

// promptArgument is one that the person is asked for.
type promptArgument struct {
	name, description string
	required          bool
	maxLength         int
	// completes says what suggests values, in the words of the capability suggest; ""
	// for free text.
	completes string
}

// prompts are listed in this order.
var prompts = []prompt{
	{
		name: "explore", title: "Explore this graph",
		description: "Find out what this graph holds: its types, how they refer to each other, what happened lately.",
		write:       explorePrompt,
	},
	{
		name: "write", title: "Write a node",
		description: "Make or change a node of one type: what it needs, what is checked, an example call.",
		arguments: []promptArgument{
			{name: "type", description: "The type of the node, such as those at trails://kg/types.", required: true, maxLength: 128, completes: "concrete_types"},
		},
		write: writePrompt,
	},
	{
		name: "recover", title: "Recover from an error",
		description: "Understand why a call failed, and what to do now.",
		arguments: []promptArgument{
			{name: "error", description: "The error as it came: its JSON, its code or its message.", required: true, maxLength: 10_000},
		},
		write: recoverPrompt,
	},
	{
		name: "review", title: "Review what was changed",
		description: "Read the latest commits and summarise what they changed, who made them, and what needs a second look.",
		arguments: []promptArgument{
			{name: "since", description: "Only what came after this commit: its id, or the first digits of it.", maxLength: 64, completes: "commits"},
			{name: "agent", description: "Only what this author wrote: a name, or a part of it.", maxLength: longestAuthor, completes: "authors"},
		},
		write: reviewPrompt,
	},
}

// promptCapabilities are how the doors reach the prompts.
var promptCapabilities = []builtin{
	{
		id: "prompts_list", description: "List the prompts with the arguments that each takes.",
		output: []capability.Field{{Name: "prompts", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
			{Name: "name", Type: capability.String, Required: true},
			{Name: "title", Type: capability.String, Required: true},
			{Name: "description", Type: capability.String, Required: true},
			{Name: "arguments", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "name", Type: capability.String, Required: true},
				{Name: "description", Type: capability.String, Required: true},
				{Name: "required", Type: capability.Boolean, Required: true},
				{Name: "completes", Type: capability.String, Description: "What suggests values."},
			}},
		}}},
		cost: capability.CostConstant, action: "read", handle: promptsList, idempotent: true, hidden: true,
	},
	{
		id: "prompt_get", description: "Write out one prompt.",
		input: []capability.Field{
			{Name: "name", Type: capability.String, Required: true, MaxLength: ptr(64)},
			{Name: "arguments", Type: capability.Object, Description: "Texts by the names of the prompt's arguments."},
		},
		output: []capability.Field{
			{Name: "description", Type: capability.String, Required: true},
			{Name: "messages", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "role", Type: capability.String, Required: true, OneOf: []any{"user", "assistant"}},
				{Name: "text", Type: capability.String, Required: true},
			}},
		},
		cost: capability.CostResult, action: "read", handle: promptGet, idempotent: true, hidden: true,
	},
}

type argumentView struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Completes   string `json:"completes,omitempty"`
}

type promptView struct {
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Arguments   []argumentView `json:"arguments"`
}

func promptsList(context.Context, *running) (any, error) {
	out := struct {
		Prompts []promptView `json:"prompts"`
	}{}
	for _, p := range prompts {
		v := promptView{p.name, p.title, p.description, []argumentView{}}
		for _, a := range p.arguments {
			v.Arguments = append(v.Arguments, argumentView{a.name, a.description, a.required, a.completes})
		}
		out.Prompts = append(out.Prompts, v)
	}
	return out, nil
}

type messageView struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

func promptGet(ctx context.Context, r *running) (any, error) {
	p, err := promptNamed(r.args.text("name"))
	if err != nil {
		return nil, err
	}
	given, err := p.read(r.args)
	if err != nil {
		return nil, err
	}
	text, err := p.write(ctx, r, given)
	if err != nil {
		return nil, err
	}
	return struct {
		Description string        `json:"description"`
		Messages    []messageView `json:"messages"`
	}{p.description, []messageView{{"user", text}}}, nil
}

func promptNamed(name string) (prompt, error) {
	var names []string
	for _, p := range prompts {
		if p.name == name {
			return p, nil
		}
		names = append(names, p.name)
	}
	return prompt{}, fault.Arguments(fault.FieldError{Field: "name", Code: fault.OneOf, Value: name, Constraint: names,
		Message: fmt.Sprintf("there is no prompt %q; there are %s", name, strings.Join(names, ", "))})
}

// read checks the arguments of the prompt itself. An empty text is none: menus send
// one for what was not filled in.
func (p prompt) read(all arguments) (map[string]string, error) {
	values, _ := all.values["arguments"].(map[string]any)
	given := map[string]any{}
	for name, v := range values {
		if v != "" {
			given[name] = v
		}
	}
	if err := (arguments{given}).check(p.shape()); err != nil {
		f := fault.Of(err)
		for i := range f.Fields {
			f.Fields[i].Field = "arguments." + f.Fields[i].Field
		}
		return nil, f
	}
	texts := map[string]string{}
	for name := range given {
		texts[name] = arguments{given}.text(name)
	}
	return texts, nil
}

func (p prompt) shape() capability.Shape {
	shape := capability.Shape{Closed: true}
	for _, a := range p.arguments {
		shape.Fields = append(shape.Fields, capability.Field{Name: a.name, Type: capability.String, Required: a.required, MaxLength: ptr(a.maxLength)})
	}
	return shape
}
