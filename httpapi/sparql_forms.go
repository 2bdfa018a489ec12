package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf/rdfio"
	"trails/sparql"
)

// tableForms are the forms of SELECT and ASK, the default first; a form occurs once for each of its media types.
var tableForms = []form{
	{"json", "application/sparql-results+json"},
	{"xml", "application/sparql-results+xml"},
	{"csv", "text/csv"},
	{"tsv", "text/tab-separated-values"},
	{"json", "application/json"},
	{"xml", "application/xml"},
}

// graphForms are the forms of CONSTRUCT and DESCRIBE, and of a graph itself.
var graphForms = formsOfGraphs()

func formsOfGraphs() (out []form) {
	for _, f := range rdfio.GraphForms {
		out = append(out, form{f.Name, f.Media})
	}
	return out
}

// mediaOf are the media types of forms.
func mediaOf(forms []form) (out []string) {
	for _, f := range forms {
		out = append(out, f.media)
	}
	return out
}

// offersFor are the forms for the answer to a query. For an invalid query the call reports the error.
func offersFor(text string) []form {
	if form := sparql.FormOf(text); form == sparql.Construct || form == sparql.Describe {
		return graphForms
	}
	return tableForms
}

// chooseForm is the form in ?format=, otherwise the one preferred by Accept. ok is false if none is acceptable; then
// 406 with the available media types has been sent.
func chooseForm(w http.ResponseWriter, r *http.Request, values url.Values, offers []form) (form, bool, error) {
	w.Header().Add("Vary", "Accept")
	if len(values["format"]) == 0 {
		f, ok := accepted(r, offers)
		if !ok {
			refuseOutside(w, r, http.StatusNotAcceptable, "the answer has no form that was asked for", member{"available", mediaOf(offers)})
		}
		return f, ok, nil
	}
	wanted := values["format"][0]
	var names []string
	for _, f := range offers {
		if f.name == wanted {
			return f, true, nil
		}
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return form{}, false, fault.Arguments(fault.FieldError{Field: "format", Code: fault.OneOf, Value: wanted, Constraint: names,
		Message: "this answer has no format " + strconv.Quote(wanted)})
}

// contentType is the media type of the form, with its charset.
func (f form) contentType() string {
	if strings.HasPrefix(f.media, "text/") {
		return f.media + "; charset=utf-8"
	}
	return f.media
}
