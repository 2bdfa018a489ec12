package brief

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// prompts are listed in this order.
var prompts = []invoke.Prompt{
	{
		Name: "explore", Title: "Explore this graph",
		Description: "Find out what this graph holds: its types, how they refer to each other, what happened lately.",
		Write:       explorePrompt,
	},
	{
		Name: "write", Title: "Write a node",
		Description: "Make or change a node of one type: what it needs, what is checked, an example call.",
		Arguments: []invoke.PromptArgument{
			{Name: "type", Description: "The type of the node, such as those at trails://kg/types.", Required: true, MaxLength: 128, Completes: "concrete_types"},
		},
		Write: writePrompt,
	},
	{
		Name: "recover", Title: "Recover from an error",
		Description: "Understand why a call failed, and what to do now.",
		Arguments: []invoke.PromptArgument{
			{Name: "error", Description: "The error as it came: its JSON, its code or its message.", Required: true, MaxLength: 10_000},
		},
		Write: recoverPrompt,
	},
	{
		Name: "review", Title: "Review what was changed",
		Description: "Read the latest commits and summarise what they changed, who made them, and what needs a second look.",
		Arguments: []invoke.PromptArgument{
			{Name: "since", Description: "Only what came after this commit: its id, or the first digits of it.", MaxLength: 64, Completes: "commits"},
			{Name: "agent", Description: "Only what this author wrote: a name, or a part of it.", MaxLength: view.LongestAuthor, Completes: "authors"},
		},
		Write: reviewPrompt,
	},
}

// promptCapabilities are the capabilities by which transports get the prompts.
var promptCapabilities = []invoke.Capability{
	invoke.Define(capability.Descriptor{
		ID: "prompts_list", Description: "List the prompts with the arguments that each takes.",
		CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, promptsList, invoke.Hidden),
	invoke.Define(capability.Descriptor{
		ID: "prompts_get", Description: "Write out one prompt.",
		CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, promptGet, invoke.Hidden),
}

type argumentView struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Completes   string `json:"completes,omitempty" doc:"What suggests values."`
}

type promptView struct {
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Arguments   []argumentView `json:"arguments"`
}

type promptList struct {
	Prompts []promptView `json:"prompts"`
}

func promptsList(_ context.Context, r *invoke.Request, _ capability.NoView) (out promptList, _ error) {
	for _, p := range r.Prompts() {
		v := promptView{p.Name, p.Title, p.Description, []argumentView{}}
		for _, a := range p.Arguments {
			v.Arguments = append(v.Arguments, argumentView{a.Name, a.Description, a.Required, a.Completes})
		}
		out.Prompts = append(out.Prompts, v)
	}
	return out, nil
}

type messageView struct {
	Role string `json:"role" oneof:"user,assistant"`
	Text string `json:"text"`
}

type promptAsked struct {
	capability.NoView
	Name      string         `json:"name" max:"64"`
	Arguments map[string]any `json:"arguments,omitempty" doc:"Texts by the names of the prompt's arguments."`
}

type promptText struct {
	Description string        `json:"description"`
	Messages    []messageView `json:"messages"`
}

func promptGet(ctx context.Context, r *invoke.Request, in promptAsked) (*promptText, error) {
	var names []string
	for _, p := range r.Prompts() {
		if p.Name != in.Name {
			names = append(names, p.Name)
			continue
		}
		given, err := promptArguments(p, in.Arguments)
		if err != nil {
			return nil, err
		}
		text, err := p.Write(ctx, r, given)
		if err != nil {
			return nil, err
		}
		return &promptText{p.Description, []messageView{{"user", fitting(text, r.Room()-len(p.Description))}}}, nil
	}
	return nil, fault.Arguments(fault.FieldError{Field: "name", Code: fault.OneOf, Value: in.Name, Constraint: names,
		Message: fmt.Sprintf("there is no prompt %q; there are %s", in.Name, strings.Join(names, ", "))})
}

// fitting keeps as many lines of a text as fit, and says first how many are left out.
func fitting(text string, room int) string {
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	var kept strings.Builder
	lines, n := strings.SplitAfter(text, "\n"), 0
	for _, line := range lines {
		if room -= utf8.RuneCountInString(line); room < 0 {
			break
		}
		kept.WriteString(line)
		n++
	}
	return fmt.Sprintf("cut: this text has %d of its %d lines; describe and list tell what is missing.\n", n, len(lines)) + kept.String()
}

// promptArguments checks the arguments of a prompt. An empty text counts as missing, because menus send one for an
// empty field.
func promptArguments(p invoke.Prompt, values map[string]any) (map[string]string, error) {
	shape := capability.Shape{Closed: true}
	for _, a := range p.Arguments {
		shape.Fields = append(shape.Fields, capability.Field{Name: a.Name, Type: capability.String, Required: a.Required, MaxLength: new(a.MaxLength)})
	}
	given := invoke.Arguments{}
	for name, v := range values {
		if v != "" {
			given[name] = v
		}
	}
	if wrong := shape.Check(given); len(wrong) > 0 {
		for i := range wrong {
			wrong[i].Field = "arguments." + wrong[i].Field
		}
		return nil, fault.Arguments(wrong...)
	}
	texts := map[string]string{}
	for name := range given {
		texts[name] = given.Text(name)
	}
	return texts, nil
}
