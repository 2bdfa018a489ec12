package tools

import (
	"context"
	"slices"
	"time"

	"trails/auth"
	"trails/capability"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/artifact"
	"trails/gateway/servers"
	"trails/invoke"
	"trails/kg"
	"trails/text/jsontext"
)

// selectors are the fields of each type of selector.
var selectors = [][]capability.Field{
	capability.ShapeOf[artifact.Head]().Fields, capability.ShapeOf[artifact.Bytes]().Fields, capability.ShapeOf[artifact.Lines]().Fields,
	capability.ShapeOf[artifact.Grep]().Fields, capability.ShapeOf[artifact.Keys]().Fields, capability.ShapeOf[artifact.JSON]().Fields,
	capability.ShapeOf[artifact.Rows]().Fields, capability.ShapeOf[artifact.Stats]().Fields, capability.ShapeOf[artifact.Image]().Fields,
}

// selectorFields are the fields of all types; [artifact.ParseSelector] checks them.
func selectorFields() (all []capability.Field) {
	for _, fields := range selectors {
		for _, one := range fields {
			if !slices.ContainsFunc(all, func(f capability.Field) bool { return f.Name == one.Name }) {
				one.Required = one.Name == "type"
				all = append(all, one)
			}
		}
	}
	for _, kind := range artifact.Types() {
		all[0].OneOf = append(all[0].OneOf, kind)
	}
	return all
}

// viewing selects a part of a stored result.
type viewing struct {
	Handle   string         `json:"handle" is:"brief" max:"4000"`
	Selector map[string]any `json:"selector"`
	capability.NoView
}

// viewArtifact is tool_view.
func (t *Tools) viewArtifact() invoke.Capability {
	d := reads("tool_view", `Read a part of a kept result by its handle. selector: {"type":"head","chars":9}, bytes (offset, length), {"type":"lines","start":1,"count":9}, {"type":"grep","pattern":"err","context":2}, json_keys (pointer), {"type":"json","path":"$.a[0].id"}, {"type":"rows","where":[{"column":"n","op":">","value":"9"}],"sort":["-n"],"columns":["n"]}, stats, image.`)
	d.InputShape.Fields = []capability.Field{{Name: "selector", Fields: selectorFields()}}
	d.PolicyRequired.Upstream = false // results are stored in the file
	return invoke.Define(d, t.view)
}

func (t *Tools) view(ctx context.Context, r *invoke.Request, in viewing) (*artifact.Excerpt, error) {
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := s.meter.Spend(time.Now(), "tool_view", ""); err != nil {
		return nil, gateway.AsFault(err)
	}
	handle := in.Handle
	given, err := jsontext.Marshal(in.Selector)
	if err != nil {
		return nil, gateway.AsFault(gateway.Fail(gateway.ViewFailed, handle, "the selector is no JSON"))
	}
	selector, err := artifact.ParseSelector(handle, given)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	sessions := []*kg.Session{r.Session()} // the caller's, or those stored separately for a credential
	for _, k := range servers.Of(r.Snapshot) {
		if own, given := auth.CredentialsOf(ctx).For(k.Name); given && own.CallerKey() != "" {
			sessions = append(sessions, sessionFor(r, k.Server, own))
		}
	}
	r.Release() // the session reads by itself
	var kept artifact.Artifact
	for _, one := range sessions {
		if kept, err = one.Artifact(ctx, handle); !fault.Is(err, fault.Missing) {
			break
		}
	}
	if fault.Is(err, fault.Missing) {
		return nil, gateway.AsFault(gateway.Fail(gateway.ViewFailed, handle, "%s", fault.Of(err).Message))
	}
	if err != nil {
		return nil, err
	}
	view, err := kept.View(selector)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	view.Text = gateway.Visible(view.Text)
	r.Parts.Text = view.Text
	if view.Next != nil || view.Left != "" {
		next, err := jsontext.Marshal(view.Next)
		if err != nil {
			return nil, err
		}
		note := "(left: " + view.Left + ")"
		if view.Next != nil {
			note = "(left: " + view.Left + "; selector " + string(next) + " reads on)"
		}
		r.Parts.Content = append(r.Parts.Content, invoke.Content{Text: note})
	}
	return &view, nil
}
