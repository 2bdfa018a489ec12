package view

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"sort"
	"strings"

	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/text/jsontext"
)

// activitiesShown is how many calls trails://prov/latest shows.
const activitiesShown = 100

// provPrefixes shorten the IRIs of the document: PROV-O, agents, commits, and what is under
// the base of the schema. An IRI begins with a letter, so none begins with one of these.
func provPrefixes(base string) [][2]string {
	return [][2]string{{"_p", rdf.ProvNS}, {"_a", string(kg.AgentIRI(""))}, {"_c", commitPrefix}, {"_n", base}}
}

// commitPrefix is what the IRI of every commit begins with.
const commitPrefix = "urn:trails:commit:"

// provContext is the JSON-LD context of the document: names of PROV-O (https://www.w3.org/TR/prov-o/) and our own.
func provContext(base string) map[string]any {
	link := func(name string) map[string]any { return map[string]any{"@id": "_p:" + name, "@type": "@id"} }
	stamp := func(name string) map[string]any {
		return map[string]any{"@id": "_p:" + name, "@type": rdf.XSDNS + "dateTime"}
	}
	c := map[string]any{
		"@vocab":    rdf.TrailsNS,
		"Activity":  "_p:Activity",
		"started":   stamp("startedAtTime"),
		"ended":     stamp("endedAtTime"),
		"agent":     link("wasAssociatedWith"),
		"used":      link("used"),
		"generated": link("generated"),
		"entities":  map[string]any{"@reverse": "_p:wasGeneratedBy", "@type": "@id"},
		"commit":    map[string]any{"@type": "@id"},
		"inputs":    "inputsDigest",
		"cost":      "costMicros",
		"dry_run":   "dryRun",
	}
	for _, p := range provPrefixes(base) {
		c[p[0]] = map[string]any{"@id": p[1], "@prefix": true}
	}
	return c
}

// provName is an IRI or a blank node as the document has it.
func provName(base, name string) string {
	for _, p := range provPrefixes(base) {
		if local, ok := strings.CutPrefix(name, p[1]); ok && !strings.HasPrefix(local, "//") {
			return p[0] + ":" + local
		}
	}
	return name
}

// provActivity is one prov:Activity under provContext.
type provActivity struct {
	ID         string   `json:"@id"`
	Type       any      `json:"@type"` // a name, or a list of them
	Capability string   `json:"capability,omitempty"`
	Version    string   `json:"version,omitempty"`
	Agent      string   `json:"agent"`
	Author     string   `json:"author,omitempty"`
	Via        string   `json:"via,omitempty"`
	Started    string   `json:"started"`
	Ended      string   `json:"ended"`
	Inputs     string   `json:"inputs,omitempty"`
	Outcome    string   `json:"outcome,omitempty"`
	Error      string   `json:"error,omitempty"`
	Trace      string   `json:"trace,omitempty"`
	Cost       int64    `json:"cost"`
	DryRun     bool     `json:"dry_run,omitempty"`
	Commit     string   `json:"commit,omitempty"`
	Used       []string `json:"used,omitempty"`
	Generated  []string `json:"generated,omitempty"`
	Entities   []string `json:"entities,omitempty"` // the same entities, for statements about them
}

// provLatest answers the latest calls, as many as fit.
func provLatest(ctx context.Context, r *invoke.Request, at *url.URL) (invoke.Document, error) {
	form, err := form(r, withGraphForms(formJSONLD, formJSON)...)
	if err != nil {
		return invoke.Document{}, err
	}
	activities, err := latestActivities(ctx, r)
	if err != nil {
		return invoke.Document{}, err
	}
	size := 0
	d, kept, err := fitting(r, len(activities), func(n int) (d invoke.Document, err error) {
		if form != formJSONLD && form != formJSON {
			d, err = provGraph(ctx, r, form, activities[:n])
		} else {
			d.MIME = mimeJSONLD
			d.Body, err = jsontext.Marshal(struct {
				Context map[string]any `json:"@context"`
				Graph   []provActivity `json:"@graph"`
			}{provContext(r.Snapshot.Schema().Base), activities[:n]})
		}
		size = max(size, documentSize(d))
		return d, err
	})
	if kept < len(activities) {
		r.Parts.Cut = fmt.Sprintf("the latest %d of %d calls are shown; %s", kept, len(activities),
			wayToAll(at.String(), size, "history tells what they changed, and query has all of them: GRAPH <"+string(rdf.ProvGraph)+"> {?call ?property ?value}"))
	}
	return d, err
}

// latestActivities reads the latest calls, including those that wait in memory.
func latestActivities(ctx context.Context, r *invoke.Request) ([]provActivity, error) {
	if err := r.Latest(ctx); err != nil {
		return nil, err
	}
	activities, err := r.Snapshot.Activities(ctx, kg.ActivityFilter{}, activitiesShown)
	if err != nil {
		return nil, err
	}
	// A read may be recorded later than a write that began after it.
	sort.SliceStable(activities, func(i, j int) bool { return activities[i].Started.After(activities[j].Started) })
	out := make([]provActivity, len(activities))
	for i, a := range activities {
		if out[i], err = provOf(ctx, r, a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func provOf(ctx context.Context, r *invoke.Request, a kg.Activity) (provActivity, error) {
	name := func(iri string) string { return provName(r.Snapshot.Schema().Base, iri) }
	names := func(list []string) (out []string) {
		for _, iri := range list {
			out = append(out, name(iri))
		}
		return out
	}
	p := provActivity{
		ID: string(a.IRI()), Type: "Activity", Capability: a.Capability, Version: a.Version,
		Agent: name(string(kg.AgentIRI(a.Agent))), Author: a.Agent, Via: a.Via, Started: Stamp(a.Started), Ended: Stamp(a.Ended),
		Inputs: hex.EncodeToString(a.Inputs), Outcome: a.Outcome, Error: a.Error, Trace: a.TraceID, Cost: a.CostMicros, DryRun: a.DryRun,
		Used: names(a.Used), Generated: names(a.Generated), Entities: names(a.Generated),
	}
	if strings.HasPrefix(a.Capability, "trails.meta.") {
		p.Type = []string{"Activity", "MetaActivity"}
	}
	if a.CommitSeq == 0 {
		return p, nil
	}
	c, err := r.Snapshot.CommitBySeq(ctx, a.CommitSeq)
	p.Commit = name(string(c.ID.IRI()))
	return p, err
}

// CommitOfName is the id of a commit from its name in provenance, or "".
func CommitOfName(name string) string {
	id, err := kg.ParseCommitID(strings.TrimPrefix(name, "_c:"))
	if err != nil {
		return ""
	}
	return id.String()
}

// CommitOfIRI is the id of a commit from its IRI, or "".
func CommitOfIRI(iri string) string {
	i := strings.LastIndex(iri, ":")
	id, err := kg.ParseCommitID(iri[i+1:])
	if err != nil || string(id.IRI()) != iri {
		return ""
	}
	return id.String()
}
