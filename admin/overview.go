package admin

import (
	"net/http"
	"slices"
	"time"

	"trails/auth"
	"trails/builtin/view"
	"trails/fault"
)

// Limits of what the overview shows.
const (
	overviewCommits    = 8
	overviewActivities = 8
	overviewRequests   = 5
)

type overviewData struct {
	At      string // the commit that it is of, "" for the newest
	Base    string
	Quads   int64
	Version int64
	// Types are those that have nodes of their own, of AllTypes.
	Types    []typeCount
	AllTypes int
	Total    int64
	Commits  []view.Commit
	Activity activity
	Views    []savedView
	Doctor   doctorAnswer
	// Part says why the doctor refuses a caller who may see a part of the graph; "" for others.
	Part string
	// Waiting are the newest requests that nobody has decided.
	Waiting []request
	Calls   []call
	MCP     string
	// Token means that agents and programs have to show one.
	Token bool
	// New means that the tour is offered.
	New bool
}

// isEmpty reports that the graph is without types now, and not one of which the caller may see none.
func (d overviewData) isEmpty() bool { return d.AllTypes == 0 && d.Part == "" && d.At == "" }

type typeCount struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Abstract    bool   `json:"abstract"`
	Count       int64  `json:"count"`
	Own         *int64 `json:"own"`
}

// call is one activity of trails://prov/latest.
type call struct {
	Capability string `json:"capability"`
	Author     string `json:"author"`
	Via        string `json:"via"`
	Started    string `json:"started"`
	Outcome    string `json:"outcome"`
	Error      string `json:"error"`
	Commit     string `json:"commit"`
	Cost       int64  `json:"cost"`
	DryRun     bool   `json:"dry_run"`
	Listed     bool   `json:"-"` // the capability has a page
}

// CommitID is the commit that the call made, or "".
func (c call) CommitID() string { return view.CommitOfName(c.Commit) }

// Millis is how long the call took.
func (c call) Millis() float64 { return float64(c.Cost) / 1000 }

// overview answers /admin: what is in the graph, and what happened last.
func (s *site) overview(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r, "at").err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var snapshot struct {
		Base          string
		Quads         int64
		SchemaVersion int64 `json:"schema_version"`
	}
	var types struct{ Types []typeCount }
	var log view.CommitList
	var prov struct {
		Graph []call `json:"@graph"`
	}
	data := overviewData{MCP: auth.Base(r) + "/mcp"}
	steps := []func() error{
		func() error { return a.ask("snapshot", nil, &snapshot) },
		func() error { return a.read("trails://kg/types", &types) },
		func() error {
			return a.ask("commits_find", map[string]any{"limit": overviewCommits, "whole": true, "days": daysShown}, &log)
		},
	}
	if a.At == "" { // all else is of now
		steps = append(steps,
			func() (err error) {
				data.Token, err = s.opts.Auth.AsksForToken(r.Context())
				return err
			},
			func() error {
				err := a.read("trails://doctor", &data.Doctor)
				if fault.Is(err, fault.Denied) {
					data.Part, err = fault.Of(err).Message, nil
				}
				return err
			},
			func() (err error) {
				data.Waiting, _, err = a.requests(false, 0, overviewRequests)
				return err
			},
			func() error { return a.read("trails://prov/latest", &prov) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	data.New = a.At == "" && isNew(r, snapshot.Base)
	data.Base, data.Quads, data.Version, data.Commits = snapshot.Base, snapshot.Quads, snapshot.SchemaVersion, log.Commits
	if data.At = a.At; a.At == "" {
		data.Activity = activity{log.Days, time.Now().UTC().Truncate(24 * time.Hour)}
	}
	data.AllTypes = len(types.Types)
	data.Types = slices.DeleteFunc(types.Types, func(t typeCount) bool { return t.Abstract })
	for _, t := range data.Types {
		if t.Own != nil {
			t.Count = *t.Own
		}
		data.Total += t.Count
	}
	// What made a commit is among the commits; what these pages read and did not find is of no interest.
	data.Calls = slices.DeleteFunc(prov.Graph, func(c call) bool {
		return c.Commit != "" || c.Via == "admin" && c.Outcome != "invalid" && c.Outcome != "denied"
	})
	data.Calls = data.Calls[:min(len(data.Calls), overviewActivities)]
	doc, err := a.schema()
	if err != nil {
		return err
	}
	if a.At == "" {
		if data.Views, err = a.savedViews(doc); err != nil {
			return err
		}
	}
	listed, err := a.listed()
	if err != nil {
		return err
	}
	for i, c := range data.Calls {
		data.Calls[i].Listed = listed[c.Capability]
	}
	p := page{
		Title: "Overview", Nav: "overview", Live: live{Mode: "any", Head: a.head}, Main: data.main,
		Twins: []twin{{"JSON", "application/json", "/stats"}, {"Types", "application/json", "/kg"}},
	}
	if data.isEmpty() {
		p.Live, p.Styles, p.Scripts = live{}, []string{"import.css"}, []string{"import.js"} // what is typed stays
	}
	return s.respond(w, r, http.StatusOK, p)
}
