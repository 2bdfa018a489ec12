package view

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"trails/invoke"
	"trails/jsontext"
	"trails/kg"
	"trails/rdf"
)

// activitiesShown is how many calls trails://prov/latest shows.
const activitiesShown = 100

// provContext names what the document uses of PROV-O (https://www.w3.org/TR/prov-o/) and of ours.
var provContext = map[string]any{
	"prov":       rdf.ProvNS,
	"trails":     rdf.TrailsNS,
	"xsd":        rdf.XSDNS,
	"started":    map[string]string{"@id": "prov:startedAtTime", "@type": "xsd:dateTime"},
	"ended":      map[string]string{"@id": "prov:endedAtTime", "@type": "xsd:dateTime"},
	"agent":      map[string]string{"@id": "prov:wasAssociatedWith", "@type": "@id"},
	"used":       map[string]string{"@id": "prov:used", "@type": "@id", "@container": "@set"},
	"generated":  map[string]string{"@id": "prov:generated", "@type": "@id", "@container": "@set"},
	"entities":   map[string]string{"@reverse": "prov:wasGeneratedBy", "@type": "@id", "@container": "@set"},
	"commit":     map[string]string{"@id": "trails:commit", "@type": "@id"},
	"author":     "trails:author",
	"capability": "trails:capability",
	"version":    "trails:version",
	"via":        "trails:via",
	"inputs":     "trails:inputsDigest",
	"outcome":    "trails:outcome",
	"error":      "trails:error",
	"trace":      "trails:trace",
	"cost":       "trails:costMicros",
	"dry_run":    "trails:dryRun",
}

// provActivity is one prov:Activity under provContext.
type provActivity struct {
	ID         string   `json:"@id"`
	Type       []string `json:"@type"`
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
	Entities   []string `json:"entities,omitempty"` // the same, said of them
}

// provLatest answers the latest calls, as many as there is room for.
func provLatest(ctx context.Context, r *invoke.Request, at *url.URL) (invoke.Document, error) {
	form, err := form(r, formJSONLD, formJSON, formTurtle)
	if err != nil {
		return invoke.Document{}, err
	}
	activities, err := latestActivities(ctx, r)
	if err != nil {
		return invoke.Document{}, err
	}
	size := 0
	d, kept, err := fitting(r, len(activities), func(n int) (d invoke.Document, err error) {
		if form == formTurtle {
			d, err = provTurtle(ctx, r, activities[:n])
		} else {
			d.MIME = mimeJSONLD
			d.Body, err = jsontext.Marshal(struct {
				Context map[string]any `json:"@context"`
				Graph   []provActivity `json:"@graph"`
			}{provContext, activities[:n]})
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

// latestActivities reads the latest calls, those that still wait in memory included.
func latestActivities(ctx context.Context, r *invoke.Request) ([]provActivity, error) {
	if err := r.Latest(ctx); err != nil {
		return nil, err
	}
	activities, err := r.Snapshot.Activities(ctx, kg.ActivityFilter{}, activitiesShown)
	if err != nil {
		return nil, err
	}
	// A read is recorded later than a write that began after it.
	slices.SortStableFunc(activities, func(a, b kg.Activity) int { return b.Started.Compare(a.Started) })
	out := make([]provActivity, len(activities))
	for i, a := range activities {
		if out[i], err = provOf(ctx, r, a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func provOf(ctx context.Context, r *invoke.Request, a kg.Activity) (provActivity, error) {
	p := provActivity{
		ID: string(a.IRI()), Type: []string{"prov:Activity"}, Capability: a.Capability, Version: a.Version,
		Agent: string(kg.AgentIRI(a.Agent)), Author: a.Agent, Via: a.Via, Started: Stamp(a.Started), Ended: Stamp(a.Ended),
		Inputs: hex.EncodeToString(a.Inputs), Outcome: a.Outcome, Error: a.Error, Trace: a.TraceID, Cost: a.CostMicros, DryRun: a.DryRun,
		Used: a.Used, Generated: a.Generated, Entities: a.Generated,
	}
	if strings.HasPrefix(a.Capability, "trails.meta.") {
		p.Type = append(p.Type, "trails:MetaActivity")
	}
	if a.CommitSeq == 0 {
		return p, nil
	}
	c, err := r.Snapshot.CommitBySeq(ctx, a.CommitSeq)
	p.Commit = string(c.ID.IRI())
	return p, err
}
