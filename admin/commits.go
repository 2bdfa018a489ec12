package admin

import (
	"net/http"
	"net/url"
	"strconv"

	"trails/builtin/view"
)

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
}

// commits answers the log, newest first.
func (s *site) commits(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "before", "limit", "schema")
	limit, schemaOnly := q.number("limit", logLimit, 1, logMax), q.word("schema", "0", "1") == "1"
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	args := map[string]any{"limit": limit, "schema_only": schemaOnly, "whole": true}
	if before := q.Get("before"); before != "" {
		args["before"] = before
	}
	data := commitsData{Schema: schemaOnly}
	if err := a.ask("commits_list", args, &data); err != nil {
		return err
	}
	keep := url.Values{}
	if schemaOnly {
		keep.Set("schema", "1")
	}
	data.Pager = pagerBefore("/admin/commits", keep, q.Get("before"), data.Next)
	return s.respond(w, r, http.StatusOK, page{
		Title: "Commits", Nav: "commits", Live: live{Mode: "any", Head: a.head}, Main: data.main,
		Twins: []twin{{"JSON", "application/json", "/commits"}},
	})
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
