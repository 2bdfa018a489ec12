package tools

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"strings"
	"unicode/utf8"

	"trails/auth"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/artifact"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/kg"
	"trails/text/jsontext"
	"trails/text/quote"
)

// passed is a result that is passed on unchanged. Its Status is "error" if the tool reported a failure, and otherwise left
// out.
type passed struct {
	Status     string         `json:"status,omitempty"`
	Result     any            `json:"result"`
	Links      []link         `json:"links,omitempty"`
	Provenance map[string]any `json:"provenance,omitempty"`
}

// enveloped is a result of which parts are stored.
type enveloped struct {
	artifact.Envelope
	Links []link
}

// MarshalJSON writes the envelope, and the links as a member of it.
func (e enveloped) MarshalJSON() ([]byte, error) {
	text, err := jsontext.Marshal(e.Envelope)
	if err != nil || len(e.Links) == 0 {
		return text, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	if members["links"], err = jsontext.Marshal(e.Links); err != nil {
		return nil, err
	}
	return jsontext.Marshal(members)
}

// link is a resource link in a result, with the id for resource_read.
type link struct {
	ID   string `json:"resource_id"`
	Name string `json:"name"`
	URI  string `json:"uri"`
	MIME string `json:"mimeType,omitempty"`
}

// mostLinks is how many links are listed besides the text, which has all of them.
const mostLinks = 50

// String is the link as a model reads it.
func (l link) String() string {
	about := l.URI
	if l.MIME != "" {
		about += ", " + l.MIME
	}
	return fmt.Sprintf("link: %s (%s), resource_read {\"resource_id\":%q}", l.Name, about, l.ID)
}

// withProvenance adds the origin of a result.
func withProvenance(value any, name string, origin any) any {
	add := func(m map[string]any) map[string]any {
		m = maps.Clone(m)
		if m == nil {
			m = map[string]any{}
		}
		m[name] = origin
		return m
	}
	switch v := value.(type) {
	case passed:
		v.Provenance = add(v.Provenance)
		return v
	case enveloped:
		v.Provenance = add(v.Provenance)
		return v
	}
	return value
}

// wrapped converts a result to an answer: unchanged if it is small, otherwise as an envelope with artifacts to store.
func wrapped(r *invoke.Request, s *session, d directory, server string, source artifact.Source, parts []upstream.Part, structured any) (outcome, []artifact.Artifact) {
	source.Most = s.settings.PassedOn()
	if room := r.Room(); room != math.MaxInt {
		source.Most = min(source.Most, room/2) // it may be written twice, as text and as a value
	}
	all := make([]artifact.Part, 0, len(parts)+1)
	var links []link
	for _, p := range parts {
		if p.Name != "" {
			l := link{d.linked(server, p.URI), quote.Line(shown(p.Name), maxLinkName), shown(p.URI), quote.Line(shown(p.MIME), maxLinkName)}
			if links = append(links, l); p.Text != "" {
				p.Text = "\n" + p.Text
			}
			p.Text, p.MIME = l.String()+p.Text, ""
		}
		all = append(all, partOf(p))
	}
	links = links[:min(len(links), mostLinks)]
	if structured != nil {
		if data, err := jsontext.Marshal(structured); err == nil {
			all = append(all, artifact.Part{Kind: "structured", Data: data})
		}
	}
	envelope, kept := artifact.Wrap(source, all)
	if len(kept) > 0 {
		out := outcome{value: enveloped{envelope, links}, text: envelope.String(), failed: source.Failed}
		// An image is also shown, as long as everything passed on, encoded, is within the limit.
		room := source.Most - utf8.RuneCountInString(out.text)
		for _, part := range all {
			size := base64.StdEncoding.EncodedLen(len(part.Data))
			if part.Kind != "image" || size > room || !artifact.Showable(part) {
				continue
			}
			room -= size
			out.shown = append(out.shown, invoke.Content{MIME: part.MediaType, Data: part.Data})
		}
		return out, kept
	}
	value := passed{Result: envelope.Summary, Links: links}
	summary := strings.TrimSpace(envelope.Summary)
	switch {
	case envelope.Structured != nil:
		value.Result = json.RawMessage(envelope.Structured)
	case summary == "":
		envelope.Summary = "(" + cmp.Or(source.Tool, source.ToolID) + " has answered with nothing)"
		if source.Failed {
			envelope.Summary = "(" + cmp.Or(source.Tool, source.ToolID) + " has failed, and does not say why)"
			value.Result = envelope.Summary
		}
	case (strings.HasPrefix(summary, "{") || strings.HasPrefix(summary, "[")) && json.Valid([]byte(summary)):
		value.Result = json.RawMessage(gateway.VisibleJSON([]byte(summary)))
	}
	if source.Failed {
		value.Status = envelope.Status
	}
	return outcome{value: value, text: envelope.Summary, failed: source.Failed}, nil
}

// maxLinkName is how many characters of a link's name and media type are shown.
const maxLinkName = 128

// linkMark precedes an address in the id of a resource that a server does not list.
const linkMark = "resource::"

// linked is the id of a server's resource with an address: that of its card or, if the server does not list it, the
// server's name with the address.
func (d directory) linked(server, uri string) string {
	if id := d.listed[server+" "+uri]; id != "" {
		return id
	}
	return linkMark + server + ":" + uri
}

// linkedBy returns the resource for an id made by [directory.linked]. For servers with filters or Pin, only listed
// resources can be read.
func (d directory) linkedBy(id string) (gateway.Entry, bool, error) {
	rest, is := strings.CutPrefix(strings.TrimSpace(id), linkMark)
	server, uri, cut := strings.Cut(rest, ":")
	s, known := d.servers[server]
	at, err := url.Parse(uri)
	if !is || !cut || !known || err != nil || at.Scheme == "" {
		return gateway.Entry{}, false, nil
	}
	if listed := d.listed[server+" "+uri]; listed != "" {
		e, err := d.Directory.Find(gateway.Resource, listed)
		return e, true, err
	}
	if s.Pin || len(s.Include) > 0 || len(s.Exclude) > 0 {
		return gateway.Entry{}, true, gateway.Fail(gateway.ResourceNotFound, id, "%s is not among what is taken of the upstream %s: its definition is pinned, or says what is included or excluded", quote.Text(uri, 200), server)
	}
	return gateway.Entry{Item: gateway.Item{ID: id, Kind: gateway.Resource, Namespace: s.Space(), Name: uri}, Server: server, Offered: gateway.Offered{Kind: gateway.Resource, URI: uri, Definition: gateway.Definition{Name: uri}}}, true, nil
}

// partOf converts a part of a server's answer.
func partOf(p upstream.Part) artifact.Part {
	kind, _, _ := strings.Cut(p.MIME, "/")
	switch {
	case len(p.Data) > 0 && (kind == "image" || kind == "audio"):
		return artifact.Part{Kind: kind, MediaType: p.MIME, Data: p.Data}
	case len(p.Data) > 0:
		return artifact.Part{Kind: "resource", MediaType: p.MIME, Data: p.Data}
	case p.Role != "":
		return artifact.Part{Kind: "text", Data: []byte(p.Role + ": " + p.Text)}
	}
	return artifact.Part{Kind: "text", MediaType: p.MIME, Data: []byte(p.Text)}
}

// keep stores artifacts of a server's answer for the caller; if callers have their own credentials for the server,
// separately for each credential.
func keep(ctx context.Context, r *invoke.Request, server gateway.Server, id string, list []artifact.Artifact) error {
	if len(list) == 0 {
		return nil
	}
	session := r.Session()
	if own, given := auth.CredentialsOf(ctx).For(server.Name); given && server.PerCaller() && own.CallerKey() != "" {
		session = sessionFor(r, server, own)
	}
	err := session.KeepArtifacts(ctx, id, list)
	if fault.Is(err, fault.TooLarge) {
		return gateway.Fail(gateway.UpstreamError, id, "%s has answered with more than this file keeps: %s", id, fault.Of(err).Message)
	}
	return err
}

// sessionFor returns the session of a caller with a credential of their own, separate from other callers of the same name. Its
// artifacts cannot be read after the process has ended, because the file contains nothing of the credential.
func sessionFor(r *invoke.Request, server gateway.Server, own auth.Credential) *kg.Session {
	p := r.Principal
	p.Owner = cmp.Or(p.Owner, p.ID) + " at " + server.Name + " " + own.CallerKey()
	return r.Engine().Graph().Session(p)
}

// codeOf is the code of a gateway error, "" for others.
func codeOf(err error) gateway.Code {
	var e *gateway.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Limits on questions of servers to people.
const (
	maxQuestion = 1_000
	maxForm     = 16 << 10
)

// shown is a text of a server without secrets, and with invisible characters escaped.
func shown(text string) string {
	clean, _ := artifact.Scrub([]byte(text))
	return gateway.Visible(string(clean))
}

// hooks pass on the progress of a server, and its questions to the person behind the call, marked as coming from the
// server.
func hooks(r *invoke.Request, server string) (h upstream.Hooks) {
	if r.Progress != nil {
		h.Progress = func(done, total float64, message string) {
			r.Progress(invoke.Progress{Phase: server, Done: int64(done), Total: int64(total), Unit: quote.Line(shown(message), 80)})
		}
	}
	if r.Elicit != nil {
		h.Elicit = func(ctx context.Context, message string, schema any) (string, map[string]any, error) {
			form, err := jsontext.Marshal(schema)
			if err != nil || len(form) > maxForm || json.Unmarshal(gateway.VisibleJSON(form), &schema) != nil {
				return "decline", nil, nil //nolint:nilerr // a form that cannot be shown is not answered
			}
			return r.Elicit(ctx, fmt.Sprintf("The upstream server %s asks: %s", server, quote.Text(shown(message), maxQuestion)), schema)
		}
	}
	return h
}
