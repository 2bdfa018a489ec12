package admin

import (
	"net/http"
	"net/url"

	"trails/builtin/view"
	"trails/fault"
)

const (
	pathsURL   = "/admin/paths"
	pathsLimit = 20
	pathsMost  = 100
	pathSteps  = 4
)

// pathsData is the page of the paths between two nodes.
type pathsData struct {
	From, To string // what was asked for: Type/id, an IRI or a label
	Steps    int
	Limit    int
	Found    *view.Paths // nil before both nodes are known
	Problem  fault.FieldError
}

// pathsFrom is the page that asks what a node is connected to.
func pathsFrom(n view.Node) string {
	return withQuery(pathsURL, url.Values{"from": {referenceTo(n)}})
}

// paths answers how two nodes are connected.
func (s *site) paths(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "from", "to", "steps", "limit")
	d := pathsData{From: q.Get("from"), To: q.Get("to"), Steps: q.number("steps", pathSteps, 1, pathSteps), Limit: q.number("limit", pathsLimit, 1, pathsMost)}
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	if _, err := a.schema(); err != nil { // its types have the colours
		return err
	}
	if d.From != "" && d.To != "" {
		d.Found = &view.Paths{}
		err := a.ask("paths", map[string]any{"from": d.From, "to": d.To, "steps": d.Steps, "limit": d.Limit}, d.Found)
		if f := fault.Of(err); f != nil && len(f.Fields) == 1 && (f.Fields[0].Field == "from" || f.Fields[0].Field == "to") {
			d.Found, d.Problem, err = nil, f.Fields[0], nil
		}
		if err != nil {
			return err
		}
	}
	title := "Paths"
	if d.Found != nil {
		title = labelOf(d.Found.From) + " and " + labelOf(d.Found.To) + " · Paths"
	}
	return s.respond(w, r, http.StatusOK, page{Title: title, Main: d.main, Scripts: []string{"form.js"}, Live: live{Mode: "any", Head: a.head}})
}
