package admin

import (
	"log/slog"
	"net/http"

	"trails/auth"
	"trails/fault"
)

// headings say what went wrong, by status.
var headings = map[int]string{
	http.StatusBadRequest:            "That cannot be asked",
	http.StatusUnauthorized:          "Sign in first",
	http.StatusForbidden:             "Not allowed",
	http.StatusNotFound:              "Not found",
	http.StatusMethodNotAllowed:      "Not that way",
	http.StatusGone:                  "Deleted",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusServiceUnavailable:    "Not available now",
	http.StatusInternalServerError:   "Something broke on our side",
}

// refuse answers with err as a page. An internal error is logged, and only its trace id is shown.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.Of(err)
	shown := s.failureOf(w, r, f)
	if f.Kind == fault.Internal && f.Details["trace_id"] == nil { // the call path logs its own
		s.log.ErrorContext(r.Context(), "page failed", slog.String("trace_id", shown.Trace), slog.String("path", auth.Prefix(r)+r.URL.Path), slog.String("error", fault.Whole(err)))
	}
	title, ok := headings[shown.Status]
	if !ok {
		title = http.StatusText(shown.Status)
	}
	if err := s.respond(w, r, shown.Status, page{Title: title, Main: shown.main}); err != nil {
		s.log.ErrorContext(r.Context(), "error page failed", slog.String("error", fault.Whole(err)))
		http.Error(w, title, shown.Status)
	}
}

// failureOf is what the caller may see of f.
func (s *site) failureOf(w http.ResponseWriter, r *http.Request, f *fault.Error) failure {
	out := failure{Status: status(f), Message: f.Message, Fields: f.Fields, Trace: s.asker(w, r).call.TraceID}
	if f.Kind == fault.Internal {
		out.Message, out.Fields = "", nil
		if id, ok := f.Details["trace_id"].(string); ok {
			out.Trace = id
		}
	}
	if out.Status == http.StatusNotFound {
		s.addWayOut(w, r, f, &out)
	}
	return out
}

// addWayOut adds links to a 404: to the commit that deleted the node, or to similar names.
func (s *site) addWayOut(w http.ResponseWriter, r *http.Request, f *fault.Error, out *failure) {
	typeName, id := r.PathValue("type"), r.PathValue("id")
	if commit, ok := f.Details["deleted_by"].(string); ok && id != "" {
		out.Status, out.DeletedBy, out.History = http.StatusGone, commit, nodeURL(typeName, id)+"/history"
	}
	if near, is := f.Details[detailOffered].([]string); is {
		out.NotOffered = true
		for _, id := range near {
			out.Suggestions = append(out.Suggestions, link{id, capabilityURL(id)})
		}
	}
	if typeName != "" {
		out.Suggestions = s.asker(w, r).similar(typeName, id)
	}
}

// similar lists types, or instances, whose name begins like the one that is not there.
func (a *asker) similar(typeName, id string) []link {
	doc, _, err := a.typeNamed(typeName)
	if err != nil {
		return similarTypes(doc, typeName)
	}
	out := []link{{Text: "All " + typeName, Href: typeURL(typeName)}}
	if id == "" {
		return out
	}
	for _, item := range a.references(typeName, "id", firstRunes(id, 3), 8) {
		out = append(out, link{Text: firstOf(line(item.Label), item.Value), Href: nodeURL(typeName, item.Value)})
	}
	return out
}

// mostSimilar is how many names a page suggests for one that is not there.
const mostSimilar = 12

// similarTypes lists the types near the name first, and then all of them, up to a screenful.
func similarTypes(doc schemaDocument, name string) []link {
	var near, rest []link
	for _, t := range doc.Types {
		l := link{Text: t.Name, Href: typeURL(t.Name)}
		if alike(t.Name, name) {
			near = append(near, l)
			continue
		}
		rest = append(rest, l)
	}
	all := append(near, rest...)
	return all[:min(len(all), mostSimilar)]
}
