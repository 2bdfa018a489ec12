package upstream

import (
	"context"
	"encoding/json"

	"trails/auth"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/artifact"
	"trails/text/jsontext"
	"trails/text/redact"
)

// redactor takes secrets out of what a server says: the credential of a caller's own, and the values of the variables
// that the definition refers to. The zero redactor changes nothing.
type redactor struct{ redact.Redactor }

// newRedactor hides the credential of a caller, and the secrets of the owner.
func newRedactor(c auth.Credential, secrets []string) redactor {
	return redactor{redact.New(append([]string{c.Reveal()}, secrets...)...)}
}

// redactor is the filter for a server and a caller.
func (p *Pool) redactor(ctx context.Context, s gateway.Server) redactor {
	var own auth.Credential
	if s.PerCaller() {
		own, _ = auth.CredentialsOf(ctx).For(s.Name)
	}
	return newRedactor(own, s.Secrets(p.config.Lookup))
}

// parts filters bytes that the server has encoded.
func (r redactor) parts(parts []Part) {
	for i := range parts {
		parts[i].Data = r.Clean(parts[i].Data)
	}
}

// fields are wrong fields as somebody may read them.
func (r redactor) fields(all []fault.FieldError) []fault.FieldError {
	for i := range all {
		f := &all[i]
		f.Field, f.Message, f.Node, f.Source = r.shown(f.Field), r.shown(f.Message), r.shown(f.Node), ""
		for _, value := range []*any{&f.Value, &f.Constraint} {
			if text, err := jsontext.Marshal(*value); err != nil || json.Unmarshal(gateway.VisibleJSON([]byte(r.scrubbed(string(text)))), value) != nil {
				*value = nil
			}
		}
	}
	return all
}

// scrubbed is a text without secrets, known ones and those recognized by form.
func (r redactor) scrubbed(text string) string {
	clean, _ := artifact.Scrub(r.Clean([]byte(text)))
	return string(clean)
}

// shown is a text of a server for people: without secrets, and with invisible characters escaped.
func (r redactor) shown(text string) string {
	return gateway.Visible(r.scrubbed(text))
}
