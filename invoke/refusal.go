package invoke

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
	"trails/text/jsontext"
	"trails/text/redact"
)

// Authenticate stands in the place of the capability where a request was refused before any call.
const Authenticate = "authenticate"

// Refused records a request that was refused before any call, as a call of [Authenticate], and returns the trace id that
// it has there. It does not wait. Bounding how many there are is for who calls it.
func (e *Engine) Refused(ctx context.Context, p policy.Principal, via string, by kg.Refused) (traceID string) {
	p.Client, p.Version = e.config.Secrets.Text(p.Client), e.config.Secrets.Text(p.Version)
	now, traceID := e.config.Now(), cmp.Or(TraceOf(ctx).ID, e.config.NewTraceID())
	e.prov.add(kg.Activity{
		ID: uuid.Must(uuid.NewV7()).String(), Capability: Authenticate, Agent: e.config.Secrets.Text(p.Author()), Via: via,
		Started: now, Ended: now, Inputs: digest(Authenticate, nil), Outcome: outcomes[fault.Unauthenticated], Error: fault.Unauthenticated.String(),
		TraceID: traceID, Used: append(using(p), by.IRI()),
	})
	return traceID
}

// hidden is a fault without the secrets that a caller gave as arguments.
func (e *Engine) hidden(f *fault.Error) *fault.Error {
	out, clean := *f, e.config.Secrets.Text
	out.Message, out.Fields = clean(f.Message), slices.Clone(f.Fields)
	for i := range out.Fields {
		one := &out.Fields[i]
		one.Field, one.Message, one.Node = clean(one.Field), clean(one.Message), clean(one.Node)
		if text, err := jsontext.Marshal(one.Value); err == nil && clean(string(text)) != string(text) {
			one.Value = redact.Mark
		}
	}
	return &out
}

// refusalOf is what refused a call with a fault.
func refusalOf(f *fault.Error) kg.Refused {
	scope, _ := f.Details["required_scope"].(string)
	branch, _ := f.Details["branch"].(string)
	switch {
	case (f.Kind == fault.ScopeDenied || f.Kind == fault.Unauthenticated) && scope != "":
		return kg.Refused{What: "scope", Of: scope}
	case f.Kind == fault.Denied && f.Details["policies"] != nil:
		names, _ := f.Details["policies"].([]string)
		failed, _ := f.Details["failed"].([]string)
		return kg.Refused{What: "policy", Of: strings.Join(names, " "), Name: strings.Join(failed, " ")}
	case f.Kind == fault.Denied && branch != "":
		return kg.Refused{What: "branch", Of: branch}
	}
	return kg.Refused{}
}
