package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trails/auth"
	"trails/capability"
	"trails/httpapi"
	"trails/invoke"
	"trails/schema"
)

// asker makes the calls of one request.
type asker struct {
	engine Engine
	ctx    context.Context
	call   invoke.Call
	// colours get the types of each schema that is read.
	colours *typeColours
	// head is the commit of the first answer. Later answers are at least as new, so a page that names it never misses
	// a change.
	head string
	// parsed is the schema, once read; see graphSchema.
	parsed *schema.Schema
	// state is what the page shows.
	state
}

func (s *site) asker(w http.ResponseWriter, r *http.Request) *asker {
	return &asker{engine: s.engine, ctx: r.Context(), colours: s.colours, state: stateOf(r), call: invoke.Call{
		Principal: auth.PrincipalOf(r.Context()), Via: "admin", Whole: true,
		TraceID: w.Header().Get(httpapi.TraceHeader), ParentSpan: invoke.TraceOf(r.Context()).Span,
	}}
}

// ask makes one call and stores its answer in out: directly if out has the answer's type, otherwise through JSON.
func (a *asker) ask(capability string, args map[string]any, out any) error {
	_, err := a.answered(capability, args, out)
	return err
}

// answered is ask, and returns the whole result, with the text for models.
func (a *asker) answered(capability string, args map[string]any, out any) (invoke.Result, error) {
	if args = maps.Clone(args); args == nil {
		args = map[string]any{}
	}
	a.view(capability, args)
	text, err := json.Marshal(args)
	if err != nil {
		return invoke.Result{}, fmt.Errorf("encode arguments of %s: %w", capability, err)
	}
	c := a.call
	c.Capability, c.Args, c.Into = capability, text, out
	res, err := a.engine.Call(a.ctx, c)
	if err != nil {
		return invoke.Result{}, err
	}
	if a.head = firstOf(a.head, res.Head); res.Structured == nil {
		return res, nil
	}
	d := json.NewDecoder(bytes.NewReader(res.Structured))
	d.UseNumber() // a constraint of a schema is shown as it is written
	if err := d.Decode(out); err != nil {
		return invoke.Result{}, fmt.Errorf("decode answer of %s: %w", capability, err)
	}
	return res, nil
}

// furnish is ask for the surroundings of a page, which is not recorded as an activity (see [invoke.Furniture]).
func (a *asker) furnish(capability string, args map[string]any, out any) error {
	defer func(ctx context.Context) { a.ctx = ctx }(a.ctx)
	a.ctx = invoke.Furniture(a.ctx)
	return a.ask(capability, args, out)
}

// knownBranches are all branches, as the surroundings of a page need them.
func (a *asker) knownBranches() ([]branch, error) {
	defer func(ctx context.Context) { a.ctx = ctx }(a.ctx)
	a.ctx = invoke.Furniture(a.ctx)
	return a.branches()
}

// listed are the ids of the capabilities that have a page for the caller.
func (a *asker) listed() (map[string]bool, error) {
	tools, err := a.engine.ToolsOn(a.ctx, a.call.Principal, a.Branch)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, d := range withForm(tools) {
		out[d.ID] = true
	}
	return out, nil
}

// withForm are the capabilities with a form: the tools, and other capabilities that change something, such as the
// servers of the gateway.
func withForm(tools invoke.Tools) []capability.Descriptor {
	list := slices.Clone(tools.Descriptors)
	for _, d := range tools.Helpers {
		if d.SideEffects != capability.None {
			list = append(list, d)
		}
	}
	return list
}

// read reads one trails:// address as JSON into out.
func (a *asker) read(uri string, out any) error {
	if strings.HasPrefix(uri, "trails://kg/") {
		of := url.Values{}
		for name, given := range map[string]string{"at": a.At, "branch": a.Branch} {
			if given != "" {
				of.Set(name, given)
			}
		}
		uri = withQuery(uri, of)
	}
	doc, err := a.engine.Read(a.ctx, uri, a.call)
	if err != nil {
		return err
	}
	a.head = firstOf(a.head, doc.Head)
	if err := json.Unmarshal(doc.Body, out); err != nil {
		return fmt.Errorf("decode %s: %w", uri, err)
	}
	return nil
}
