package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
	"trails/mcp/session"
)

// skillsExtension is the extension with skills/list and skills/get (SEP-2640). A skill is one file here, which is a
// resource, so directories are not read.
const skillsExtension = "io.modelcontextprotocol/skills"

// skillsParams are the params of skills/list and skills/get.
type skillsParams struct {
	sdk.ParamsBase
	Cursor string `json:"cursor,omitempty"`
	URI    string `json:"uri,omitempty"`
}

// skillEntry is an entry of skills/list, and the answer of skills/get.
type skillEntry struct {
	URI         string          `json:"uri"`
	FrontMatter frontMatter     `json:"frontmatter"`
	Resources   []skillResource `json:"resources"`
}

// frontMatter is that of the skill's file.
type frontMatter struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// skillResource is a file of a skill.
type skillResource struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// skill is a skill as the engine tells it.
type skill struct {
	URI, Name, Title, Description, Digest string
	Size                                  int
}

func (s skill) entry() skillEntry {
	return skillEntry{s.URI, frontMatter{s.Name, s.Description}, []skillResource{{s.URI, s.Digest, s.Size}}}
}

// skillResult is the result of skills/get.
type skillResult struct {
	complete
	cacheable
	Skill skillEntry `json:"skill"`
}

// addSkills makes the SDK accept the methods of the extension: it refuses methods that it does not know before
// middleware sees them. [endpoint.receive] answers them.
func addSkills(server *sdk.Server) {
	for _, method := range []string{"skills/list", "skills/get"} {
		err := sdk.AddReceivingCustomMethod(server, method, func(context.Context, *sdk.ServerSession, *skillsParams) (*skillResult, error) {
			return nil, session.MethodNotFound(method)
		})
		if err != nil {
			panic(err) // the SDK has the method itself: it should answer it
		}
	}
}

// withParams gives a request of the extension params where its message has none: the SDK has no pointer there then, and
// panics when it is asked who the client is.
func withParams(req sdk.Request) sdk.Request {
	if r, ok := req.(*sdk.ServerRequest[*skillsParams]); ok && r.Params == nil {
		r.Params = &skillsParams{}
	}
	return req
}

// skills are the skills of this caller.
func (e *endpoint) skills(ctx context.Context, r request) ([]skill, error) {
	var list struct{ Skills []skill }
	err := e.hear(ctx, e.call(ctx, r, nil), "skills_list", nil, &list)
	return list.Skills, err
}

// listedSkills are the skills for a list, none for a caller who may not read. A program may also have an engine without
// skills.
func (e *endpoint) listedSkills(ctx context.Context, r request) ([]skill, error) {
	all, err := e.skills(ctx, r)
	if fault.Is(err, fault.ScopeDenied) || fault.Is(err, fault.Denied) || fault.Is(err, fault.UnknownTool) {
		return nil, nil
	}
	return all, err
}

func (e *endpoint) listSkills(ctx context.Context, r request) (sdk.Result, error) {
	all, err := e.listedSkills(ctx, r)
	if err != nil {
		return nil, err
	}
	entries := make([]json.RawMessage, 0, len(all))
	for _, s := range all {
		entries = append(entries, session.Marshal(s.entry()))
	}
	return newList("skills", entries).answer(r, e.opts.PageSize, func(res *listResult) *[]json.RawMessage { return &res.Skills })
}

// getSkill answers the entry of one skill; its file is read as a resource.
func (e *endpoint) getSkill(ctx context.Context, r request) (sdk.Result, error) {
	p, ok := r.GetParams().(*skillsParams)
	if !ok || p.URI == "" {
		return nil, fault.Arguments(fault.FieldError{Field: "uri", Code: fault.Required, Message: "uri is required", Constraint: true})
	}
	all, err := e.skills(ctx, r)
	if err != nil {
		return nil, err
	}
	uris := make([]string, len(all))
	for i, s := range all {
		if s.URI == p.URI {
			return &skillResult{complete: completeFor(r), cacheable: cacheableFor(r), Skill: s.entry()}, nil
		}
		uris[i] = s.URI
	}
	return nil, fault.Arguments(fault.FieldError{Field: "uri", Code: fault.OneOf, Value: p.URI, Constraint: uris, Message: "there is no skill of this uri; skills/list has those that there are"})
}
