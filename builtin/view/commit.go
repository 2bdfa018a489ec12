package view

import (
	"encoding/hex"
	"encoding/json"
	"sort"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/kg"
)

// Commit is a commit in answers.
type Commit struct {
	ID            string `json:"id"`
	Parent        string `json:"parent,omitempty"`
	Merged        string `json:"merged,omitempty" doc:"The commit that it took in."`
	Author        string `json:"author"`
	Time          string `json:"time" type:"date-time"`
	Message       string `json:"message"`
	What          string `json:"what,omitempty" doc:"A sentence on what it did."`
	Call          string `json:"call,omitempty" doc:"The capability that made it."`
	Door          string `json:"door,omitempty" doc:"Where the call came in: page, terminal, script, mcp or http."`
	Origin        string `json:"origin,omitempty" doc:"The class of its source: person, agent, import, upstream or unknown."`
	SchemaVersion int64  `json:"schema_version"`
	Added         int64  `json:"added"`
	Removed       int64  `json:"removed"`
}

// told adds what is told of the commit.
func (c *Commit) told(t Told) { c.What, c.Door, c.Message = t.What, t.Door, t.Message }

// CommitOf returns what is shown of a commit, nil before the first one.
func CommitOf(c kg.Commit) *Commit {
	if c.ID == (kg.CommitID{}) {
		return nil
	}
	v := &Commit{
		ID: c.ID.String(), Author: c.Author, Time: Stamp(c.Time), Message: c.Message,
		SchemaVersion: c.SchemaVersion, Added: c.Added, Removed: c.Removed,
	}
	if c.Parent != (kg.CommitID{}) {
		v.Parent = c.Parent.String()
	}
	v.Merged = c.Parent2.String()
	return v
}

// CommitList is the parsed answer of commits_list.
type CommitList struct {
	Commits []Commit
	Next    *string // the commit before which older ones are; nil if there are none
	Days    []DayCount
	// Note says why there are none, or fewer than were asked for; "" for nothing to say.
	Note string
}

// DayCount is a day, such as 2026-01-31, with how many commits it has.
type DayCount struct {
	Day     string `json:"day" type:"date"`
	Commits int64  `json:"commits"`
	// Statements is nil for a caller who may see a part of the graph.
	Statements *int64        `json:"statements,omitempty" doc:"How many there were after the last of these commits."`
	Authors    []AuthorCount `json:"authors" doc:"Who made them, those with the most first; further ones are added up without a name."`
}

// AuthorCount is how many commits an author made.
type AuthorCount struct {
	Author  string `json:"author"`
	Commits int64  `json:"commits"`
}

// dayAuthors is how many authors of a day are named.
const dayAuthors = 8

// DayOf returns what is shown of a day.
func DayOf(d kg.CommitDay, seesAll bool) DayCount {
	out := DayCount{Day: d.Day.Format(time.DateOnly), Commits: d.Commits}
	if seesAll {
		out.Statements = &d.Statements
	}
	for author, n := range d.Authors {
		out.Authors = append(out.Authors, AuthorCount{author, n})
	}
	sort.Slice(out.Authors, func(i, j int) bool {
		a, b := out.Authors[i], out.Authors[j]
		return a.Commits > b.Commits || a.Commits == b.Commits && a.Author < b.Author
	})
	if len(out.Authors) > dayAuthors {
		rest := AuthorCount{}
		for _, a := range out.Authors[dayAuthors:] {
			rest.Commits += a.Commits
		}
		out.Authors = append(out.Authors[:dayAuthors:dayAuthors], rest)
	}
	return out
}

// UnmarshalJSON reads the answer of commits_list, whose columns are members of [Commit].
func (l *CommitList) UnmarshalJSON(text []byte) error {
	var answer struct {
		Columns []string
		Rows    [][]any
		Origin  string
		Next    *string
		Days    []DayCount

		Warnings []string
		Cut      string
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	members := make([]map[string]any, len(answer.Rows))
	for i, row := range answer.Rows {
		members[i] = map[string]any{"origin": answer.Origin}
		for k, name := range answer.Columns[:min(len(answer.Columns), len(row))] {
			members[i][name] = row[k]
		}
	}
	commits, err := json.Marshal(members)
	if err != nil {
		return err
	}
	l.Next, l.Days = answer.Next, answer.Days
	l.Note = strings.TrimSpace(strings.Join(append(answer.Warnings, answer.Cut), " "))
	return json.Unmarshal(commits, &l.Commits)
}

// CommitID returns the id of a commit, nil before the first one.
func CommitID(c kg.Commit) *string {
	if c.ID == (kg.CommitID{}) {
		return nil
	}
	return new(c.ID.String())
}

// Activity is the provenance of a call in plain JSON.
type Activity struct {
	ID         string `json:"id"`
	Capability string `json:"capability"`
	Version    string `json:"version,omitempty"`
	Agent      string `json:"agent"`
	Client     string `json:"client,omitempty"` // with its version
	Via        string `json:"via"`
	Started    string `json:"started"`
	Ended      string `json:"ended"`
	Inputs     string `json:"inputs_sha256"`
	Outcome    string `json:"outcome"`
	TraceID    string `json:"trace_id"`
	// Policies are those that permitted it, and PassedOver those whose conditions could not be evaluated; nil for a caller
	// who may see a part of the graph, because their names may tell of the rest.
	Policies   []string `json:"policies,omitempty"`
	PassedOver []string `json:"passed_over,omitempty"`
}

// Law is which policies decided about the call, as a text; "" if none did.
func (a Activity) Law() string {
	var parts []string
	if len(a.Policies) > 0 {
		parts = append(parts, "permitted by "+strings.Join(a.Policies, " and "))
	}
	if len(a.PassedOver) > 0 {
		parts = append(parts, "the condition of "+strings.Join(a.PassedOver, " and of ")+" could not be evaluated")
	}
	return strings.Join(parts, "; ")
}

// ActivityOf returns what is shown of an activity.
func ActivityOf(a kg.Activity, seesAll bool) *Activity {
	out := &Activity{
		ID: a.ID, Capability: a.Capability, Version: a.Version, Agent: a.Agent, Client: policy.ClientIn(a.Used), Via: a.Via,
		Started: Stamp(a.Started), Ended: Stamp(a.Ended),
		Inputs: hex.EncodeToString(a.Inputs), Outcome: a.Outcome, TraceID: a.TraceID,
	}
	if seesAll {
		out.Policies, out.PassedOver = kg.PoliciesOf(a)
	}
	return out
}

// Stamp writes a time.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
