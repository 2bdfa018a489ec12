package admin

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"trails/builtin/view"
	"trails/fault"
)

const commitsURL = "/admin/commits"

// Limits of the log's and a commit's page.
const (
	logLimit   = 50
	logMax     = 1000
	nodesShown = 100
)

type commitsData struct {
	view.CommitList
	Schema bool
	Pager  *pager
	// Filter has the parameters by which commits are chosen, as they were given.
	Filter   url.Values
	From, To string // days, as their fields have them
	Types    []string
	Today    time.Time
	Wrong    string // why the filter cannot be used; "" if it can
}

// commitFilters are the parameters that choose commits, which are arguments of commits_list, with what people call them.
var commitFilters = [...]struct{ name, label string }{
	{"when", "When"}, {"author", "Who"}, {"type", "Type"}, {"call", "Call"}, {"origin", "Origin"}, {"door", "Door"},
}

// daysShown is how many days the calendar of the log has.
const daysShown = 30

// commits answers the log, newest first.
func (s *site) commits(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "before", "limit", "schema", "when", "author", "type", "call", "origin", "door", "from", "to")
	limit, schemaOnly := q.number("limit", logLimit, 1, logMax), q.word("schema", "0", "1") == "1"
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	args := map[string]any{"limit": limit, "schema_only": schemaOnly, "whole": true, "days": daysShown}
	if before := q.Get("before"); before != "" {
		args["before"] = before
	}
	data := commitsData{Schema: schemaOnly, Filter: url.Values{}, Today: time.Now().UTC().Truncate(24 * time.Hour)}
	data.From, data.To = strings.TrimSpace(q.Get("from")), strings.TrimSpace(q.Get("to"))
	for _, f := range commitFilters {
		given := strings.TrimSpace(q.Get(f.name))
		if f.name == "when" && given == "" && data.From+data.To != "" {
			given = data.From + ".." + data.To
		}
		if given != "" {
			args[f.name] = given
			data.Filter.Set(f.name, given)
		}
	}
	data.From, data.To = datesOf(data.Filter.Get("when"))
	code := http.StatusOK
	if err := a.ask("commits_find", args, &data.CommitList); err != nil {
		if len(data.Filter) == 0 || fault.Of(err).Kind != fault.InvalidArguments {
			return err
		}
		code, data.Wrong = http.StatusUnprocessableEntity, wrongOf(fault.Of(err))
	}
	doc, err := a.schema()
	if err != nil {
		return err
	}
	for _, t := range doc.Types {
		data.Types = append(data.Types, t.Name)
	}
	keep := maps.Clone(data.Filter)
	if schemaOnly {
		keep.Set("schema", "1")
	}
	data.Pager = pagerBefore(commitsURL, keep, q.Get("before"), data.Next)
	return s.respond(w, r, code, page{
		Title: "Commits", Nav: "commits", Live: live{Mode: "any", Head: a.head}, Main: data.main,
		Twins: []twin{{"JSON", "application/json", "/commits"}},
	})
}

// datesOf are the days of a span of time that is written with days, for the fields of dates; "" for others.
func datesOf(when string) (from, to string) {
	from, to, _ = strings.Cut(when, "..")
	for _, day := range []*string{&from, &to} {
		if _, err := time.Parse(time.DateOnly, strings.TrimSpace(*day)); err != nil {
			*day = ""
		}
	}
	if !strings.Contains(when, "..") {
		to = from
	}
	return from, to
}

// wrongOf is what an error says of arguments.
func wrongOf(f *fault.Error) string {
	var said []string
	for _, field := range f.Fields {
		said = append(said, field.Message)
	}
	return firstOf(strings.Join(said, ". "), f.Message)
}

type commitData struct {
	view.CommitPage
	Listed map[string]bool // the capabilities that have a page
	Pager  *pager
}

// commit answers who did what in one commit, and to which nodes.
func (s *site) commit(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "offset")
	offset := q.number("offset", 0, 0, maxOffset)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	var data commitData
	args := map[string]any{"id": r.PathValue("id"), "limit": nodesShown, "offset": offset}
	if err := a.ask("commit_view", args, &data.CommitPage); err != nil {
		return err
	}
	var err error
	if data.Listed, err = a.listed(); err != nil {
		return err
	}
	path := commitURL(data.Commit.ID)
	if end := offset + len(data.Nodes); offset > 0 || data.Truncated {
		text := "Nodes " + count(offset+1) + "–" + count(end)
		data.Pager = pagerAt(text, offset, nodesShown, end, data.Truncated, func(offset int) string { return path + "?offset=" + strconv.Itoa(offset) })
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Commit " + data.Commit.ID, Nav: "commits", Main: data.main,
		Crumbs: []link{{"Commits", "/admin/commits"}}, Twins: []twin{{"JSON", "application/json", "/commits/" + url.PathEscape(data.Commit.ID)}},
	})
}
