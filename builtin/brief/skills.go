package brief

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/gateway/servers"
	"trails/invoke"
	"trails/text/jsontext"
	"trails/text/quote"
)

// skill is a manual for one kind of work, made for the graph and for the caller, which a host loads when that work comes
// up (Agent Skills, and SEP-2640 of the Model Context Protocol).
type skill struct {
	name, title string
	// does completes "Use it to" for this graph; it gets the name of the graph.
	does string
	// tools are those of the work: a caller who may call none of them does not have the skill.
	tools []string
	// write writes the manual. It depends on the schema, the stored queries, the caller's rights and the oldest nodes of
	// a type, so that the digest stays the same from commit to commit.
	write func(m *manual)
	// wanted reports whether the graph has what the skill is about; nil means that every graph has.
	wanted func(r *invoke.Request) bool
}

// skills are listed in this order.
var skills = []skill{
	{
		name: "read-graph", title: "Read this graph", does: "find, list, query and trace what the knowledge graph %s holds",
		tools: []string{"search", "get", "list", "query"}, write: (*manual).reading,
	},
	{
		name: "write-graph", title: "Write to this graph", does: "add, change or remove nodes of the knowledge graph %s, one or many, and to take changes back",
		tools: []string{"create", "update", "delete", "load", "mutate"}, write: (*manual).writing,
	},
	{
		name: "change-schema", title: "Change the schema", does: "add or change the types and properties of the knowledge graph %s",
		tools: []string{"schema_apply"}, write: (*manual).changingSchema,
	},
	{
		name: "work-on-draft", title: "Work on a draft", does: "prepare changes to the knowledge graph %s on a branch, compare them, and merge them when they are agreed",
		tools: []string{"branches_create", "branches_merge"}, write: (*manual).drafting,
		wanted: func(r *invoke.Request) bool { return r.Head != "" }, // a branch is made from a commit
	},
	{
		name: "use-upstream-tools", title: "Use tools of other servers", does: "find and call the tools of other servers that are reached through the knowledge graph %s",
		tools: []string{"tool_browse", "tool_execute"}, write: (*manual).browsing,
		wanted: func(r *invoke.Request) bool { return len(servers.Of(r.Snapshot)) > 0 },
	},
}

// uri is the address of the skill's one file.
func (s skill) uri() string { return "skill://" + s.name + "/SKILL.md" }

// skillEntry describes a skill, with the digest of its file.
type skillEntry struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Digest      string `json:"digest" doc:"Of the bytes of the file: sha256: and 64 hexadecimal digits."`
	Size        int    `json:"size" doc:"Bytes of the file."`
}

type skillList struct {
	Skills []skillEntry `json:"skills"`
}

type skillAsked struct {
	capability.NoView
	Name string `json:"name" max:"64"`
}

type skillText struct {
	skillEntry
	Text string `json:"text" doc:"The file SKILL.md: the front matter, then the manual."`
}

// skillCapabilities are the capabilities by which transports get the skills.
var skillCapabilities = []invoke.Capability{
	invoke.Define(capability.Descriptor{
		ID: "skills_list", Description: "List the skills: manuals for agents, made for this graph and for the caller.",
		CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, skillsList, invoke.Hidden),
	invoke.Define(capability.Descriptor{
		ID: "skills_get", Description: "Write out one skill.",
		CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, skillGet, invoke.Hidden),
}

// skillResources are the files of the skills. Lists of resources take them from skills_list, which knows whose they are.
func skillResources() []invoke.Resource {
	out := make([]invoke.Resource, len(skills))
	for i, s := range skills {
		out[i] = invoke.Resource{
			URI: s.uri(), Name: s.name, Title: s.title, MIME: "text/markdown", Newest: true, Unlisted: true,
			Read: func(ctx context.Context, r *invoke.Request, _ *url.URL) (invoke.Document, error) {
				m, err := newManual(ctx, r)
				if err != nil {
					return invoke.Document{}, err
				}
				if !m.has(s) {
					return invoke.Document{}, invoke.ErrNoResource
				}
				return invoke.Document{MIME: "text/markdown", Body: []byte(m.file(s).Text)}, nil
			},
		}
	}
	return out
}

func skillsList(ctx context.Context, r *invoke.Request, _ capability.NoView) (out skillList, _ error) {
	m, err := newManual(ctx, r)
	if err != nil {
		return out, err
	}
	out.Skills = []skillEntry{}
	for _, s := range skills {
		if m.has(s) {
			out.Skills = append(out.Skills, m.file(s).skillEntry)
		}
	}
	return out, nil
}

func skillGet(ctx context.Context, r *invoke.Request, in skillAsked) (*skillText, error) {
	m, err := newManual(ctx, r)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range skills {
		if !m.has(s) {
			continue
		}
		if s.name == in.Name {
			return m.file(s), nil
		}
		names = append(names, s.name)
	}
	problem := fmt.Sprintf("you have no skill %q", in.Name)
	if len(names) > 0 {
		problem += "; there are " + strings.Join(names, ", ")
	}
	return nil, fault.Arguments(fault.FieldError{Field: "name", Code: fault.OneOf, Value: in.Name, Constraint: names, Message: problem})
}

// has reports whether the caller has a skill.
func (m *manual) has(s skill) bool {
	if s.wanted != nil && !s.wanted(m.r) {
		return false
	}
	for _, name := range s.tools {
		if m.may(name) {
			return true
		}
	}
	return false
}

// file writes the skill's file.
func (m *manual) file(s skill) *skillText {
	graph := m.r.Engine().Graph().Name()
	out := &skillText{skillEntry: skillEntry{URI: s.uri(), Name: s.name, Title: s.title,
		Description: s.title + ". Use it to " + fmt.Sprintf(s.does, quote.Text(graph, 40)) + m.about() + "."}}
	description, _ := jsontext.Marshal(out.Description) // a JSON string is one of YAML, too
	head := fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n", s.name, description)
	out.Text = head + m.text(s, skillBytes-len(head))
	sum := sha256.Sum256([]byte(out.Text))
	out.Digest, out.Size = "sha256:"+hex.EncodeToString(sum[:]), len(out.Text)
	return out
}
